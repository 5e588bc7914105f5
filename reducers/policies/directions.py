"""When two directions of a search are the same, and when one comes close to another (design, section 5)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

__all__ = ["CLAIM_MS", "CLOSE", "closest", "normal", "similarity"]

CLAIM_MS = 15 * 60 * 1000
"""How long a claim holds that does not say until when, milliseconds."""

CLOSE = 90
"""Similarity, of 100, from which a direction is so close to another that it is worth a warning."""

_ACCENTS = re.compile("[\u0300-\u036f]")
_APOSTROPHES = re.compile(r"(?<=[^\W\d_])['\u2019](?=[^\W\d_])")
_NUMBERS = re.compile(r"((?<![\w.])-?(?:\d+(?:[.,]\d+)*|\.\d+)(?:e[+-]?\d+)?%?(?!\w))")
_HYPHENS = str.maketrans(dict.fromkeys("\u2010\u2011\u2012\u2013\u2212", "-"))


@lru_cache(maxsize=4096)
def normal(text: str) -> str:
    """The direction's words and numbers, joined by single spaces: equal for directions that are the same.

    Case, accents, white space and punctuation do not count. Numbers do, sign, decimals, exponent and per cent
    included: 0.01 is not 0.001, -1 is not 1, 50% is not 50. A hyphen is a sign where no word or number stands
    right before it. Symbols that are no punctuation (`+`, `<`, `=`) are words of their own. Text of nothing
    but punctuation stays as it is.
    """
    from unicodedata import normalize

    plain = _ACCENTS.sub("", normalize("NFD", text.casefold())).translate(_HYPHENS)
    parts = _NUMBERS.split(_APOSTROPHES.sub("", normalize("NFC", plain)))
    parts[::2] = ["".join(map(_without_punctuation, words)) for words in parts[::2]]
    return " ".join(" ".join(parts).split()) or text.strip()


@lru_cache(maxsize=4096)
def _without_punctuation(char: str) -> str:
    from unicodedata import category

    kind = category(char)
    if kind in ("Sm", "Sc", "So"):
        return f" {char} "
    if kind == "Cf":
        return ""
    return " " if kind[0] in "PSZC" else char


def similarity(one: str, other: str) -> float:
    """How alike two directions are, 0 to 100, whatever the order of their words; the same both ways round."""
    from difflib import SequenceMatcher

    first, second = sorted(" ".join(sorted(normal(text).split())) for text in (one, other))
    return SequenceMatcher(None, first, second, autojunk=False).ratio() * 100


def closest(text: str, others: Iterable[str]) -> tuple[str, float] | None:
    """The direction most like `text`, and how alike they are; the earliest of equals. None below `CLOSE`."""
    found: tuple[str, float] | None = None
    for other in others:
        alike = similarity(text, other)
        if alike >= (CLOSE if found is None else found[1]) and (found is None or alike > found[1]):
            found = other, alike
    return found

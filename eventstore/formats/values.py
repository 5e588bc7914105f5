"""Values as other programs write them: numbers, verdicts, directions, times, JSON that is not strict."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from eventstore.formats.words import DIRECTIONS, PLACEHOLDERS, STATUSES, STRONG, UNFINISHED, UNITS, WEAK
from eventstore.timestamps import SECONDS_BELOW, epoch_ms
from eventstore.values import MAX_INTEGER

__all__ = [
    "clean",
    "direction_in",
    "direction_of",
    "is_nothing",
    "is_unfinished",
    "moment_of",
    "number_of",
    "plain_word",
    "status_of",
    "text_of",
    "whole_of",
]

_NUMBER = re.compile(r"[~≈]?([+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,4})?)\s*(\S{0,9})")
_GROUPED = re.compile(r"([+-]?[1-9][0-9]{0,2}(?:,[0-9]{3})+)(?![0-9,])")
_BETTER = re.compile(
    r"\b(lower|less|smaller|higher|larger|bigger|more)\b[ _-]*(?:is|=|are)?[ _-]*better", re.IGNORECASE
)
_AIM = re.compile(r"\b(minimi[sz]e|maximi[sz]e|minimi[sz]ing|maximi[sz]ing)\b", re.IGNORECASE)
_HEAD = re.compile(r"\s*(?:[—\u2013:;,.(\[{|/=>→]|\s-\s|\s)\s*")
_AROUND = "*`'\"!._- "
_MAX_DEPTH = 40
_MAX_WORD = 400


@lru_cache(4096)
def plain_word(text: str) -> str:
    """A word as the tables have it: `Tests-Failed ` and `tests failed` are `tests_failed`."""
    word = re.sub(r"[\s_-]+", "_", text[:_MAX_WORD].lower()).strip(_AROUND)
    return word or text.strip()


def is_nothing(value: object) -> bool:
    """Whether a cell or field stands for nothing: null, empty, a dash, `n/a`, `pending`."""
    return value is None or (isinstance(value, str) and value.strip().lower() in PLACEHOLDERS)


def number_of(value: object) -> int | float | None:
    """The finite number that a value is or spells; None for any other.

    Text may carry a sign, thousands separators, a percent sign or a known unit: `+0.3` is 0.3, `-85.29%` is
    -85.29, `1,234` is 1234. A word with digits in it, a date, `3/4`, `NaN` and booleans are no numbers.
    """
    if type(value) is int:
        return value if abs(value) <= MAX_INTEGER else _finite(value)
    if type(value) is float:
        return value if math.isfinite(value) else None
    if not isinstance(value, str) or len(value) > 64:
        return None
    text = _GROUPED.sub(
        lambda m: m[1].replace(",", ""), value.strip().replace("\N{MINUS SIGN}", "-"), count=1
    )
    found = _NUMBER.fullmatch(text)
    if found is None or (found[2] and found[2].lower() not in UNITS):
        return None
    digits = found[1]
    if digits.lstrip("+-").isdigit():
        return number_of(int(digits))
    return number_of(float(digits))


def _finite(value: int) -> float | None:
    try:
        return float(value)
    except OverflowError:
        return None


def whole_of(value: object) -> int | None:
    """The whole number from 0 that a value is or spells; None for any other."""
    number = number_of(value)
    return int(number) if number is not None and number >= 0 and number == int(number) else None


def status_of(value: object, words: Mapping[str, str] = {}, *, only_strong: bool = False) -> str | None:
    """The status that a verdict stands for, or None.

    A verdict is a known word, alone or with remarks after it: `keep`, `DISCARDED`, `keep - 3% faster`,
    `negative. worse by 2`. True is a keep, false is not. `words` are the user's own, by plain word.
    `only_strong`: leave out words that may only say that something ended (`ok`, `done`, `failed`).
    """
    if isinstance(value, bool):
        return "keep" if value else "discard"
    if not isinstance(value, str):
        return None
    table = STRONG if only_strong else STATUSES
    known = {**table, **words} if words else table
    word = plain_word(value)
    if word in known:
        return known[word]
    first, *rest = _HEAD.split(value.strip()[:_MAX_WORD], maxsplit=1)
    head = plain_word(first)
    if head in known and (not rest or head not in WEAK or not rest[0][:1].isalpha()):
        return known[head]
    return next((known[mark] for mark in known if not mark.isascii() and word.startswith(mark)), None)


def is_unfinished(value: object) -> bool:
    """Whether a verdict says that there is none yet: `pending`, `running`."""
    return isinstance(value, str) and plain_word(value) in UNFINISHED


def direction_of(value: object) -> str | None:
    """`lower` or `higher`, as a field says it (`higher_is_better`, `min`, `maximize`); else None."""
    return DIRECTIONS.get(plain_word(value)) if isinstance(value, str) else None


def direction_in(text: str) -> str | None:
    """`lower` or `higher`, as a sentence says it: `minimize val_bpb`, `lower is better`; else None."""
    said = {DIRECTIONS[m.lower()] for m in (*_BETTER.findall(text), *_AIM.findall(text))}
    return said.pop() if len(said) == 1 else None


def moment_of(value: object) -> int | None:
    """Milliseconds since 1970 UTC of a time in any shape a log holds (`eventstore.timestamps`).

    None for what is no time and for times before 1973, which in milliseconds would read as seconds. Numbers
    that are text count as numbers; a blank between date and time, and `/` in a date, are accepted.
    """
    if isinstance(value, str):
        text = value.strip()
        value = number_of(text) if re.fullmatch(r"[0-9]{9,}(?:\.[0-9]+)?", text) else text.replace("/", "-")
    ms = epoch_ms(value)
    return ms if ms is not None and abs(ms) >= SECONDS_BELOW else None


def text_of(value: object) -> str:
    """A value as text: text as it is, anything else as JSON."""
    if isinstance(value, str):
        return clean(value)  # type: ignore[no-any-return]
    import json

    return json.dumps(clean(value), ensure_ascii=False)


def clean(value: Any, depth: int = 0) -> Any:
    """A value as strict JSON can hold it.

    NaN and infinities, whole numbers beyond 64 bits and what is nested too deeply become text; halves of
    characters become U+FFFD.
    """
    kind = type(value)
    if kind is str:
        return (
            value if value.isascii() else value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        )
    if kind is dict or kind is list:
        if depth >= _MAX_DEPTH:
            return f"nested too deeply to be kept ({len(value)} entries)"
        if kind is dict:
            return {clean(str(key)): clean(inner, depth + 1) for key, inner in value.items()}
        return [clean(inner, depth + 1) for inner in value]
    if kind is float and not math.isfinite(value):
        return "NaN" if value != value else "Infinity" if value > 0 else "-Infinity"
    if kind is int and abs(value) > MAX_INTEGER:
        return hex(value) if value.bit_length() > 4000 else str(value)
    return value

"""The verdict on a run among the fields of a foreign object."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from eventstore.formats.fields import Fields
from eventstore.formats.values import is_nothing, is_unfinished, plain_word, status_of
from eventstore.formats.words import STATUS_FIELDS

__all__ = ["Verdict", "keep_word", "verdict_in"]

_UNKNOWN_IN = 4  # of the verdict's fields, those in which a word that we do not know is still a verdict
_PLAIN = {"keep", "kept", "discard", "discarded", "crash", "crashed", "checks_failed"} | {
    "true",
    "false",
    "yes",
    "no",
}


class Verdict(msgspec.Struct, frozen=True):
    """What a run's fields say of its status.

    status: ours, or None. name: the field that says it. said: in what words. strong: whether in a word that
    says nothing else. unfinished: whether it says that there is no verdict yet.
    """

    status: str | None = None
    name: str | None = None
    said: Any = None
    strong: bool = False
    unfinished: bool = False


def verdict_in(fields: Fields, words: Mapping[str, str]) -> Verdict:
    """The verdict among a run's fields: a word that is one, else one that may be, else none."""
    for strong in (True, False):
        for name in STATUS_FIELDS:
            value = fields.get(name)
            status = status_of(value, words, only_strong=strong)
            if status is not None:
                return Verdict(status, fields.key_of(name), value, strong)
    for name in STATUS_FIELDS[:_UNKNOWN_IN]:
        value = fields.get(name)
        if isinstance(value, str) and (is_unfinished(value) or not is_nothing(value)):
            return Verdict(None, fields.key_of(name), value, False, is_unfinished(value))
    return Verdict()


def keep_word(said: object) -> bool:
    """Whether a verdict says more than the status that it stands for."""
    return isinstance(said, str) and plain_word(said) not in _PLAIN

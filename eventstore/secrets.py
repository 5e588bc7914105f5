"""Keeps secrets out of lines that can never be changed (design, section 2.3), and names out of exports.

Well-known token shapes (`eventstore.shapes`) and private-key blocks become `[redacted:kind]`. Looking for
them must cost next to nothing where there are none, so the shapes' anchors are looked for as plain text, and
only where there is one a pattern is compiled and tried.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from msgspec.structs import astuple, replace

from eventstore.errors import InvalidEventError
from eventstore.events import Event, type_of
from eventstore.rules import Rule, rules_of
from eventstore.shapes import ARMOUR, SHAPES, Shape

if TYPE_CHECKING:
    import re

__all__ = ["each_text", "is_looked_at", "redact", "redact_event", "suspicious"]

E = TypeVar("E", bound=Event)


Groups = tuple[tuple[str, tuple[str, ...]], ...]


def _under(signs: Iterable[str], anchors: Iterable[str]) -> Groups:
    """The anchors, each under its sign."""
    groups: dict[str, list[str]] = {}
    for sign, anchor in zip(signs, anchors, strict=True):
        groups.setdefault(sign, []).append(anchor)
    return tuple((sign, tuple(group)) for sign, group in groups.items())


def _rare_sign(anchor: str) -> str:
    """A character of the anchor that few texts hold; empty if it has none."""
    return next((sign for sign in "JzKTAx_-=:/" if sign in anchor), "")


_ANCHORS = (*(anchor for shape in SHAPES for anchor in shape.anchors), ARMOUR)
_WITH_END = [anchor for anchor in _ANCHORS if anchor[-1] in "_-.=~/"]
_WITHOUT = [anchor for anchor in _ANCHORS if anchor[-1] not in "_-.=~/"]
_ENDING = _under([anchor[-1] for anchor in _WITH_END], _WITH_END)
_OTHERS = _under(map(_rare_sign, _WITHOUT), _WITHOUT)
_ENVELOPE = ("seq", "timestamp", "prev")
_DIGESTS = ("commit", "parent", "revert_commit", "true_prev", "sha256", "script_sha256", "harness")
_LEFT_ALONE = frozenset((*_ENVELOPE, *_DIGESTS, "until", "pid_started"))
"""Fields that hold no text of anybody's: numbers, times, digests."""

_COMMANDS = ("measure", "constraint", "metric_pattern", "argv")
_PATHS = ("cwd", "assets", "files")
_VERBATIM = frozenset(("by", "id", "type", *_COMMANDS, *_PATHS))
"""Fields that are acted upon as they stand: changed, they would name or run something else."""


def redact(text: str) -> str:
    """The text with what looks like a secret replaced by `[redacted:kind]`; the same object if nothing does.

    Total, idempotent, in linear time.
    """
    if not suspicious(text):
        return text
    changed = _once(text)
    while changed != text:  # what was replaced may have hidden another from view
        text, changed = changed, _once(changed)
    return text


def redact_event(event: E) -> E:
    """The event with secrets in its texts replaced; the same object if there are none.

    Keys of objects count as text. Left alone: digests, commits, times. Raises InvalidEventError where a
    secret stands in a field that is acted upon as it stands, a command, a path, an id or `by`.
    """
    changes: dict[str, Any] = {}
    for value, rule in zip(astuple(event), rules_of(type(event)), strict=True):
        if is_looked_at(rule):
            changed = each_text(value, redact)
            if changed is not value:
                if rule.key in _VERBATIM:
                    _refuse(event, rule.name, changed)
                changes[rule.name] = changed
    return replace(event, **changes) if changes else event


def is_looked_at(rule: Rule) -> bool:
    """Whether a field of this rule may hold a secret."""
    return rule.key not in _LEFT_ALONE and not rule.choices and bool(rule.cases.keys() & {str, tuple, dict})


def each_text(value: Any, change: Callable[[str], str]) -> Any:
    """A JSON value with each text in it, keys included, changed; the same object if none did.

    Keys that become equal are kept apart by a number: `[redacted:jwt]`, `[redacted:jwt] 2`.
    """
    kind = type(value)
    if kind is str:
        return change(value)
    if kind is dict:
        return _each_item(value, change)
    if kind is list or kind is tuple:
        changed = kind(each_text(inner, change) for inner in value)
        return value if all(a is b for a, b in zip(changed, value, strict=True)) else changed
    return value


def _each_item(value: dict[Any, Any], change: Callable[[str], str]) -> dict[Any, Any]:
    result: dict[Any, Any] = {}
    same = True
    for key, inner in value.items():
        new_key, new = each_text(key, change), each_text(inner, change)
        same = same and new_key is key and new is inner
        name, number = new_key, 2
        while name in result:
            name, number = f"{new_key} {number}", number + 1
        result[name] = new
    return value if same else result


def _refuse(event: Event, name: str, changed: Any) -> NoReturn:
    kind = repr(changed).partition("[redacted:")[2].partition("]")[0]
    path = f"{redact(type_of(event))}.{name}"  # the type itself may be it
    raise InvalidEventError(
        f"{path}: holds what looks like a secret ({kind}), and lines are never rewritten",
        "keep the secret in the environment or in a file, and name that",
    )


def suspicious(text: str) -> bool:
    """Whether a text holds an anchor, without which it holds no secret.

    Few of the signs stand in a text, and where one does, all anchors that end with it are compared at once.
    """
    for sign, anchors in _ENDING:
        end = text.find(sign) + 1
        while end:
            if text.endswith(anchors, 0, end):
                return True
            end = text.find(sign, end) + 1
    for sign, anchors in _OTHERS:
        if sign in text:
            for anchor in anchors:
                if anchor in text:
                    return True
    return False


def _once(text: str) -> str:
    if ARMOUR in text:
        from eventstore.private_keys import redact_private_keys

        text = redact_private_keys(text)
    for shape in SHAPES:
        for anchor in shape.anchors:
            if anchor in text:
                text = _pattern(shape).sub(_mark(shape.kind), text)
                break
    return text


@cache
def _pattern(shape: Shape) -> re.Pattern[str]:
    import re

    return re.compile(shape.pattern, re.ASCII)


@cache
def _mark(kind: str) -> Callable[[re.Match[str]], str]:
    """What stands in a match's place: all of it, or only its group."""

    def mark(match: re.Match[str]) -> str:
        group = match.re.groups
        start, end = match.span(group)
        return f"{match.string[match.start() : start]}[redacted:{kind}]{match.string[end : match.end()]}"

    return mark

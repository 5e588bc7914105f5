"""Bytes to records and back: the line codec (design, sections 2.2 and 2.4).

Reading is tolerant. A line is decoded strictly first, which is fast; one that does not fit is read again,
leniently, so that what foreign writers produce (no `type`, text for a metric, half an emoji) still counts.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from functools import cache
from typing import Any, Union, cast, get_type_hints

import msgspec

from eventstore.events import ENVELOPE, EVENTS, TYPES, Custom, Damaged, Event, Record, Run, Tagged, Unknown

__all__ = ["Batch", "LineDecoder", "decode_line", "encode", "split_lines", "to_json"]

BLANK = b" \t\r"

to_json = msgspec.json.Encoder().encode
"""An event of a known type as the bytes of its line; what is no such event goes through `encode`."""

_objects = msgspec.json.Decoder(dict[str, Any])


class Batch(msgspec.Struct, frozen=True, gc=False):
    """What a stretch of whole lines was read as.

    records: one for each line that is not blank, in order.
    first: number of the first line of the stretch, from 1.
    lines: how many lines it has, blank ones included.
    start, end: byte offsets of the stretch in the log, newline of the last line included.
    blanks: numbers of the blank lines, ascending; usually empty.
    """

    records: Sequence[Record]
    first: int
    lines: int
    start: int
    end: int
    blanks: tuple[int, ...] = ()

    @property
    def last(self) -> int:
        """Number of the stretch's last line."""
        return self.first + self.lines - 1

    def numbered(self) -> Sequence[tuple[int, Record]]:
        """The records with the numbers of their lines."""
        if not self.blanks:
            return list(zip(range(self.first, self.first + self.lines), self.records, strict=True))
        blank = set(self.blanks)
        numbers = [n for n in range(self.first, self.first + self.lines) if n not in blank]
        return list(zip(numbers, self.records, strict=True))

    @property
    def damaged(self) -> list[Damaged]:
        """The lines that are no JSON object."""
        return [r for r in self.records if type(r) is Damaged]

    @property
    def unknown(self) -> list[Unknown]:
        """The objects that are no event of this version."""
        return [r for r in self.records if type(r) is Unknown]


def encode(event: Event) -> bytes:
    """An event as the bytes of its line, without the newline.

    Raises UnicodeEncodeError for lone surrogates; NaN and infinities become null, so the door looks for
    them first (`eventstore.door`).
    """
    if isinstance(event, Custom):
        head = {name: getattr(event, name) for name in ENVELOPE}
        shown = {k: v for k, v in head.items() if v is not None and not (k == "by" and v == "user")}
        return to_json({"type": event.type, **shown, **event.fields})
    return to_json(event)


def split_lines(chunk: bytes) -> list[bytes]:
    """The lines of a stretch that ends with a newline, without their newlines."""
    lines = chunk.split(b"\n")
    if lines[-1] == b"":
        lines.pop()
    return lines


class LineDecoder:
    """Decodes stretches of whole lines.

    `kinds`: the event types whose fields are wanted; lines of other known types are still checked to be JSON
    objects, but their fields are skipped, which halves the cost of a view that looks at few types. None
    means all.
    """

    def __init__(self, kinds: Collection[type[Event]] | None = None) -> None:
        wanted = EVENTS if kinds is None else tuple(k for k in EVENTS if k in kinds)
        skipped = tuple(_stub(k) for k in EVENTS if k not in wanted)
        self._strict = msgspec.json.Decoder(Union[wanted + skipped])  # noqa: UP007

    def decode(self, chunk: bytes, first: int, start: int = 0) -> Batch:
        """A stretch of whole lines, each ended by a newline, as a batch.

        `first` is the number of its first line and `start` its offset in the log; both are only passed on.
        """
        lines = split_lines(chunk)
        records = self._all_at_once(chunk, lines)
        blanks: tuple[int, ...] = ()
        if records is None:
            records, blanks = self._one_by_one(lines, first)
        return Batch(records, first, len(lines), start, start + len(chunk), blanks)

    def _all_at_once(self, chunk: bytes, lines: list[bytes]) -> Sequence[Record] | None:
        """The records, if every line is an event in our own shape; else None.

        Line by line all the same: msgspec's `decode_lines` takes newlines for white space, and to see that no
        record spans lines or shares one takes longer than cutting the lines apart.
        """
        try:
            chunk.isascii() or chunk.decode()  # fields that are skipped are not checked by the decoder
            return cast("Sequence[Record]", list(map(self._strict.decode, lines)))
        except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
            return None

    def _one_by_one(self, lines: list[bytes], first: int) -> tuple[list[Record], tuple[int, ...]]:
        records: list[Record] = []
        blanks: list[int] = []
        for number, line in enumerate(lines, first):
            if not line.strip(BLANK):
                blanks.append(number)
                continue
            records.append(self.line(line, number))
        return records, tuple(blanks)

    def line(self, line: bytes, number: int) -> Record:
        """One line that is not blank, without its newline, as a record."""
        try:
            line.isascii() or line.decode()
            return cast("Record", self._strict.decode(line))
        except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
            return _lenient(line, number)


@cache
def _stub(kind: type[Tagged]) -> type[msgspec.Struct]:
    """A type of the same tag without fields: its lines are parsed, their content is skipped."""
    config = kind.__struct_config__
    return msgspec.defstruct(
        kind.__name__ + "Skipped", [], frozen=True, gc=False, tag_field="type", tag=config.tag
    )


@cache
def _full() -> LineDecoder:
    return LineDecoder()


def decode_line(line: bytes, number: int = 1) -> Record:
    """One line that is not blank, without its newline, as a record; never raises."""
    return _full().line(line, number)


def _lenient(line: bytes, number: int) -> Record:
    """A line that is no event in our own shape: what can be made of it."""
    found = _object(line)
    if isinstance(found, str):
        return Damaged(number, len(line), found)
    kind = found.get("type")
    if kind is None and _is_number(found.get("run")):
        kind = "run"
    if not isinstance(kind, str):
        return Unknown(number, line, None, "it has no type")
    if kind.startswith("x.") and len(kind) > 2:
        if _is_number(found.get("run")):
            return Unknown(number, line, kind, "a user's own event may not have a numeric run")
        return _custom(kind, found)
    if kind not in TYPES:
        return Unknown(number, line, kind, f"no event type {kind!r} in this version")
    try:
        return _event(TYPES[kind], found)
    except msgspec.ValidationError as error:
        return Unknown(number, line, kind, str(error))


def _object(line: bytes) -> dict[str, Any] | str:
    """The line's JSON object, or why there is none."""
    try:
        line.isascii() or line.decode()
    except UnicodeDecodeError as error:
        return f"invalid UTF-8 at byte {error.start + 1}"
    try:
        return _objects.decode(line)
    except RecursionError:
        return "nested too deeply"
    except msgspec.DecodeError as error:
        return _second_opinion(line, str(error))


def _second_opinion(line: bytes, reason: str) -> dict[str, Any] | str:
    """What msgspec refuses but JSON allows: lone surrogate escapes, numbers beyond a double, a leading BOM.

    Programs that cut text in UTF-16 units write the first. In what we show, the surrogates become U+FFFD and
    the numbers null, as everywhere where JSON cannot hold them; the line itself is left alone.
    """
    import json

    def no_constant(name: str) -> object:
        raise ValueError(f"{name} is not JSON")

    try:
        value = json.loads(line.decode("utf-8-sig"), parse_constant=no_constant)
    except RecursionError:
        return "nested too deeply"
    except ValueError as error:
        own = str(error)
        return own if own.endswith("is not JSON") else reason.removeprefix("JSON is malformed: ")
    if not isinstance(value, dict):
        return "JSON, but not an object"
    return cast("dict[str, Any]", _holdable(value))


def _holdable(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, dict):
        return {_holdable(k): _holdable(v) for k, v in value.items()}
    if isinstance(value, list):
        return [_holdable(v) for v in value]
    return value if type(value) is not float or math.isfinite(value) else None


def _is_number(value: object) -> bool:
    return type(value) is int or type(value) is float


def _custom(kind: str, found: dict[str, Any]) -> Custom:
    envelope = _fitting(Custom, {name: found[name] for name in ENVELOPE if name in found})
    fields = {k: v for k, v in found.items() if k != "type" and k not in ENVELOPE}
    return Custom(type=kind, fields=fields, **envelope)


def _event(kind: type[Tagged], found: dict[str, Any]) -> Tagged:
    """An event of this type, its ill-typed fields left at their defaults.

    Raises ValidationError when a field without which the event says nothing is missing or ill-typed.
    """
    fields = _fitting(kind, _foreign_run(found) if kind is Run else found)
    missing = [f.encode_name for f in msgspec.structs.fields(kind) if f.required and f.name not in fields]
    if missing:
        raise msgspec.ValidationError(f"{', '.join(missing)}: missing or not of its type")
    return kind(**fields)


def _foreign_run(found: dict[str, Any]) -> dict[str, Any]:
    """A run as other programs write it, its odd fields in the shapes ours have.

    A run without a status is still a run; it is called `unknown`, which is neither judged nor kept.
    """
    run = {**found, "status": str(found.get("status") or "unknown")}
    if isinstance(found.get("asi"), str):
        run["asi"] = {"note": found["asi"]}
    return run


def _fitting(kind: type[Event], found: dict[str, Any]) -> dict[str, Any]:
    """Those of the fields that have the types which `kind` declares, by attribute name."""
    hints = _hints(kind)
    fitting: dict[str, Any] = {}
    for field in msgspec.structs.fields(kind):
        if field.encode_name in found:
            try:
                fitting[field.name] = msgspec.convert(found[field.encode_name], hints[field.name])
            except (msgspec.ValidationError, RecursionError):
                continue
    return fitting


@cache
def _hints(kind: type[Event]) -> dict[str, Any]:
    return get_type_hints(kind, include_extras=True)

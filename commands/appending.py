"""What `ar append` was asked for, and what came of it: words to events, outcomes to words. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from msgspec.structs import replace

from commands.errors import BadInputError
from commands.numbering import UNNUMBERED
from commands.pairs import loose_value, parse_pairs
from eventstore import door
from eventstore.errors import LedgerError
from eventstore.events import TYPES, Event, Run, type_of
from eventstore.stamping import Admitted
from eventstore.store import Appended

__all__ = ["Batch", "Request", "outcome", "plain_request", "read_batch", "read_one", "told"]


class Request(NamedTuple):
    """One call of `ar append`, its options by their names; `kind` is `-` for a batch from stdin."""

    kind: str
    fields: tuple[str, ...] = ()
    by: str | None = None
    key: str | None = None
    batch: str | None = None
    expect: int | None = None
    as_json: bool = False


_WITH_VALUE = {"--by": "by", "--id": "key", "--batch": "batch", "--expect": "expect"}


def plain_request(words: list[str]) -> Request | None:
    """The request that the words after `append` make, where they are of the plain form; else None.

    Whatever needs a second look (help, a slip, a value that begins with a dash) is left to the command line's
    own parser, which reads the plain form as the same; a test compares the two.
    """
    places: list[str] = []
    options: dict[str, Any] = {}
    rest = iter(words)
    for word in rest:
        if not word.startswith("-") or word == "-":
            places.append(word)
        elif word == "--json":
            options["as_json"] = True
        else:
            option, equals, value = word.partition("=")
            name = _WITH_VALUE.get(option)
            value = value if equals else next(rest, "-")
            if name is None or value.startswith("-"):
                return None
            options[name] = value
    expect = options.get("expect")
    if not places or not (expect is None or (expect.isascii() and expect.isdecimal() and len(expect) < 19)):
        return None
    if expect is not None:
        options["expect"] = int(expect)
    return Request(places[0], tuple(places[1:]), **options)


class Batch(NamedTuple):
    """What is to be appended.

    open_: the places of the runs that came without a number, and get the next one when they are written.
    """

    events: Sequence[Event]
    open_: frozenset[int] = frozenset()


def read_one(kind: str, words: tuple[str, ...], key: str | None) -> Batch:
    """The event that TYPE and its `key=value` words describe. Raises BadInputError or InvalidEventError."""
    known = TYPES.get(kind)
    if known is None:
        given = parse_pairs(words)
    else:
        from eventstore.rules import rules_of

        texts = {rule.key for rule in rules_of(known) if str in rule.cases}
        given = parse_pairs(words, lambda name, text: text if name in texts else loose_value(name, text))
    if key is not None:
        if "id" in given:
            raise BadInputError("the id is given twice", "--id KEY or id=KEY")
        given["id"] = key
    is_open = _number_left_open(kind, given)
    return Batch([door.admit(kind, given)], frozenset([0] if is_open else []))


def read_batch(data: bytes, batch: str | None, by: str) -> Batch:
    """The events of a batch, one JSON object a line, as they may be appended; blank lines are skipped.

    batch: item n, counted from 1, gets the id `batch#n` unless it has one. by: signs what is not signed.
    Raises InvalidEventError or RoleError that names the line.
    """
    events = Admitted(by)
    left_open: set[int] = set()
    for number, line in enumerate(data.split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            kind, fields = door.read_line(line)
            if kind == "run" and _number_left_open(kind, fields):
                left_open.add(len(events))
            event = door.build(kind, fields)
            if batch is not None and event.id is None:
                event = replace(event, id=f"{batch}#{len(events) + 1}")
            events.admit(event)
        except LedgerError as error:
            error.message = f"line {number}: {error.message}"
            raise
    return Batch(events, frozenset(left_open))


def _number_left_open(kind: str, fields: dict[str, Any]) -> bool:
    """Whether this is a run without a number; `fields` then gets one for the while."""
    if kind != "run" or "run" in fields:
        return False
    fields["run"] = UNNUMBERED
    return True


def outcome(appended: Appended) -> dict[str, Any]:
    """The JSON document of an append, one item an event in `seqs`, one a run in `runs`."""
    return {
        "seqs": list(appended.seqs),
        "runs": [event.run for event in appended.events if isinstance(event, Run)],
        "written": appended.written,
        "head": str(appended.head) if appended.head.digest else None,
        "mended": list(appended.mended),
    }


def told(appended: Appended) -> str:
    """What an append came to, for people."""
    total = len(appended.events)
    if total == 1:
        event = appended.events[0]
        kind = f"run {event.run}" if isinstance(event, Run) else type_of(event)
        already = "" if appended.written else " already"
        return f"{kind} is line {appended.seqs[0]}{already}\n"
    if not appended.written:
        return f"nothing to write: all {total} events are in the log already\n" if total else "no events\n"
    already = f", {total - appended.written} were there already" if appended.written < total else ""
    return f"{appended.written} events written, the log ends at line {appended.head.seq}{already}\n"

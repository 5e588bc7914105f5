"""`ar append`: records an event, or a batch of them from stdin."""

from __future__ import annotations

import sys
from typing import Any

import click
from msgspec.structs import replace

from commands.context import Call
from commands.effects.appending import append_events, tell_mended
from commands.errors import BadInputError
from commands.options import by_option, examples, json_option
from commands.output import emit, emit_json
from commands.pairs import loose_value, parse_pairs
from commands.verb import Verb
from eventstore import door
from eventstore.errors import LedgerError
from eventstore.events import TYPES, Event, type_of
from eventstore.store import Appended

__all__ = ["append_cmd"]


@click.command(
    "append",
    cls=Verb,
    epilog=examples(
        "ar append note level=decision detail='the cache is the bottleneck'",
        "ar append finding text='p99 is GC' evidence=trace.json iteration:=4",
        "ar append x.deploy host=gpu0 replicas:=3 --id deploy-17",
        "ar append - --batch night-3 < events.jsonl",
    ),
)
@click.argument("kind", metavar="TYPE|-")
@click.argument("fields", metavar="[key=value | key:=json]...", nargs=-1)
@by_option
@click.option("--id", "key", metavar="KEY", help="Idempotency key: a second append of the same is no event.")
@click.option("--batch", metavar="KEY", help="With -: item n gets the id KEY#n, so a retry writes the rest.")
@click.option("--expect", type=int, metavar="SEQ", help="Refuse (exit 3) unless the log ends at line SEQ.")
@json_option
@click.pass_obj
def append_cmd(
    call: Call,
    kind: str,
    fields: tuple[str, ...],
    by: str | None,
    key: str | None,
    batch: str | None,
    expect: int | None,
    as_json: bool,
) -> None:
    """Record an event, or with - a batch from stdin.

    A batch holds one JSON object a line and is written as a whole or not at all. key=value is text where
    the field holds text, else it is read as JSON; key:=json is always JSON. `ar schema` tells the types and
    their fields.
    """
    if kind == "-":
        if fields or key is not None:
            raise BadInputError(
                "a batch takes its events from stdin alone", "ar append - --batch KEY < events.jsonl"
            )
        events = read_batch(sys.stdin.buffer.read(), batch)
    else:
        if batch is not None:
            raise BadInputError("--batch is for a batch from stdin", "--id KEY for a single event")
        events = [read_event(kind, fields, key)]
    appended = append_events(call.writer(by), events, expect=expect)
    tell_mended(appended)
    if as_json:
        emit_json(outcome(appended))
    else:
        emit(told(appended))


def read_event(kind: str, words: tuple[str, ...], key: str | None) -> Event:
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
    return door.admit(kind, given)


def read_batch(data: bytes, batch: str | None) -> list[Event]:
    """The events of a batch, one JSON object a line; blank lines are skipped.

    batch: item n, counted from 1, gets the id `batch#n` unless it has one. Raises InvalidEventError that
    names the line.
    """
    events: list[Event] = []
    for number, line in enumerate(data.split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            event = door.admit_line(line)
        except LedgerError as error:
            error.message = f"line {number}: {error.message}"
            raise
        if batch is not None and event.id is None:
            event = replace(event, id=f"{batch}#{len(events) + 1}")
        events.append(event)
    return events


def outcome(appended: Appended) -> dict[str, Any]:
    """The JSON document of an append: `seqs` of the events in order, `written`, `head`, `mended`."""
    return {
        "seqs": list(appended.seqs),
        "written": appended.written,
        "head": str(appended.head) if appended.head.digest else None,
        "mended": list(appended.mended),
    }


def told(appended: Appended) -> str:
    """What an append came to, for people."""
    total = len(appended.events)
    if total == 1:
        kind = type_of(appended.events[0])
        already = "" if appended.written else " already"
        return f"{kind} is line {appended.seqs[0]}{already}\n"
    if not appended.written:
        return f"nothing to write: all {total} events are in the log already\n" if total else "no events\n"
    already = f", {total - appended.written} were there already" if appended.written < total else ""
    return f"{appended.written} events written, the log ends at line {appended.head.seq}{already}\n"

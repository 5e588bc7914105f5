"""`ar tail`: the last events, one a line, and those that come."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click
import msgspec

from commands.context import Call
from commands.damage import tell_damage
from commands.effects.reading import last_records
from commands.options import examples, json_option
from commands.output import emit, emit_lines, is_terminal, paint, warn, width
from commands.render import cells, clip, escape
from commands.summaries import kind_of, stamp_of, summary
from commands.verb import Verb
from commands.viewtext import STATUS_STYLES
from eventstore.events import Custom, Damaged, Event, Record, Run, Unknown
from eventstore.store import Reset

__all__ = ["tail_cmd"]


@click.command("tail", cls=Verb, epilog=examples("ar tail", "ar tail -n 3 --json", "ar tail -f"))
@click.option(
    "-n", "count", type=click.IntRange(0), metavar="N", default=10, show_default=True, help="How many events."
)
@click.option("-f", "--follow", is_flag=True, help="Go on with what comes, until interrupted.")
@json_option
@click.pass_obj
def tail_cmd(call: Call, count: int, follow: bool, as_json: bool) -> None:
    """Show the last events, and those that come.

    One a line: number, time, author, type, what it says. With --json, one JSON document a line: `seq`, and
    either `event` or, for a line that is none, `unknown` or `damaged` with the reason.
    """
    log = call.log()
    records, end = last_records(log, count)
    if not _show(records, as_json):
        return
    tell_damage([record.line for _, record in records if isinstance(record, Damaged)])
    if not follow:
        return
    for news in log.follow(end):
        if isinstance(news, Reset):
            warn(f"{news.reason}; from its beginning:")
        elif not _show(news.numbered(), as_json):
            return


def _show(records: Sequence[tuple[int, Record]], as_json: bool) -> bool:
    if as_json:
        return emit_lines(document(seq, record) for seq, record in records)
    room = width() if is_terminal() else None
    author = max((cells(escape(r.by)) for _, r in records if isinstance(r, Event)), default=0)
    return emit("".join(line_of(seq, record, room, author) for seq, record in records))


def document(seq: int, record: Record) -> dict[str, Any]:
    """The JSON document of one line of the log."""
    if isinstance(record, Damaged):
        return {"seq": seq, "damaged": record.reason}
    if isinstance(record, Unknown):
        return {"seq": seq, "unknown": record.reason, "event": msgspec.Raw(record.raw)}
    return {"seq": seq, "event": plain(record)}


def plain(event: Event) -> Any:
    """An event as its line has it."""
    if isinstance(event, Custom):
        from eventstore.lines import encode

        return msgspec.Raw(encode(event))
    return event


def line_of(seq: int, record: Record, room: int | None, author: int = 0) -> str:
    """One record in one line, cut to `room` cells unless that is None.

    author: how many cells to leave for who wrote it, 8 at least.
    """
    by = escape(record.by) if isinstance(record, Event) else ""
    by += " " * (max(author, 8) - cells(by))
    head = f"{seq:>5}  {stamp_of(record):20}  {by}  {kind_of(record):9}"
    said = summary(record)
    if room is not None:
        said = clip(said, max(20, room - cells(head) - 2))
    style = STATUS_STYLES.get(record.status) if isinstance(record, Run) else None
    style = "red" if isinstance(record, Damaged) else style
    return (f"{head}  " + (paint(said, style) if style else said)).rstrip() + "\n"

"""`ar show`: one event with all that it says."""

from __future__ import annotations

from typing import Any

import click

from commands.context import Call
from commands.effects.reading import line_at
from commands.effects.views import place_of
from commands.errors import BadInputError
from commands.options import examples, json_option
from commands.output import emit, emit_json, emit_pieces, paint, warn
from commands.render import escape, pairs
from commands.summaries import full_fields, kind_of, stamp_of, summary
from commands.tail import document
from commands.verb import Verb
from commands.viewtext import short
from commands.where import parse_where
from eventstore.digests import digest
from eventstore.events import Event, Record
from eventstore.filelog import FileLog
from eventstore.lines import decode_line

__all__ = ["show_cmd"]


@click.command("show", cls=Verb, epilog=examples("ar show run:6", "ar show run:6 --diff", "ar show 41"))
@click.argument("where", metavar="run:N|SEQ|head")
@click.option("--diff", "as_diff", is_flag=True, help="Show what the run changed, as a patch.")
@json_option
@click.pass_obj
def show_cmd(call: Call, where: str, as_diff: bool, as_json: bool) -> None:
    """Show one event with all its fields.

    Which: the N-th run, the line SEQ, or the last line. With --json: `seq`, `head` (`seq:digest` of the
    line) and `event` as it was written. --diff shows a run's change, also one that was discarded: as it was
    committed, or as it was saved when it was undone. With --json: `commit`, `saved`, `moved` and `patch`.
    """
    log = call.log()
    place = place_of(log, parse_where(where))
    seq = log.head().seq if place is None else place
    if seq == 0:
        raise BadInputError("there is no line 0; lines count from 1", "ar show 1")
    if as_diff:
        _show_change(call, log, seq, as_json)
        return
    line = line_at(log.path, seq)
    record = decode_line(line, seq)
    head = f"{seq}:{digest(line)}"
    if as_json:
        shown: dict[str, Any] = document(seq, record)
        emit_json({"seq": seq, "head": head, **shown})
    else:
        emit(told(seq, head, record))


def _show_change(call: Call, log: FileLog, seq: int, as_json: bool) -> None:
    """The patch as it is for programs, escaped for a terminal: it is agents' text."""
    from commands.effects.changes import change_of

    change = change_of(call.session, log, seq)
    if as_json:
        patch = change.patch.decode("utf-8", "backslashreplace")
        emit_json(
            {
                "seq": seq,
                "commit": change.commit,
                "saved": change.saved,
                "moved": change.moved,
                "patch": patch,
            }
        )
        return
    for path in change.moved:
        warn(f"moved away: {path}")
    emit_pieces([change.patch])


def told(seq: int, head: str, record: Record) -> str:
    """A line of the log for people."""
    title = paint(f"line {seq}: {kind_of(record)}", "bold")
    if not isinstance(record, Event):
        return f"{title}\n{summary(record)}\n"
    rows = [("when", stamp_of(record)), ("by", escape(record.by))]
    if record.id is not None:
        rows.append(("id", escape(record.id)))
    rows.append(("head", head))
    if record.prev is not None:
        rows.append(("prev", escape(record.prev)))
    for name, value in full_fields(record).items():
        if isinstance(value, dict) and value:
            rows += [(escape(f"{name}.{key}"), _whole(inner)) for key, inner in value.items()]
        elif value not in (None, "", [], {}):
            rows.append((escape(name), _whole(value)))
    return f"{title}\n{pairs(rows)}"


def _whole(value: Any) -> str:
    """A value in full; the lines of a text of several begin below each other."""
    if isinstance(value, str) and "\n" in value:
        return "\n    " + escape(value.rstrip("\n"), lines=True).replace("\n", "\n    ")
    return short(value)

"""`ar replay`: the log event by event, with what each changed in a view."""

from __future__ import annotations

from typing import Any

import click

from commands.catalog import reducer_named
from commands.context import Call
from commands.damage import tell_damage
from commands.effects.views import place_of
from commands.effects.walk import Step, walk
from commands.options import examples, json_option
from commands.output import emit, emit_lines, is_terminal, paint, width
from commands.paths import Change, changes
from commands.render import clip
from commands.tail import document, line_of
from commands.verb import Verb
from commands.viewtext import told_change
from commands.where import parse_where
from eventstore.events import Damaged

__all__ = ["replay_cmd"]


@click.command(
    "replay",
    cls=Verb,
    epilog=examples(
        "ar replay", "ar replay stall --from run:10 --to run:14", "ar replay --all --json | head -3"
    ),
)
@click.argument("name", metavar="[VIEW]", default="session")
@click.option("--from", "start", metavar="WHERE", help="Begin after this place: a line, run:N, a time.")
@click.option("--to", "end", metavar="WHERE", help="End at this place.")
@click.option("--all", "everything", is_flag=True, help="Show the events that changed nothing too.")
@json_option
@click.pass_obj
def replay_cmd(
    call: Call, name: str, start: str | None, end: str | None, everything: bool, as_json: bool
) -> None:
    """Walk the log, with what each event changed in a view.

    VIEW is session by default. With --json, one JSON document a line: `seq`, `event` and `changes`, a list
    of `path`, `before`, `after`.
    """
    reducer = reducer_named(name)
    log = call.log()
    after = 0 if start is None else place_of(log, parse_where(start))
    until = None if end is None else place_of(log, parse_where(end))
    if after is None:
        after = log.head().seq
    damaged: list[int] = []
    for step in walk(log, reducer, after=after, until=until):
        if isinstance(step.record, Damaged):
            damaged.append(step.seq)
        changed = [] if step.before is step.after else changes(step.before, step.after)
        if not (changed or everything or isinstance(step.record, Damaged)):
            continue
        if not (_json(step, changed) if as_json else _text(step, changed)):
            return
    tell_damage(damaged)


def _json(step: Step, changed: list[Change]) -> bool:
    return emit_lines([{**document(step.seq, step.record), "changes": [plain_change(c) for c in changed]}])


def plain_change(change: Change) -> dict[str, Any]:
    """A change as JSON; `before` or `after` is left out where there was or is none."""
    from commands.paths import MISSING

    sides = {"before": change.before, "after": change.after}
    return {"path": change.path, **{side: value for side, value in sides.items() if value is not MISSING}}


def _text(step: Step, changed: list[Change]) -> bool:
    room = width() if is_terminal() else None
    lines = [paint(line_of(step.seq, step.record, room).rstrip("\n"), "bold")]
    for change in changed:
        told = told_change(change)
        lines.append("       " + (told if room is None else clip(told, room - 7)))
    return emit("\n".join(lines) + "\n")

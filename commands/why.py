"""`ar why`: the event that gave a field its value, and the ones before it."""

from __future__ import annotations

from typing import Any

import click
import msgspec

from commands.catalog import reducer_named
from commands.context import Call
from commands.damage import tell_damage
from commands.effects.views import place_of
from commands.effects.walk import walk
from commands.errors import BadInputError, nearest
from commands.options import at_option, examples, json_option, view_option
from commands.output import emit, emit_json, is_terminal, paint, width
from commands.paths import MISSING, at_path, changes, names_at
from commands.render import cells, clip
from commands.summaries import kind_of, summary
from commands.tail import plain
from commands.verb import Verb
from commands.viewtext import value_of
from commands.where import parse_where
from eventstore.events import Damaged, Event, Record
from eventstore.filelog import FileLog
from eventstore.store import now_ms
from reducers.core import Reducer

__all__ = ["document", "told", "trace", "why_cmd"]


class Cause(msgspec.Struct, frozen=True):
    """An event that changed a field.

    seq: the line's number. value: the field's value after it. record: the line.
    """

    seq: int
    value: Any
    record: Record


class History(msgspec.Struct, frozen=True):
    """The values of a field, oldest first.

    initial: before the first event. causes: the events that changed it. damaged: numbers of damaged lines.
    """

    initial: Any
    causes: tuple[Cause, ...]
    damaged: tuple[int, ...]

    @property
    def value(self) -> Any:
        """The field's last value."""
        return self.causes[-1].value if self.causes else self.initial


@click.command(
    "why",
    cls=Verb,
    epilog=examples(
        "ar why best_metric",
        "ar why statuses.crash --at run:20",
        "ar why pivot_due --view stall",
        "ar why goal --json",
    ),
)
@click.argument("field", metavar="FIELD")
@view_option
@at_option
@click.option(
    "-n", "count", type=click.IntRange(1), metavar="N", default=10, show_default=True, help="How many values."
)
@json_option
@click.pass_obj
def why_cmd(call: Call, field: str, view: str, where: str | None, count: int, as_json: bool) -> None:
    """Name the event that gave a field its value.

    And the events that gave it its earlier values. FIELD is a path with dots: `statuses.keep`,
    `runs.0.metric`, `secondary.rss_kb.best`.
    """
    reducer = reducer_named(view)
    log = call.log()
    history = trace(log, reducer, field, place_of(log, parse_where(where)) if where is not None else None)
    if as_json:
        emit_json(document(reducer.name, field, history))
    else:
        emit(told(field, history, count))
    tell_damage(history.damaged)


def trace(log: FileLog, reducer: Reducer[Any, Any], field: str, until: int | None) -> History:
    """The field's values in the log up to line `until`. Raises BadInputError for one that never was there."""
    view = reducer.view(reducer.initial, now_ms())
    value = initial = at_path(view, field)
    causes: list[Cause] = []
    damaged: list[int] = []
    for step in walk(log, reducer, until=until):
        if isinstance(step.record, Damaged):
            damaged.append(step.seq)
        if step.after is step.before:
            continue
        view = step.after
        found = at_path(view, field)
        if found is not value and (MISSING in (found, value) or changes({"": value}, {"": found})):
            value = found
            causes.append(Cause(step.seq, value, step.record))
    if not causes and initial is MISSING:
        names = names_at(view, field)
        near = nearest(field, names)
        known = f"; there are {', '.join(names)}" if names else ""
        raise BadInputError(
            f"the view {reducer.name} has no field {field!r}{known}", f"ar why {near}" if near else ""
        )
    return History(initial, tuple(causes), tuple(damaged))


def document(view: str, field: str, history: History) -> dict[str, Any]:
    """The JSON document: the newest cause first, as they are told."""
    return {
        "view": view,
        "field": field,
        "value": None if history.value is MISSING else history.value,
        "causes": [
            {
                "seq": cause.seq,
                "value": None if cause.value is MISSING else cause.value,
                "event": plain(cause.record) if isinstance(cause.record, Event) else None,
            }
            for cause in reversed(history.causes)
        ],
        "damaged_lines": list(history.damaged),
    }


def told(field: str, history: History, count: int) -> str:
    """The answer for people, the newest cause first and at most `count` of them."""
    if not history.causes:
        return f"{field} is {value_of(history.value)}: nothing in the log has given it another value\n"
    shown = history.causes[-count:][::-1]
    values = [value_of(cause.value) for cause in shown]
    room = width() if is_terminal() else None
    widest = min(max(cells(value) for value in values), 40)
    lines = [paint(f"{field} is {values[0]}, by line {shown[0].seq}:", "bold")]
    for cause, value in zip(shown, values, strict=True):
        cut = clip(value, widest)
        told = f"{kind_of(cause.record)} {summary(cause.record)}"
        line = f"{cause.seq:>7}  {cut}{' ' * (widest - cells(cut))}  {told}"
        lines.append(line if room is None else clip(line, room))
    total = len(history.causes)
    hidden = total - len(shown)
    changes_said = "1 earlier change" if hidden == 1 else f"{hidden} earlier changes"
    at_first = f"{value_of(history.initial)} at first"
    lines.append(f"         and {changes_said}; -n {total} shows all" if hidden else f"         {at_first}")
    return "\n".join(lines) + "\n"

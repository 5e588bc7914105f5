"""The tools that only look: views, the brief, why a field is what it is, whether a direction is free."""

from __future__ import annotations

from typing import Any

from commands.brief import briefing
from commands.brief import document as brief_document
from commands.catalog import reducer_named, view_names
from commands.context import Call
from commands.damage import tell_damage
from commands.direction import check, check_document, told_check
from commands.effects.own_reducers import is_path
from commands.effects.views import Look, place_of, read_view
from commands.errors import BadInputError
from commands.mcp.arguments import BriefArguments, CheckDirectionArguments, ViewArguments, WhyArguments
from commands.mcp.served import Answer, Work
from commands.viewtext import blocks_of, text_of
from commands.where import parse_where
from commands.why import document as why_document
from commands.why import told as told_why
from commands.why import trace
from reducers.core import Reducer
from reducers.policies.brief import text_of as brief_text

__all__ = ["brief", "check_direction", "look_at", "view", "why"]


def view(work: Work, asked: ViewArguments) -> Answer:
    """A view of the log, as `ar view` shows it, its lists cut to the newest rows."""
    look = look_at(work.call(asked), asked.view, asked.at)
    shown, left_out = _cut(look.view, asked.last)
    text = text_of(blocks_of(look.name, shown))
    for name, count in left_out.items():
        rows = "row is" if count == 1 else "rows are"
        text += f"{count} older {rows} left out of {name}; last: 0 shows all\n"
    cut = Look(look.name, shown, look.seq, look.head, look.damaged)
    return Answer(text, {**cut.document(), "left_out": left_out})


def look_at(call: Call, name: str, at: str | None) -> Look:
    """What a view shows at a WHERE, None for now; damage is told.

    Raises BadInputError for a reducer in a file: no client may have code run by naming it.
    """
    reducer = _reducer(name)
    log = call.log()
    place = None if at is None else place_of(log, parse_where(at))
    look = read_view(log, reducer, at=place, cache=call.cache(name))
    tell_damage(look.damaged)
    return look


def _reducer(name: str) -> Reducer[Any, Any]:
    if is_path(name):
        raise BadInputError(
            f"the view {name[:80]!r} is a file, and only views by name are served",
            f"use one of {', '.join(view_names())}",
        )
    return reducer_named(name)


def _cut(shown: Any, last: int) -> tuple[Any, dict[str, int]]:
    """A view with at most so many rows in each of its lists, the newest ones, and how many are left out."""
    if not last or not isinstance(shown, dict):
        return shown, {}
    left_out = {
        name: len(rows) - last for name, rows in shown.items() if isinstance(rows, list) and len(rows) > last
    }
    return {name: rows[-last:] if name in left_out else rows for name, rows in shown.items()}, left_out


def brief(work: Work, asked: BriefArguments) -> Answer:
    """All that a fresh agent needs to go on, as `ar brief` tells it."""
    found, sections = briefing(work.call(asked), asked.at)
    tell_damage(found.damaged)
    return Answer(brief_text(sections), brief_document(found, sections))


def why(work: Work, asked: WhyArguments) -> Answer:
    """The events that gave a field its values, as `ar why` tells them."""
    reducer = _reducer(asked.view)
    log = work.call(asked).log()
    place = None if asked.at is None else place_of(log, parse_where(asked.at))
    history = trace(log, reducer, asked.field, place)
    tell_damage(history.damaged)
    document = why_document(reducer.name, asked.field, history)
    return Answer(
        told_why(asked.field, history, asked.last), {**document, "causes": document["causes"][: asked.last]}
    )


def check_direction(work: Work, asked: CheckDirectionArguments) -> Answer:
    """Whether a direction is free, as `ar direction check` tells it."""
    checked = check(work.call(asked), asked.direction, work.served.author(asked.agent))
    tell_damage(checked.look.damaged)
    told = told_check(checked)
    if checked.found is not None:
        told += "take another direction, or say in propose's reason why this one again\n"
    return Answer(told, check_document(checked))

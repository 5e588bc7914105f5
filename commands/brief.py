"""`ar brief`: the text that a fresh agent needs to go on, made from the log alone."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

from commands.context import Call
from commands.damage import tell_damage
from commands.effects.situations import Found, situation_at
from commands.effects.turning import under_way
from commands.effects.views import place_of
from commands.options import at_option, examples, json_option
from commands.output import emit, emit_json, warn
from commands.verb import Verb
from commands.where import parse_where
from eventstore.sessions import Session
from reducers.policies.brief import Section, Texts, brief, text_of

__all__ = ["brief_cmd", "briefing", "document", "texts_for"]

READ_BYTES = 1 << 18
"""How much of a file of rules or ideas is read, bytes; a brief shows less."""


@click.command(
    "brief",
    cls=Verb,
    epilog=examples(
        "ar brief --turn | my-agent", "ar brief --at run:20", "ar brief --json | jq -r '.sections[].name'"
    ),
)
@at_option
@click.option("--turn", is_flag=True, help="For one turn of a loop around the agent that measures itself.")
@json_option
@click.pass_obj
def brief_cmd(call: Call, where: str | None, turn: bool, as_json: bool) -> None:
    """Tell a fresh agent all it needs to go on.

    Steers that no brief has held yet, goal and rules, where the metric stands, what was kept and tried, what
    the stall rules demand, ideas, strategies not tried yet, what is left of the budget, which files it may
    touch. Made from the log, prompt.md and ideas.md; the same of these give the same text.

    It is for an agent that drives the session: it is told to measure by itself, and to go on. With --turn,
    and for the agents of `ar loop` and `ar orchestrate`, one change is asked for, and its turn ends. With
    --json, `sections`: a list of `name`, `title`, `text`.
    """
    found, sections = briefing(call, where, turn)
    if as_json:
        emit_json(document(found, sections))
    else:
        emit(text_of(sections))
    tell_damage(found.damaged)


def briefing(call: Call, where: str | None, turn: bool = False) -> tuple[Found, tuple[Section, ...]]:
    """The situation at a WHERE, None for the end, and the sections of its brief.

    turn: whether it is for a turn of a loop; it also is where one of ours has an agent at work.
    """
    log = call.log()
    found = situation_at(log, None if where is None else place_of(log, parse_where(where)))
    driving = not (turn or under_way(call.session))
    return found, brief(found.sight, texts_for(call.session), driving=driving)


def document(found: Found, sections: tuple[Section, ...]) -> dict[str, Any]:
    """The JSON document of a brief."""
    return {
        "seq": found.seq,
        "next_run": found.sight.session.run_count + 1,
        "sections": sections,
        "damaged_lines": list(found.damaged),
    }


def texts_for(session: Session) -> Texts:
    """The session's rules and ideas, as far as there are any; a file that cannot be read is warned about."""
    if session.layout == "file":
        return Texts()
    return Texts(
        prompt=_read(session.prompt),
        ideas=_read(session.ideas),
        prompt_place=os.path.relpath(session.prompt, session.root),
        ideas_place=os.path.relpath(session.ideas, session.root),
    )


def _read(path: Path) -> str | None:
    """The beginning of a text file, what is no UTF-8 replaced; None where there is none."""
    try:
        if not path.is_file():
            return None
        with path.open("rb") as file:
            return file.read(READ_BYTES).decode("utf-8", "replace")
    except OSError as error:
        warn(f"{path}: {error.strerror}; the brief goes without it")
        return None

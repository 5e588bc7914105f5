"""`ar decide`: what was ambiguous is decided alone, and written down."""

from __future__ import annotations

import click

from commands.context import Call
from commands.effects.recording import document, enter
from commands.given import words
from commands.options import by_option, examples, json_option
from commands.output import emit, emit_json
from commands.verb import Verb
from eventstore.events import Note

__all__ = ["decide_cmd"]


@click.command(
    "decide",
    cls=Verb,
    epilog=examples(
        "ar decide 'measured with a warm cache: that is what users meet'",
        "ar decide 'took the small data set: no licence' --source prompt.md",
    ),
)
@click.argument("text", metavar="TEXT")
@click.option("--source", metavar="TEXT", help="What it follows from, in words or as a path.")
@by_option
@json_option
@click.pass_obj
def decide_cmd(call: Call, text: str, source: str | None, by: str | None, as_json: bool) -> None:
    """Record a decision that you took alone, with its reason, and go on.

    Nobody is asked: what was ambiguous is decided, and people read later what was. It is a `note` of level
    `decision`; the next briefs hold it.
    """
    words("TEXT", text)
    if source is not None:
        words("--source", source)
    appended = enter(call, by, Note(level="decision", detail=text, source=source))
    if as_json:
        emit_json(document(appended))
    else:
        emit(f"decision is line {appended.seqs[0]}\n")

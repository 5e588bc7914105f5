"""`ar status`: a task's status changes."""

from __future__ import annotations

import click

from commands.appending import told
from commands.context import Call
from commands.effects.recording import document, enter
from commands.given import words
from commands.options import by_option, examples, json_option
from commands.output import emit, emit_json
from commands.verb import Verb
from eventstore.events import Status

__all__ = ["status_cmd"]


@click.command(
    "status",
    cls=Verb,
    epilog=examples(
        "ar status running",
        "ar status blocked --detail 'the cluster is down until Monday'",
        "ar view progress",
    ),
)
@click.argument("text", metavar="TEXT")
@click.option("--detail", metavar="TEXT", default="", help="What led to it.")
@by_option
@json_option
@click.pass_obj
def status_cmd(call: Call, text: str, detail: str, by: str | None, as_json: bool) -> None:
    """Say what the task's status is from now on, in a word of yours.

    The view `progress` shows the last one. It says nothing of life (`ar beat`) and stops nothing.
    """
    appended = enter(call, by, Status(status=words("TEXT", text), detail=detail))
    if as_json:
        emit_json(document(appended))
    else:
        emit(told(appended))

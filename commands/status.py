"""`ar status`: a task's status changes."""

from __future__ import annotations

import click

from commands.appending import told
from commands.context import Call
from commands.damage import tell_damage
from commands.effects.recording import document, enter
from commands.effects.views import read_view
from commands.errors import BadInputError
from commands.given import words
from commands.options import by_option, examples, json_option
from commands.output import emit, emit_json
from commands.render import escape
from commands.verb import Verb
from eventstore.events import Status
from reducers.progress import progress

__all__ = ["status_cmd"]


@click.command(
    "status",
    cls=Verb,
    epilog=examples(
        "ar status",
        "ar status running",
        "ar status blocked --detail 'the cluster is down until Monday'",
        "ar view progress",
    ),
)
@click.argument("text", metavar="[TEXT]", required=False)
@click.option("--detail", metavar="TEXT", default="", help="What led to it.")
@by_option
@json_option
@click.pass_obj
def status_cmd(call: Call, text: str | None, detail: str, by: str | None, as_json: bool) -> None:
    """Say what the task's status is from now on, in a word of yours. Without TEXT, show what was said last.

    The view `progress` shows it too. It says nothing of life (`ar beat`) and stops nothing.
    """
    if text is None:
        if detail:
            raise BadInputError("--detail needs a status", "ar status TEXT --detail 'what led to it'")
        _show(call, as_json)
        return
    appended = enter(call, by, Status(status=words("TEXT", text), detail=detail))
    if as_json:
        emit_json(document(appended))
    else:
        emit(told(appended))


def _show(call: Call, as_json: bool) -> None:
    """Shows the status that was said last."""
    look = read_view(call.log(), progress)
    if as_json:
        emit_json(look.document())
    else:
        said = look.view["status"]
        emit("no status was said yet\n" if said is None else f"{escape(said)}\n")
    tell_damage(look.damaged)

"""`ar on`: switches a session that is off on again."""

from __future__ import annotations

from collections.abc import Sequence

import click

from commands.context import Call, author
from commands.effects.firing import activate, fire_document, told_steers
from commands.effects.recording import document, enter_decided
from commands.options import by_option, examples, json_option
from commands.output import emit, emit_json
from commands.verb import Verb
from eventstore.errors import RoleError
from eventstore.events import Event, Resumed
from eventstore.roles import role_of
from reducers.budget import BudgetState, budget
from reducers.halt import ON

__all__ = ["on_cmd"]


@click.command("on", cls=Verb, epilog=examples("ar on", "ar on --detail 'the benchmark host is back'"))
@click.option("--detail", metavar="TEXT", default="", help="Why.")
@by_option
@json_option
@click.pass_obj
def on_cmd(call: Call, detail: str, by: str | None, as_json: bool) -> None:
    """Switch a session on again that `ar off` switched off.

    Fires the before hook, as everything does that activates a session, and prints its steer. Starts nothing:
    `ar loop` goes on where the log stands. A worker may not: what a person switched off, no agent turns on.
    """
    if role_of(author(by)) == "worker":
        raise RoleError("a worker may not switch a session on", "a user or an orchestrator may: ar on")

    def decide(state: BudgetState) -> Sequence[Event]:
        return [Resumed(reason=ON, detail=detail)] if state.halt.off else []

    appended = enter_decided(call, by, Resumed, budget, decide)
    if not as_json:
        emit(f"on, line {appended.seqs[0]}\n" if appended.written else "on already\n")
    session = call.session
    fired = activate(session, call.writer(by)) if appended.written else []
    if as_json:
        emit_json(document(appended, hooks=[fire_document(each) for each in fired]))
    else:
        emit(told_steers(fired))

"""`ar off`: switches the session off, until `ar on`."""

from __future__ import annotations

from collections.abc import Sequence

import click

from commands.context import Call
from commands.effects.recording import document, enter_decided
from commands.options import by_option, examples, json_option
from commands.output import emit, emit_json
from commands.verb import Verb
from eventstore.events import Event, Stopped
from reducers.budget import BudgetState, budget
from reducers.halt import OFF

__all__ = ["off_cmd"]


@click.command(
    "off", cls=Verb, epilog=examples("ar off", "ar off --detail 'the benchmark host is down until Monday'")
)
@click.option("--detail", metavar="TEXT", default="", help="Why.")
@by_option
@json_option
@click.pass_obj
def off_cmd(call: Call, detail: str, by: str | None, as_json: bool) -> None:
    """Switch the session off: it stays off, whatever is restarted, until `ar on`.

    No cycle, run or segment begins (exit 3), no hook fires, error capture is silent, guardians and
    orchestrators leave it alone; a loop that is at work ends after its turn. What is open can be finished
    (`ar cycle --resume`), and everything can be looked at and noted. Only this directory's session is meant.
    """

    def decide(state: BudgetState) -> Sequence[Event]:
        return [] if state.halt.off else [Stopped(reason=OFF, detail=detail)]

    appended = enter_decided(call, by, Stopped, budget, decide)
    if as_json:
        emit_json(document(appended))
    elif appended.written:
        emit(f"off, line {appended.seqs[0]}: nothing is begun here until `ar on`\n")
    else:
        emit("off already\n")

"""`ar orchestrate`: looks after many tasks, each its own log."""

from __future__ import annotations

import os
import time
from pathlib import Path

import click

from commands.context import author
from commands.effects.agents import PRESETS, agent_of
from commands.effects.orchestrating import Errand, go_round
from commands.effects.tasks import tasks_under
from commands.errors import BadInputError
from commands.given import length
from commands.options import examples, json_option
from commands.output import emit, emit_json
from commands.render import escape
from commands.verb import Verb
from eventstore import sessions
from eventstore.events import Heartbeat
from eventstore.filelog import FileLog
from hooks.pids import process_started

__all__ = ["orchestrate_cmd"]

_TURNS = 15

_REFUSED = 1
"""The exit code of a round in which an iteration exceeded the limits."""


@click.command(
    "orchestrate",
    cls=Verb,
    epilog=examples(
        "ar orchestrate ~/work --agent claude",
        "ar orchestrate . --agent my-agent --verify 'make check' --once",
        "ar orchestrate . --agent pi --every 30m --parallel 4",
    ),
)
@click.argument("root", metavar="[ROOT]", default=".")
@click.option(
    "--agent",
    "command",
    metavar="COMMAND",
    required=True,
    help=f"What is sent: a command that reads the brief from stdin, or one of {', '.join(PRESETS)}.",
)
@click.option("--every", metavar="TIME", default="2h", show_default=True, help="From round to round.")
@click.option("--once", is_flag=True, help="One round.")
@click.option(
    "--parallel", type=click.IntRange(1), metavar="N", default=1, show_default=True, help="Tasks at a time."
)
@click.option("--timeout", metavar="TIME", default="30m", show_default=True, help="How long a worker has.")
@click.option("--verify", metavar="CMD", help="Verifies an iteration; the task's constraint if left out.")
@click.option(
    "--strict", is_flag=True, help="Refuse what `ar check iteration` would find: too much, or unverified."
)
@click.option("--by", metavar="ROLE[:NAME]", default="orchestrator", show_default=True, help="Who it is.")
@json_option
def orchestrate_cmd(
    root: str,
    command: str,
    every: str,
    once: bool,
    parallel: int,
    timeout: str,
    verify: str | None,
    strict: bool,
    by: str,
    as_json: bool,
) -> int:
    """Look after every task below a directory: one fresh worker each, round after round.

    A task that has stopped is left alone; one whose last iteration no ok check followed waits until one does;
    the others get what the stall rules demand, a worker with the task's brief, and a verification. A measured
    task gets one turn of its loop. Limits that nobody set are none: tasks run until they are stopped. What
    goes wrong with one touches no other; started again, it goes on from the logs.

    With --strict, an iteration whose commits exceed the limits counts as unverified until somebody records an
    ok check (exit 1, with --once), and none begins while more than 20 citations are unverified.
    """
    if author(by).partition(":")[0] not in ("orchestrator", "user"):
        raise BadInputError(f"--by: {by[:60]} cannot orchestrate", "--by orchestrator")
    pause, top = length("--every", every), Path(root)
    errand = Errand(agent_of(command, _TURNS), command, length("--timeout", timeout), verify, by, strict)
    while True:
        begun = time.monotonic()
        _beat(top, by)
        came = go_round(tasks_under(top), errand, parallel)
        if as_json:
            emit_json({"root": root, "tasks": came})
        else:
            told = "".join(f"{escape(each.task)}: {each.state}: {escape(each.detail)}\n" for each in came)
            emit(told or f"no task below {escape(root)}\n")
        if once:
            return _REFUSED if any(each.state == "refused" for each in came) else 0
        time.sleep(max(pause - (time.monotonic() - begun), 0))


def _beat(root: Path, by: str) -> None:
    """Says first that it lives, where the root has a session for its guardians."""
    session = sessions.new(root) if root.is_dir() else None
    if session is not None and session.log.exists():
        pid = os.getpid()
        FileLog(session.log, by=by, cache_dir=session.cache).append(
            [Heartbeat(pid=pid, pid_started=process_started(pid))]
        )

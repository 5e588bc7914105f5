"""`ar orchestrate`: looks after many tasks, each its own log."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from pathlib import Path

import click
from click.core import ParameterSource

from commands.context import author
from commands.effects.agents import PRESETS, agent_of
from commands.effects.ending import Asked
from commands.effects.errand import Errand
from commands.effects.guarding import in_turn, say_stopped
from commands.effects.living import own_beat
from commands.effects.orchestrating import Came, go_round, leave_all
from commands.effects.own_program import own_argv
from commands.effects.patrolling import announce, root_of
from commands.effects.tasks import tasks_under
from commands.effects.views import read_view
from commands.errors import BadInputError
from commands.given import length
from commands.options import examples, json_option
from commands.output import emit, emit_json
from commands.render import escape
from commands.verb import Verb
from eventstore.events import Note
from eventstore.filelog import FileLog
from reducers.budget import budget

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
@click.option(
    "--register", is_flag=True, help="Record this command as the one that restarts the orchestrator."
)
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
    register: bool,
    as_json: bool,
) -> int:
    """Look after every task below a directory: one fresh worker each, round after round.

    A task that has stopped is left alone; one whose last iteration no ok check followed waits until one does;
    the others get what the stall rules demand, a worker with the task's brief, and a verification. A measured
    task gets one turn of its loop. Limits that nobody set are none: tasks run until they are stopped. What
    goes wrong with one touches no other; started again, it goes on from the logs.

    In each task's log, and in ROOT's own session, it says first that it lives, so that a patrol sees it;
    ended by Ctrl-C, it says so too, and is left alone. While ROOT is `ar off`, no round begins. With
    --once, another round is expected only if --every is given.

    With --strict, an iteration whose commits exceed the limits counts as unverified until somebody records an
    ok check (exit 1, with --once), and none begins while more than 20 citations are unverified.
    """
    if author(by).partition(":")[0] not in ("orchestrator", "user"):
        raise BadInputError(f"--by: {by[:60]} cannot orchestrate", "--by orchestrator")
    top, pause = Path(root), length("--every", every)
    errand = Errand(
        agent=agent_of(command, _TURNS),
        command=command,
        seconds=length("--timeout", timeout),
        verify=verify,
        by=by,
        strict=strict,
        every=pause,
        returns=not once or _is_given("every"),
    )
    service = _Service(top, errand, parallel, _command_line(root) if register else ())
    if register and service.session is None:
        raise BadInputError(
            f"{root} has no session, in which it could be registered",
            f"ar -C {root} init 'look after the tasks' --no-metric",
        )
    with Asked(hangup=True) as asked:
        try:
            while True:
                begun = time.monotonic()
                is_off = service.is_off()
                came = [] if is_off else service.round(asked)
                _tell(root, came, is_off, as_json)
                if once:
                    break
                if asked.wait(pause - (time.monotonic() - begun)):
                    raise asked.interruption()
        except KeyboardInterrupt:  # a person; TERM, as a shutdown sends it, is a death like any other
            service.leave()
            raise
    if not errand.returns:
        service.leave()
    return _REFUSED if any(each.state == "refused" for each in came) else 0


def _is_given(name: str) -> bool:
    """Whether an option was given on the command line."""
    context = click.get_current_context()
    return context.get_parameter_source(name) is ParameterSource.COMMANDLINE


def _command_line(root: str) -> tuple[str, ...]:
    """The command that starts this orchestrator again: the options as they were given."""
    given = click.get_current_context().params
    words = [*own_argv(), "orchestrate", os.path.realpath(root), "--agent", given["command"]]
    for name in ("every", "parallel", "timeout", "verify", "by"):
        if given[name] is not None:
            words += [f"--{name}", str(given[name])]
    return (*words, *(f"--{name}" for name in ("once", "strict") if given[name]))


def _tell(root: str, came: Sequence[Came], is_off: bool, as_json: bool) -> None:
    if as_json:
        emit_json({"root": root, "off": is_off, "tasks": came})
        return
    if is_off:
        emit(f"{escape(root)} has stopped: nobody is sent until it is resumed (ar on, ar append resumed)\n")
        return
    told = "".join(f"{escape(each.task)}: {each.state}: {escape(each.detail)}\n" for each in came)
    emit(told or f"no task below {escape(root)}\n")


class _Service:
    """An orchestrator at work: its rounds, and what it says of itself in ROOT's own session, if any."""

    def __init__(self, root: Path, errand: Errand, parallel: int, register: Sequence[str]) -> None:
        self.root, self.errand, self.parallel, self.register = root, errand, parallel, register
        self.session = root_of(root)
        self.beaten = time.monotonic()
        session = self.session
        self.log = None if session is None else FileLog(session.log, by=errand.by, cache_dir=session.cache)

    def is_off(self) -> bool:
        """Whether ROOT's own session has stopped, or is switched off: then no round begins."""
        if self.session is None or self.log is None:
            return False
        return bool(read_view(self.log, budget, cache=self.session.cache).view["stopped"])

    def round(self, asked: Asked) -> list[Came]:
        """A heartbeat, a look after guard and patrol, and then every task."""
        if self.log is not None:
            cwd = os.path.realpath(self.root)
            announce(self.log, self.errand.by, self.errand.every, register=self.register, cwd=cwd)
            self.beaten = time.monotonic()
            for seen in in_turn(self.log, self.root):
                self.log.append([Note(level="warn", event="guardian", detail=seen)])
        return go_round(tasks_under(self.root), self.errand, self.parallel, self._alive, asked)

    def _alive(self) -> None:
        """A sign of life before a task, now and then: a round may be longer than the time between two."""
        if self.log is not None and time.monotonic() - self.beaten >= self.errand.every / 2:
            self.beaten = time.monotonic()
            self.log.append([own_beat(self.errand.by)])

    def leave(self) -> None:
        """Says everywhere that it is gone for good, so that nobody misses it."""
        leave_all(tasks_under(self.root), self.errand.by)
        if self.log is not None:
            say_stopped(self.log)

"""`ar beat`: a loop says that it lives, first thing in every callback (design, section 6.3)."""

from __future__ import annotations

import os

import click

from commands.context import Call, author
from commands.effects.recording import document, enter
from commands.errors import BadInputError
from commands.given import choices, length, moment, words
from commands.options import by_option, examples, json_option
from commands.output import emit, emit_json, warn
from commands.verb import Verb
from eventstore.events import Event, Heartbeat, Registered
from eventstore.events.protocol import Layer, LoopState
from eventstore.roles import role_of
from eventstore.store import Appended, now_ms
from reducers.policies.liveness import LEFT_ALONE

__all__ = ["beat_cmd", "beat_of", "told"]

KEPT_OUTPUT = 4096
"""How much of a last output is kept, characters from its end: a guardian looks at its last line."""


@click.command(
    "beat",
    cls=Verb,
    epilog=examples(
        "ar beat --by worker:gpu0",
        "ar beat --by worker:gpu0 --state rate_limited --until 2h",
        'ar beat --by worker:gpu0 --last-output "$(tail -n 20 agent.log)"',
        "ar beat --by user:gpu0 --register --interval 10m -- ar loop --agent claude",
    ),
)
@click.argument("argv", metavar="[-- COMMAND...]", nargs=-1, type=click.UNPROCESSED)
@click.option(
    "--state",
    type=click.Choice(choices(LoopState)),
    default="working",
    show_default=True,
    help="What it is at.",
)
@click.option("--until", metavar="WHEN", help="When that state should end: 15m, 2h, an ISO time (UTC).")
@click.option("--last-output", metavar="TEXT", help="The last thing it said; a question may be answered.")
@click.option("--pid", type=click.IntRange(1), metavar="N", help="Its process; the caller's if left out.")
@click.option("--register", is_flag=True, help="COMMAND restarts it, from this directory on.")
@click.option("--interval", metavar="TIME", help="With --register: how often it will beat: 10m, 1h.")
@click.option("--level", type=click.Choice(choices(Layer)), help="With --register: the layer it is in.")
@by_option
@json_option
@click.pass_obj
def beat_cmd(
    call: Call,
    argv: tuple[str, ...],
    state: str,
    until: str | None,
    last_output: str | None,
    pid: int | None,
    register: bool,
    interval: str | None,
    level: str | None,
    by: str | None,
    as_json: bool,
) -> None:
    """Say that a loop lives; the loop is the name in --by.

    Its process and host are filled in: the process is who calls, unless that is a shell at which somebody
    types, or the loop is only being registered. One that is paused, rate_limited or stopped is left alone.
    Who has registered an interval is overdue after three of them, and restarted by COMMAND if a user or an
    orchestrator registered it.
    """
    _check(argv, register, interval, level)
    caller = None if register else _caller()
    beat = beat_of(state, until, last_output, pid=caller if pid is None else pid, named=pid is not None)
    events: list[Event] = [beat]
    if register:
        seconds = None if interval is None else length("--interval", interval)
        events.append(
            Registered(argv=argv, cwd=os.path.realpath(os.curdir), interval_seconds=seconds, level=level)
        )
    appended = enter(call, by, *events)
    if register and role_of(author(by)) not in ("user", "orchestrator"):
        warn("only what a user or an orchestrator registers is restarted; the interval counts all the same")
    if as_json:
        emit_json(document(appended, registered=appended.events[1] if register else None))
    else:
        emit(told(appended))


def _check(argv: tuple[str, ...], register: bool, interval: str | None, level: str | None) -> None:
    """Raises BadInputError for a registration that is not whole."""
    if register and not argv:
        raise BadInputError("--register needs the command that restarts the loop", "--register -- COMMAND...")
    if register:
        words("COMMAND", argv[0])
    elif argv:
        raise BadInputError(
            f"{argv[0][:60]!r} is no option of beat", "--register -- COMMAND... registers one"
        )
    elif interval is not None or level is not None:
        raise BadInputError("--interval and --level belong to --register", "--register -- COMMAND...")


def _caller() -> int | None:
    """The process that calls us; None for a shell at which somebody types, which no patrol may take for it.

    A hanging loop is ended before it is restarted.
    """
    from hooks.pids import is_interactive_shell

    parent = os.getppid()
    return None if is_interactive_shell(parent) else parent


def beat_of(
    state: str, until: str | None, last_output: str | None, *, pid: int | None, named: bool = False
) -> Heartbeat:
    """The sign of life of a loop; its host and its process's start stamp are filled in.

    pid: its process; an orphan's parent, which is the system's and no loop, is left out. named: somebody said
    that it is this one, so it has to be there. Raises BadInputError for a time that is none, and for a pid
    that is nobody's here.
    """
    from hooks.pids import process_started

    if until is not None and state == "stopped":
        raise BadInputError(
            "a stop does not end by itself, so it has no --until", "--state paused --until 2h"
        )
    number = pid if named or pid is None or pid > 1 else None
    started = None if number is None else process_started(number)
    if named and started is None:
        raise BadInputError(f"--pid: there is no process {pid} here", "--pid $$, or leave it out")
    return Heartbeat(
        pid=number,
        pid_started=started,
        host=_host(),
        state=state,
        until=None if until is None else moment("--until", until, now_ms()),
        last_output=None if last_output is None else last_output[-KEPT_OUTPUT:],
    )


def told(appended: Appended) -> str:
    """What came of it, for people."""
    beat = appended.events[0]
    assert isinstance(beat, Heartbeat)
    also = ", and how to restart it" if len(appended.events) > 1 else ""
    left = " (left alone)" if beat.state in LEFT_ALONE else ""
    return f"{beat.state}{left} is line {appended.seqs[0]}{also}\n"


def _host() -> str:
    """The name of this machine."""
    import socket

    return socket.gethostname()

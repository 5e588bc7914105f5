"""`ar patrol`: one look at every task, and what it calls for; the middle layer of the watchdog."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

from commands.context import Call
from commands.effects.ending import again_and_again
from commands.effects.guarding import say_stopped
from commands.effects.own_program import own_argv
from commands.effects.patrolling import Guardian, Pass, announce, patrol_once, root_of
from commands.errors import BadInputError
from commands.given import length, words
from commands.options import examples, json_option
from commands.output import emit, emit_json, warn
from commands.render import escape
from commands.verb import Verb
from eventstore.filelog import FileLog
from hooks.launch import shell_argv
from reducers.emergency import PATROL
from reducers.policies.patrol import Times
from reducers.policies.patrol_actions import Action, FlagTask, NudgeLoop, PivotTask, RestartLoop

__all__ = ["patrol_cmd"]

_FAILED = 4
"""The exit code of a patrol that could not look at every task, or could not do all that it decided."""


@click.command(
    "patrol",
    cls=Verb,
    epilog=examples(
        "ar patrol tasks --dry-run",
        "ar patrol tasks --once   # by cron, every hour",
        "ar patrol tasks --nudge 'cat >> nudges.txt'",
    ),
)
@click.argument("root", metavar="ROOT", type=click.Path(path_type=Path))
@click.option("--once", is_flag=True, help="One look, for cron or a timer.")
@click.option(
    "--every", metavar="TIME", default="1h", show_default=True, help="How often it looks, or is called to."
)
@click.option("--nudge", metavar="COMMAND", help="Nudges a loop: words on stdin; AR_TASK, AR_LOOP say whom.")
@click.option(
    "--nudge-after",
    metavar="TIME",
    default="2h",
    show_default=True,
    help="Without progress, its last output a question.",
)
@click.option(
    "--stuck-after", metavar="TIME", default="4h", show_default=True, help="Without progress: a flag."
)
@click.option(
    "--nudges",
    metavar="N",
    type=click.IntRange(1),
    default=3,
    show_default=True,
    help="Without progress: a pivot.",
)
@click.option("--register", is_flag=True, help="Record this command as the one that restarts the patrol.")
@click.option("--dry-run", is_flag=True, help="Show what would be done; nothing is recorded.")
@json_option
@click.pass_obj
def patrol_cmd(
    call: Call,  # noqa: ARG001
    root: Path,
    once: bool,
    every: str,
    nudge: str | None,
    nudge_after: str,
    stuck_after: str,
    nudges: int,
    register: bool,
    dry_run: bool,
    as_json: bool,
) -> int:
    """Look after every task under ROOT: the folders in it that have a session, and ROOT itself.

    A loop that is overdue is started again by its registered command, at most once in its interval; one that
    waits for an answer is nudged; one that three nudges did not move gets a pivot; four hours without
    progress raise a flag. ROOT's own session holds the patrol's heartbeats and the guard's. Without --once it
    stays, until TERM or Ctrl-C.
    """
    seconds = length("--every", every)
    times = _times(nudge_after, stuck_after, nudges)
    argv = None if nudge is None else tuple(shell_argv(words("--nudge", nudge)))
    session = root_of(root)
    if session is None:
        raise BadInputError(
            f"{root} has no session, in which the patrol says that it lives",
            f"ar -C {root} init 'look after the tasks' --no-metric",
        )
    log = FileLog(session.log, by=f"guardian:{PATROL}", cache_dir=session.cache)
    guardian = Guardian(PATROL, times, argv)
    command: list[str] = []
    if register:
        given = ["--every", every, "--nudge-after", nudge_after, "--stuck-after", stuck_after]
        given += [
            "--nudges",
            str(nudges),
            *(["--nudge", nudge] if nudge else []),
            *(["--once"] if once else []),
        ]
        command = [*own_argv(), "patrol", os.path.realpath(root), *given]

    def look() -> Pass:
        if not dry_run:
            announce(log, f"guardian:{PATROL}", seconds, register=command, cwd=os.path.realpath(root))
        looked = patrol_once(root, guardian, dry_run=dry_run)
        _tell(looked, dry_run, as_json)
        return looked

    if once or dry_run:
        looked = look()
        return _FAILED if looked.failed or any(each.error for each in looked.done) else 0
    again_and_again(look, seconds)
    say_stopped(log)
    return 0


def _times(nudge_after: str, stuck_after: str, nudges: int) -> Times:
    """When it acts. Raises BadInputError for times that are none."""
    nudge, stuck = length("--nudge-after", nudge_after), length("--stuck-after", stuck_after)
    try:
        return Times(round(nudge * 1000), round(stuck * 1000), nudges)
    except ValueError as error:
        raise BadInputError(str(error), "--nudge-after 2h --stuck-after 4h") from None


def _tell(looked: Pass, dry_run: bool, as_json: bool) -> None:
    """Shows a patrol: a document, or a line for each thing done."""
    if as_json:
        emit_json(_document(looked, dry_run))
        return
    for each in looked.done:
        failed = f"; {each.error}" if each.error else ""
        emit(f"{escape(_words(each.action) + failed)}\n")
    for name, why in looked.failed.items():
        warn(f"{name}: {why}")
    if not looked.done:
        count = len(looked.tasks)
        emit(f"nothing to do in {count} {'session' if count == 1 else 'sessions'}\n")


def _document(looked: Pass, dry_run: bool) -> dict[str, Any]:
    """The JSON document: `at`, `dry_run`, `tasks`, `actions` (each with its `error`), `failed`."""
    import msgspec

    return {
        "at": looked.at,
        "dry_run": dry_run,
        "tasks": looked.tasks,
        "actions": [{**msgspec.to_builtins(each.action), "error": each.error} for each in looked.done],
        "failed": looked.failed,
    }


def _words(action: Action) -> str:
    """An action in a line: `task: restart gpu0: no sign of life for 40 min, ...`."""
    what = {RestartLoop: "restart", NudgeLoop: "nudge", PivotTask: "pivot"}.get(type(action), "flag")
    whom = action.loop
    if isinstance(action, FlagTask):
        whom = f"{action.kind} {'down' if action.cleared else 'up'}"
    return f"{action.task}: {what} {whom}: {action.reason}"

"""`ar guard`: stays, sees to it that the patrol lives, and sends for help when it does not."""

from __future__ import annotations

import os
from pathlib import Path

import click

from commands.context import Call
from commands.effects.ending import again_and_again
from commands.effects.guarding import Guarded, guard_log, guard_once, say_stopped
from commands.effects.own_program import own_argv
from commands.effects.patrolling import root_of
from commands.errors import BadInputError
from commands.given import length, words
from commands.guard_units import KINDS, units
from commands.options import examples, json_option
from commands.output import emit, emit_json
from commands.render import escape
from commands.verb import Verb
from hooks.launch import shell_argv

__all__ = ["guard_cmd"]

_FAILED = 4
"""The exit code of a pass that could not do all that it decided."""


@click.command(
    "guard",
    cls=Verb,
    epilog=examples(
        "ar guard tasks --emergency 'claude -p \"find out why the patrol died\"'",
        "ar guard tasks --print systemd",
        "ar guard tasks --once",
    ),
)
@click.argument("root", metavar="ROOT", type=click.Path(path_type=Path))
@click.option("--every", metavar="TIME", default="10m", show_default=True, help="How often it looks.")
@click.option("--emergency", metavar="COMMAND", help="Started when the patrol has been silent for too long.")
@click.option(
    "--emergency-after",
    metavar="TIME",
    default="2h",
    show_default=True,
    help="How long that is, and the least time between two starts.",
)
@click.option("--once", is_flag=True, help="One look.")
@click.option("--register", is_flag=True, help="Record this command as the one that restarts the guard.")
@click.option(
    "--print", "kind", type=click.Choice(KINDS), help="Print what to install, for guard and patrol."
)
@json_option
@click.pass_obj
def guard_cmd(
    call: Call,  # noqa: ARG001
    root: Path,
    every: str,
    emergency: str | None,
    emergency_after: str,
    once: bool,
    register: bool,
    kind: str | None,
    as_json: bool,
) -> int:
    """Guard the patrol of ROOT: the topmost layer, which stays until TERM or Ctrl-C.

    A patrol that is overdue is started again by its registered command. One that has been silent for two
    hours all the same calls for the --emergency command, at most once in that time. It needs no session:
    without one in ROOT its heartbeats go to .auto/guard.jsonl.
    """
    seconds = length("--every", every)
    after = length("--emergency-after", emergency_after)
    help_argv = None if emergency is None else tuple(shell_argv(words("--emergency", emergency)))
    session = root_of(root)
    place = os.path.realpath(root)
    command = [*own_argv(), "guard", place, "--every", every, "--emergency-after", emergency_after]
    command += ["--emergency", emergency] if emergency else []
    if kind is not None:
        guard = [*command, "--register"] if session is not None else command
        patrol = [*own_argv(), "patrol", place, "--register"]
        emit(units(kind, place, guard=guard, patrol=patrol, path=_path()))
        return 0
    if register and session is None:
        raise BadInputError(
            f"{root} has no session, in which it could be registered",
            f"ar -C {root} init 'look after the tasks' --no-metric",
        )

    def look() -> Guarded:
        looked = guard_once(
            root,
            seconds,
            emergency=help_argv,
            after=round(after * 1000),
            register=tuple(command) if register else (),
            cwd=place,
        )
        _tell(looked, as_json)
        return looked

    if once:
        looked = look()
        return _FAILED if looked.error or any(each.error for each in looked.done) else 0
    again_and_again(look, seconds)
    say_stopped(guard_log(root, root_of(root)))
    return 0


def _path() -> str:
    """Where programs are found now, for units that would else know little of it."""
    return os.environ.get("PATH") or os.defpath


def _tell(looked: Guarded, as_json: bool) -> None:
    """Shows a pass: a document, or a line for each thing done; nothing where nothing was."""
    if as_json:
        import msgspec

        emit_json(msgspec.to_builtins(looked))
        return
    for each in looked.done:
        failed = f"; {each.error}" if each.error else ""
        emit(f"{escape(f'{each.action.loop}: {each.action.reason}{failed}')}\n")
    if looked.emergency is not None:
        failed = f"; {looked.error}" if looked.error else ""
        emit(f"{escape(f'emergency: {looked.emergency}{failed}')}\n")

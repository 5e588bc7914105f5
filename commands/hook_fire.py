"""`ar hook fire`: fires a hook now, and records it."""

from __future__ import annotations

import os
from typing import Any

import click

from commands.context import Call
from commands.effects.appending import tell_mended
from commands.effects.firing import fire_document, told_steers
from commands.options import by_option, examples, json_option
from commands.output import emit, emit_json
from commands.render import duration, escape
from hooks.runner import STAGES, Fired, fire

__all__ = ["fire_cmd"]


@click.command("fire", epilog=examples("ar hook fire before", "ar hook fire after --json"))
@click.argument("stage", type=click.Choice(STAGES))
@by_option
@json_option
@click.pass_obj
def fire_cmd(call: Call, stage: Any, by: str | None, as_json: bool) -> None:
    """Fire a hook now: before.sh, or after.sh for the last run.

    `init`, `log`, `cycle`, `loop` and `on` fire hooks by themselves; this is for scripts that drive a session
    without them. It is recorded and its steer printed. Where there is no such hook, nothing happens. Refused
    (exit 3) while the session is switched off.
    """
    session = call.session
    fired = fire(stage, log=call.writer(by), hooks=session.hooks, cwd=session.root)
    if fired is not None:
        tell_mended(fired.appended)
    if as_json:
        emit_json({"fired": None if fired is None else fire_document(fired)})
    else:
        shown = escape(os.path.relpath(session.hooks / f"{stage}.sh"))
        emit(_told(fired, stage) if fired else f"nothing fired: {shown} is no executable file\n")


def _told(fired: Fired, stage: str) -> str:
    took = duration((fired.event.duration_ms or 0) / 1000)
    return told_steers([fired]) or f"{stage}.sh said nothing; it took {took}\n"

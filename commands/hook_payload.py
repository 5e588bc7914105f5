"""`ar hook payload`: what a hook is told, now or at any place in the past."""

from __future__ import annotations

import os
from typing import Any

import click
import msgspec

from commands.context import Call
from commands.damage import tell_damage
from commands.effects.reading import damaged_lines
from commands.effects.views import place_of
from commands.options import at_option, examples
from commands.output import emit_json
from commands.where import parse_where
from hooks.prefix import payload_at
from hooks.runner import STAGES

__all__ = ["payload_cmd"]


@click.command(
    "payload",
    epilog=examples(
        "ar hook payload before",
        "ar hook payload after --at run:5 | jq .run_entry.asi",
        "ar hook payload before --at 120 | .auto/hooks/before.sh",
    ),
)
@click.argument("stage", type=click.Choice(STAGES))
@at_option
@click.pass_obj
def payload_cmd(call: Call, stage: Any, where: str | None) -> None:
    """Print the JSON that a hook would get now, or got then.

    A payload is a function of the log up to a line, so it can be told for any place. Each `hook` event names
    the line its payload was taken at in `at`; --at with that line prints what the script received.
    """
    log = call.log()
    at = None if where is None else place_of(log, parse_where(where))
    payload = payload_at(log, stage, os.fspath(call.session.root), at)
    emit_json(msgspec.Raw(payload.rstrip(b"\n")))
    tell_damage(damaged_lines(log, at))

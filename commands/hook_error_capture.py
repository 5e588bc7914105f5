"""`ar hook error-capture`: reminds an agent that hit an error to record the fix.

The launcher starts `hooks.error_capture_main` by itself, since an agent waits for it; what is here serves the
help, and a call with options before `hook`.
"""

from __future__ import annotations

from collections.abc import Mapping

import click

from commands.context import Call
from commands.options import examples
from commands.verb import Verb

__all__ = ["error_capture_cmd"]


@click.command(
    "error-capture",
    cls=Verb,
    epilog=examples("make 2>&1 | ar hook error-capture --text", "ar hook install claude"),
)
@click.option("--text", is_flag=True, help="stdin is a tool's output itself, not an agent's JSON.")
@click.pass_obj
def error_capture_cmd(call: Call, text: bool) -> int:
    """Look for error text in a tool's output and remind the agent to record the fix.

    Reads Claude Code's PostToolUse or PostToolUseFailure JSON for Bash from stdin. When a line holds error
    text, prints one JSON document for the agent and records error_seen if there is a session. It matches text
    and knows no exit code. Silent when no error text matches; exit code 0 always.
    """
    from commands.effects.error_seen import is_session_off, record_in
    from hooks.error_capture_main import main

    def record(fields: Mapping[str, str]) -> None:
        session = call.session_if_any()
        if session is not None and session.log.exists():
            record_in(session.log, fields)

    def is_off() -> bool:
        session = call.session_if_any()
        return session is not None and session.log.exists() and is_session_off(session)

    return main(["--text"] if text else [], record=record, is_off=is_off)

"""`ar hook brief`: hands an agent its brief when its context was renewed."""

from __future__ import annotations

import click

from commands.brief import texts_for
from commands.context import Call
from commands.effects.situations import situation_at
from commands.effects.turning import under_way
from commands.options import examples
from commands.output import emit_json
from commands.verb import Verb
from eventstore.errors import LedgerError
from eventstore.filelog import FileLog
from reducers.policies.brief import brief, text_of

__all__ = ["brief_cmd"]

INTRODUCTION = """\
Your context was renewed, and a recorded optimisation session is under way in this directory. Its log tells
where it stands; go on from here when that is what you were doing. `ar brief` tells the same at any time.
"""


@click.command("brief", cls=Verb, epilog=examples("ar hook brief < /dev/null", "ar setup claude"))
@click.option("--event", metavar="NAME", default="SessionStart", show_default=True, help="The agent's event.")
@click.pass_obj
def brief_cmd(call: Call, event: str) -> int:
    """Hand an agent its brief when its context was compacted or taken up again.

    For the agent's own hooks, where `ar setup` registers it: prints one JSON document whose additionalContext
    is what `ar brief` says. Silent where there is no session, no goal, or one that has stopped or is off;
    exit code 0 always.
    """
    try:
        text = _brief(call)
    except (LedgerError, OSError):  # a hook that fails would be reported to the agent as something to mend
        return 0
    if text:
        emit_json({"hookSpecificOutput": {"hookEventName": event, "additionalContext": text}})
    return 0


def _brief(call: Call) -> str:
    """What an agent is told; empty where nothing is under way."""
    session = call.session_if_any()
    if session is None or not session.log.exists():
        return ""
    sight = situation_at(FileLog(session.log, cache_dir=session.cache)).sight
    if sight.trail.config is None or sight.budget.stopped:
        return ""
    return INTRODUCTION + "\n" + text_of(brief(sight, texts_for(session), driving=not under_way(session)))

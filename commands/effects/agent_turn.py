"""Starting an agent: its input, its limits, its environment, what it said (design, section 6.1)."""

from __future__ import annotations

import os
from collections.abc import Mapping

import msgspec

from commands.effects.agents import Agent
from commands.effects.ground import Ground
from commands.effects.running import recording
from hooks.process import run, strip_own_environment
from reducers.policies.looping import how_ended, last_line

__all__ = ["Said", "run_agent"]

KEPT = 1 << 16
"""Bytes of an agent's stdout, and of its stderr, that are kept, from the end."""


class Said(msgspec.Struct, frozen=True):
    """How an agent ended.

    failure: why it did not end well, in words; None if it did, or if its own turn limit ended it.
    line: the last line of its output, of its errors if there is no other; escaped, empty for none.
    seconds: how long it took.
    """

    failure: str | None
    line: str
    seconds: float


def run_agent(agent: Agent, text: str, ground: Ground, *, timeout: float, by: str) -> Said:
    """Runs an agent to its end in the session's directory, the brief on its stdin and in a file.

    timeout: seconds; then its whole process group is ended. by: who the agent is, for what it appends itself.
    `AR_BRIEF` is where the brief lies, `AR_BY` who it is; no other variable of ours reaches it. What it said
    lies in `agent.out` and `agent.err` in the session's cache until the next turn.
    """
    brief = ground.cache / "brief.md"
    brief.write_text(text, encoding="utf-8")
    with recording(ground.running) as on_start:
        finished = run(
            agent.argv,
            cwd=ground.session.root,
            stdin=text.encode("utf-8", "replace"),
            timeout=timeout,
            stdout_cap=KEPT,
            stderr_cap=KEPT,
            keep="tail",
            env=_environment(os.environ, os.fspath(brief), by),
            on_start=on_start,
        )
    ground.cache.mkdir(parents=True, exist_ok=True)  # for an agent may have cleaned it away
    (ground.cache / "agent.out").write_bytes(finished.stdout)
    (ground.cache / "agent.err").write_bytes(finished.stderr)
    line = last_line(finished.stdout) or last_line(finished.stderr)
    failure: str | None = None
    if finished.error is not None:
        failure = f"could not be started: {finished.error}"
    elif finished.timed_out:
        failure = f"was ended after {timeout:g} s"
    elif finished.exit_code and not agent.reached_limit(finished.exit_code, line):
        failure = how_ended(finished.exit_code)
    return Said(failure, line, finished.duration_ms / 1000)


def _environment(env: Mapping[str, str], brief: str, by: str) -> dict[str, str]:
    return {**strip_own_environment(env), "AR_BRIEF": brief, "AR_BY": by}

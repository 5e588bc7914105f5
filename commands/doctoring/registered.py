"""What is to be said of the agents, and of what is registered with them. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from commands.doctoring.finding import Finding
from commands.doctoring.observed import AgentSeen, Observed, PartSeen
from commands.doctoring.programs import EXTRA

__all__ = ["of_agents"]

_OURS = ("current", "outdated", "edited")
"""What a file of ours is, if it is there."""


def of_agents(observed: Observed) -> Iterator[Finding]:
    """Of each agent that is there, or that something is registered with."""
    findings = [each for agent in observed.agents for each in _of_agent(agent, observed.programs.sdk)]
    yield from findings
    if not findings:
        names = ", ".join(agent.name for agent in observed.agents)
        yield Finding("agents", "ok", f"none of them is on PATH: {names}")


def _of_agent(agent: AgentSeen, sdk: str | None) -> Iterator[Finding]:
    scopes = ((agent.project, ""), (agent.user, " --user"))
    registered = [(parts, option) for parts, option in scopes if _is_any(parts)]
    for parts, option in registered:
        yield from _of_scope(agent, parts, option, sdk)
    if registered or agent.program is None:
        return
    yield Finding(
        "agents",
        "ok",
        f"{agent.name}: {agent.program}; nothing is registered with it",
        f"ar setup {agent.name}",
    )
    for parts, option in scopes:
        for part in parts:
            if part.problem:
                detail = f"{agent.name}: {part.path}: {part.problem}"
                yield Finding("agents", "warn", detail, f"mend it, then ar setup {agent.name}{option}")


def _of_scope(agent: AgentSeen, parts: Sequence[PartSeen], option: str, sdk: str | None) -> Iterator[Finding]:
    """Of what is registered with an agent in one scope, the worst first."""
    setup = f"ar setup {agent.name}{option}"
    where = f"{agent.name}, {'all projects' if option else 'this project'}"
    found = 0
    for part in parts:
        if part.problem:
            found += 1
            detail = f"{where}: {part.path}: {part.problem}"
            yield Finding("agents", "error", detail, f"mend it, then {setup}")
    broken = {each.argv for part in parts for each in part.programs if not each.exists}
    for argv in sorted(broken):
        found += 1
        words = " ".join(argv)
        yield Finding("agents", "error", f"{where}: {words} is registered and not there", setup)
    if sdk is None and any(part.programs and part.kind in ("mcp", "settings") for part in parts):
        found += 1
        yield Finding("agents", "error", f"{where}: the MCP server that is registered cannot start", EXTRA)
    for state, said in (("absent", "not there"), ("outdated", "of another version or place of ar")):
        paths = [part.path for part in parts if part.state == state and not part.problem]
        if paths and not broken:
            found += 1
            yield Finding("agents", "warn", f"{where}: {said}: {', '.join(paths)}", setup)
    kept = [part.path for part in parts if part.state in ("edited", "foreign")]
    if kept:
        yield Finding("agents", "ok", f"{where}: edited or another's, and left alone: {', '.join(kept)}")
    if not found:
        absent = "" if agent.program is not None else f"; {agent.name} is not on PATH"
        yield Finding("agents", "ok", f"{where}: all is registered{absent}")


def _is_any(parts: Sequence[PartSeen]) -> bool:
    """Whether anything of ours is there."""
    return any(part.state in _OURS for part in parts)

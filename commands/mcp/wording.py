"""What an error's advice for a shell is called among the tools. Pure.

An error says the same to an agent as to a person at a shell: `try: ar init ... --unit ms`. An agent that has
the tools alone is told in one more line which tool that is, and which argument, where the names differ.
"""

from __future__ import annotations

import re

__all__ = ["TOOL_OF", "here"]

TOOL_OF: dict[str, tuple[str, dict[str, str]]] = {
    "init": (
        "init_experiment",
        {
            "--goal": "name",
            "--metric": "metric_name",
            "--unit": "metric_unit",
            "--asset": "assets",
            "--milestone": "milestones",
            "--threshold": "thresholds",
            "--timeout": "timeouts",
            "--max-cycles": "limits.max_cycles",
            "--time-limit": "limits.time_limit_minutes",
            "--target": "limits.target",
            "--max-iterations": "limits.max_iterations",
            "--discards": "limits.discards",
            "--failures": "limits.failures",
            "--no-change": "limits.no_change",
        },
    ),
    "log": ("log_experiment", {"-m": "description", "--duration": "duration_seconds"}),
    "cycle": ("cycle", {"-m": "description"}),
    "propose": ("propose", {"-m": "description"}),
    "finding": ("record_finding", {}),
    "direction check": ("check_direction", {}),
    "pivot": ("pivot", {"--from": "from_direction"}),
    "beat": ("heartbeat", {}),
    "view": ("view", {}),
    "brief": ("brief", {}),
    "why": ("why", {}),
}
"""By command: the tool that does the same, and its arguments that are called otherwise than the options."""

_OPTION = re.compile(r"(?<![\w-])--?[a-z][a-z-]*")


def here(text: str) -> str:
    """Names that differ, of what stands in a text: `ar init is init_experiment, --unit is metric_unit`.

    Empty where there are none. Options are looked for only where their command stands in the text as well.
    """
    said: list[str] = []
    options = set(_OPTION.findall(text))
    for command, (tool, arguments) in TOOL_OF.items():
        if not re.search(rf"\bar {command}\b", text):
            continue
        if tool != command:
            said.append(f"ar {command} is {tool}")
        said += [f"{option} is {argument}" for option, argument in arguments.items() if option in options]
    return ", ".join(dict.fromkeys(said))

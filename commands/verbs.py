"""The names of the commands, in the groups that help shows them in (design, section 7).

Kept apart from the commands themselves, so that the launcher can tell them from the archiver's operations
without importing anything.
"""

from __future__ import annotations

__all__ = ["GROUPS", "VERBS", "place_of"]

GROUPS: dict[str, tuple[str, ...]] = {
    "Record": ("init", "append", "log", "propose", "import", "on", "off"),
    "Look": ("view", "show", "tail", "replay", "diff", "why", "export", "schema"),
    "Check": ("verify", "check", "doctor", "audit"),
    "Loop": (
        "measure",
        "cycle",
        "loop",
        "brief",
        "strategies",
        "debrief",
        "finalize",
        "demo",
    ),
    "Hooks": ("hook",),
    "Protocol": (
        "beat",
        "iteration",
        "finding",
        "direction",
        "pivot",
        "decide",
        "verified",
        "flag",
        "status",
        "dispatch",
        "escalate",
        "tasks",
        "orchestrate",
        "patrol",
        "guard",
    ),
    "Agents": ("mcp", "setup"),
    "Shell": ("completion",),
}
"""Heading to verbs, both in the order they are shown."""

VERBS: frozenset[str] = frozenset(verb for verbs in GROUPS.values() for verb in verbs)
"""Every verb. None may fit the archiver's grammar (`commands.effects.archiver`); a test sees to it."""


def place_of(verb: str) -> tuple[str, str]:
    """The module of a verb and the click command in it: `import` is `import_cmd` in `commands.import_`."""
    from keyword import iskeyword

    name = verb.replace("-", "_")
    return f"commands.{name}_" if iskeyword(name) else f"commands.{name}", f"{name}_cmd"

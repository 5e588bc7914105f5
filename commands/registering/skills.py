"""The skills that agents get: `SKILL.md` files, shipped as data of the package.

They follow the Agent Skills standard (https://agentskills.io/specification): a folder of the skill's name
with a `SKILL.md`, whose front matter has `name` and `description`. Further fields are read by the agents that
know them and ignored by the others: `disable-model-invocation`, `argument-hint`, `allowed-tools`
(https://code.claude.com/docs/en/skills).
"""

from __future__ import annotations

from pathlib import Path

from commands.registering.recipe import Part, sealed_part

__all__ = ["CODEX_METADATA", "SKILLS", "SKILL_FOLDERS", "read", "skill_parts"]

SKILLS = ("autoresearch", "autoresearch-hooks", "autoresearch-finalize", "autoresearch-protocol")
"""Every skill, by name."""

CODEX_METADATA = "agents/openai.yaml"
"""What Codex reads beside `SKILL.md`, of skills that have it (https://developers.openai.com/codex/skills)."""

SKILL_FOLDERS = (".claude/skills", ".agents/skills", ".gemini/skills", ".opencode/skills", ".pi/skills")
"""Where a project has the skills of an agent that `ar setup` knows, from its root."""


def skill_parts(folder: Path, version: str, *, codex: bool = False) -> tuple[Part, ...]:
    """The parts that are our skills below an agent's folder of skills. codex: with what only Codex reads."""
    found = []
    for name in SKILLS:
        for path in ("SKILL.md", CODEX_METADATA) if codex else ("SKILL.md",):
            text = read(name, path)
            if text is not None:
                found.append(sealed_part("skill", folder / name / path, text, version))
    return tuple(found)


def read(name: str, path: str = "SKILL.md") -> str | None:
    """A file of a skill as it is shipped; None if the skill has no such file."""
    from importlib.resources import files

    file = files("commands").joinpath("skills", name, *path.split("/"))
    return file.read_text(encoding="utf-8") if file.is_file() else None

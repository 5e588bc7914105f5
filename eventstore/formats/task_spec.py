"""`task_spec.md` of the long-horizon protocol: a goal, its metric, milestones, what makes it done."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from eventstore.events import Config
from eventstore.formats.values import clean, direction_of, plain_word

__all__ = ["parse_task", "write_task"]

_GOALS = ("goal", "goals", "objective", "task", "mission", "目标", "任务")
_MILESTONES = ("milestones", "milestone", "plan", "里程碑")
_SUCCESS = (
    *("success_criteria", "success", "criteria", "done_when", "definition_of_done", "acceptance_criteria"),
    *("acceptance", "成功标准", "验收标准"),
)
_METRICS = ("metric", "primary_metric", "指标")
_HEADING = re.compile(r"(#{1,6})\s+(.+?)\s*#*\s*")
_ITEM = re.compile(r"\s*(?:[-*+]|\d+[.)])\s+(?:\[[ xX]\]\s+)?(.+)")


def parse_task(text: str) -> Config | None:
    """The goal that a task's specification states; None if there is none in it.

    The goal is what stands under a heading like `Goal`; failing that, the first heading's text, without a
    leading `Task:`. A metric is taken if name and direction are given as items under a heading `Metric`.
    """
    sections = list(_sections(text))
    goal = _paragraphs(_under(sections, _GOALS)) or _title(sections)
    if not goal:
        return None
    given = dict(_pairs(_under(sections, _METRICS)))
    name, direction = given.get("name"), direction_of(given.get("direction"))
    measured = name if direction else None
    return Config(
        name=clean(goal),
        metricName=clean(measured),
        metricUnit=clean(given.get("unit", "")) if measured else None,
        bestDirection=direction if measured else None,
        milestones=tuple(clean(item) for item in _items(_under(sections, _MILESTONES))),
        success=tuple(clean(item) for item in _items(_under(sections, _SUCCESS))),
    )


def write_task(config: Config) -> str:
    """The specification that `parse_task` reads back as the same goal."""
    parts = ["# Task\n", "## Goal\n", _quoted(config.name), ""]
    if config.metricName is not None:
        unit = [f"- unit: {_one_line(config.metricUnit)}"] if config.metricUnit else []
        lines = [
            f"- name: {_one_line(config.metricName)}",
            *unit,
            f"- direction: {config.bestDirection or 'lower'}",
        ]
        parts += ["## Metric\n", *lines, ""]
    for heading, items in (("Milestones", config.milestones), ("Success criteria", config.success)):
        if items:
            parts += [f"## {heading}\n", *(f"- {_one_line(item)}" for item in items), ""]
    return "\n".join(parts)


def _sections(text: str) -> Iterator[tuple[str, list[str]]]:
    """Headings and the lines under each; the lines before the first are under an empty one."""
    heading, lines = "", list[str]()
    fenced = False
    for line in text.replace("\r\n", "\n").split("\n"):
        fenced ^= line.lstrip().startswith("```")
        found = None if fenced else _HEADING.fullmatch(line)
        if found:
            yield heading, lines
            heading, lines = found[2], []
        else:
            lines.append(line)
    yield heading, lines


def _under(sections: Sequence[tuple[str, list[str]]], names: tuple[str, ...]) -> list[str]:
    """What the first heading of one of these names says after a colon, else the lines under it, if any."""
    for heading, lines in sections:
        word, _, rest = heading.partition(":")
        said = [rest.strip()] if rest.strip() else lines
        if plain_word(word) in names and any(line.strip() for line in said):
            return said
    return []


def _title(sections: Sequence[tuple[str, list[str]]]) -> str:
    first = next((heading for heading, _ in sections if heading), "")
    return first or _paragraphs(sections[0][1])


def _paragraphs(lines: Sequence[str]) -> str:
    """The text of lines, Markdown's quotation marks and outer blank lines left out."""
    return "\n".join(re.sub(r"^> ?", "", line.rstrip("\r")) for line in lines).strip("\n").strip()


def _quoted(text: str) -> str:
    """Text that holds no heading: as it is, or quoted line by line."""
    plain = text.strip() == text and "\r" not in text
    risky = any(line.startswith(("#", ">", "```")) for line in text.split("\n")) or not plain
    return "\n".join(f"> {line}" for line in text.split("\n")) if risky else text


def _items(lines: Sequence[str]) -> list[str]:
    """The items of a list."""
    return [found[1].strip() for line in lines if (found := _ITEM.fullmatch(line)) is not None]


def _pairs(lines: Sequence[str]) -> Iterator[tuple[str, str]]:
    for item in _items(lines):
        key, colon, value = item.partition(":")
        if colon:
            yield plain_word(key), value.strip()


def _one_line(text: str | None) -> str:
    return " ".join((text or "").split())

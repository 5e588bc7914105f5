"""`docs/protocol.md` shows what really happens, and its tables are those of the code."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from commands.verbs import GROUPS
from eventstore.events import TYPES
from eventstore.roles import ROLES, may
from reducers.policies.limits import ORCHESTRATED, Limits
from reducers.policies.perturbations import PERTURBATIONS
from reducers.policies.stall import THRESHOLDS
from tests.commands.conftest import ROOT, Ar
from tests.docs_console import run_steps, steps_of

PAGE = (ROOT / "docs" / "protocol.md").read_text(encoding="utf-8")


def normalised(text: str) -> str:
    """Output without the time at which it was printed."""
    return re.sub(r"20\d\d-\d\d-\d\d[ T]\d\d:\d\d:\d\dZ", "TIME", text)


def test_every_console_prints_what_it_shows(tmp_path: Path) -> None:
    """All commands of the page, one after the other in one project, print exactly what stands below them."""
    steps = steps_of(PAGE)

    assert len(steps) > 20
    for step, output in zip(steps, run_steps(steps, tmp_path), strict=True):
        assert normalised(output) == normalised(step.output), step.command


def test_a_week_is_not_ended_by_the_limits_of_two_hours(ar: Ar) -> None:
    """The loop that the page sets up for a week runs until it is stopped, as orchestrated tasks do."""
    command = PAGE.partition("ar -C parser init")[2].partition("\ngit init survey")[0]
    limits = re.findall(r"(--\S+) (none)\b", command)

    assert ar("init", "a goal", "--no-metric", *(word for limit in limits for word in limit)).code == 0
    shown = json.loads(ar("view", "budget", "--json").out)
    assert {name: shown[name] for name in Limits.__struct_fields__ if name in shown} == {
        name: getattr(ORCHESTRATED, name) for name in Limits.__struct_fields__ if name in shown
    }
    assert {"max_cycles", "time_limit_minutes", "discards", "failures"} <= set(shown)


def rows(heading: str) -> list[list[str]]:
    """The rows of the table whose first column has this heading."""
    table = PAGE.partition(f"\n| {heading} |")[2].partition("\n\n")[0]
    return [[cell.strip() for cell in line.strip("| ").split(" | ")] for line in table.splitlines()[2:]]


def test_the_perturbations_are_all_there() -> None:
    """In their order and their words."""
    assert rows("perturbation") == [[f"`{each.name}`", each.demand] for each in PERTURBATIONS]


def test_the_thresholds_are_those_of_the_code() -> None:
    """With the levels they demand."""
    assert [row[:2] for row in rows("stale count")] == [
        [str(count), f"`{level}`"] for level, count in THRESHOLDS.items()
    ]


def test_the_roles_are_those_of_the_code() -> None:
    """What each may append, or what it may not."""
    said = {role: row[1] for row in rows("role") for role in re.findall(r"`(\w+)`", row[0])}

    assert sorted(said) == sorted(ROLES)
    for role, words in said.items():
        named = set(re.findall(r"`(\w+)`", words))
        allowed = set(TYPES) - named if words.startswith("anything") else named
        mending = {"recovered", "relinked"}
        assert {kind for kind in TYPES if may(role, kind)} - mending == allowed - mending


@pytest.mark.parametrize("verb", GROUPS["Protocol"])
def test_every_verb_of_the_protocol_is_shown(verb: str) -> None:
    """In a console, so that it is known to work."""
    assert any(step.command.startswith(f"ar {verb}") for step in steps_of(PAGE)), verb


def test_every_heading_is_listed_at_the_top() -> None:
    """By its anchor."""
    headings = re.findall(r"^## (.*)$", PAGE, re.MULTILINE)
    anchors = [re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings]

    assert re.findall(r"^- \[(.*)\]\(#(.*)\)$", PAGE, re.MULTILINE) == list(
        zip(headings, anchors, strict=True)
    )

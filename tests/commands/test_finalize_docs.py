"""`docs/finalize.md` shows what really happens, and names every remark and key."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from commands.effects import own_commits
from commands.finalize_plan import Written
from tests.commands.conftest import ROOT
from tests.docs_console import run_steps, steps_of

PAGE = (ROOT / "docs" / "finalize.md").read_text(encoding="utf-8")


def normalised(text: str) -> str:
    """Output without the names of commits and lines, which differ from run to run."""
    return re.sub(r"\b[0-9a-f]{7,40}\b", "COMMIT", text)


@pytest.mark.skipif(shutil.which("jq") is None, reason="needs jq")
def test_every_console_prints_what_it_shows(tmp_path: Path) -> None:
    """All commands of the page, one after the other in one project, print exactly what stands below them."""
    steps = steps_of(PAGE)

    assert len(steps) > 15
    for step, output in zip(steps, run_steps(steps, tmp_path), strict=True):
        assert normalised(output) == normalised(step.output), step.command


def test_every_remark_is_explained() -> None:
    """Those that are made are those of the table."""
    code = "".join(
        path.read_text(encoding="utf-8")
        for path in (
            Path(own_commits.__file__),
            ROOT / "commands/effects/finalizing.py",
            ROOT / "commands/effects/hand_reverts.py",
            ROOT / "reducers/policies/finalizing_plan.py",
        )
    )
    table = PAGE.partition("| kind |")[2]

    explained = set(re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE))
    assert set(re.findall(r'Remark\(\s*"(\w+)"', code)) == explained


def test_every_key_that_apply_reads_is_explained() -> None:
    """Of the plan and of its groups."""
    tables = PAGE.partition("## The plan as a file")[2].partition("```")[0]
    rows = re.findall(r"^\| (`.*?) \|", tables, re.MULTILINE)
    named = {key for row in rows for key in re.findall(r"`(\w+)`", row)}

    groups = {"branch", "runs", "message", "files"}
    assert named == {*Written.__struct_fields__, *groups}

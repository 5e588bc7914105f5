"""`docs/audit.md` shows what really happens, and names every source and key."""

from __future__ import annotations

import re
from pathlib import Path

import msgspec
import pytest

from commands.effects.full_audit import Checked, Unchecked
from reducers.policies.audit_gain import AuditedGain
from reducers.policies.audited import Finding, RunCounts
from tests.commands.conftest import ROOT
from tests.docs_console import run_steps, steps_of

PAGE = (ROOT / "docs" / "audit.md").read_text(encoding="utf-8")


def normalised(text: str) -> str:
    """Output without the names of commits and digests, which differ from run to run."""
    return re.sub(r"\b[0-9a-f]{7,40}\b", "NAME", text)


def test_every_console_prints_what_it_shows(tmp_path: Path) -> None:
    """All commands of the page, one after the other in one project, print exactly what stands below them."""
    steps = steps_of(PAGE)

    assert len(steps) > 15
    for step, output in zip(steps, run_steps(steps, tmp_path), strict=True):
        assert normalised(output) == normalised(step.output), step.command


def test_every_source_is_explained() -> None:
    """Those that findings have."""
    places = (("reducers/policies", "audit*.py"), ("commands/effects", "*audit*.py"))
    modules = [path for place, pattern in places for path in (ROOT / place).glob(pattern)]
    modules.append(ROOT / "commands/effects/anchors.py")
    code = "".join(path.read_text(encoding="utf-8") for path in modules)
    used = set(re.findall(r'(?:ERROR|WARNING|level|serious else WARNING), "(\w+)", (?:"|fault)', code))
    table = PAGE.partition("| source |")[2].partition("\n\n")[0]

    assert used | {"git"} == set(re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE))


@pytest.mark.parametrize(
    ("row", "kind"),
    [
        ("findings", Finding),
        ("checked", Checked),
        ("unchecked", Unchecked),
        ("runs", RunCounts),
        ("gain", AuditedGain),
    ],
)
def test_every_key_is_explained(row: str, kind: type[msgspec.Struct]) -> None:
    """Of the documents inside the document."""
    (text,) = re.findall(rf"^\| `{row}` \| (.*) \|$", PAGE.partition("## For programs")[2], re.MULTILINE)

    assert re.findall(r"`(\w+)`", text) == list(kind.__struct_fields__)

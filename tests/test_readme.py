"""`README.md` shows what really happens: every console runs again, every link leads somewhere."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.commands.conftest import ROOT
from tests.docs_console import run_steps, steps_of

README = ROOT / "README.md"


def normalised(text: str) -> str:
    """Output without what differs from run to run: times, and the digests that cover them."""
    text = re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ", "DATE", text)
    text = re.sub(r"\b[0-9a-f]{32}\b", "DIGEST", text)
    return re.sub(r" +$", "", text, flags=re.MULTILINE)


@pytest.mark.skipif(shutil.which("jq") is None, reason="needs jq")
def test_every_console_prints_what_it_shows(tmp_path: Path) -> None:
    """All commands, one after the other in one project, print exactly what stands below them."""
    steps = steps_of(README.read_text())

    assert len(steps) > 20
    for step, output in zip(steps, run_steps(steps, tmp_path), strict=True):
        assert normalised(output) == normalised(step.output), step.command


def test_links_lead_somewhere() -> None:
    """Files that the README and the docs name are there."""
    for page in (README, ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))):
        for target in re.findall(r"\]\((?!https?://)([^)#]+)", page.read_text()):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_ci_runs_exactly_the_test_command_of_the_readme() -> None:
    """It is taken out of the page, not written a second time."""
    script = (ROOT / ".ci" / "run").read_text()
    function = script[script.index("test_command() {") : script.index("# A test that skips")]
    found = subprocess.run(
        ["bash", "-c", f"{function}\ntest_command"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout

    assert re.fullmatch(r"python3 -m venv \.venv && .+pytest.*\n", found)
    assert found in README.read_text()
    assert "pytest" not in script

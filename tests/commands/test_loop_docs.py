"""`docs/loop.md` shows what really happens, and its metric commands print what is read from them."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from reducers.policies.metric_output import read_metric
from tests.commands.conftest import ROOT
from tests.docs_console import run_steps, steps_of

PAGE = (ROOT / "docs" / "loop.md").read_text(encoding="utf-8")

EXAMPLES = re.findall(r"```bash\n(.*?)```\n\n```text\n(.*?)```\n\nread as `(.*?)`\n", PAGE, re.DOTALL)
"""Command, what it prints, what is read of that."""

KINDS = ("pytest", "bundle", "hyperfine", "Lighthouse", "script", "test count", "val_bpb")


def normalised(text: str) -> str:
    """Output without what differs from run to run."""
    return re.sub(r"(Elapsed:) +.*", r"\1 T", text)


def test_every_console_prints_what_it_shows(tmp_path: Path) -> None:
    """All commands of the page, one after the other in one project, print exactly what stands below them."""
    steps = steps_of(PAGE)

    assert len(steps) > 5
    for step, output in zip(steps, run_steps(steps, tmp_path), strict=True):
        assert normalised(output) == normalised(step.output), step.command


def test_there_is_an_example_of_every_kind() -> None:
    """Those that people ask for."""
    worked = PAGE.partition("## Worked metric commands")[2].partition("\n## ")[0]

    assert len(EXAMPLES) == len(KINDS) == worked.count("```bash")
    assert all(kind in worked for kind in KINDS)


@pytest.mark.parametrize(("command", "output", "value"), EXAMPLES, ids=KINDS)
def test_what_a_metric_command_prints_is_read_as_it_says(command: str, output: str, value: str) -> None:
    """By the same reading as in a cycle."""
    assert read_metric(output).value == float(value)


@pytest.mark.parametrize(("command", "output", "value"), EXAMPLES, ids=KINDS)
@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
def test_a_metric_command_is_one_that_bash_reads(command: str, output: str, value: str) -> None:
    """Its syntax is checked, it is not run."""
    assert subprocess.run(["bash", "-n", "-c", command], capture_output=True).stderr == b""


def test_the_pipelines_of_the_page_print_what_they_say(tmp_path: Path) -> None:
    """Those that need nothing but a shell: the last steps of the test count and of the training script."""

    def piped(command: str, given: str) -> str:
        after = command.partition("| ")[2]
        done = subprocess.run(
            ["bash", "-c", after], input=given, capture_output=True, text=True, cwd=tmp_path
        )
        return done.stdout

    counted, trained = EXAMPLES[5], EXAMPLES[6]
    assert piped(counted[0], "....\n312 passed in 3.20s\n") == counted[1]
    assert piped(trained[0], "step 1\npeak_vram_mb: 44980.2\nval_bpb:  0.997900\n") == trained[1]


def test_the_links_of_the_page_lead_somewhere() -> None:
    """Each to a heading of its own."""
    headings = {
        re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")
        for heading in re.findall(r"^## (.*)$", PAGE, re.MULTILINE)
    }

    assert set(re.findall(r"\]\(#(.*?)\)", PAGE)) <= headings

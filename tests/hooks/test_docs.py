"""`docs/hooks.md` shows what really happens, and nothing of ours promises what error capture cannot hold."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from commands.app import cli
from hooks.error_capture_main import USAGE
from hooks.examples import EXAMPLES
from hooks.payload import ALWAYS, SESSION_KEYS
from tests.commands.conftest import ROOT
from tests.docs_console import run_steps, steps_of

PAGE = ROOT / "docs" / "hooks.md"

PHRASE = "when no error text matches"
"""What is said of error capture's silence; it sees text, never success."""

_PROMISES = re.compile(
    r"\bcosts?\s+nothing|\b(no|zero|without)[\s-]+(cost|overhead|tokens?)\b|\bfor\s+free\b|\bcost-free\b"
    r"|\b(silent|silence|nothing|quiet|no output)\b[^.;]*\bsucce(ss|eds?|eded|ssful|ssfully)\b"
    r"|\bsucce(ss|eds?|eded|ssful|ssfully)\b[^.;]*\b(silent|silence|nothing|quiet|no output)\b",
    re.IGNORECASE,
)
_CAPTURE = re.compile(r"error[- ]capture", re.IGNORECASE)


def normalised(text: str) -> str:
    """Output without what differs from run to run: times of day and durations."""
    text = re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ", "DATE", text)
    text = re.sub(r"(after|time) +\d[\d.]* (ms|s)\b", r"\1 T s", text)
    return re.sub(r" +$", "", text, flags=re.MULTILINE)


@pytest.mark.skipif(shutil.which("jq") is None, reason="needs jq")
def test_every_console_prints_what_it_shows(tmp_path: Path) -> None:
    """All commands of the page, one after the other in one project, print exactly what stands below them."""
    steps = steps_of(PAGE.read_text())

    assert len(steps) > 15
    for step, output in zip(steps, run_steps(steps, tmp_path), strict=True):
        assert normalised(output) == normalised(step.output), step.command


def test_the_tables_are_complete() -> None:
    """Every example with its stage and summary, every key of a payload."""
    page = PAGE.read_text()
    told = {"event", "cwd", "next_run", "last_run", "run_entry", "session", "metrics", "asi"}

    for example in EXAMPLES:
        assert f"| `{example.name}` | {example.stage} | {example.summary} |" in page
    for key in (*told, *SESSION_KEYS, *ALWAYS):
        assert f"| `{key}` | " in page


def texts() -> Iterator[tuple[str, str]]:
    """Every text of ours that a user or an agent reads: pages, skills, help; each with where it is from."""
    for path in (*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")):
        yield path.name, path.read_text()
    for package in ("commands", "hooks", "reducers", "eventstore"):
        for path in (ROOT / package).glob("**/*.md"):
            yield str(path.relative_to(ROOT)), path.read_text()
    yield "ar hook error-capture --help, by the launcher", USAGE
    yield from helps(cli.make_context("ar", ["view"]), "hook")


def helps(root: object, name: str) -> Iterator[tuple[str, str]]:
    """The help of a group and of everything in it."""
    import click

    group = cli.get_command(root, name)  # type: ignore[arg-type]
    assert isinstance(group, click.Group)
    context = click.Context(group, info_name=f"ar {name}")
    yield f"ar {name} --help", group.get_help(context)
    for each in group.list_commands(context):
        command = group.get_command(context, each)
        assert command is not None
        yield f"ar {name} {each} --help", command.get_help(click.Context(command, info_name=each))


def test_nothing_says_that_capture_costs_nothing() -> None:
    """It runs after every call and matches text: no paragraph on it speaks of success, or of being free."""
    for source, text in texts():
        for paragraph in re.split(r"\n\s*\n|\n(?=[-|#])", text):
            if _CAPTURE.search(paragraph):
                assert _PROMISES.search(" ".join(paragraph.split())) is None, f"{source}: {paragraph}"


def test_what_speaks_of_its_silence_says_when() -> None:
    """The page and both helps use the phrase; so does what `install` prints (`test_hook_install.py`)."""
    found = {source for source, text in texts() if PHRASE in " ".join(text.split())}

    assert {
        "hooks.md",
        "ar hook error-capture --help",
        "ar hook error-capture --help, by the launcher",
    } <= found


@pytest.mark.parametrize(
    "claim",
    [
        "It costs nothing on success.",
        "Error capture is silent when the command succeeded.",
        "On success there is no output.",
        "Zero overhead for successful commands.",
        "You get it for free.",
        "zero-cost",
    ],
)
def test_such_a_claim_would_be_found(claim: str) -> None:
    """The check finds the ways in which it is usually put."""
    assert _PROMISES.search(claim) is not None


@pytest.mark.parametrize(
    "claim",
    ["Silent when no error text matches.", "It exits with 0 within 2 seconds.", "A steer costs attention."],
)
def test_what_is_true_may_be_said(claim: str) -> None:
    """The check does not mistake what holds."""
    assert _PROMISES.search(claim) is None

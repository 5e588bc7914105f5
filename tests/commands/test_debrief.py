"""`ar debrief`: what a session came to."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.commands.conftest import Ar


@pytest.fixture(autouse=True)
def log(ar: Ar, tmp_path: Path) -> Path:
    """A session with a baseline, a kept and a discarded run."""
    assert ar("init", "faster", "--metric", "total", "--unit", "ms", "--direction", "lower").code == 0
    assert ar("log", "--status", "keep", "--metric", "44.4", "-m", "baseline").code == 0
    assert ar("log", "--status", "keep", "--metric", "38.9", "-m", "arena", "--commit", "bbb").code == 0
    assert ar("log", "--status", "discard", "--metric", "41", "-m", "pages").code == 0
    return tmp_path / ".auto" / "log.jsonl"


def test_a_session_is_summed_up(ar: Ar) -> None:
    """As text, with the log's path as one would type it here."""
    ran = ar("debrief")

    assert ran.code == 0
    assert ran.out.startswith("AUTORESEARCH COMPLETE\n\nGoal:         faster\n")
    assert "Results log:  .auto/log.jsonl\n\nKEPT CHANGES\n1. arena: 44.4 -> 38.9 ms (-12.4%)\n" in ran.out


def test_json_is_the_view_and_its_words(ar: Ar) -> None:
    """`ar view debrief` holds the same figures."""
    document = json.loads(ar("debrief", "--json").out)
    view = json.loads(ar("view", "debrief", "--json").out)

    assert {name: document[name] for name in view} == view
    assert set(document) - set(view) == {"advice", "results_log", "stop_reason_words"}
    assert document["results_log"] == ".auto/log.jsonl"


def test_markdown(ar: Ar) -> None:
    """For a pull request."""
    assert ar("debrief", "--markdown").out.startswith("# AUTORESEARCH COMPLETE\n")
    assert ar("debrief", "--markdown", "--json").code == 2


def test_the_past_and_the_empty_log(ar: Ar) -> None:
    """No kept runs: it says so, no error."""
    assert "No change was kept." in ar("debrief", "--at", "run:1").out
    ran = ar("debrief", "--at", "0")
    assert ran.code == 0
    assert "No change was kept." in ran.out


def test_damage_is_told(ar: Ar, log: Path) -> None:
    """On stderr; the rest is told all the same."""
    with log.open("a") as file:
        file.write("{torn\n")

    assert "line 5 is damaged" in ar("debrief").err

"""`ar brief`: what a fresh agent is told."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest

from eventstore.lock import locked
from tests.commands.conftest import Ar


@pytest.fixture(autouse=True)
def log(ar: Ar, tmp_path: Path) -> Path:
    """A session with a goal and two runs."""
    assert ar("init", "faster", "--metric", "total", "--unit", "ms", "--direction", "lower").code == 0
    assert ar("log", "--status", "keep", "--metric", "44.4", "-m", "baseline").code == 0
    assert ar("log", "--status", "keep", "--metric", "38.9", "-m", "arena").code == 0
    return tmp_path / ".auto" / "log.jsonl"


def test_the_same_log_gives_the_same_bytes(ar: Ar, log: Path) -> None:
    """Later, and again; and nothing is appended by it."""
    before = log.read_bytes()

    first = ar("brief")
    time.sleep(0.01)
    second = ar("brief")

    assert first.code == 0
    assert first == second
    assert first.out.startswith("# Brief for run 3\n")
    assert log.read_bytes() == before


def test_rules_and_ideas_come_from_their_files(ar: Ar, tmp_path: Path) -> None:
    """Under the names they have; what is no UTF-8 harms nothing."""
    (tmp_path / ".auto" / "prompt.md").write_bytes(b"# Rules\nkeep the API \xff\n")
    (tmp_path / ".auto" / "ideas.md").write_text("- interning\n")

    out = ar("brief").out

    rules = "# Rules\nkeep the API \N{REPLACEMENT CHARACTER}"
    assert f"From .auto/prompt.md; they bind you:\n\n```text\n{rules}\n```" in out
    assert "From .auto/ideas.md; take one" in out


def test_what_is_no_file_is_passed_over(ar: Ar, tmp_path: Path) -> None:
    """A directory, or a pipe, of that name: the brief goes without it and waits for nothing."""
    os.mkfifo(tmp_path / ".auto" / "ideas.md")
    (tmp_path / ".auto" / "prompt.md").mkdir()

    ran = ar("brief")

    assert ran.code == 0
    assert "## Rules" not in ran.out
    assert "## Ideas" not in ran.out


def test_a_brief_of_the_past(ar: Ar) -> None:
    """`--at`, like everywhere."""
    assert ar("brief", "--at", "run:1").out.startswith("# Brief for run 2\n")
    assert ar("brief", "--at", "0").out.startswith("# Brief for run 1\n")
    assert ar("brief", "--at", "run:9").code == 2


def test_json_gives_the_sections(ar: Ar) -> None:
    """By name, title and text, with the line they take account of."""
    document = json.loads(ar("brief", "--json").out)

    assert document["seq"] == 3
    assert document["next_run"] == 3
    assert [section["name"] for section in document["sections"]][:3] == ["task", "goal", "metric"]
    assert document["damaged_lines"] == []


def test_damage_is_told(ar: Ar, log: Path) -> None:
    """On stderr and in the JSON; the rest is told all the same."""
    with log.open("a") as file:
        file.write("{torn\n")

    ran = ar("brief", "--json")

    assert json.loads(ran.out)["damaged_lines"] == [4]
    assert "line 4 is damaged" in ran.err


def test_without_a_session_there_is_no_brief(ar: Ar, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One line that says what to do."""
    (tmp_path / "elsewhere" / ".git").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "elsewhere")

    ran = ar("brief")

    assert ran.code == 2
    assert "there is no session here" in ran.err


def test_who_asks_drives_unless_a_loop_called_it(ar: Ar, monkeypatch: pytest.MonkeyPatch) -> None:
    """A loop's agent, known by AR_BRIEF, and --turn get one turn; anyone else goes on by itself."""
    driving, turn = ar("brief").out, ar("brief", "--turn").out
    assert "Then begin the next one" in driving
    assert "then end your turn" in turn

    monkeypatch.setenv("AR_BRIEF", "/tmp/brief.md")
    assert ar("brief").out == turn


def test_a_loop_at_work_is_seen_without_the_environment(ar: Ar, tmp_path: Path) -> None:
    """By the turn's file and a held tree lock; a file that a killed loop left says nothing."""
    driving = ar("brief").out
    cache = tmp_path / ".auto" / "cache"
    cache.mkdir(exist_ok=True)
    (cache / "turn.json").write_text("{}")

    with locked(tmp_path / ".auto" / "tree.lock", 0):
        at_work = ar("brief").out
    assert "then end your turn" in at_work
    if Path("/proc/locks").exists():
        assert ar("brief").out == driving

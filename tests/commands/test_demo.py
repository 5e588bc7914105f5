"""`ar demo`: a real session, of which nothing is faked."""

from __future__ import annotations

import json
import shlex
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.commands.conftest import Ar, Ran, process


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> tuple[Ran, Path]:
    """What a run of it said, and the repository it left."""
    place = tmp_path_factory.mktemp("demo") / "here"
    return process("demo", "--keep", str(place), timeout=120), place / "project"


def lines(project: Path, *kinds: str) -> list[dict[str, Any]]:
    found = [json.loads(line) for line in (project / ".auto" / "log.jsonl").read_text().splitlines()]
    return [line for line in found if line["type"] in kinds]


def test_session(demo: tuple[Ran, Path]) -> None:
    """Good, bad, wrong, crashing and idle turns, one outside the assets, a pivot, hooks, a stop rule."""
    ran, project = demo

    assert ran.code == 0, ran.err
    assert [run["status"] for run in lines(project, "run")] == [
        *("keep", "keep", "discard", "checks_failed", "crash", "keep", "discard")
    ]
    notes = [note["event"] for note in lines(project, "note")]
    assert notes == ["cycle_refused", "no_change"]
    assert {hook["stage"] for hook in lines(project, "hook")} == {"before", "after"}
    assert all(hook["exit_code"] == 0 for hook in lines(project, "hook"))
    assert [pivot["level"] for pivot in lines(project, "pivot")] == ["structure"]
    assert [stop["reason"] for stop in lines(project, "stopped")] == ["max_cycles"]
    reverted = lines(project, "reverted")
    assert len(reverted) == 4
    assert all(rollback["verified"] for rollback in reverted)
    metrics = [run["metric"] for run in lines(project, "run") if run["status"] == "keep"]
    assert metrics == sorted(metrics, reverse=True)
    assert (project / ".auto" / "journal.md").read_text().startswith("run 2: keep\nrun 3: discard\n")


def test_tree_is_the_last_kept_commits(demo: tuple[Ran, Path]) -> None:
    """Nothing of what was not kept is left; what was refused lies apart."""
    _, project = demo

    def git(*argv: str) -> str:
        done = subprocess.run(["git", "-C", str(project), *argv], capture_output=True, check=True)
        return done.stdout.decode().strip()

    kept = [line["commit"] for line in lines(project, "run") if line["status"] == "keep"][-1]
    assert git("status", "--porcelain", "--", "wordstats", "bench.py", "test_wordstats.py") == ""
    assert git("diff", kept, "HEAD") == ""
    assert (project / ".auto" / "rejected" / "run-5" / "changes.patch").exists()


def test_ends_with_the_debrief_and_what_to_try(demo: tuple[Ran, Path]) -> None:
    """Every command that it names works on that log."""
    ran, project = demo

    assert "AUTORESEARCH COMPLETE" in ran.out
    _, _, tail = ran.out.partition("Try next")
    named = [line[2:].partition("  ")[0] for line in tail.splitlines() if line.startswith("  ")]
    assert len(named) == 10
    for command in named:
        program, *argv = shlex.split(command)
        if program == "ar":
            done = process(*argv, cwd=project)
            assert (done.code, bool(done.out)) == (0, True), (command, done.err)


def test_its_record_passes_an_audit(demo: tuple[Ran, Path]) -> None:
    """Every verdict, rollback and head, with no error and nothing left unchecked."""
    _, project = demo

    document = json.loads(process("audit", "--json", cwd=project).out)

    assert (document["errors"], document["unchecked"]) == (0, [])
    assert document["runs"] == {"total": 7, "measured": 7, "unmeasured": 0, "judged": 0, "foreign": 0}
    assert (document["checked"]["kept_commits"], document["checked"]["rollbacks"]) == (2, 4)


def test_directory_with_something_in_it(ar: Ar, tmp_path: Path) -> None:
    """Is left alone."""
    (tmp_path / "notes.txt").write_text("mine")

    ran = ar("demo", "--keep", str(tmp_path))

    assert (ran.code, "is not an empty directory" in ran.err) == (2, True)
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]

"""`ar tasks`: every task below a directory."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.commands.conftest import Ar, environment


def task(ar: Ar, folder: Path, *more: str) -> Path:
    """Begins a task in a folder of its own; its log."""
    folder.mkdir(parents=True)
    (folder / ".git").mkdir()
    assert ar("-C", str(folder), "init", "a goal", "--no-metric", *more).code == 0
    return folder / ".auto" / "log.jsonl"


def test_every_task_has_a_row(ar: Ar, tmp_path: Path) -> None:
    """By name, also nested and legacy ones; hidden folders and the root's own session are none."""
    for name in ("b", "a", "a/deeper"):
        task(ar, tmp_path / name)
    task(ar, tmp_path / ".hidden" / "x")
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "autoresearch.jsonl").write_text(
        '{"type":"config","name":"g","metricName":"t","metricUnit":"ms","bestDirection":"lower"}\n'
        '{"run":1,"metric":12.5,"status":"keep","description":"first"}\n'
    )
    (tmp_path / "empty").mkdir()
    assert ar("-C", str(tmp_path), "init", "the root", "--no-metric").code == 0
    assert ar("-C", str(tmp_path / "a"), "flag", "licence", "sign it").code == 0
    assert ar("-C", str(tmp_path / "b"), "status", "run\x1b[2J").code == 0
    rows = ar("tasks", str(tmp_path)).out.splitlines()
    document = json.loads(ar("-C", str(tmp_path), "tasks", "--json").out)

    assert rows[0].split() == ["task", "state", "best", "stale", "last", "seen", "flags"]
    assert [row.split()[0] for row in rows[1:]] == ["a", "a/deeper", "b", "old"]
    assert rows[1].endswith("  licence")
    assert "unknown (run\\x1b[2J)" in rows[3]
    assert "12.5 ms" in rows[4]
    assert [each["task"] for each in document["tasks"]] == ["a", "a/deeper", "b", "old"]
    assert document["tasks"][0]["flags"] == ["licence"]
    assert document["tasks"][3]["best_metric"] == 12.5


def test_one_that_cannot_be_read_hides_no_other(ar: Ar, tmp_path: Path) -> None:
    """It has a row, and stderr says what is wrong; so for damaged lines."""
    task(ar, tmp_path / "a")
    damaged = task(ar, tmp_path / "b")
    damaged.write_bytes(damaged.read_bytes() + b"[1]\n")
    broken = task(ar, tmp_path / "c")
    broken.unlink()
    broken.mkdir()
    ran = ar("tasks", str(tmp_path))

    assert ran.code == 0
    assert [row.split()[:2] for row in ran.out.splitlines()[1:]] == [
        ["a", "unknown"],
        ["b", "unknown"],
        ["c", "unreadable"],
    ]
    assert "b: line 2 is damaged" in ran.err
    assert "ar: c: " in ran.err


@pytest.mark.parametrize(("root", "code", "said"), [(".", 0, "no task below ."), ("gone", 2, "no directory")])
def test_where_there_is_none(ar: Ar, root: str, code: int, said: str) -> None:
    """It says so; a root that is not there is an error."""
    ran = ar("tasks", root)

    assert ran.code == code
    assert said in ran.out + ran.err


def test_it_is_shown_again_when_it_changes(ar: Ar, tmp_path: Path) -> None:
    """With --follow, one document a line."""
    task(ar, tmp_path / "a")
    with subprocess.Popen(
        [sys.executable, "-m", "autoresearch_ledger", "tasks", str(tmp_path), "--follow", "--json"],
        stdout=subprocess.PIPE,
        env=environment(),
    ) as following:
        assert following.stdout is not None
        first = json.loads(following.stdout.readline())
        task(ar, tmp_path / "b")
        second = json.loads(following.stdout.readline())
        while len(second["tasks"]) < 2:
            second = json.loads(following.stdout.readline())
        following.kill()

    assert [each["task"] for each in first["tasks"]] == ["a"]
    assert [each["task"] for each in second["tasks"]] == ["a", "b"]

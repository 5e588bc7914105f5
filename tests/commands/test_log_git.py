"""`ar log` where the session has assets: keeps are committed, the rest is saved and undone (design, 6.1)."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable
from typing import Any

import pytest

from commands.effects import own_runs
from tests.commands.conftest import Ar, Ran
from tests.commands.sandbox import AWKWARD, Sandbox, prepared, sandbox

__all__ = ["prepared", "sandbox"]

Log = Callable[..., Ran]


@pytest.fixture
def log(sandbox: Sandbox, ar: Ar) -> Log:
    """Calls `ar log` in a session that measures itself, with the asset `src`."""
    goal = ("faster", "--metric", "total", "--unit", "s", "--direction", "lower", "--asset", "src")
    assert ar("-C", str(sandbox.top), "init", *goal).code == 0

    def call(status: str, *argv: str) -> Ran:
        return ar("-C", str(sandbox.top), "log", "--status", status, "-m", "a $(try)\nof two lines", *argv)

    return call


def runs(sandbox: Sandbox) -> list[dict[str, Any]]:
    text = (sandbox.top / ".auto/log.jsonl").read_text()
    return [line for line in map(json.loads, text.splitlines()) if line["type"] == "run"]


def test_a_keep_is_committed(log: Log, sandbox: Sandbox) -> None:
    """Exactly the changes inside the assets, before the run is recorded at that commit."""
    sandbox.write("src/kernel.c", "faster\n")
    sandbox.write("src/new.c", "new\n")

    ran = log("keep", "--metric", "3")
    again = log("keep", "--metric", "2")

    assert f"committed {sandbox.head[:7]}" in ran.out
    assert sandbox.files("HEAD") == ["src/kernel.c", "src/new.c"]
    assert sandbox.git("log", "-1", "--format=%s") == "autoresearch run 1: a $(try)"
    assert [run["commit"] for run in runs(sandbox)] == [sandbox.head[:7]] * 2
    assert "committed" not in again.out


@pytest.mark.parametrize("status", ["discard", "crash", "checks_failed"])
def test_anything_else_is_saved_and_undone(log: Log, sandbox: Sandbox, status: str) -> None:
    """Staged changes too, whatever the files are called; new files are moved; nothing is committed."""
    before, head = sandbox.snapshot("src"), sandbox.head
    sandbox.write("src/kernel.c", "slower\n")
    sandbox.write("src/run.sh", "staged\n")
    sandbox.git("add", "src/run.sh")
    sandbox.write("src/run.sh", "#!/bin/sh\n")
    for name in AWKWARD:
        sandbox.write(f"src/{name}", name.encode("utf-8", "surrogateescape"))

    ran = log(status)

    saved = sandbox.top / ".auto/rejected/run-1"
    assert ran.code == 0, ran.err
    assert "undone; saved in" in ran.out
    assert (sandbox.snapshot("src"), sandbox.head, sandbox.status("src")) == (before, head, "")
    assert b"+slower" in (saved / "changes.patch").read_bytes()
    assert b"+staged" in (saved / "staged.patch").read_bytes()
    assert all(os.path.lexists(saved / "src" / name) for name in AWKWARD)


def test_checks_that_fail_block_a_keep(log: Log, sandbox: Sandbox) -> None:
    """Nothing is committed and nothing recorded; other statuses need none."""
    sandbox.write(".auto/checks.sh", "echo broken; exit 1\n")
    sandbox.write("src/kernel.c", "faster\n")
    head = sandbox.head

    refused = log("keep", "--metric", "3")

    assert (refused.code, sandbox.head, runs(sandbox)) == (2, head, [])
    assert refused.err.splitlines()[0] == "ar: checks.sh exited 1, so nothing is kept: broken"
    assert log("checks_failed").code == 0


def test_a_refused_run_touches_nothing(log: Log, sandbox: Sandbox) -> None:
    """Secondary metrics once known are demanded, new ones have to be wanted."""
    log("keep", "--metric", "3", "--metrics", "rss=1")
    sandbox.write("src/kernel.c", "x\n")

    missing = log("discard", "--metric", "4")
    fresh = log("discard", "--metric", "4", "--metrics", "rss=2", "--metrics", "size=3")
    tree = sandbox.read("src/kernel.c")
    wanted = log("discard", "--metric", "4", "--metrics", "rss=2", "--metrics", "size=3", "--force")

    assert (missing.code, fresh.code, tree) == (2, 2, b"x\n")
    assert "rss is missing" in missing.err
    assert "size is no secondary metric of the segment; they are rss" in fresh.err
    assert (wanted.code, len(runs(sandbox))) == (0, 2)


def test_a_kill_between_record_and_rollback_is_made_good(
    log: Log, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the next call; what has been changed since is left alone."""
    clean = sandbox.snapshot("src")

    def killed() -> None:
        child = os.fork()
        if child == 0:
            monkeypatch.setattr(own_runs, "_undo", lambda *_: os.kill(os.getpid(), signal.SIGKILL))
            log("discard", "--metric", "9")
            os._exit(0)
        assert os.WIFSIGNALED(os.waitpid(child, 0)[1])

    sandbox.write("src/kernel.c", "first\n")
    killed()
    good = log("crash")
    after = sandbox.snapshot("src")
    sandbox.write("src/kernel.c", "second\n")
    killed()
    sandbox.write("src/kernel.c", "third\n")
    kept = log("keep", "--metric", "2")

    assert "run 1 was interrupted: its changes are undone now" in good.err
    assert after == clean
    assert "the files have changed since" in kept.err
    assert sandbox.files("HEAD") == ["src/kernel.c"]
    assert [run["status"] for run in runs(sandbox)] == ["discard", "crash", "discard", "keep"]

"""Stopped at any step, `ar finalize apply` has made all of its branches or none, and changed nothing else."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.commands.conftest import ROOT
from tests.commands.sandbox import prepared, sandbox
from tests.commands.trail import Trail, trail

__all__ = ["prepared", "sandbox", "trail"]

BRANCHES = ["refs/heads/finalized/1-one", "refs/heads/finalized/2-two"]


def ends(trail: Trail, work: Path, how: str) -> list[dict[str, Any]]:
    """What was left when it was stopped at each step, and after the call that followed; undisturbed last."""
    trail.keep(9, "one", {"src/kernel.c": None, "src/core.c": "2\n"})
    trail.keep(8, "two", {"src/run.sh": "2\n"})
    work.mkdir()
    command = [sys.executable, "-m", "tests.commands.finalize_killer", str(trail.box.top), str(work), how]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize("how", ["before", "during", "fails", "ctrl-c"])
def test_stopped_at_any_step(trail: Trail, tmp_path: Path, how: str) -> None:
    """All branches or none; none where it could clean up. The next call makes them, under free names."""
    found = ends(trail, tmp_path / "work", how)
    undisturbed = found.pop()

    assert len(found) > 8
    assert sorted(undisturbed["before"]["made"]) == BRANCHES
    assert (undisturbed["before"]["notes"], undisturbed["before"]["left"]) == (1, [])
    assert (how in ("before", "during")) == any(end["before"]["made"] for end in found)
    for end in found:
        before = end["before"]
        assert end["end"] != 0
        assert before["made"] in ({}, undisturbed["before"]["made"]), end
        assert how in ("before", "during") or before["made"] == {}
        assert (before["notes"], end["again"]) == (0, 0)
        assert list(end["made"].values())[-2:] == list(undisturbed["before"]["made"].values())
        assert end["left"] == []
        for same in ("refs", "head", "index", "files"):
            assert before[same] == end[same] == undisturbed[same], same

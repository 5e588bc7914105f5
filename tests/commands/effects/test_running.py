"""The group that is at work, written down."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from commands.effects.running import end_recorded, recording
from hooks.process import process_started


def test_what_a_crash_left_is_ended(tmp_path: Path) -> None:
    """The whole group, by what was written down; afterwards nothing is."""
    path = tmp_path / "cache" / "running.json"
    child = subprocess.Popen(["sleep", "600"], start_new_session=True)
    with recording(path) as note:
        note(child.pid, process_started(child.pid) or "")
        kept = path.read_bytes()
    assert not path.exists()

    path.write_bytes(kept)
    assert end_recorded(path) == 1
    assert child.wait(10) < 0
    assert (path.exists(), end_recorded(path)) == (False, 0)


def test_a_command_that_cleans_up_meanwhile_is_no_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It takes the directory away between two of our calls: written down again; in the end gone without."""
    path = tmp_path / "cache" / "running.json"
    replace, times = os.replace, [1]

    def cleaned(source: Path, target: Path) -> None:
        if times[0]:
            times[0] -= 1
            shutil.rmtree(path.parent)
        replace(source, target)

    monkeypatch.setattr(os, "replace", cleaned)
    with recording(path) as note:
        note(1, "x")
        assert path.exists()
        times[0] = 100
        note(2, "y")
    assert not path.parent.exists()

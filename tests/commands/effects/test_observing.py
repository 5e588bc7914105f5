"""What the system says at the time of a patrol."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from commands.effects.observing import Awake, awake, awake_since, observe
from hooks.pids import process_started


def test_a_machine_that_never_slept_is_awake_since_it_booted() -> None:
    """Later looks say the same, whatever time it is."""
    first = awake(None, "boot", 0, 1_000, 9_000)

    assert first == Awake("boot", 0, 1_000)
    assert awake(first, "boot", 3, 1_001, 90_000) is first


def test_after_sleep_it_is_awake_since_it_is_known_to_be() -> None:
    """That is the first look after it; sleep before the first look of all counts as well."""
    kept = Awake("boot", 0, 1_000)

    assert awake(kept, "boot", 60_000, 1_000, 90_000) == Awake("boot", 60_000, 90_000)
    assert awake(None, "boot", 60_000, 1_000, 90_000) == Awake("boot", 60_000, 90_000)


def test_another_boot_begins_anew() -> None:
    """What was kept of the last one says nothing."""
    assert awake(Awake("old", 60_000, 1_000), "boot", 0, 80_000, 90_000) == Awake("boot", 0, 80_000)


def test_it_is_kept_from_one_look_to_the_next(tmp_path: Path) -> None:
    """A file that is damaged is made anew; a dry run leaves none."""
    file = tmp_path / "cache" / "awake.json"
    awake_since(file, 5, keep=False)
    assert not file.exists()

    first = awake_since(file, 5)
    if first is not None:
        kept = file.read_bytes()
        assert awake_since(file, 10**6) == first
        file.write_bytes(b"{")
        awake_since(file, 5)
        assert len(file.read_bytes()) >= len(kept) - 20


def test_living_processes_and_those_at_work() -> None:
    """By number and start stamp; one with a child is at work, one that has ended is not there."""
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    try:
        seen = observe(7)

        assert seen.awake_since == 7
        assert seen.started[child.pid] == process_started(child.pid)
        assert os.getpid() in seen.busy
        assert child.pid not in seen.busy
    finally:
        child.communicate()
    assert child.pid not in observe(None).started

"""Ending what a run of ours that crashed has left, and nothing else."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hooks import pids, reaper
from hooks.adoption import Adoption, subreaper_available
from hooks.pids import ProcessEntry, boot_id, process_started
from hooks.reaper import descendants, end_group

from .marked import Marked

with_proc = pytest.mark.skipif(not pids.has_proc(), reason="members are told by /proc")


@pytest.fixture
def orphaned(tmp_path: Path) -> Iterator[tuple[Marked, int, str]]:
    """A session whose leader has ended and left one process: the leader's pid and stamp."""
    marked = Marked(tmp_path)
    leader = subprocess.Popen(
        ["bash", "-c", "sleep 60 & read"], start_new_session=True, stdin=subprocess.PIPE, env=marked.env
    )
    started = process_started(leader.pid)
    assert started is not None
    assert leader.stdin is not None
    leader.communicate(b"\n")
    assert len(marked.running()) == 1
    yield marked, leader.pid, started
    for pid in marked.running():
        os.kill(pid, signal.SIGKILL)


@with_proc
def test_members_of_a_vanished_leader_are_ended(orphaned: tuple[Marked, int, str]) -> None:
    """What the leader left in its session is ended although the leader itself is gone."""
    marked, pgid, started = orphaned

    assert end_group(pgid, started) == 1
    assert marked.running() == []
    assert end_group(pgid, started) == 0


@with_proc
@pytest.mark.parametrize("later", [-400_000, 400_000], ids=["long before", "after"])
def test_members_of_another_time_are_left_alone(orphaned: tuple[Marked, int, str], later: int) -> None:
    """A session whose oldest member is older than the leader, or hours younger, is another's with its pid."""
    marked, pgid, started = orphaned
    ticks = int(started.partition("@")[0])

    assert end_group(pgid, f"{ticks + later}@{boot_id()}") == 0
    assert len(marked.running()) == 1


@with_proc
@pytest.mark.parametrize("stamp", ["{ticks}@another-boot", "", "nonsense"])
def test_members_of_another_boot_are_left_alone(orphaned: tuple[Marked, int, str], stamp: str) -> None:
    """A stamp that is not of this boot proves nothing."""
    marked, pgid, started = orphaned

    assert end_group(pgid, stamp.format(ticks=started.partition("@")[0])) == 0
    assert len(marked.running()) == 1


@with_proc
def test_members_of_another_user_are_left_alone(
    orphaned: tuple[Marked, int, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A session with another user's process is not the leader's."""
    marked, pgid, started = orphaned
    monkeypatch.setattr(os, "getuid", lambda: 4242)

    assert end_group(pgid, started) == 0
    assert len(marked.running()) == 1


def test_a_process_that_leads_no_session_is_left_alone(tmp_path: Path) -> None:
    """Only what `run` started is ended, and that always leads a session of its own."""
    child = subprocess.Popen(["sleep", "60"], process_group=0)
    started = process_started(child.pid)
    assert started is not None

    ended = end_group(child.pid, started)
    running = child.poll() is None
    child.kill()
    child.wait()

    assert (ended, running) == (0, True)


def test_we_never_end_ourselves() -> None:
    """A recorded group that we live in is left alone: of whatever leader, and whatever is in it."""
    session = os.getsid(0)
    for pid in {os.getpgrp(), session, 0, 1, -1}:
        assert end_group(pid, process_started(pid) or "") == 0


def test_a_caller_below_the_recorded_group_ends_nothing(tmp_path: Path) -> None:
    """Called from within the recorded session, as by an agent that outlived us, nothing is ended."""
    marked = Marked(tmp_path)
    script = (
        f"import os, sys; sys.path.insert(0, {str(Path(__file__).parents[2])!r})\n"
        "from hooks.reaper import end_group\n"
        "from hooks.pids import process_started\n"
        "leader = os.getsid(0)\n"
        "os.setpgid(0, 0)\n"
        "print(end_group(leader, process_started(leader)))\n"
    )
    finished = marked.run("bash", "-c", '"$0" -c "$1"; echo alive', sys.executable, script)

    assert finished.stdout == b"0\nalive\n"


def test_a_signal_that_reaches_nobody_is_no_error() -> None:
    """A group that ended meanwhile is passed over."""
    child = subprocess.Popen(["true"], start_new_session=True)
    child.wait()

    reaper._send([ProcessEntry(child.pid, 1, child.pid, child.pid, "S", "0")], signal.SIGTERM)


@pytest.mark.skipif(not subreaper_available(), reason="the survivor is handed to us on Linux only")
def test_what_kill_does_not_end_is_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that survives KILL is waited for only so long, and reported."""
    marked = Marked(tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(reaper, "KILL_WAIT", 0.1)
        patch.setattr(reaper, "_send", lambda entries, signum: None)
        finished = marked.bash("sleep 60 & exit 0", term_grace=0.1)
    (survivor,) = marked.running()
    os.kill(survivor, signal.SIGKILL)
    os.waitpid(survivor, 0)

    assert (finished.exit_code, finished.survivors, finished.leftover_killed) == (0, 1, 0)


def test_what_flees_by_forking_is_not_reported_as_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where only ever the dead of a family are seen, but always new ones, something of it must live."""
    monkeypatch.setattr(reaper, "KILL_WAIT", 0.05)
    adoption = Adoption()
    adoption.hands_us_orphans = True
    family = reaper.Family(0, adoption=adoption)
    monkeypatch.setattr(family, "_find", lambda: [ProcessEntry(9, os.getpid(), 9, 9, "Z", "0")])

    assert family.kill() == 1


parents = st.lists(st.integers(0, 20), min_size=1, max_size=20)


@given(parents, st.sets(st.integers(0, 19)))
def test_descendants_are_exactly_what_lies_below(parents: list[int], chosen: set[int]) -> None:
    """Whatever the table (cycles too), the walk finds the heads and all whose chain of parents meets one."""
    table = {pid: ProcessEntry(pid, parent, pid, pid, "S", "0") for pid, parent in enumerate(parents)}
    heads = chosen & table.keys()

    found = [entry.pid for entry in descendants(table, [table[pid] for pid in heads])]

    def meets_a_head(pid: int) -> bool:
        passed: set[int] = set()
        while pid not in heads:
            if pid not in table or pid in passed:
                return False
            passed.add(pid)
            pid = table[pid].parent
        return True

    assert len(found) == len(set(found))
    assert set(found) == {pid for pid in table if meets_a_head(pid)}

"""Process identities: a pid with its start stamp is one process for ever."""

from __future__ import annotations

import os
import shutil
import subprocess

import pytest

from hooks import pids
from hooks.pids import is_alive, parse_ps_line, parse_stat, process_started, process_table, ticks_of_stamp

BOTH_WAYS = pytest.mark.parametrize("proc", [True, False], ids=["proc", "ps"])


@pytest.fixture
def system(monkeypatch: pytest.MonkeyPatch, proc: bool) -> None:
    """A system with `/proc`, or with `ps` alone."""
    if proc and not pids.has_proc():
        pytest.skip("no /proc")
    if not proc and shutil.which("ps") is None:
        pytest.skip("no ps")
    monkeypatch.setattr(pids, "has_proc", lambda: proc)


@BOTH_WAYS
@pytest.mark.usefixtures("system")
def test_a_process_is_known_by_pid_and_stamp() -> None:
    """The stamp is stable while the process runs; with another stamp it is another process."""
    child = subprocess.Popen(["sleep", "60"], start_new_session=True)
    started = process_started(child.pid)
    entry = process_table()[child.pid]
    alive = (is_alive(child.pid, started), is_alive(child.pid, None), is_alive(child.pid, "another"))
    child.kill()
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    as_zombie = (process_started(child.pid) == started, is_alive(child.pid, started))
    child.wait()

    assert started
    assert (entry.parent, entry.group, entry.session) == (os.getpid(), child.pid, child.pid)
    assert alive == (True, True, False)
    assert as_zombie == (True, False)
    assert process_started(child.pid) is None
    assert not is_alive(child.pid, started)


@BOTH_WAYS
@pytest.mark.usefixtures("system")
def test_no_pid_names_no_process() -> None:
    """Zero and negative numbers, which mean groups to the system, are nobody here."""
    assert [process_started(pid) for pid in (0, -1)] == [None, None]
    assert not is_alive(0, None)


@pytest.mark.usefixtures("system")
@pytest.mark.parametrize("proc", [False])
def test_without_ps_nothing_is_known(monkeypatch: pytest.MonkeyPatch) -> None:
    """A system that shows no processes at all is no error."""

    def missing(*_: object, **__: object) -> None:
        raise FileNotFoundError("ps")

    monkeypatch.setattr(subprocess, "run", missing)

    assert process_table() == {}
    assert process_started(os.getpid()) is None


@pytest.mark.parametrize("name", [b"a", b"a b", b") S 1 (", b"\xff\n"])
def test_any_program_name_is_parsed(name: bytes) -> None:
    """A program may call itself what it likes; fields are counted from after its name."""
    fields = b"S 7 8 9 " + b" ".join(b"%d" % n for n in range(7, 53))

    entry = parse_stat(5, b"5 (" + name + b") " + fields)

    assert entry == pids.ProcessEntry(5, 7, 8, 9, "S", "22")


def test_damaged_lines_are_no_entries() -> None:
    """What does not read as a process is none."""
    assert parse_stat(5, b"5 (cut sho") is None
    assert parse_ps_line("  PID PPID") is None
    assert parse_ps_line("1 x 1 S Mon Nov 30 16:53:42 2026") is None


def test_a_ps_line_is_an_entry() -> None:
    """State is its first letter, the start whatever `ps` prints, with single spaces."""
    entry = parse_ps_line("4194305  1 4194305 Ss+ Mon Nov  3 16:53:42 2026")

    assert entry == pids.ProcessEntry(4194305, 1, 4194305, 4194305, "S", "Mon Nov 3 16:53:42 2026")


@pytest.mark.skipif(not pids.has_proc(), reason="no /proc")
def test_ticks_are_told_for_stamps_of_this_boot_only() -> None:
    """A stamp of another boot or system cannot be compared."""
    started = process_started(os.getpid())

    assert started is not None
    assert ticks_of_stamp(started) == int(started.partition("@")[0])
    assert ticks_of_stamp("12@another-boot") is None
    assert ticks_of_stamp("Mon Nov 30 16:53:42 2026") is None

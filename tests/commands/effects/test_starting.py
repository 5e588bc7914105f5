"""What outlives its starter, and what hangs and is ended."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from commands.effects.starting import end_old, output_file, start_detached
from hooks.pids import is_interactive_shell, process_entry, process_started
from tests.commands.watchdog import until

WHO = "import os; print(os.getppid(), os.getsid(0) == os.getpid(), 'AR_BY' in os.environ, *os.sys.argv[1:])"


def said(file: Path) -> str:
    """What a file holds as soon as it holds a line."""
    deadline = time.monotonic() + 30
    while not file.exists() or not file.read_text().endswith("\n"):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    return file.read_text()


def test_it_is_nobodys_child_in_a_session_of_its_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its words reach it as they are, past every shell; our variables do not."""
    monkeypatch.setenv("AR_BY", "worker:me")
    file = tmp_path / "made" / "out.log"

    assert start_detached([sys.executable, "-c", WHO, "$HOME; x", "--"], cwd=tmp_path, output=file) is None
    parent, rest = said(file).split(" ", 1)
    assert int(parent) != os.getpid()
    assert rest == "True False $HOME; x --\n"


def test_what_cannot_be_started_is_told(tmp_path: Path) -> None:
    """A program that is not there, a folder that is not there, an output that is no file."""
    out = tmp_path / "out.log"
    assert start_detached(["no-such-program"], cwd=tmp_path, output=out) == (
        "no-such-program: No such file or directory"
    )
    gone = start_detached(["true"], cwd=tmp_path / "gone", output=out)
    assert gone is not None
    assert gone.endswith("No such file or directory")
    assert "Is a directory" in (start_detached(["true"], cwd=tmp_path, output=tmp_path) or "")


def test_a_name_is_no_path() -> None:
    """Whatever a loop is called, its output stays in the folder."""
    assert output_file(Path("/c"), "../a b/é") == Path("/c/started-.._a_b__.log")


def test_one_that_ignores_term_is_killed() -> None:
    """After its time is up; a child of ours here, so no session's leader."""
    script = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('on', flush=True); input()"
    hangs = subprocess.Popen([sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert hangs.stdout is not None
    hangs.stdout.readline()
    try:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("commands.effects.starting._GRACE", 0.2)
            assert end_old(hangs.pid, process_started(hangs.pid) or "")
    finally:
        hangs.kill()
        hangs.communicate()


def test_another_process_of_that_number_is_left_alone() -> None:
    """The stamp decides: the one that was meant is gone."""
    other = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    try:
        assert end_old(other.pid, "another stamp")
        entry = process_entry(other.pid)
        assert entry is not None
        assert entry.alive
    finally:
        other.communicate()


def test_we_and_those_we_descend_from_are_not_ended() -> None:
    """Whatever a log says of us."""
    for pid in (os.getpid(), os.getppid()):
        assert not end_old(pid, process_started(pid) or "")


def test_a_shell_at_which_somebody_types_is_let_be() -> None:
    """Whatever was recorded: it is no loop, so there is nothing to end before the restart."""
    with subprocess.Popen(
        ["bash", "--norc", "-i"], stdin=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True
    ) as shell:
        until(lambda: is_interactive_shell(shell.pid), "bash is what the process runs")
        started = process_started(shell.pid)
        assert started is not None
        assert end_old(shell.pid, started)
        assert shell.poll() is None
        assert shell.stdin is not None
        shell.stdin.close()
        assert shell.wait(30) is not None

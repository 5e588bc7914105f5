"""Orphans of a command are handed to us, and only those."""

from __future__ import annotations

import os
import subprocess
from concurrent.futures import ThreadPoolExecutor

import pytest

from hooks import adoption, process
from hooks.pids import process_table

from .marked import DAEMON, Marked, linux_only


@linux_only
def test_ended_daemons_are_reaped_while_the_command_runs(
    marked: Marked, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Orphans handed to us that end by themselves do not pile up as zombies."""
    monkeypatch.setattr(process, "_REAP_INTERVAL", 0.05)
    zombies: list[int] = []

    def look(chunk: bytes) -> None:
        zombies.append(sum(e.parent == os.getpid() and not e.alive for e in process_table().values()))

    finished = marked.bash(
        "for i in 1 2 3; do (setsid true &); done; sleep 1; echo look; sleep 0.1", on_output=look
    )

    assert finished.exit_code == 0
    assert zombies == [0]


@linux_only
def test_runs_side_by_side_do_not_harm_each_other(marked: Marked) -> None:
    """Commands run at once by threads each end undisturbed; the daemons of all are gone when all are."""
    with ThreadPoolExecutor(4) as pool:
        long = pool.submit(marked.bash, "(setsid sleep 0.8; echo x >>kept) & wait; echo done")
        daemons = [pool.submit(marked.python, DAEMON) for _ in range(6)]

    assert long.result().stdout == b"done\n"
    assert (marked.folder / "kept").read_text() == "x\n"
    assert [f.result().exit_code for f in daemons] == [0] * 6
    assert marked.running() == []


def test_processes_of_our_own_are_left_alone(marked: Marked) -> None:
    """What we started before in a session of its own, and beside the command in ours, outlives it."""
    before = subprocess.Popen(["sleep", "60"], start_new_session=True)
    beside: list[subprocess.Popen[bytes]] = []

    marked.bash("sleep 60 & exit 0", on_start=lambda *_: beside.append(subprocess.Popen(["sleep", "60"])))
    survived = [own.poll() is None for own in (before, *beside)]
    for own in (before, *beside):
        own.kill()
        own.wait()

    assert survived == [True, True]


@linux_only
def test_the_subreaper_flag_is_put_back(marked: Marked) -> None:
    """Being a subreaper lasts as long as the command, and is left on if it was on before."""
    flags: list[int | None] = []
    for before in (0, 1):
        adoption._set_subreaper(before)
        marked.run("true", on_start=lambda *_: flags.append(adoption._subreaper_flag()))
        flags.append(adoption._subreaper_flag())
    adoption._set_subreaper(0)

    assert flags == [1, 0, 1, 1]

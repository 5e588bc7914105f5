"""`ar beat`: a loop says that it lives."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from hooks.pids import process_started
from tests.commands.conftest import Ar, environment, process
from tests.commands.protocol import begin, lines, refused


@pytest.fixture(autouse=True)
def log(ar: Ar, tmp_path: Path) -> Path:
    """A session's log."""
    return begin(ar, tmp_path)


def loop(ar: Ar, name: str) -> dict[str, Any]:
    """What the view `liveness` says of a loop."""
    rows = json.loads(ar("view", "liveness", "--json").out)["loops"]
    found: dict[str, Any] = next(row for row in rows if row["loop"] == name)
    return found


def test_process_and_host_are_filled_in(log: Path) -> None:
    """The process is who calls: here this one, with the stamp that tells it from a later one."""
    ran = process("beat", "--by", "worker:gpu0", cwd=log.parent)

    assert ran == (0, "working is line 2\n", "")
    assert lines(log) == [
        {
            "type": "heartbeat",
            "by": "worker:gpu0",
            "pid": os.getpid(),
            "pid_started": process_started(os.getpid()),
            "host": socket.gethostname(),
        }
    ]


def test_the_shell_at_which_somebody_types_is_no_loop(log: Path) -> None:
    """Else a patrol would end it, as one ends what hangs before it is restarted."""
    own = f"{sys.executable} -m autoresearch_ledger beat --by worker:gpu0"
    for shell in (["bash", "--norc", "-i"], ["bash", "-c", f"{own}; true"]):
        subprocess.run(
            shell,
            input=f"{own}\n".encode(),
            cwd=log.parent,
            env=environment(),
            capture_output=True,
            check=True,
        )

    typed, scripted = lines(log)
    assert ("pid" in typed, "pid_started" in typed, typed["host"]) == (False, False, socket.gethostname())
    assert isinstance(scripted["pid"], int)


def test_who_registers_is_not_the_loop(log: Path) -> None:
    """It does not live yet; a process of its own may be named."""
    register = ("--register", "--interval", "10m")
    assert process("beat", "--by", "user:a", *register, "--", "true", cwd=log.parent).code == 0
    mine = ("--pid", str(os.getpid()))
    assert process("beat", "--by", "user:b", *mine, *register, "--", "true", cwd=log.parent).code == 0

    beats = [line for line in lines(log) if line["type"] == "heartbeat"]
    assert [beat.get("pid") for beat in beats] == [None, os.getpid()]


def test_another_process_may_be_named(ar: Ar, log: Path) -> None:
    """One that lives here: no stamp could be told of another."""
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE, env=environment())
    try:
        assert ar("beat", "--pid", str(child.pid)).code == 0
        assert lines(log)[0]["pid_started"] == process_started(child.pid)
    finally:
        child.communicate()

    assert refused(ar, log, "beat", "--pid", str(child.pid)).startswith(
        f"ar: --pid: there is no process {child.pid} here\n"
    )


def test_what_it_is_at_and_until_when(ar: Ar) -> None:
    """One that is paused is left alone until then."""
    assert ar("beat", "--by", "worker:a", "--state", "rate_limited", "--until", "2h").out == (
        "rate_limited (left alone) is line 2\n"
    )
    found = loop(ar, "a")
    assert found["verdict"] == "rate_limited"
    assert found["until"] - found["last_seen"] in range(7_190_000, 7_200_001)


def test_of_its_last_output_the_end_is_kept(ar: Ar) -> None:
    """There the question would be."""
    assert ar("beat", "--by", "worker:a", "--last-output", "x" * 10_000 + "\nShall I go on?").code == 0
    found = loop(ar, "a")

    assert found["asking"] is True
    assert len(found["last_output"]) == 4096


def test_a_loop_registers_how_it_is_restarted(ar: Ar, tmp_path: Path) -> None:
    """From the directory it is called in; options of the command are its own."""
    register = ("--register", "--interval", "10m", "--level", "L2", "--", "ar", "loop", "--agent", "x y")
    ran = ar("beat", "--by", "user:gpu0", *register)
    found = loop(ar, "gpu0")

    assert ran == (0, "working is line 2, and how to restart it\n", "")
    assert found["argv"] == ["ar", "loop", "--agent", "x y"]
    assert (found["cwd"], found["interval"], found["level"]) == (os.path.realpath(tmp_path), 600, "L2")


def test_a_worker_is_told_that_its_command_is_not_believed(ar: Ar) -> None:
    """Its interval is."""
    ran = ar("beat", "--by", "worker:a", "--register", "--interval", "60s", "--json", "--", "rm", "-rf", "x")

    assert ran.err.startswith("ar: only what a user or an orchestrator registers is restarted")
    assert json.loads(ran.out)["registered"]["argv"] == ["rm", "-rf", "x"]
    assert (loop(ar, "a")["argv"], loop(ar, "a")["interval"]) == (None, 60)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--register",), "--register needs the command that restarts the loop"),
        (("--register", "--", ""), "COMMAND is empty"),
        (("--", "ar"), "'ar' is no option of beat"),
        (("--interval", "5m"), "--interval and --level belong to --register"),
        (("--level", "L2"), "--interval and --level belong to --register"),
        (("--register", "--interval", "0", "--", "x"), "is not above 0"),
        (("--state", "dead"), "invalid value for '--state'"),
        (("--until", "yesterday"), "no length of time"),
        (("--state", "stopped", "--until", "2h"), "a stop does not end by itself"),
        (("--pid", "0"), "invalid value for '--pid'"),
        (("--by", "nobody"), "is no author"),
    ],
)
def test_what_makes_no_sense_is_refused(ar: Ar, log: Path, words: tuple[str, ...], message: str) -> None:
    """Exit 2, nothing written."""
    assert message in refused(ar, log, "beat", *words)

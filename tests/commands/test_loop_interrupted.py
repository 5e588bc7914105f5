"""`ar loop` in processes that are interrupted or killed, and on a terminal. Real signals, real processes."""

from __future__ import annotations

import os
import pty
import signal
import subprocess
from contextlib import suppress

from eventstore.events import Config
from hooks.process import is_alive
from tests.commands.looped import Looped, looped, until
from tests.commands.sandbox import plain_git, prepared, sandbox

__all__ = ["looped", "plain_git", "prepared", "sandbox"]

SLOW = {"measure": "echo $$ >>../measured; sleep 0.6; cat src/value"}


def slow(looped: Looped) -> None:
    """The session measures for more than a moment, and leaves a line for each sample."""
    looped.bench.add(
        Config(
            name="smaller",
            metricName="value",
            metricUnit="ms",
            bestDirection="lower",
            assets=("src",),
            samples=1,
            **SLOW,
        )
    )


def press_twice(process: subprocess.Popen[bytes]) -> None:
    """Ctrl-C, and again once the first was heard: two at once may arrive as one."""
    assert process.stderr is not None
    process.send_signal(signal.SIGINT)
    assert b"Ctrl-C again ends it at once" in process.stderr.readline()
    process.send_signal(signal.SIGINT)


def ended(process: subprocess.Popen[bytes]) -> tuple[int, str]:
    """The exit code of a loop that ends by itself, and what it said on stderr."""
    _, err = process.communicate(timeout=60)
    assert b"Traceback" not in err
    return process.returncode, err.decode()


def test_ctrl_c_finishes_the_step(looped: Looped) -> None:
    """Pressed while the agent works: its change is still measured, then the loop ends, the tree clean."""
    looped.steps("touch ../agent/begun; sleep 0.7; echo 9 >src/value", "echo 8 >src/value")
    process = looped.start()
    until((looped.home / "begun").exists)

    process.send_signal(signal.SIGINT)
    code, err = ended(process)

    assert code == 130
    assert "the loop ends after the step it is at" in err
    assert (looped.turns, looped.bench.run()["metric"]) == (1, 9)
    assert looped.last("stopped")["reason"] == "user"
    assert looped.is_clean()


def test_second_ctrl_c_ends_the_agent(looped: Looped) -> None:
    """At once, with all that it started; the next start puts back what it left, and goes on."""
    looped.steps(
        "echo 5 >src/value; echo mine >>README.md; echo $$ >../agent/pid; touch ../agent/begun; sleep 99",
        "cat src/value README.md >../agent/seen; echo 9 >src/value",
    )
    process = looped.start()
    until((looped.home / "begun").exists)

    press_twice(process)

    code, told = ended(process)
    assert (code, "the agent's turn is cut off" in told) == (130, True)
    assert not is_alive(int((looped.home / "pid").read_text()), None)
    assert not looped.is_clean()

    assert looped.loop("--iterations", "1").code == 0
    assert looped.notes() == ["turn_interrupted"]
    assert (looped.home / "seen").read_text() == "10\nread me\n"
    assert "+5" in (looped.bench.box.top / ".auto/rejected/run-2.1/changes.patch").read_text()
    assert looped.bench.run()["metric"] == 9


def test_second_ctrl_c_during_a_measurement(looped: Looped) -> None:
    """The cycle stays open, `ar cycle --resume` ends it."""
    slow(looped)
    looped.values(9)
    process = looped.start()
    until((looped.bench.box.top.parent / "measured").exists)

    press_twice(process)

    code, told = ended(process)
    assert (code, "cycle 1 is interrupted; ar cycle --resume" in told) == (130, True)
    assert looped.last("measured")["cycle"] == 0
    assert looped.bench.ar("cycle", "--resume").code == 0
    assert looped.bench.run()["metric"] == 9
    assert looped.is_clean()


def test_killed_during_a_turn(looped: Looped) -> None:
    """What is left of the agent is ended, what it did is put back, and the loop goes on."""
    looped.steps(
        "echo 5 >src/value; echo new >stray.txt; echo $$ >../agent/pid; touch ../agent/begun; sleep 99",
        "test ! -e stray.txt && echo 9 >src/value",
    )
    process = looped.start()
    until((looped.home / "begun").exists)
    process.kill()
    process.communicate()

    assert looped.loop("--iterations", "1").code == 0

    assert not is_alive(int((looped.home / "pid").read_text()), None)
    assert looped.notes() == ["turn_interrupted"]
    assert (looped.bench.box.top / ".auto/rejected/run-2/stray.txt").read_text() == "new\n"
    assert [line["metric"] for line in looped.bench.lines("run")] == [10, 9]


def test_killed_during_a_measurement(looped: Looped) -> None:
    """The open cycle is finished first; then the turns go on."""
    slow(looped)
    looped.values(12, 9)
    process = looped.start()
    until((looped.bench.box.top.parent / "measured").exists)
    process.kill()
    process.communicate()

    ran = looped.loop("--iterations", "1")

    assert ran.code == 0
    assert "cycle 1 is open and is finished first" in ran.out
    assert [line["metric"] for line in looped.bench.lines("run")] == [10, 12, 9]
    assert looped.bench.box.read("src/value") == b"9\n"


def test_a_persons_commit_after_a_kill_stays(looped: Looped) -> None:
    """HEAD is put back in a turn, never at a later start: in between a person may have been at work."""
    box = looped.bench.box
    looped.steps("echo 5 >src/value; touch ../agent/begun; sleep 99", "true")
    process = looped.start()
    until((looped.home / "begun").exists)
    process.kill()
    process.communicate()
    mine = box.commit("src/value")

    assert looped.loop("--iterations", "1").code == 0
    assert box.head == mine
    assert looped.notes() == ["no_change"]


def test_on_a_terminal(looped: Looped) -> None:
    """A panel with the best, the last runs and what is left; lines go by above it."""
    looped.steps("echo 9 >src/value; sleep 0.6; echo 'evil \\033]0;x\\007'")
    terminal, theirs = pty.openpty()
    process = looped.start("--iterations", "1", stdout=theirs)
    os.close(theirs)
    seen = b""
    with suppress(OSError):  # how a terminal says that nobody writes to it any more
        while chunk := os.read(terminal, 65536):
            seen += chunk
    os.close(terminal)

    assert ended(process)[0] == 0
    text = seen.decode()
    for shown in ("KEPT", "value: 10 ms", "left: 50 cycles", "is at work", "baseline", "stopped"):
        assert shown in text, shown
    assert "\x1b]0;x" not in text

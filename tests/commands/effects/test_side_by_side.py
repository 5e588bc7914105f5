"""Several pieces of work at once."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from commands.effects.side_by_side import OnStart, side_by_side
from tests.commands.conftest import environment

SLEEPERS = """\
import os
from commands.effects.side_by_side import side_by_side
from hooks.process import run
def work(on_start):
    def started(pid, stamp):
        on_start(pid, stamp)
        os.write(1, b"%d\\n" % pid)  # whole, whatever the other thread says
    run(["sleep", "60"], cwd=".", timeout=60, stdout_cap=1, stderr_cap=1, keep="tail", on_start=started)
side_by_side([work, work], 2)
"""


def test_one_that_fails_ends_no_other() -> None:
    """Its exception stands in its place."""

    def well(_: OnStart) -> int:
        return 7

    def badly(_: OnStart) -> int:
        raise ValueError("no")

    first, second, third = side_by_side([well, badly, well], 2)

    assert (first, third) == (7, 7)
    assert isinstance(second, ValueError)


def test_none_outlives_us(tmp_path: Path) -> None:
    """SIGTERM ends what the threads have started, then us."""
    with subprocess.Popen(
        [sys.executable, "-c", SLEEPERS],
        cwd=tmp_path,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as driver:
        assert driver.stdout is not None
        pids = [int(driver.stdout.readline()) for _ in range(2)]
        driver.send_signal(signal.SIGTERM)
        assert driver.wait(30) == 128 + signal.SIGTERM
    deadline = time.monotonic() + 10
    while any(_lives(pid) for pid in pids):
        assert time.monotonic() < deadline
        time.sleep(0.02)


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def test_what_is_no_exception_ends_the_others() -> None:
    """It goes on once nothing is left, before work that had not begun."""
    begun: list[str] = []

    class Gone(BaseException):
        pass

    def gone(_: OnStart) -> None:
        begun.append("gone")
        raise Gone

    def late(_: OnStart) -> None:
        begun.append("late")
        time.sleep(0.2)

    with pytest.raises(Gone):
        side_by_side([gone, *[late] * 20], 1)
    assert begun[0] == "gone"
    assert len(begun) < 20

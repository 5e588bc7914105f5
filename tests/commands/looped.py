"""A measured session with a scripted agent, for the tests of the loop."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

import pytest

from commands.effects import looping
from tests.commands.bench import Bench
from tests.commands.conftest import Ar, Ran, environment
from tests.commands.sandbox import Sandbox

AGENT = """\
cd "$(dirname "$0")"
n=$(($(cat turns) + 1)); echo $n >turns
cp "$AR_BRIEF" brief.$n; cat >stdin.$n; env >env.$n; step=$(sed -n ${n}p steps)
cd "$OLDPWD"
eval "$step"
"""
"""Keeps what it was told, then does what the line of its turn in `steps` says, in the session's directory."""


class Looped:
    """A bench, and an agent whose turns are shell lines."""

    def __init__(self, bench: Bench, home: Path) -> None:
        self.bench = bench
        self.home = home
        home.mkdir()
        (home / "agent.sh").write_text(AGENT)
        (home / "turns").write_text("0\n")
        (home / "steps").write_text("")

    @property
    def command(self) -> str:
        return f"bash '{self.home}/agent.sh'"

    @property
    def turns(self) -> int:
        """How often the agent was started."""
        return int((self.home / "turns").read_text())

    def told(self, turn: int) -> str:
        """The brief of a turn, counted from 1."""
        return (self.home / f"brief.{turn}").read_text()

    def steps(self, *lines: str) -> None:
        """What the agent does from its first turn on; more lines are added."""
        with (self.home / "steps").open("a") as file:
            file.writelines(f"{line}\n" for line in lines)

    def values(self, *numbers: object) -> None:
        """Turns that write these values."""
        self.steps(*(f"echo {number} >src/value; echo 'now {number}'" for number in numbers))

    def loop(self, *argv: str) -> Ran:
        """`ar loop` in this process."""
        return self.bench.ar("loop", "--agent", self.command, *argv)

    def start(self, *argv: str, stdout: int | IO[bytes] = subprocess.PIPE) -> subprocess.Popen[bytes]:
        """`ar loop` as a process, in a session of its own."""
        own = (sys.executable, "-m", "autoresearch_ledger", "-C", str(self.bench.box.top))
        return subprocess.Popen(
            [*own, "loop", "--agent", self.command, *argv],
            stdin=subprocess.DEVNULL,
            stdout=stdout,
            stderr=subprocess.PIPE,
            env=environment(HOME=os.environ["HOME"], GIT_CONFIG_NOSYSTEM="1"),
            start_new_session=True,
        )

    def notes(self) -> list[str]:
        """The events that notes tell of, in order."""
        return [line["event"] for line in self.bench.lines("note")]

    def last(self, kind: str) -> dict[str, Any]:
        """The last line of a type."""
        return self.bench.lines(kind)[-1]

    def is_clean(self) -> bool:
        """Whether the assets are as HEAD has them."""
        return self.bench.box.status("src") == ""


def until(holds: Callable[[], bool], seconds: float = 30) -> None:
    """Waits until something holds; fails if it does not in time."""
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, "it did not come to that in time"
        time.sleep(0.02)


@pytest.fixture
def looped(sandbox: Sandbox, ar: Ar, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Looped:
    """A loop to be started; agents that fail are tried again at once, and the stall rules are far off."""
    monkeypatch.setattr(looping, "BACKOFF", (0.0, 0.0))
    bench = Bench(sandbox, ar)
    bench.configure()
    return Looped(bench, tmp_path / "agent")

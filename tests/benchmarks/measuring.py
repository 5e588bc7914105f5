"""How a benchmark measures: ours and a reference in turn, many times; their ratio is what counts.

Machines are noisy and change their speed within seconds, so a time alone says little. Each round measures
ours and the reference right after one another, in alternating order, and gives one ratio; the median of the
rounds' ratios is reported. What slows down both, for however long, cancels out; what hits only one of them
spoils one round, which the median leaves aside. The seconds shown are medians as well.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from statistics import median
from typing import Literal

import msgspec

__all__ = [
    "AR",
    "ROOT",
    "Budget",
    "Measure",
    "Pair",
    "Row",
    "Setting",
    "environment",
    "in_memory",
    "in_turn",
    "process",
    "timed",
]

ROOT = Path(__file__).parents[2]
"""The repository."""

Measure = Callable[[], float]
"""Does the work once and returns how long it took, seconds."""


class Budget(msgspec.Struct, frozen=True):
    """What the design allows: `value` in the row's unit is the most, or the least, there may be."""

    sense: Literal["<=", ">="]
    value: float

    def holds(self, measured: float) -> bool:
        """Whether what was measured keeps to the budget."""
        return measured <= self.value if self.sense == "<=" else measured >= self.value


class Row(msgspec.Struct, frozen=True):
    """One line of the table.

    name: what `--only` calls it. work: what is done. against: what it is measured against.
    measured: in `unit`: `x` a ratio, `us` microseconds, `MiB`.
    ours, reference: what the ratio is made of, seconds (or `unit`); None where there is nothing.
    budget: the design's; None for a row that only informs. remark: what the reader should know.
    """

    name: str
    work: str
    against: str
    measured: float
    unit: Literal["x", "us", "MiB"] = "x"
    ours: float | None = None
    reference: float | None = None
    budget: Budget | None = None
    remark: str = ""

    @property
    def verdict(self) -> str:
        """`ok`, `missed`, or nothing where there is no budget."""
        return "" if self.budget is None else "ok" if self.budget.holds(self.measured) else "missed"


class Setting(msgspec.Struct, frozen=True):
    """What a run of benchmarks works with.

    log: the big log, in a session of its own. scratch: an empty directory on the disk to be measured.
    effort: 1 as documented; below it fewer rounds, which only shows that a benchmark runs.
    """

    log: Path
    scratch: Path
    effort: float = 1.0

    def times(self, count: int) -> int:
        """`count`, scaled by the effort."""
        return max(1, round(count * self.effort))


class Pair(msgspec.Struct, frozen=True):
    """What two measures came to. rounds: the seconds of ours and of the reference, in each round."""

    rounds: list[tuple[float, float]]

    @property
    def ours(self) -> float:
        """The median of ours, seconds."""
        return median(ours for ours, _ in self.rounds)

    @property
    def reference(self) -> float:
        """The median of the reference, seconds."""
        return median(reference for _, reference in self.rounds)

    @property
    def ratio(self) -> float:
        """The median of the rounds' ours / reference."""
        return median(ours / reference for ours, reference in self.rounds)


def in_turn(ours: Measure, reference: Measure, rounds: int) -> Pair:
    """Measures both in turn, after one warm-up of each."""
    ours(), reference()
    measured: list[tuple[float, float]] = []
    for turn in range(rounds):
        if turn % 2:
            other, own = reference(), ours()
        else:
            own, other = ours(), reference()
        measured.append((own, other))
    return Pair(measured)


def timed(work: Callable[[], object], count: int = 1) -> Measure:
    """A measure of doing the work `count` times, told for one of them."""

    def measure() -> float:
        start = time.perf_counter()
        for _ in range(count):
            work()
        return (time.perf_counter() - start) / count

    return measure


def in_memory(path: Path) -> None:
    """Reads a file, so that what is measured next is not the disk: the kernel may have dropped it."""
    with path.open("rb", buffering=0) as file:
        while file.read(1 << 20):
            pass


def environment() -> dict[str, str]:
    """The environment of children: as ours, but compiled modules are kept, as in any installation."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def process(command: Sequence[str | Path], *, cwd: Path | None = None, stdin: bytes = b"") -> Measure:
    """A measure of a whole process, from before its start until it was waited for.

    Raises RuntimeError when it fails.
    """
    surroundings = environment()

    def measure() -> float:
        start = time.perf_counter()
        done = subprocess.run(
            command, cwd=cwd, env=surroundings, input=stdin, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
        )
        seconds = time.perf_counter() - start
        if done.returncode:
            raise RuntimeError(f"{command} failed: {done.stderr.decode(errors='replace')}")
        return seconds

    return measure


def _ar() -> list[str]:
    """How `ar` is started: by the script that was installed beside this Python, if there is one."""
    script = Path(sys.executable).with_name("ar")
    return [str(script)] if script.is_file() else [sys.executable, str(ROOT / "autoresearch_ledger.py")]


AR: list[str] = _ar()
"""The command `ar`, as a process is started with it."""

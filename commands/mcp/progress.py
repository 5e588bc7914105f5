"""How far a call has come, for a client that watches: steps, time, the last line of output."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import NamedTuple

from commands.effects.measuring import Step
from commands.render import clip, duration, escape, number
from eventstore.secrets import redact

__all__ = ["Progress", "Sign"]

_LINE = 160
"""Cells of a line of output that are told."""

_KEPT = 4096
"""Bytes of output that are kept to find the last line in."""


class Sign(NamedTuple):
    """A sign of progress: steps done, with a part of the one at work, of how many, and what is at work."""

    done: float
    total: float | None
    message: str


class Progress:
    """Gathers in the thread that works; `sign` is asked in another.

    The first step is what comes before any command (looking, locking), the last what comes after all of them
    (recording, rolling back, hooks), so that a watcher hears of those as well. changed: called, in the thread
    that works, when a command begins or ends.
    """

    def __init__(self, changed: Callable[[], object], clock: Callable[[], float] = time.monotonic) -> None:
        self._changed = changed
        self._clock = clock
        self._since = clock()
        self._before = 1
        self._total: int | None = None
        self._index = 0
        self._label = ""
        self._output = b""
        self._told = 0.0

    def tell(self, step: Step) -> None:
        """A step begins, or has its value."""
        if step.what == "constraint":
            self._before, self._index, self._label = 2, 1, "constraint"
        else:
            self._total = self._before + step.of + 1
            self._index = self._before + step.number - 1 + (step.value is not None)
            value = "" if step.value is None else f": {number(step.value)}"
            self._label = f"sample {step.number} of {step.of}{value}"
        self._since, self._output = self._clock(), b""
        self._changed()

    def hear(self, chunk: bytes) -> None:
        """The command at work prints something."""
        self._output = (self._output + chunk)[-_KEPT:]

    def sign(self) -> Sign | None:
        """How far it has come; None where nothing more was done since the last one.

        What is done only ever grows from one sign to the next, as the protocol demands.
        """
        seconds = max(0.0, self._clock() - self._since)
        done = self._index + 0.99 * seconds / (seconds + 30)  # nobody knows how long a step will take
        if done <= self._told:
            return None
        self._told = done
        told = self._label or "at work"
        if seconds >= 1:
            told += f", {duration(seconds)}"
        line = _last_line(self._output)
        return Sign(done, self._total, f"{told}: {line}" if line else told)


def _last_line(output: bytes) -> str:
    lines = output.decode("utf-8", "replace").replace("\r", "\n").split("\n")
    line = next((line.strip() for line in reversed(lines) if line.strip()), "")
    return clip(escape(redact(line)), _LINE)

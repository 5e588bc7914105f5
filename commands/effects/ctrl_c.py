"""Ctrl-C for what should end well: the first is a wish, the second an order (design, section 6.1)."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable
from types import FrameType
from typing import Self

__all__ = ["CtrlC"]


class CtrlC:
    """While entered, the first Ctrl-C is remembered and the second raises KeyboardInterrupt.

    told: called once, at the first; it should say so and return. Outside the main thread, where Python
    delivers no signals, this does nothing.
    """

    def __init__(self, told: Callable[[], None]) -> None:
        self._told = told
        self._asked = threading.Event()
        self._before: Callable[[int, FrameType | None], object] | int | None = None

    @property
    def asked(self) -> bool:
        """Whether Ctrl-C was pressed."""
        return self._asked.is_set()

    def wait(self, seconds: float) -> bool:
        """Waits, until Ctrl-C at most; whether it was pressed."""
        return self._asked.wait(seconds)

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            self._before = signal.signal(signal.SIGINT, self._pressed)
        return self

    def __exit__(self, *_: object) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, self._before)
            self._before = None

    def _pressed(self, signum: int, frame: FrameType | None) -> None:  # noqa: ARG002
        if self._asked.is_set():
            raise KeyboardInterrupt
        self._asked.set()
        self._told()

"""How what stays is asked to end: by TERM or Ctrl-C, between two things that it does, or in the midst."""

from __future__ import annotations

import os
import select
import signal
import threading
import time
from collections.abc import Callable
from types import FrameType
from typing import Self

from commands.output import warn
from eventstore.errors import LedgerError

__all__ = ["Asked", "again_and_again"]


class Asked:
    """While entered, TERM and INT end no process but a `wait`: they are noticed, and told by `to_end`.

    Nothing is raised where a signal happens to come in, for there it may be lost: Python swallows what is
    raised in some of its own callbacks. hangup: SIGHUP as well, unless it is ignored (`nohup`). Outside the
    main thread, where Python delivers no signals, only `wake` ends a wait.
    """

    def __init__(self, *, hangup: bool = False) -> None:
        self._numbers = [signal.SIGTERM, signal.SIGINT]
        if hangup and signal.getsignal(signal.SIGHUP) == signal.SIG_DFL:
            self._numbers.append(signal.SIGHUP)
        self._before: dict[int, object] = {}
        self._noticed, self._notice = -1, -1
        self._number: int | None = None

    @property
    def to_end(self) -> bool:
        """Whether it was asked to end."""
        return self._number is not None

    def __enter__(self) -> Self:
        self._noticed, self._notice = os.pipe()
        os.set_blocking(self._noticed, False)
        os.set_blocking(self._notice, False)
        if threading.current_thread() is threading.main_thread():
            for number in self._numbers:
                self._before[number] = signal.signal(number, self._told)
        return self

    def __exit__(self, *_: object) -> None:
        for number, before in self._before.items():
            signal.signal(number, before)  # type: ignore[arg-type]
        os.close(self._noticed)
        os.close(self._notice)

    def wait(self, seconds: float) -> bool:
        """Waits, until it is asked to end at most; whether it was."""
        deadline = time.monotonic() + seconds
        while not self.to_end and (left := deadline - time.monotonic()) > 0:
            self.doze(left)
        return self.to_end

    def doze(self, seconds: float | None = None) -> None:
        """Waits until a signal comes in or somebody wakes it, at most so many seconds; None for no limit."""
        if select.select([self._noticed], [], [], seconds)[0]:
            os.read(self._noticed, 4096)

    def wake(self) -> None:
        """Ends a wait, from whatever thread."""
        try:
            os.write(self._notice, b"!")
        except BlockingIOError:  # it was woken often enough
            return

    def interruption(self) -> BaseException:
        """What a signal would have raised: KeyboardInterrupt for Ctrl-C, SystemExit(128 + number) else."""
        if self._number is None or self._number == signal.SIGINT:
            return KeyboardInterrupt()
        return SystemExit(128 + self._number)

    def _told(self, signum: int, frame: FrameType | None) -> None:  # noqa: ARG002
        self._number = self._number or signum
        self.wake()


def again_and_again(look: Callable[[], object], seconds: float) -> None:
    """Looks every so many seconds, until it is asked to end. One that fails is told, and the next comes."""
    with Asked() as asked:
        while True:
            try:
                look()
            except LedgerError as error:
                warn(error.message)
            if asked.wait(seconds):
                return

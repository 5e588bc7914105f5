"""How what stays is asked to end: by TERM or Ctrl-C, between two things that it does, or in the midst."""

from __future__ import annotations

import os
import select
import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Self

from commands.output import warn
from eventstore.errors import LedgerError

__all__ = ["Asked", "again_and_again", "terminable"]


class Asked:
    """While entered, TERM and INT end no process but a `wait`."""

    def __init__(self) -> None:
        self._before: dict[int, object] = {}
        self._noticed, self._notice = -1, -1
        self.to_end = False

    def __enter__(self) -> Self:
        self._noticed, self._notice = os.pipe()
        os.set_blocking(self._notice, False)
        for number in (signal.SIGTERM, signal.SIGINT):
            self._before[number] = signal.signal(number, self._told)
        return self

    def __exit__(self, *_: object) -> None:
        for number, before in self._before.items():
            signal.signal(number, before)  # type: ignore[arg-type]
        os.close(self._noticed)
        os.close(self._notice)

    def wait(self, seconds: float) -> bool:
        """Waits, until it is asked to end at most; whether it was."""
        if not self.to_end:
            select.select([self._noticed], [], [], seconds)
        return self.to_end

    def _told(self, signum: int, frame: FrameType | None) -> None:  # noqa: ARG002
        self.to_end = True
        try:
            os.write(self._notice, b"!")
        except BlockingIOError:  # it was told often enough
            return


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


@contextmanager
def terminable() -> Iterator[None]:
    """SIGTERM and SIGHUP become SystemExit where they would end us on the spot."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def leave(number: int, _: FrameType | None) -> None:
        raise SystemExit(128 + number)

    ours = [each for each in (signal.SIGTERM, signal.SIGHUP) if signal.getsignal(each) == signal.SIG_DFL]
    for each in ours:
        signal.signal(each, leave)
    try:
        yield
    finally:
        for each in ours:
            signal.signal(each, signal.SIG_DFL)

"""A wish from elsewhere that the work of a thread ends: what Ctrl-C is to the main thread.

Python delivers signals to the main thread alone. Who works in another one, for a client that may change its
mind, does so `under` a `Cancel`: once that is asked for, the command that `hooks.process.run` has running, or
the next one, is ended as after Ctrl-C, and KeyboardInterrupt goes on through the same `finally` blocks.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar

__all__ = ["Cancel", "current", "under"]

_current: ContextVar[Cancel | None] = ContextVar("cancel", default=None)


class Cancel:
    """Asks the work that is done under it to end; from any thread, any number of times."""

    grace = 1.0
    """Seconds between TERM and KILL for a command that is running then: whoever asked may be about to be
    killed itself, and nothing of the command may outlive it."""

    def __init__(self) -> None:
        self._asked = False
        self._noticed, self._notice = os.pipe()
        os.set_blocking(self._notice, False)

    @property
    def asked(self) -> bool:
        """Whether it was asked for."""
        return self._asked

    def ask(self) -> None:
        """Asks for the end; nothing for work that is done."""
        self._asked = True
        with suppress(OSError):  # it was told often enough, or is closed
            os.write(self._notice, b"!")

    def check(self) -> None:
        """Raises KeyboardInterrupt if the end was asked for; for the places between two steps."""
        if self._asked:
            raise KeyboardInterrupt

    def fileno(self) -> int:
        """A descriptor that is readable from when the end is asked for."""
        return self._noticed

    def close(self) -> None:
        """Gives the descriptors back; to be called once, when the work is done."""
        noticed, notice = self._noticed, self._notice
        self._noticed = self._notice = -1
        os.close(noticed)
        os.close(notice)


def current() -> Cancel | None:
    """What this thread works under; None if nothing can cancel it."""
    return _current.get()


@contextmanager
def under(cancel: Cancel) -> Iterator[None]:
    """While entered, what runs in this thread can be ended by `cancel`."""
    token = _current.set(cancel)
    try:
        yield
    finally:
        _current.reset(token)

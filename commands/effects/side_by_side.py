"""Several pieces of work at once, each of which runs commands; none outlives us."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import TypeVar

from commands.effects.ending import terminable
from hooks.process import end_group

__all__ = ["OnStart", "side_by_side"]

T = TypeVar("T")

OnStart = Callable[[int, str], None]
"""To be called with a command's pid and start stamp as it starts, as `hooks.process.run` does."""


def side_by_side(work: Sequence[Callable[[OnStart], T]], width: int) -> list[T | Exception]:
    """What each piece of work returned, or the exception that it ended with; one that fails ends no other.

    width: how many may run at once, from 1. On Ctrl-C, SIGTERM or SIGHUP whatever they have started is ended
    before the interruption goes on as KeyboardInterrupt or SystemExit.
    """
    from concurrent.futures import Future, ThreadPoolExecutor

    started: list[tuple[int, str]] = []
    over = threading.Event()

    def note(pid: int, stamp: str) -> None:
        started.append((pid, stamp))
        if over.is_set():
            raise InterruptedError("interrupted")

    def done(each: Future[T]) -> T | Exception:
        error = each.exception()
        if error is None:
            return each.result()
        if isinstance(error, Exception):
            return error
        raise error

    with ThreadPoolExecutor(width) as pool, terminable():
        futures = [pool.submit(each, note) for each in work]
        try:
            return [done(each) for each in futures]
        except BaseException:
            over.set()
            for each in futures:
                each.cancel()
            for pid, stamp in started:
                end_group(pid, stamp)
            raise

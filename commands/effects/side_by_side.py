"""Several pieces of work at once, each of which runs commands; none outlives us."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from types import NoneType
from typing import TypeVar

from commands.effects.ending import Asked
from hooks.process import end_group

__all__ = ["OnStart", "side_by_side"]

T = TypeVar("T")

OnStart = Callable[[int, str], None]
"""To be called with a command's pid and start stamp as it starts, as `hooks.process.run` does."""


def side_by_side(
    work: Sequence[Callable[[OnStart], T]], width: int, asked: Asked | None = None
) -> list[T | Exception]:
    """What each piece of work returned, or the exception that it ended with; one that fails ends no other.

    width: how many may run at once, from 1. asked: who is asked to end, entered; None for one of our own. On
    Ctrl-C, SIGTERM or SIGHUP whatever they have started is ended before the interruption goes on as
    KeyboardInterrupt or SystemExit; so it is before what is no Exception goes on that one of them raised.
    """
    from concurrent.futures import Future, ThreadPoolExecutor

    started: list[tuple[int, str]] = []
    over = threading.Event()

    def note(pid: int, stamp: str) -> None:
        started.append((pid, stamp))
        if over.is_set():
            raise InterruptedError("interrupted")

    def fatal(each: Future[T]) -> bool:
        done = each.done() and not each.cancelled()
        return done and not isinstance(each.exception(), (Exception, NoneType))

    with ExitStack() as stack:
        bell = stack.enter_context(Asked(hangup=True)) if asked is None else asked
        pool = stack.enter_context(ThreadPoolExecutor(width))
        futures = [pool.submit(each, note) for each in work]
        for each in futures:
            each.add_done_callback(lambda _: bell.wake())
        while not bell.to_end and not all(map(Future.done, futures)) and not any(map(fatal, futures)):
            bell.doze()
        if bell.to_end or any(map(fatal, futures)):
            over.set()
            for each in futures:
                each.cancel()
            for pid, stamp in started:
                end_group(pid, stamp)
    if bell.to_end:
        raise bell.interruption()
    ended = [error for each in filter(fatal, futures) if (error := each.exception()) is not None]
    if ended:
        raise ended[0]
    return [error if isinstance(error := each.exception(), Exception) else each.result() for each in futures]

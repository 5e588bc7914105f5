"""Work that blocks, in threads of its own beside the event loop, each of which can be cancelled.

A call that nobody waits for any more (the client cancelled it, or is gone, or the server was told to end) is
asked to end, and waited for: when `Jobs.run` is left, nothing of the work is left running.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import anyio

from eventstore.errors import LedgerError
from hooks.cancelling import Cancel, under

__all__ = ["TICK_SECONDS", "EndedError", "Jobs"]

T = TypeVar("T")

TICK_SECONDS = 2.0
"""How often a watcher is told of a step that takes long, seconds."""


class EndedError(LedgerError):
    """Work was ended, though whoever wanted it may still wait for it: the server is about to end."""

    exit_code = 130


class Jobs:
    """The work at hand."""

    def __init__(self) -> None:
        self._at_work: set[Cancel] = set()

    async def run(
        self,
        work: Callable[[Callable[[], None]], T],
        watch: Callable[[], Awaitable[object]] | None = None,
    ) -> T:
        """Does the work in a thread and gives its result, or raises what it raised.

        work: is given what it may call, from its thread, to have `watch` called at once. watch: called then,
        and every `TICK_SECONDS` while it goes on. Cancelling this asks the work to end, and waits until it
        has. Raises EndedError where `cancel_all` did.
        """
        cancel = Cancel()
        self._at_work.add(cancel)
        loop = asyncio.get_running_loop()
        news, ended = asyncio.Event(), asyncio.Event()
        outcome: list[T] = []
        errors: list[BaseException] = []

        def tell() -> None:
            loop.call_soon_threadsafe(news.set)

        def body() -> None:
            try:
                with under(cancel):
                    outcome.append(work(tell))
            except BaseException as error:
                errors.append(error)
            finally:
                loop.call_soon_threadsafe(ended.set)

        thread = threading.Thread(target=body, daemon=True)
        thread.start()
        try:
            async with anyio.create_task_group() as group:
                if watch is not None:
                    group.start_soon(_watch, news, watch)
                await ended.wait()
                group.cancel_scope.cancel()
            if watch is not None and news.is_set():
                await watch()
        finally:
            cancel.ask()
            with anyio.CancelScope(shield=True):
                await ended.wait()
            thread.join()
            self._at_work.discard(cancel)
            cancel.close()
        if not errors:
            return outcome[0]
        if isinstance(errors[0], Exception):
            raise errors[0]
        raise EndedError(  # what would end the event loop as well
            "the call was ended before it was done",
            "repeat it; cycle with resume finishes a cycle it left open",
        ) from errors[0]

    def cancel_all(self) -> None:
        """Asks all work to end."""
        for cancel in self._at_work:
            cancel.ask()

    async def ended(self, seconds: float) -> bool:
        """Waits until no work is at hand, at most so many seconds; whether none is."""
        with anyio.move_on_after(seconds, shield=True):
            while self._at_work:
                await anyio.sleep(0.01)
        return not self._at_work


async def _watch(news: asyncio.Event, watch: Callable[[], Awaitable[Any]]) -> None:
    """Calls `watch` at each news, and now and then."""
    while True:
        with anyio.move_on_after(TICK_SECONDS):
            await news.wait()
        news.clear()
        await watch()

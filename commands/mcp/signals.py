"""The signals that end a server in good order."""

from __future__ import annotations

import signal

import anyio

__all__ = ["signalled"]

_ENDING = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


async def signalled() -> int:
    """Waits for a signal that ends the server; the exit code that says which. Ignored ones stay ignored."""
    heeded = [number for number in _ENDING if signal.getsignal(number) != signal.SIG_IGN]
    with anyio.open_signal_receiver(*heeded) as signals:
        async for number in signals:
            return 128 + number
    raise AssertionError("signals never end")

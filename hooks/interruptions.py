"""Signals to us while a command of others runs: held back where they would leave something running."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType, TracebackType
from typing import Self

_HELD = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
_Handler = Callable[[int, FrameType | None], object] | int


class Interruptions:
    """Holds back Ctrl-C, SIGTERM and SIGHUP while entered, but for the stretches inside `delivered()`.

    There they do what they did before: call the program's own handler, or raise KeyboardInterrupt. The
    default of SIGTERM and SIGHUP, to die on the spot, becomes SystemExit(128 + signal), so that `finally`
    is run and no child outlives us; a command has its own session, and a closing terminal reaches only us.
    SIGPIPE, which a command that does not read its input causes, is ignored throughout.
    An exception so raised ends the stretch. What came in meanwhile is delivered on leaving. Ignored signals
    stay ignored. Outside the main thread, where Python delivers no signals, this does nothing.
    """

    def __init__(self) -> None:
        self._before: dict[int, _Handler] = {}
        self._waiting: list[int] = []
        self._open = False

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            for signum in _HELD:
                handler = signal.getsignal(signum)
                if handler is not None and handler != signal.SIG_IGN:
                    self._before[signum] = handler
                    signal.signal(signum, self._arrived)
            if signal.getsignal(signal.SIGPIPE) == signal.SIG_DFL:
                self._before[signal.SIGPIPE] = signal.SIG_DFL
                signal.signal(signal.SIGPIPE, signal.SIG_IGN)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for signum, handler in self._before.items():
            signal.signal(signum, handler)
        self._flush()

    @contextmanager
    def delivered(self) -> Iterator[None]:
        """A stretch within which signals arrive at once, those that waited first."""
        self._open = True
        try:
            self._flush()
            yield
        finally:
            self._open = False

    def _arrived(self, signum: int, frame: FrameType | None) -> None:
        if self._open:
            self._deliver(signum, frame)
        else:
            self._waiting.append(signum)

    def _flush(self) -> None:
        while self._waiting:
            self._deliver(self._waiting.pop(0), None)

    def _deliver(self, signum: int, frame: FrameType | None) -> None:
        handler = self._before[signum]
        try:
            if not callable(handler):
                raise SystemExit(128 + signum)
            handler(signum, frame)
        except BaseException:
            self._open = False  # before anything else can arrive: what follows is the tidying up
            raise

"""A child's three streams, served from one thread so that none of them can block another, or us."""

from __future__ import annotations

import os
import selectors
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Literal

_CHUNK = 1 << 16
_DRAIN = 1 << 20
"""Bytes read at most per stream from what a dead family left in its pipes: more than a pipe can hold."""

_TICK_WITH_PIDFD = 1.0
"""Longest sleep in seconds where the child's end wakes us; its daemons are reaped meanwhile."""
_TICK = 0.02
"""Longest sleep in seconds where we must ask."""


class Capture:
    """Keeps at most `cap` bytes of a stream (None: all), from its head or its tail, and counts them all."""

    def __init__(self, cap: int | None, keep: Literal["head", "tail"]) -> None:
        self.total = 0
        """Bytes that came, kept or not."""
        self._cap = cap
        self._keep = keep
        self._kept = bytearray()

    @property
    def truncated(self) -> bool:
        """Whether bytes came that were not kept."""
        return self._cap is not None and self.total > self._cap

    def feed(self, data: bytes) -> None:
        """Takes in the next bytes of the stream."""
        self.total += len(data)
        if self._cap is None:
            self._kept += data
        elif self._keep == "head":
            self._kept += data[: max(self._cap - len(self._kept), 0)]
        else:
            self._kept += data
            if len(self._kept) > 2 * self._cap + _CHUNK:  # seldom, so that trimming stays cheap
                del self._kept[: len(self._kept) - self._cap]

    def value(self) -> bytes:
        """What is kept: never more than `cap` bytes."""
        if self._cap is None or self._keep == "head":
            return bytes(self._kept)
        return bytes(self._kept[max(len(self._kept) - self._cap, 0) :])


class Pump:
    """Feeds a child's stdin and takes in its stdout and stderr for as long as it is told to.

    Made before the child is started, so that whatever may fail fails before; then `attach` it.
    """

    def __init__(
        self,
        stdin: bytes | None,
        stdout: Capture,
        stderr: Capture,
        on_output: Callable[[bytes], None] | None,
    ) -> None:
        """`on_output` is called with every chunk of stdout and stderr as it comes."""
        self._input = memoryview(stdin or b"")
        self._captures = (stdout, stderr)
        self._on_output = on_output
        self._selector = selectors.DefaultSelector()
        self._child: subprocess.Popen[bytes] | None = None
        self._reading: dict[int, Capture] = {}
        self._pidfd: int | None = None

    def attach(self, child: subprocess.Popen[bytes]) -> None:
        """Serves `child`, started with unbuffered pipes for stdout, stderr and, if it gets input, stdin."""
        self._child = child
        for stream, capture in zip((child.stdout, child.stderr), self._captures, strict=True):
            assert stream is not None
            self._reading[stream.fileno()] = capture
            self._serve(stream.fileno(), selectors.EVENT_READ, self._read)
        if child.stdin is not None:
            if self._input:
                self._serve(child.stdin.fileno(), selectors.EVENT_WRITE, self._write)
            else:
                child.stdin.close()
        self._pidfd = _open_pidfd(child.pid)
        if self._pidfd is not None:
            self._selector.register(self._pidfd, selectors.EVENT_READ, self._child_ended)

    def watch(self, fd: int, call: Callable[[], object]) -> None:
        """Calls `call`, once, when `fd` is readable; what it raises ends the pumping."""

        def serve(_: int) -> None:
            self._selector.unregister(fd)
            call()

        self._selector.register(fd, selectors.EVENT_READ, serve)

    @property
    def tick(self) -> float:
        """The `tick` for `until` that suits waiting for the child's own end."""
        return _TICK if self._pidfd is None else _TICK_WITH_PIDFD

    def until(self, done: Callable[[], bool], deadline: float, *, tick: float = _TICK) -> bool:
        """Pumps until `done()`, asked after each event and every `tick` seconds, or the monotonic `deadline`.

        Returns the last answer of `done`.
        """
        while not done():
            left = deadline - time.monotonic()
            if left <= 0:
                return False
            for key, _ in self._selector.select(min(left, tick)):
                key.data(key.fd)
        return True

    def ended(self) -> bool:
        """Whether nobody holds the child's stdout and stderr any more."""
        return not self._reading

    def drain(self) -> None:
        """Takes in what still lies in the pipes, without waiting for more."""
        for fd in list(self._reading):
            most = self._reading[fd].total + _DRAIN
            while self._read(fd) and self._reading[fd].total < most:
                pass

    def close(self) -> None:
        """Closes our ends; what the child still writes goes nowhere."""
        self._selector.close()
        if self._child is not None:
            for stream in (self._child.stdin, self._child.stdout, self._child.stderr):
                if stream is not None:
                    stream.close()
        if self._pidfd is not None:
            os.close(self._pidfd)
            self._pidfd = None

    def _serve(self, fd: int, event: int, serve: Callable[[int], object]) -> None:
        os.set_blocking(fd, False)
        self._selector.register(fd, event, serve)

    def _read(self, fd: int) -> bool:
        """Takes in one chunk; False if there was none."""
        try:
            data = os.read(fd, _CHUNK)
        except BlockingIOError:
            return False
        if not data:
            del self._reading[fd]
            self._selector.unregister(fd)
            return False
        self._reading[fd].feed(data)
        if self._on_output is not None:
            self._on_output(data)
        return True

    def _write(self, fd: int) -> None:
        try:
            self._input = self._input[os.write(fd, self._input[:_CHUNK]) :]
        except BlockingIOError:
            return
        except BrokenPipeError:  # it closed its stdin, or ended: it wanted to read no more
            self._input = self._input[:0]
        if not self._input:
            self._selector.unregister(fd)
            assert self._child is not None
            assert self._child.stdin is not None
            self._child.stdin.close()

    def _child_ended(self, fd: int) -> None:
        self._selector.unregister(fd)  # it stays readable for ever, and has done its duty


def _open_pidfd(pid: int) -> int | None:
    """A descriptor that becomes readable when our child `pid` ends, where the system has such a thing."""
    open_pidfd = getattr(os, "pidfd_open", None)
    if open_pidfd is not None:
        with suppress(OSError):
            return int(open_pidfd(pid))
    return None

"""The one place where programs that are not ours are run: hooks, measurements, constraints, agents.

`run` gives a command its own session, its input, a time limit and a cap on what is kept of its output, and
returns when nothing of it is left (on Linux for certain, elsewhere by best effort: `subreaper_available`).
Should this process be killed meanwhile, `end_group` ends what it left, given the pid and the start stamp
that `on_start` was told.
"""

from __future__ import annotations

import math
import os
import signal
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from typing import Literal

import msgspec

from .adoption import ADOPTION, subreaper_available
from .cancelling import current
from .interruptions import Interruptions
from .launch import explain, known_problem, script_argv, shell_argv, strip_own_environment
from .pids import is_alive, process_started
from .pipes import Capture, Pump
from .reaper import Family, end_group

__all__ = [
    "Finished",
    "end_group",
    "is_alive",
    "process_started",
    "run",
    "script_argv",
    "shell_argv",
    "strip_own_environment",
    "subreaper_available",
]

_SETTLE = 0.25
"""Seconds that what a command leaves behind has to end by itself, such as a `tee` with the last lines."""
_LEFTOVER_GRACE = 0.5
"""Seconds between TERM and KILL for what a command leaves behind after its own end."""
_REAP_INTERVAL = 1.0
"""Seconds between two looks for daemons of the command that have ended and must be reaped."""


class Finished(msgspec.Struct, frozen=True, kw_only=True):
    """How a command ended, and what it said."""

    exit_code: int | None
    """0-255, or -N for an end by signal N; None if it never started or ran out of time."""
    timed_out: bool = False
    timeout: float
    """The limit it had, in seconds."""
    duration_ms: int
    """From its start to its own end, or to the limit; without the tidying up after it."""
    stdout: bytes = b""
    stderr: bytes = b""
    stdout_bytes: int = 0
    """Bytes written in all, kept or not."""
    stderr_bytes: int = 0
    stdout_truncated: bool = False
    """Whether more was written than the cap let us keep."""
    stderr_truncated: bool = False
    error: str | None = None
    """Why it could not be started, in one sentence; None if it was."""
    leftover_killed: int = 0
    """Processes it left running, or had running when its time was up, that were ended."""
    survivors: int = 0
    """Processes (at least) that even KILL did not end in time: stuck in the kernel, another user's, or
    forking faster than they can be found. Else 0."""


def run(
    argv: Sequence[str],
    *,
    cwd: str | os.PathLike[str],
    stdin: bytes | None = None,
    timeout: float,
    stdout_cap: int | None,
    stderr_cap: int | None,
    keep: Literal["head", "tail"],
    env: Mapping[str, str] | None = None,
    term_grace: float = 5.0,
    on_output: Callable[[bytes], None] | None = None,
    on_start: Callable[[int, str], None] | None = None,
) -> Finished:
    """Runs `argv` in `cwd` to its end, or to the end of its time, and ends everything it has left running.

    `stdin` is written while the command runs and then closed, read or not; None is `/dev/null`. Of stdout
    and stderr at most `stdout_cap` and `stderr_cap` bytes are kept (None: all), from the head or the tail;
    the rest is drained and counted. `env` is the whole environment, None our own as it is. After `timeout`
    seconds (positive, finite) all of its processes get TERM, and KILL `term_grace` seconds later.

    `on_start` is called with the pid and its start stamp (empty if unknown) as soon as it runs, `on_output`
    with each chunk of stdout or stderr as it comes. If they raise, or KeyboardInterrupt arrives, the command
    is ended as after a timeout and the exception goes on; a second Ctrl-C kills without grace. SIGTERM and
    SIGHUP do the same and become SystemExit, unless the program has handlers of its own. In a thread that
    works under a `Cancel`, asking for that is like Ctrl-C, with a shorter grace.

    A command that cannot be started is no exception but a `Finished` with an `error`. Raises ValueError for
    an empty argv or an impossible limit.
    """
    if not argv:
        raise ValueError("there is no command to run")
    if not (0 < timeout < math.inf):
        raise ValueError(f"a time limit is a positive number of seconds, not {timeout!r}")
    environment = os.environ if env is None else env
    if (problem := known_problem(argv, cwd, environment)) is not None:
        return _not_started(problem, timeout)
    cancel = current()
    if cancel is not None:
        cancel.check()
    out, err = Capture(stdout_cap, keep), Capture(stderr_cap, keep)
    # Signals are held back from before the start, so that none can come between it and our care for it.
    with Interruptions() as interruptions, ADOPTION, closing(Pump(stdin, out, err, on_output)) as pump:
        begun = time.monotonic()
        try:
            child = subprocess.Popen(
                list(argv),
                cwd=cwd,
                env=environment,
                stdin=subprocess.DEVNULL if stdin is None else subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            return _not_started(explain(error, argv, cwd, environment), timeout)
        family = Family(child.pid, poll=child.poll, adoption=ADOPTION)
        try:
            try:
                with interruptions.delivered():
                    pump.attach(child)
                    if cancel is not None:
                        pump.watch(cancel.fileno(), cancel.check)
                    if on_start is not None:
                        on_start(child.pid, process_started(child.pid) or "")
                    timed_out = not _await_end(child, pump, begun + timeout)
                    took = time.monotonic() - begun
                    if not timed_out:
                        _settle(family, pump)
            finally:
                with interruptions.delivered():
                    grace = term_grace if child.returncode is None else min(term_grace, _LEFTOVER_GRACE)
                    if cancel is not None and cancel.asked:
                        grace = min(grace, cancel.grace)
                    _ask_to_end(family, pump, grace)
        finally:
            survivors = family.kill()
        pump.drain()
    return Finished(
        exit_code=None if timed_out else child.returncode,
        timed_out=timed_out,
        timeout=timeout,
        duration_ms=round(took * 1000),
        stdout=out.value(),
        stderr=err.value(),
        stdout_bytes=out.total,
        stderr_bytes=err.total,
        stdout_truncated=out.truncated,
        stderr_truncated=err.truncated,
        leftover_killed=family.leftover_count,
        survivors=survivors,
    )


def _not_started(error: str, timeout: float) -> Finished:
    return Finished(exit_code=None, timeout=timeout, duration_ms=0, error=error)


def _await_end(child: subprocess.Popen[bytes], pump: Pump, deadline: float) -> bool:
    """Serves the streams until the child itself has ended; False if the monotonic `deadline` came first."""

    def has_ended() -> bool:
        return child.poll() is not None

    while not pump.until(has_ended, min(deadline, time.monotonic() + _REAP_INTERVAL), tick=pump.tick):
        if time.monotonic() >= deadline:
            return has_ended()
        ADOPTION.reap_orphans()
    return True


def _settle(family: Family, pump: Pump) -> None:
    """Lets what an ended child left behind say its last and end by itself, for a moment."""
    deadline = time.monotonic() + _SETTLE
    if pump.until(pump.ended, deadline):
        pump.until(lambda: not family.living(), deadline)


def _ask_to_end(family: Family, pump: Pump, grace: float) -> None:
    """TERM to whatever lives, and `grace` seconds for it to obey, its last words taken in meanwhile."""
    if family.living():
        family.signal(signal.SIGTERM)
        pump.until(lambda: not family.living(), time.monotonic() + grace)

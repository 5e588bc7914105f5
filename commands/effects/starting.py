"""Starting a program that outlives us, and ending one that hangs (design, section 6.3).

What is started belongs to nobody here: it has its own session, and its parent is the system's. So no guardian
has children that would make it look busy, and none that it would have to reap.
"""

from __future__ import annotations

import os
import re
import signal
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from hooks.pids import is_alive, is_interactive_shell, process_table
from hooks.process import end_group, strip_own_environment

__all__ = ["end_old", "output_file", "start_detached"]

_GRACE = 5.0
"""Seconds that a hanging process has between TERM and KILL."""

_START_TIMEOUT = 30.0
"""Seconds after which the step between is given up; it takes milliseconds."""

_BETWEEN = """
import subprocess, sys
cwd, output, *argv = sys.argv[1:]
try:
    with open(output, "ab") as file:
        streams = dict(stdin=subprocess.DEVNULL, stdout=file, stderr=file)
        subprocess.Popen(argv, cwd=cwd, start_new_session=True, **streams)
except (OSError, ValueError) as error:
    sys.exit(f"{getattr(error, 'filename', None) or argv[0]}: {getattr(error, 'strerror', None) or error}")
"""
"""The step between: it starts the program and ends at once, so that the program is the system's."""


def start_detached(argv: Sequence[str], *, cwd: str | os.PathLike[str], output: Path) -> str | None:
    """Starts `argv` in `cwd`, in its own session, without stdin, its output appended to the file `output`.

    None when it was started, else why it could not be, in one line. Our own variables (`AR_BY` and its kin)
    are not handed on: the command says itself who it is.
    """
    import subprocess

    try:
        output.parent.mkdir(parents=True, exist_ok=True)
        done = subprocess.run(
            [sys.executable, "-I", "-S", "-c", _BETWEEN, os.fspath(cwd), str(output), *argv],
            env=strip_own_environment(os.environ),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            timeout=_START_TIMEOUT,
            check=False,
        )
    except (OSError, ValueError, subprocess.TimeoutExpired) as error:
        return f"{argv[0]}: {error}"
    if done.returncode == 0:
        return None
    said = done.stderr.decode("utf-8", "replace").strip().splitlines()
    return said[-1] if said else f"{argv[0]}: not started"


def output_file(folder: Path, name: str) -> Path:
    """The file that takes the output of what is started under this name."""
    return folder / f"started-{re.sub(r'[^A-Za-z0-9_.-]', '_', name)[:80] or '_'}.log"


def end_old(pid: int, started: str) -> bool:
    """Ends the process of that number and start stamp; whether it is gone.

    With it goes its process group where it leads a session of its own. One that is us, or that we descend
    from, is not ended. A shell at which somebody types is no loop, whatever was recorded, and is let be.
    """
    if not is_alive(pid, started) or is_interactive_shell(pid):
        return True
    if pid <= 1 or pid in _ancestry():
        return False
    end_group(pid, started, term_grace=_GRACE)
    for number in (signal.SIGTERM, signal.SIGKILL):
        if not is_alive(pid, started):
            return True
        try:
            os.kill(pid, number)
        except OSError:
            break
        _wait(pid, started)
    return not is_alive(pid, started)


def _wait(pid: int, started: str) -> None:
    """Waits for its end, for as long as the grace lasts."""
    deadline = time.monotonic() + _GRACE
    while is_alive(pid, started) and time.monotonic() < deadline:
        time.sleep(0.02)


def _ancestry() -> set[int]:
    """This process and those that it descends from."""
    table, pid, found = process_table(), os.getpid(), {os.getpid(), os.getppid()}
    while (entry := table.get(pid)) is not None and entry.parent > 0 and entry.parent != pid:
        pid = entry.parent
        found.add(pid)
    return found

"""The lock that appenders hold: a plain `flock` first, `filelock` on the same file when that takes long.

Both lock the same way, so they exclude each other. The kernel drops the lock of a killed holder. Readers take
no lock (design, section 2.3).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from time import monotonic, sleep

from eventstore.disk import storage_error
from eventstore.errors import LockTimeoutError

try:
    import fcntl
except ImportError:  # a platform without flock: filelock knows its own way
    HAS_FLOCK = False
else:
    HAS_FLOCK = True

__all__ = ["acquire", "holder_of", "lock_of", "locked"]

FIRST_PAUSE, POLL_SECONDS = 0.0005, 0.01
"""How soon, and later how often, a waiting appender looks again, seconds.

Most appends take less than a millisecond; one that appends in a loop leaves gaps enough for those who wait.
"""

PATIENCE_SECONDS = 1.0
"""How long the plain lock is tried again before filelock is imported, which takes as long as many appends."""


def lock_of(log: Path) -> Path:
    """The lock of a log: beside the file itself, for all who reach it, by its name or by symbolic links."""
    real = Path(os.path.realpath(log))
    return real.with_name(real.name + ".lock")


def acquire(path: Path, timeout: float) -> Callable[[], None]:
    """Takes the lock on the file `path`, which is made if need be and stays; returns what gives it back.

    Raises LockTimeoutError after `timeout` seconds, naming the holder if it can be known, and StorageError
    when the file cannot be opened.
    """
    patience = min(timeout, PATIENCE_SECONDS)
    try:
        fd = _try_flock(path)
        if fd is None and HAS_FLOCK:
            fd = _keep_trying(path, patience)
    except OSError as error:
        raise storage_error(error, "open the lock", path) from error
    if fd is not None:
        return partial(os.close, fd)  # which unlocks
    return _wait(path, timeout, timeout - patience)


@contextmanager
def locked(path: Path, timeout: float) -> Iterator[None]:
    """Holds the lock; see `acquire`."""
    release = acquire(path, timeout)
    try:
        yield
    finally:
        release()


def _try_flock(path: Path) -> int | None:
    """A descriptor that holds the lock, or None when somebody else does or there is no flock."""
    if not HAS_FLOCK:
        return None
    fd = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    try:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.fstat(fd).st_nlink:  # a lock on a file that was removed meanwhile excludes nobody
            return fd
    except BlockingIOError:
        pass
    except BaseException:
        os.close(fd)
        raise
    os.close(fd)
    return None


def _keep_trying(path: Path, seconds: float) -> int | None:
    fd = None
    pause = FIRST_PAUSE
    until = monotonic() + seconds
    while fd is None and monotonic() < until:
        sleep(pause)
        pause = min(2 * pause, POLL_SECONDS)
        fd = _try_flock(path)
    return fd


def _wait(path: Path, timeout: float, left: float) -> Callable[[], None]:
    """Waits for what is left of the timeout."""
    from filelock import FileLock, Timeout

    lock = FileLock(str(path), timeout=left)
    try:
        lock.acquire(poll_interval=POLL_SECONDS)
    except Timeout:
        holder = holder_of(path)
        raise LockTimeoutError(
            f"{path} has been locked for over {timeout:g} s by {holder or 'another process'}",
            "wait for it or end it, then repeat; nothing was written",
        ) from None
    except OSError as error:
        raise storage_error(error, "lock", path) from error
    return lock.release


def holder_of(path: Path) -> str | None:
    """The process that holds the lock, as `process 123 (name)`; None where that cannot be known."""
    try:
        inode = os.stat(path).st_ino
        with open("/proc/locks", encoding="ascii", errors="replace") as table:
            rows = [line.split() for line in table]
    except OSError:
        return None
    for row in rows:
        if len(row) >= 6 and row[1] == "FLOCK" and row[5].rpartition(":")[2] == str(inode) and row[4] != "-1":
            return f"process {row[4]}{_name_of(row[4])}"
    return None


def _name_of(pid: str) -> str:
    try:
        with open(f"/proc/{pid}/comm", encoding="utf-8", errors="replace") as file:
            return f" ({file.read().strip()})"
    except OSError:
        return ""

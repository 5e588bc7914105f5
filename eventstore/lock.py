"""The lock that appenders hold: a plain `flock` first, `filelock` on the same file when it is contended.

Both lock the same way, so they exclude each other. The kernel drops the lock of a killed holder. Readers take
no lock (design, section 2.3).
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from eventstore.disk import storage_error
from eventstore.errors import LockTimeoutError

try:
    import fcntl
except ImportError:  # a platform without flock: filelock knows its own way
    HAS_FLOCK = False
else:
    HAS_FLOCK = True

__all__ = ["POLL_SECONDS", "holder_of", "locked"]

POLL_SECONDS = 0.002
"""How often a waiting appender looks again: often enough that one which appends in a loop starves nobody."""


@contextmanager
def locked(path: Path, timeout: float) -> Iterator[None]:
    """Holds the lock on the file `path`, which is made if need be and stays.

    Raises LockTimeoutError after `timeout` seconds, naming the holder if it can be known, and StorageError
    when the file cannot be opened.
    """
    try:
        fd = _try_flock(path)
    except OSError as error:
        raise storage_error(error, "open the lock", path) from error
    if fd is not None:
        try:
            yield
        finally:
            os.close(fd)  # which unlocks
        return
    with _wait(path, timeout):
        yield


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


@contextmanager
def _wait(path: Path, timeout: float) -> Iterator[None]:
    from filelock import FileLock, Timeout

    lock = FileLock(str(path), timeout=timeout)
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
    try:
        yield
    finally:
        lock.release()


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

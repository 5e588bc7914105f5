"""The lock that appenders hold: a plain `flock` first, `filelock` on the same file when that takes long.

Both lock the same way, so they exclude each other. The kernel drops the lock of a killed holder. Readers take
no lock (design, section 2.3).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from time import monotonic, sleep
from typing import Any

from eventstore.disk import storage_error
from eventstore.errors import LockTimeoutError

try:
    import fcntl
except ImportError:  # a platform without flock: filelock knows its own way
    HAS_FLOCK = False
else:
    HAS_FLOCK = True
    _AT_ONCE = fcntl.LOCK_EX | fcntl.LOCK_NB

__all__ = ["HAS_FLOCK", "Lock", "acquire", "holder_of", "lock_of", "lock_open_file", "locked", "too_long"]

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


class Lock:
    """A lock file, which is kept open from one taking to the next, so that taking it again costs little.

    path: the file, made when the lock is first taken; it stays. timeout: seconds to wait for another holder.
    may_make: called before the file is made; may raise to prevent it. opener: the process that opened it.
    One object is for one thread at a time. Of a process that forked, each side opens the file for itself.
    """

    def __init__(self, path: Path, timeout: float, may_make: Callable[[], None] | None = None) -> None:
        self.path = path
        self._timeout = timeout
        self._may_make = may_make
        self._fd: int | None = None
        self.opener = 0
        self._waited: Any = None

    def take(self) -> None:
        """Takes the lock.

        Raises LockTimeoutError when another holds it for too long, naming the holder if it can be known, and
        StorageError when the file cannot be opened.
        """
        fd = self._fd
        try:
            if fd is not None and self.opener == os.getpid():
                fcntl.flock(fd, _AT_ONCE)
                if os.fstat(fd).st_nlink:  # a lock on a file that was removed meanwhile excludes nobody
                    return
        except BlockingIOError:
            pass
        except OSError as error:
            raise storage_error(error, "lock", self.path) from error
        self._take_patiently()

    def give_back(self) -> None:
        """Lets others have it; for who has taken it."""
        if self._waited is not None:
            self._waited.release()
            self._waited = None
        elif self._fd is not None:
            fcntl.flock(self._fd, fcntl.LOCK_UN)

    def stands(self) -> bool:
        """Whether the file that is locked is still the one of that name; for who has taken it."""
        if self._fd is None:
            return True
        try:
            return os.path.samestat(os.stat(self.path), os.fstat(self._fd))
        except FileNotFoundError:
            return False

    def close(self) -> None:
        """Gives back what it holds, and closes the file."""
        if self._waited is not None:
            self._waited.release()
            self._waited = None
        fd, self._fd = self._fd, None
        if fd is not None and self.opener == os.getpid():
            os.close(fd)  # which unlocks

    __del__ = close

    def _take_patiently(self) -> None:
        patience = min(self._timeout, PATIENCE_SECONDS)
        pause = FIRST_PAUSE
        until = monotonic() + patience
        while HAS_FLOCK:
            try:
                if self._try():
                    return
            except OSError as error:
                raise storage_error(error, "open the lock", self.path) from error
            if monotonic() >= until:
                break
            sleep(pause)
            pause = min(2 * pause, POLL_SECONDS)
        self._waited = _wait(self.path, self._timeout, self._timeout - patience)

    def _try(self) -> bool:
        """Whether the lock of that name was free, and is now ours."""
        while True:
            fd = self._fd
            if fd is None or self.opener != os.getpid():
                fd = self._open()
            try:
                fcntl.flock(fd, _AT_ONCE)
            except BlockingIOError:
                return False
            if self.stands():
                return True
            self.close()

    def _open(self) -> int:
        flags = os.O_RDWR | os.O_CLOEXEC
        try:
            fd = os.open(self.path, flags)
        except FileNotFoundError:
            if self._may_make is not None:
                self._may_make()
            fd = os.open(self.path, flags | os.O_CREAT, 0o666)
        self._fd, self.opener = fd, os.getpid()
        return fd


def _wait(path: Path, timeout: float, left: float) -> Any:
    """The lock by `filelock`, once it is had, waiting for what is left of the timeout."""
    from filelock import FileLock, Timeout

    lock = FileLock(str(path), timeout=left)
    try:
        lock.acquire(poll_interval=POLL_SECONDS)
    except Timeout:
        raise too_long(path, timeout) from None
    except OSError as error:
        raise storage_error(error, "lock", path) from error
    return lock


def too_long(path: Path, timeout: float) -> LockTimeoutError:
    """The error of who waited so many seconds for a lock, with its holder where that can be known."""
    return LockTimeoutError(
        f"{path} has been locked for over {timeout:g} s by {holder_of(path) or 'another process'}",
        "wait for it or end it, then repeat; nothing was written",
    )


def lock_open_file(fd: int, path: Path, timeout: float) -> None:
    """Locks an open file itself, until its descriptor is closed; nothing where there is no flock.

    Raises LockTimeoutError after `timeout` seconds, OSError.
    """
    if not HAS_FLOCK:
        return
    pause = FIRST_PAUSE
    until = monotonic() + timeout
    while True:
        try:
            fcntl.flock(fd, _AT_ONCE)
        except BlockingIOError:
            if monotonic() >= until:
                raise too_long(path, timeout) from None
        else:
            return
        sleep(pause)
        pause = min(2 * pause, POLL_SECONDS)


def acquire(path: Path, timeout: float) -> Callable[[], None]:
    """Takes the lock on the file `path`, which is made if need be and stays; returns what gives it back.

    Raises what `Lock.take` raises.
    """
    lock = Lock(path, timeout)
    lock.take()
    return lock.close


@contextmanager
def locked(path: Path, timeout: float) -> Iterator[None]:
    """Holds the lock; see `acquire`."""
    release = acquire(path, timeout)
    try:
        yield
    finally:
        release()


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

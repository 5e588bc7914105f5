"""A log's file as an appender holds it: its lock, and a descriptor that is kept from one append to the next.

What the name leads to is looked up each time, so that a file which was replaced or removed (`git checkout`, a
copied backup) is never written to by an old descriptor.
"""

from __future__ import annotations

import os
from _thread import allocate_lock
from functools import partial
from pathlib import Path

from eventstore.disk import Disk, require_regular, storage_error
from eventstore.lock import HAS_FLOCK, Lock, lock_of, lock_open_file, too_long

__all__ = ["Handle"]


class Handle:
    """The file of a log, to append to. Threads take turns, as processes do.

    path: the file; it need not exist. lock_path: its lock. status: of the file as it was when it was taken,
    None where there was none. fd: the descriptor, None while it is closed.
    """

    def __init__(self, path: Path, timeout: float, disk: Disk) -> None:
        self.path = path
        self._name = os.fspath(path)
        self.lock_path = lock_of(path)
        self.status: os.stat_result | None = None
        self._disk = disk
        self._timeout = timeout
        self._lock = Lock(self.lock_path, timeout, partial(_require_log, path))
        self.fd: int | None = None
        self._opener = self._device = self._inode = 0  # the process that opened it; what it is
        self._linked = False
        self._thread = allocate_lock()  # the file's lock is the process's: it excludes no thread of it

    def take(self) -> int | None:
        """Takes the lock; a descriptor for reading and appending, None where there is no file yet.

        Raises LockTimeoutError, and StorageError when the file cannot be opened or is no regular one; nothing
        is held then.
        """
        if not self._thread.acquire(timeout=self._timeout):
            raise too_long(self.lock_path, self._timeout)
        try:
            self._lock.take()
            try:
                self.status = status = self._disk.find(self._name)
            except FileNotFoundError:
                self.status = None
                return self._anew(None)
            fd = self.fd
            if (
                fd is not None
                and status.st_ino == self._inode
                and status.st_dev == self._device
                and status.st_nlink == 1
                and self._opener == self._lock.opener
            ):
                return fd
            return self._anew(status)
        except OSError as error:
            self.give_back()
            raise storage_error(error, "open", self.path) from error
        except BaseException:
            self.give_back()
            raise

    def create(self) -> int:
        """Makes the file, where `take` found none. Raises OSError."""
        return self._open(make=True)

    def give_back(self) -> None:
        """Lets others append; the descriptor is kept where that excludes nobody."""
        try:
            if self._linked or not HAS_FLOCK:
                # Closing gives back the lock on the file itself; and without flock an open file can often be
                # neither replaced nor removed.
                self._linked = False
                self._close()
            self._lock.give_back()
        finally:
            self._thread.release()

    def close(self) -> None:
        """Closes what is kept open; the next append opens it anew."""
        self._close()
        self._lock.close()

    __del__ = close

    def _anew(self, status: os.stat_result | None) -> int | None:
        """A descriptor of what the name leads to now, whose status is this; None for nothing."""
        if self.fd is not None:
            self._close()
            if not self._lock.stands():  # its directory was replaced, and the lock with it
                self._lock.close()
                self._lock.take()
                status = self._look()
        if status is None:
            return None
        require_regular(status, self.path)
        fd = self._open()
        if status.st_nlink > 1:
            lock_open_file(fd, self.path, self._timeout)  # whoever appends by another name holds another lock
            self._linked = True
        self.status = self._disk.stat(fd)
        require_regular(self.status, self.path)
        return fd

    def _look(self) -> os.stat_result | None:
        try:
            self.status = self._disk.find(self._name)
        except FileNotFoundError:
            self.status = None
        return self.status

    def _open(self, *, make: bool = False) -> int:
        fd = self._disk.open_append(self.path, make=make)
        status = os.fstat(fd)
        self.fd, self._opener, self._device, self._inode = fd, os.getpid(), status.st_dev, status.st_ino
        return fd

    def _close(self) -> None:
        fd, self.fd = self.fd, None
        if fd is not None and self._opener == os.getpid():
            self._disk.close(fd)


def _require_log(path: Path) -> None:
    """Raises StorageError, before a lock is made beside it, where no log can be."""
    try:
        require_regular(os.stat(path), path)
    except FileNotFoundError:
        return
    except OSError as error:
        raise storage_error(error, "open", path) from error

"""The system calls by which a log touches its file, in one place, so that a test can make each fail."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from pathlib import Path

from eventstore.errors import StorageError

__all__ = ["Disk"]


_APPEND = os.O_RDWR | os.O_APPEND | os.O_CLOEXEC | getattr(os, "O_NONBLOCK", 0)


def _full_sync() -> int | None:
    """The request by which macOS flushes the drive's own cache, where there is one."""
    import sys

    platform: str = sys.platform
    if platform != "darwin":
        return None
    import fcntl

    return getattr(fcntl, "F_FULLFSYNC", 51)


def _sync() -> Callable[[int], None]:
    """What makes a file's content reach the medium."""
    request = _full_sync()
    if request is None:
        return getattr(os, "fdatasync", os.fsync)

    def sync(fd: int) -> None:
        import fcntl

        try:
            fcntl.fcntl(fd, request)
        except OSError:  # not every file system knows it
            os.fsync(fd)

    return sync


class Disk:
    """The system calls, each raising OSError as it does; most are no more than another name for one.

    An append makes few of them, and each name that is a function of ours would cost as much as a cheap call.
    """

    find: Callable[[str], os.stat_result] = staticmethod(os.stat)
    """What a name leads to: its inode, its size."""

    stat: Callable[[int], os.stat_result] = staticmethod(os.fstat)
    """The file behind a descriptor: its size, its inode."""

    read: Callable[[int, int, int], bytes] = staticmethod(os.pread)
    """Up to so many bytes from an offset; fewer only at the end of the file."""

    write: Callable[[int, bytes], int] = staticmethod(os.write)
    """Appends; returns how many bytes were taken, which may be fewer."""

    sync: Callable[[int], None] = staticmethod(_sync())
    """Returns when the file's content has reached the medium."""

    truncate: Callable[[int, int], None] = staticmethod(os.ftruncate)
    """Cuts the file."""

    close: Callable[[int], None] = staticmethod(os.close)
    """Gives the descriptor back."""

    def open_append(self, path: Path, *, make: bool = False) -> int:
        """A descriptor for reading and appending; the file is made if need be where `make` is set."""
        return os.open(path, _APPEND | os.O_CREAT if make else _APPEND, 0o666)

    def open_read(self, path: Path) -> int:
        """A descriptor for reading; does not wait for the other end of a FIFO."""
        return os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)

    def sync_directory(self, path: Path) -> None:
        """Returns when the directory's entries have reached the medium."""
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)


def require_regular(status: os.stat_result, path: Path) -> None:
    """Raises StorageError unless this is a regular file."""
    mode = status.st_mode
    if stat.S_ISREG(mode):
        return
    kind = "a directory" if stat.S_ISDIR(mode) else "a FIFO" if stat.S_ISFIFO(mode) else "no regular file"
    raise StorageError(f"{path} is {kind}, not a log", "name another file with --log, or move it away")


def storage_error(error: OSError, doing: str, path: Path) -> StorageError:
    """A failed system call as one line: what could not be done, to what, and why."""
    remedy = {
        "ENOSPC": "free some space, then repeat",
        "EDQUOT": "free some space, then repeat",
        "EFBIG": "raise the file size limit, then repeat",
        "EACCES": "check the permissions of the file and its directory",
        "EROFS": "the file system is read-only; use another directory",
        "EISDIR": "name another file with --log",
        "ENOENT": "make its directory first, or name another place",
        "ENOTDIR": "a part of its path is no directory; name another place",
        "ELOOP": "the symbolic link leads nowhere; mend it",
    }
    from errno import errorcode

    name = errorcode.get(error.errno or 0, "")
    return StorageError(f"cannot {doing} {path}: {error.strerror or error}", remedy.get(name, ""))

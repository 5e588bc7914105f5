"""The system calls by which a log touches its file, in one place, so that a test can make each fail."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from eventstore.errors import StorageError

__all__ = ["Disk"]


class Disk:
    """Thin wrappers of system calls; each raises OSError as the call does."""

    def open_append(self, path: Path) -> tuple[int, bool]:
        """A descriptor for reading and appending, and whether the file was made by this call."""
        flags = os.O_RDWR | os.O_APPEND | os.O_CLOEXEC | os.O_NONBLOCK
        try:
            return os.open(path, flags), False
        except FileNotFoundError:
            return os.open(path, flags | os.O_CREAT, 0o666), True

    def open_read(self, path: Path) -> int:
        """A descriptor for reading; does not wait for the other end of a FIFO."""
        return os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)

    def stat(self, fd: int) -> os.stat_result:
        """The file behind a descriptor: its size, its inode."""
        return os.fstat(fd)

    def read(self, fd: int, size: int, offset: int) -> bytes:
        """Up to `size` bytes from `offset`; fewer only at the end of the file."""
        return os.pread(fd, size, offset)

    def write(self, fd: int, data: bytes) -> int:
        """Appends; returns how many bytes were taken, which may be fewer."""
        return os.write(fd, data)

    def sync(self, fd: int) -> None:
        """Returns when the file's content has reached the medium."""
        if _FULL_SYNC is not None:
            import fcntl

            try:
                fcntl.fcntl(fd, _FULL_SYNC)
            except OSError:  # not every file system knows it
                os.fsync(fd)
        elif hasattr(os, "fdatasync"):
            os.fdatasync(fd)
        else:
            os.fsync(fd)

    def truncate(self, fd: int, size: int) -> None:
        """Cuts the file."""
        os.ftruncate(fd, size)

    def sync_directory(self, path: Path) -> None:
        """Returns when the directory's entries have reached the medium."""
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            os.fsync(fd)
        finally:
            os.close(fd)

    def close(self, fd: int) -> None:
        """Gives the descriptor back."""
        os.close(fd)


def _full_sync() -> int | None:
    """The request by which macOS flushes the drive's own cache, where there is one."""
    import sys

    platform: str = sys.platform
    if platform != "darwin":
        return None
    import fcntl

    return getattr(fcntl, "F_FULLFSYNC", 51)


_FULL_SYNC = _full_sync()


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

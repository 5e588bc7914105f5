"""The results table that `ar measure` adds to: checked before, added to under a lock, never rewritten."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from commands.effects.reading import without_waiting
from eventstore.disk import storage_error
from eventstore.errors import LedgerError
from eventstore.lock import locked
from reducers.policies.results_tsv import HEADER, header_fits, row

__all__ = ["TableError", "add_row", "check_table", "next_cycle"]


class TableError(Exception):
    """The table cannot be added to; the text says why, and what to do."""


def check_table(path: Path) -> None:
    """Raises TableError unless rows may be added: a new or empty file, or one that begins with our header."""
    content = _read(path)
    if content.strip() and not header_fits(content):
        raise TableError(
            f"{path} is another table: its first line is not {HEADER.rstrip()!r}; name another with --log"
        )
    if not path.exists() and not path.absolute().parent.is_dir():
        raise TableError(f"{path}: its directory does not exist")


def next_cycle(path: Path) -> int:
    """The number after the highest cycle in the table; 1 in a table without rows."""
    rows = [line.split("\t") for line in _read(path).splitlines()[1:]]
    numbers = [int(cells[1]) for cells in rows if len(cells) > 1 and cells[1].strip().isdecimal()]
    return max(numbers, default=0) + 1


def add_row(
    path: Path,
    milliseconds: int,
    cycle: int,
    change: str,
    before: float | None,
    after: float | str,
    verdict: str,
) -> None:
    """Adds one row, after the header if the table is new or empty. Raises TableError."""
    line = row(milliseconds, cycle, change, before, after, verdict)
    try:
        with locked(path, 10.0):
            check_table(path)
            content = _read(path)
            start = HEADER if not content.strip() else "" if content.endswith("\n") else "\n"
            fd = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o666)
            try:
                data = (start + line).encode("utf-8", "replace")
                while data:
                    data = data[os.write(fd, data) :]
                os.fsync(fd)
            finally:
                os.close(fd)
    except OSError as error:
        raise TableError(storage_error(error, "add a row to", path).message) from error
    except LedgerError as error:
        raise TableError(error.message) from error


def _read(path: Path) -> str:
    """The table's text; empty if there is none."""
    try:
        with open(path, encoding="utf-8", errors="replace", opener=without_waiting) as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise TableError(f"{path} is no file; name another with --log")
            return file.read().removeprefix("\ufeff")
    except FileNotFoundError:
        return ""
    except OSError as error:
        raise TableError(storage_error(error, "read", path).message) from error

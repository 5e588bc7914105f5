"""The session's log while others are at work: it may be appended to, and nothing else (design, section 9).

An agent, or a command that measures what it wrote, may clean up (`git clean -fdx`, `rm -rf .auto`) or edit
the log, and take acknowledged events away. They are held in memory meanwhile, and put back where that was so.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec

from commands.effects.reading import without_waiting

__all__ = ["Guard", "guarded"]


class Guard:
    """A log that is guarded. fate: what had happened to it, once it is no more; None if nothing."""

    def __init__(self) -> None:
        self.fate: str | None = None


@contextmanager
def guarded(path: Path, into: Path) -> Iterator[Guard]:
    """Puts the log back, however the work within ends, if it does not begin any more as it did.

    into: the directory where what stands there instead is moved, under the log's name or the next free one.
    Raises OSError if the log cannot be read or put back.
    """
    held, guard = _hold(path), Guard()
    try:
        yield guard
    finally:
        guard.fate = _restore(held, into)


class _Held(msgspec.Struct, frozen=True):
    """A log as it was. lines: its complete lines. mode: its permission bits."""

    path: Path
    lines: bytes
    mode: int


def _hold(path: Path) -> _Held:
    with open(path, "rb", opener=without_waiting) as file:
        content = file.read()
        mode = os.fstat(file.fileno()).st_mode & 0o777
    return _Held(path, content[: content.rfind(b"\n") + 1], mode)


def _restore(held: _Held, into: Path) -> str | None:
    """`deleted` or `rewritten` for a log that is put back; None for one that nothing had happened to."""
    try:
        with open(held.path, "rb", opener=without_waiting) as file:
            if file.read(len(held.lines)) == held.lines:
                return None
        fate = "rewritten"
    except FileNotFoundError:
        fate = "deleted"
    except OSError:  # something else stands in its place, or it may not be read any more
        fate = "rewritten"
    if os.path.lexists(held.path):
        into.mkdir(parents=True, exist_ok=True)
        os.rename(held.path, _free(into / held.path.name))
    held.path.parent.mkdir(parents=True, exist_ok=True)
    fresh = held.path.with_name(held.path.name + ".new")
    with suppress(FileNotFoundError):
        fresh.unlink()
    with open(fresh, "xb") as file:
        os.fchmod(file.fileno(), held.mode)
        file.write(held.lines)
        file.flush()
        os.fsync(file.fileno())
    os.replace(fresh, held.path)
    return fate


def _free(path: Path) -> Path:
    number, free = 0, path
    while os.path.lexists(free):
        number += 1
        free = path.with_name(f"{path.name}.{number}")
    return free

"""The session's log while others are at work: it may be appended to, and nothing else (design, section 9).

An agent, or a command that measures what it wrote, may clean up (`git clean -fdx`, `rm -rf .auto`) or edit
the log, and take acknowledged events away. They are held in memory meanwhile, and put back where that was so.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

import msgspec

from commands.effects.reading import without_waiting

__all__ = ["Held", "hold", "restore"]


class Held(msgspec.Struct, frozen=True):
    """A log as it was. lines: its complete lines. mode: its permission bits."""

    path: Path
    lines: bytes
    mode: int


def hold(path: Path) -> Held:
    """The log as it is now. Raises OSError if it cannot be read."""
    with open(path, "rb", opener=without_waiting) as file:
        content = file.read()
        mode = os.fstat(file.fileno()).st_mode & 0o777
    return Held(path, content[: content.rfind(b"\n") + 1], mode)


def restore(held: Held, into: Path) -> str | None:
    """Puts a log back that does not begin any more as it did; what had happened to it, None if nothing.

    into: the directory where what stands there instead is moved, under the log's name or the next free one.
    Returns `deleted` or `rewritten`. Raises OSError if it cannot be put back.
    """
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

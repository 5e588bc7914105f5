"""The process group that is at work, written down so that what a crash of ours leaves can be ended."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec

from hooks.process import end_group

__all__ = ["end_recorded", "recording"]


class _Group(msgspec.Struct, frozen=True):
    """A command's process, the leader of its group. started: its start stamp."""

    pid: int
    started: str


@contextmanager
def recording(path: Path) -> Iterator[Callable[[int, str], None]]:
    """Gives what is to be called as each command starts; nothing is left written down afterwards."""

    def note(pid: int, started: str) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)  # a command before may have cleaned it away
        fresh = path.with_name(path.name + ".new")
        fresh.write_bytes(msgspec.json.encode(_Group(pid, started)))
        os.replace(fresh, path)

    try:
        yield note
    finally:
        path.unlink(missing_ok=True)


def end_recorded(path: Path) -> int:
    """Ends what is left of the group that is written down; how many processes that were."""
    try:
        group = msgspec.json.decode(path.read_bytes(), type=_Group)
    except (OSError, msgspec.DecodeError):
        return 0
    ended = end_group(group.pid, group.started)
    with suppress(OSError):
        path.unlink()
    return ended

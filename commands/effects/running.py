"""The process group that is at work, written down so that what a crash of ours leaves can be ended."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec

from hooks.process import end_group

__all__ = ["end_recorded", "recording"]


_TRIES = 3
"""How often it is written down where the command takes it away; it serves but for a crash of ours."""


class _Group(msgspec.Struct, frozen=True):
    """A command's process, the leader of its group. started: its start stamp."""

    pid: int
    started: str


@contextmanager
def recording(path: Path) -> Iterator[Callable[[int, str], None]]:
    """Gives what is to be called as each command starts; nothing is left written down afterwards."""

    def note(pid: int, started: str) -> None:
        group = msgspec.json.encode(_Group(pid, started))
        fresh = path.with_name(path.name + ".new")
        for _ in range(_TRIES):
            with suppress(FileNotFoundError):  # the command is at work already, and may clean this away
                path.parent.mkdir(parents=True, exist_ok=True)
                fresh.write_bytes(group)
                os.replace(fresh, path)
                return

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

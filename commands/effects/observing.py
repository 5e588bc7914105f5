"""What the system says at the time of a patrol: which processes live and work, and since when it is awake."""

from __future__ import annotations

import os
import time
from pathlib import Path

import msgspec

from hooks.pids import boot_id, has_proc, process_table
from reducers.policies.patrol import Observed

__all__ = ["Awake", "awake", "awake_since", "observe"]

_SLEPT_MS = 5_000
"""From how much growth on the time asleep has grown, milliseconds: two clocks are not read at once."""


class Awake(msgspec.Struct, frozen=True):
    """What is kept of the machine's sleep from one patrol to the next.

    boot: what tells this boot from another. asleep_ms: how long it slept in all since then, milliseconds.
    since: since when it is known to have been awake, milliseconds since 1970 UTC.
    """

    boot: str
    asleep_ms: int
    since: int


def awake(kept: Awake | None, boot: str, asleep_ms: int, booted: int, now: int) -> Awake:
    """The same as `kept` while the machine did not sleep; else awake since now, as far as can be told. Pure.

    booted: when this boot began, milliseconds since 1970 UTC: a machine that never slept was awake since.
    """
    if kept is not None and kept.boot == boot and asleep_ms - kept.asleep_ms < _SLEPT_MS:
        return kept
    return Awake(boot, asleep_ms, booted if asleep_ms < _SLEPT_MS else now)


def awake_since(file: Path, now: int, *, keep: bool = True) -> int | None:
    """Since when this machine is awake, milliseconds since 1970 UTC; None where it does not tell.

    file: what is kept between two patrols; made anew if it cannot be read, and with `keep` alone.
    """
    if not hasattr(time, "CLOCK_BOOTTIME"):
        return None
    up = time.clock_gettime_ns(time.CLOCK_BOOTTIME) // 1_000_000
    asleep = up - time.clock_gettime_ns(time.CLOCK_MONOTONIC) // 1_000_000
    try:
        kept = msgspec.json.decode(file.read_bytes(), type=Awake)
    except (OSError, msgspec.DecodeError):
        kept = None
    known = awake(kept, boot_id(), asleep, now - up, now)
    if keep and known is not kept:
        _keep(file, known)
    return known.since


def _keep(file: Path, known: Awake) -> None:
    """Writes what is kept; where that fails, the next patrol knows a little less, and no more than that."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        fresh = file.with_name(f"{file.name}.{os.getpid()}")
        fresh.write_bytes(msgspec.json.encode(known))
        fresh.replace(file)
    except OSError:
        return


def observe(awake_from: int | None) -> Observed:
    """The processes that live here now, with their start stamps, and those that have a child at work."""
    import socket

    boot = f"@{boot_id()}" if has_proc() else ""
    alive = [entry for entry in process_table().values() if entry.alive]
    return Observed(
        host=socket.gethostname(),
        started={entry.pid: entry.started + boot for entry in alive},
        busy=frozenset(entry.parent for entry in alive),
        awake_since=awake_from,
    )

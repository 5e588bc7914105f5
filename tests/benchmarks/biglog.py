"""The big log: 1M events, half of them runs, a quarter heartbeats, a quarter hooks (design, section 8)."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator
from pathlib import Path

from msgspec.structs import replace

from eventstore.digests import digest
from eventstore.events import Config, Event, Heartbeat, Hook, Run
from eventstore.lines import encode

__all__ = ["big_log", "events"]

RECIPE = 1
"""Raised whenever the log is made otherwise, so that an older one is not taken for it."""

START_MS = 1_764_517_599_123
CHUNK = 1 << 22


def big_log(cache: Path, count: int) -> Path:
    """A log of `count` chained events in a session of its own below `cache`; made once, then kept."""
    path = cache / f"log-{RECIPE}-{count}" / ".auto" / "log.jsonl"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        fresh = path.with_name(f"log.{os.getpid()}.new")
        _write(fresh, count)
        os.replace(fresh, path)
    return path


def _write(path: Path, count: int) -> None:
    prev: str | None = None
    with path.open("wb", buffering=CHUNK) as file:
        for seq, event in enumerate(events(count), 1):
            moment = START_MS + seq * 997
            line = encode(replace(event, seq=seq, timestamp=moment, by="worker:gpu0", prev=prev))
            prev = digest(line)
            file.write(line + b"\n")


def events(count: int) -> Iterator[Event]:
    """A session's events, always the same ones: lines of about 290 bytes once they stand in a log."""
    chance = random.Random(20251130)
    runs = 0
    best = 100.0
    for index in range(count):
        if index == 0:
            yield Config(name="make it faster", metricName="ms", metricUnit="ms", bestDirection="lower")
        elif index % 2:
            runs += 1
            keep = chance.random() < 0.1
            best = best * 0.9999 if keep else best
            yield Run(
                run=runs,
                commit=f"{chance.getrandbits(28):07x}",
                metric=round(best if keep else best + chance.random() * 10, 3),
                metrics={"rss_mb": round(chance.random() * 100, 2)},
                status="keep" if keep else "crash" if chance.random() < 0.05 else "discard",
                description=f"unroll the inner loop {chance.randrange(64)} times",
                confidence=2.1,
                asi={"hypothesis": "fewer branches"},
            )
        elif index % 4 == 2:
            yield Heartbeat(
                pid=4242,
                pid_started="8f2c:123456789",
                host="gpu-box-0",
                state="working",
                last_output=f"step {chance.randrange(10_000)}: the loss still falls",
            )
        else:
            yield Hook(
                stage="after",
                exit_code=0,
                duration_ms=chance.randrange(20, 60),
                stdout_bytes=0,
                script_sha256="9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
                at=index - 1,
            )

"""Logs as released versions wrote them, with the views they had; they must read the same for ever.

A folder a version. `NAME.jsonl` is a log, `NAME.json` what that version read from it: every view at its end,
two of them in its past, and what verifying it finds. The folder of the version that is being worked on may
still be written anew, by `python -m tests.golden`; the others never change.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from commands.effects.reading import stretches
from commands.effects.views import place_of, read_view
from commands.verify import document
from commands.where import parse_where
from eventstore.chain import verify
from eventstore.filelog import FileLog
from reducers import registry

__all__ = ["HERE", "LOGS", "NOW", "PAST", "read"]

HERE = Path(__file__).resolve().parent
LOGS = sorted(HERE.glob("*/*.jsonl"))

NOW = 1_764_530_000_000
"""The time at which views are looked at that depend on it: milliseconds since 1970 UTC."""

PAST = {"session": ("0", "1", "run:2"), "runs": ("run:3",)}
"""Places of the past at which views are looked at."""


def read(path: Path) -> dict[str, Any]:
    """All that this version reads from a log, as plain values."""
    log = FileLog(path)
    views = {name: read_view(log, registry.load(name), now=NOW).document() for name in registry.names()}
    past = {
        f"{name} at {where}": read_view(
            log, registry.load(name), at=place_of(log, parse_where(where)), now=NOW
        ).document()
        for name, places in PAST.items()
        for where in places
    }
    report = verify(stretches(path))
    checked = {
        **document(report),
        "faults": [fault.line for fault in report.faults],
    }  # their words may change
    plain: dict[str, Any] = msgspec.to_builtins({"verify": checked, "views": views, "past": past})
    return plain

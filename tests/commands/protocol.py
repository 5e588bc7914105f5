"""What the tests of the protocol's verbs share: a session, and what its log holds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.commands.conftest import Ar

__all__ = ["begin", "lines", "refused"]


def begin(ar: Ar, directory: Path) -> Path:
    """Begins a session without a metric; its log."""
    assert ar("init", "understand the parser", "--no-metric").code == 0
    return directory / ".auto" / "log.jsonl"


def lines(log: Path, skip: int = 1) -> list[dict[str, Any]]:
    """The log's lines after the first, without what only the envelope holds."""
    found = [json.loads(line) for line in log.read_text().splitlines()][skip:]
    return [{k: v for k, v in line.items() if k not in ("seq", "timestamp", "prev")} for line in found]


def refused(ar: Ar, log: Path, *argv: str, code: int = 2) -> str:
    """Calls `ar`, which must refuse with this code and write nothing; what it said on stderr."""
    before = log.read_bytes()
    ran = ar(*argv)
    assert (ran.code, ran.out) == (code, ""), ran
    assert log.read_bytes() == before
    assert ran.err.count("\n") <= 2
    return ran.err

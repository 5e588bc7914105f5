"""A session with hooks, for the tests of the commands that fire them or look at them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.commands.conftest import Ar, Ran

RECORDER = """#!/bin/bash
count=$(ls .received 2>/dev/null | wc -l)
mkdir -p .received
cat >".received/$((count + 1))"
"""
"""A script that keeps every payload it gets."""


class Hooked:
    """A session in the working directory, with a goal."""

    def __init__(self, ar: Ar, root: Path) -> None:
        self.ar = ar
        self.root = root
        self.hooks = root / ".auto" / "hooks"
        self.path = root / ".auto" / "log.jsonl"
        assert ar("init", "faster", "--metric", "total", "--unit", "s", "--direction", "lower").code == 0

    def hook(self, stage: str, text: str, mode: int = 0o755) -> Path:
        """A hook of that stage; a script without a shebang is bash."""
        self.hooks.mkdir(exist_ok=True)
        path = self.hooks / f"{stage}.sh"
        path.write_text(text)
        path.chmod(mode)
        return path

    def log(self, status: str = "keep", metric: float | None = 40, *more: str) -> Ran:
        """Records a run."""
        value = [] if metric is None else ["--metric", str(metric)]
        return self.ar("log", "--status", status, *value, "-m", "a change", *more)

    def lines(self, kind: str | None = None) -> list[dict[str, Any]]:
        """The log's lines that are JSON objects, of one type if one is named."""
        found = []
        for line in self.path.read_bytes().splitlines():
            try:
                value = json.loads(line)
            except ValueError:
                continue
            if kind is None or value.get("type") == kind:
                found.append(value)
        return found

    def received(self) -> list[bytes]:
        """What `RECORDER` got, in order."""
        folder = self.root / ".received"
        names = sorted((path.name for path in folder.iterdir()), key=int) if folder.exists() else []
        return [(folder / name).read_bytes() for name in names]


@pytest.fixture
def hooked(ar: Ar, tmp_path: Path) -> Hooked:
    """A session in an empty directory."""
    return Hooked(ar, tmp_path)

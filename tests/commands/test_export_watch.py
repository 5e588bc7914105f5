"""`ar export state DIR --watch`: a state folder that follows the log, whatever people do to it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.commands.conftest import Ar, environment
from tests.commands.protocol import begin


def test_it_follows_the_log_and_believes_nobody_else(ar: Ar, tmp_path: Path) -> None:
    """What a person edits, or takes away, is told, kept beside, and put right."""
    begin(ar, tmp_path)
    state = tmp_path / "state"
    progress = state / "progress.json"
    with subprocess.Popen(
        [sys.executable, "-m", "autoresearch_ledger", "export", "state", "state", "--watch", "--json"],
        cwd=tmp_path,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as watching:
        assert watching.stdout is not None
        assert watching.stderr is not None

        def told() -> dict[str, Any]:
            assert watching.stdout is not None
            found: dict[str, Any] = json.loads(watching.stdout.readline())
            return found

        assert len(told()["written"]) == 8
        assert ar("finding", "x").code == 0
        assert "findings.jsonl" in told()["written"]
        assert json.loads(progress.read_text())["total_findings"] == 1

        progress.write_text('{"total_findings": 99}\n')
        done = told()
        assert (done["written"], done["backups"]) == (["progress.json"], ["progress.json.bak"])
        assert b"it is kept as progress.json.bak" in watching.stderr.readline()
        assert json.loads(progress.read_text())["total_findings"] == 1
        assert (state / "progress.json.bak").read_text() == '{"total_findings": 99}\n'

        progress.unlink()
        assert told()["written"] == ["progress.json"]
        watching.terminate()


def test_what_somebody_else_wrote_is_not_overwritten_at_the_start(ar: Ar, tmp_path: Path) -> None:
    """As without --watch, exit 3; nor is anything but a state folder kept."""
    begin(ar, tmp_path)
    (tmp_path / "state").mkdir()
    (tmp_path / "state" / "progress.json").write_text("{}")

    assert ar("export", "state", "state", "--watch").code == 3
    assert "--watch keeps a state folder" in ar("export", "csv", "--watch").err

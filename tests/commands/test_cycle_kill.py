"""A cycle killed at any step and resumed ends exactly where an undisturbed one does (design, section 6.1)."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.commands.bench import Bench
from tests.commands.conftest import ROOT, Ar, environment
from tests.commands.cycle_killer import METRIC
from tests.commands.sandbox import Sandbox, prepared, sandbox

__all__ = ["prepared", "sandbox"]


def ends(bench: Bench, work: Path) -> list[dict[str, Any]]:
    """The end state after a kill at each step; the undisturbed one last."""
    work.mkdir()
    command = [sys.executable, "-m", "tests.commands.cycle_killer", str(bench.box.top), str(work)]
    done = subprocess.run(command, cwd=ROOT, env=environment(), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found


def test_a_kill_at_any_step_changes_nothing_in_the_end(sandbox: Sandbox, ar: Ar, tmp_path: Path) -> None:
    """Events, commits, index, files and the user's work are the same; what was measured stays so.

    Hooks are recorded once; one that ran when the kill came between it and its record runs again.
    """
    bench = Bench(sandbox, ar)
    bench.configure(measure=METRIC)
    bench.hook("after", "#!/bin/sh\necho x >> ../hooked\n")
    bench.value(12)
    bench.box.write("src/new file", b"\0")

    found = ends(bench, tmp_path / "work")
    undisturbed = found.pop()

    assert len(found) > 12
    assert undisturbed["kinds"][-7:] == [
        *("proposal", "started", "committed", "measured", "run", "reverted", "hook")
    ]
    assert undisturbed["status"] == ""
    assert sum(end.pop("hooked") != 1 for end in found) == 1
    assert undisturbed.pop("hooked") == 1
    for end in found:
        assert end == undisturbed

"""The tour that README shows."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from tests.commands.conftest import ROOT, environment, install


@pytest.mark.skipif(os.name != "posix", reason="a shell script")
def test_it_shows_the_main_job_and_leaves_nothing_behind(tmp_path: Path) -> None:
    """Record, view, look back, why, replay, verify; the altered line is found."""
    script = install(tmp_path / "bin")
    (tmp_path / "tmp").mkdir()
    path = os.pathsep.join([str(script.parent), os.environ["PATH"]])

    done = subprocess.run(
        ["sh", ROOT / "examples" / "tour.sh"],
        cwd=tmp_path,
        env=environment(PATH=path, TMPDIR=str(tmp_path / "tmp")),
        capture_output=True,
        text=True,
        timeout=240,
    )

    assert (done.returncode, done.stderr) == (0, "")
    for part in (
        "10 events written, the log ends at line 11",
        "Run 10: KEPT -- parse keys once (33.1 -> 31.9 ms, -3.6%)",
        "best        31.9 ms (run 10), -28.2%",
        "best        38.9 ms (run 4), -12.4%",
        "best_metric is 31.9, by line 12:",
        "ok  12 lines, 12 chained",
        "NOT OK  1 fault",
    ):
        assert part in done.stdout
    assert list((tmp_path / "tmp").iterdir()) == []


def test_another_ar_on_path_is_noticed(tmp_path: Path) -> None:
    """It would be the archiver."""
    other = tmp_path / "ar"
    other.write_text("#!/bin/sh\necho 'GNU ar (GNU Binutils) 2.40'\n")
    other.chmod(0o755)
    path = os.pathsep.join([str(tmp_path), os.environ["PATH"]])

    done = subprocess.run(
        ["sh", ROOT / "examples" / "tour.sh"], env=environment(PATH=path), capture_output=True
    )

    assert done.returncode == 1
    assert b"another program" in done.stderr

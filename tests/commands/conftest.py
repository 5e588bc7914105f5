"""Running `ar`: in this process for its logic, as a real process for everything else."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.commands.sandbox import plain_git

__all__ = ["ROOT", "Ar", "Ran", "ar", "environment", "install", "plain_git", "process"]

ROOT = Path(__file__).resolve().parents[2]


class Ran(NamedTuple):
    """What a call of `ar` left behind."""

    code: int
    out: str
    err: str


Ar = Callable[..., Ran]


@pytest.fixture
def ar(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Ar:
    """Calls `ar` in this process, in an empty directory of its own."""
    from commands.app import run

    for name in ("AR_DIR", "AR_BY", "AR_TRACEBACK", "COLUMNS", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)

    def call(*argv: str) -> Ran:
        capsys.readouterr()
        code = run(argv)
        out, err = capsys.readouterr()
        assert "Traceback" not in err
        return Ran(code, out, err)

    return call


def environment(**changed: str) -> dict[str, str]:
    """The environment of a process: ours, without what would change what `ar` does, with these."""
    dropped = ("AR_", "GIT_", "_AR_")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(dropped)}
    for name in ("COLUMNS", "NO_COLOR", "PYTHONPATH"):
        kept.pop(name, None)
    return {**kept, "PYTHONPATH": str(ROOT), **changed}


def process(
    *argv: str, cwd: Path | None = None, stdin: bytes = b"", timeout: float = 60, **changed: str
) -> Ran:
    """Calls `ar` as a process; `changed` are variables of its environment."""
    done = subprocess.run(
        [sys.executable, "-m", "autoresearch_ledger", *argv],
        cwd=cwd,
        input=stdin,
        capture_output=True,
        timeout=timeout,
        env=environment(**changed),
    )
    err = done.stderr.decode("utf-8", "replace")
    assert "Traceback" not in err, err
    return Ran(done.returncode, done.stdout.decode("utf-8", "replace"), err)


def install(directory: Path, name: str = "ar") -> Path:
    """A script like the one that an installer makes of our entry point."""
    directory.mkdir(parents=True, exist_ok=True)
    script = directory / name
    script.write_text(
        f"#!{sys.executable}\nimport sys\nfrom autoresearch_ledger import main\n"
        "if __name__ == '__main__':\n    sys.exit(main())\n"
    )
    script.chmod(0o755)
    return script

"""How others start this program: absolute paths, and never the archiver."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

import autoresearch_ledger
from commands.effects.own_program import own_argv
from tests.commands.conftest import install


@pytest.fixture
def interpreter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An interpreter in a folder of its own."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setattr(sys, "executable", str(folder / "python"))
    monkeypatch.setattr(sys, "argv", ["elsewhere.py"])
    return folder


def test_the_script_beside_the_interpreter(interpreter: Path) -> None:
    """Every environment has our script there."""
    script = install(interpreter)

    assert own_argv() == [str(script)]


def test_the_archiver_beside_the_interpreter_is_not_taken(
    interpreter: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Beside a system's interpreter lies the archiver; the script we were started as is ours."""
    archiver = interpreter / "ar"
    archiver.write_bytes(b"\x7fELF autoresearch_ledger")
    archiver.chmod(0o755)
    script = install(tmp_path / "user scripts", "autoresearch")
    monkeypatch.setattr(sys, "argv", [str(script)])

    assert own_argv() == [str(script)]


def test_without_any_script_the_interpreter_and_the_launcher(interpreter: Path) -> None:
    """Run as a module from a checkout there is no script; two absolute paths do."""
    argv = own_argv()

    assert argv == [sys.executable, autoresearch_ledger.__file__]
    assert all(os.path.isabs(word) for word in argv)


def test_a_script_that_may_not_be_executed_is_none(interpreter: Path) -> None:
    """What the shell could not start is not registered."""
    install(interpreter).chmod(0o644)

    assert own_argv()[0] == sys.executable

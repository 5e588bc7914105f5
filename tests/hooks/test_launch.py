"""How commands are started, and with what environment."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from hooks import launch
from hooks.launch import script_argv, script_problem, shell_argv, strip_own_environment


def test_our_own_variables_do_not_reach_a_program() -> None:
    """What is ours goes; what only looks like it, as builds use it for the archiver, stays."""
    ours = {"AR_DIR": "x", "AR_BY": "worker", "AR_BRIEF": "/b", "AUTORESEARCH_LEDGER_EXEC": "1"}
    theirs = {
        "PATH": "/bin",
        "AR": "llvm-ar",
        "ARFLAGS": "rcs",
        "AR_FLAGS": "cru",
        "AR_x86_64_unknown_linux_gnu": "gcc-ar",
        "MY_AR_DIR": "y",
    }

    assert strip_own_environment({**ours, **theirs}) == theirs


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("echo a; echo b", "a\nb\n"),
        ("printf '%s|' \"a  b\" $'c'", "a  b|c|"),
        ("-l; echo after", "after\n"),
        ("", ""),
        ("# only a comment", ""),
    ],
)
def test_a_command_line_is_run_by_bash(command: str, said: str) -> None:
    """The text is the shell's to read, all of it, even if it begins with a dash."""
    finished = subprocess.run(shell_argv(command), capture_output=True, text=True)

    assert finished.stdout == said


def test_without_bash_it_is_run_by_sh(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A system without bash has an sh."""
    sh = shutil.which("sh")
    assert sh is not None
    (tmp_path / "sh").symlink_to(sh)
    monkeypatch.setenv("PATH", str(tmp_path))
    (tmp_path / "hook").write_text("echo hi\n")

    assert subprocess.run(shell_argv("-x; echo hi"), capture_output=True).stdout == b"hi\n"
    assert script_argv(tmp_path / "hook") == ["sh", str(tmp_path / "hook")]


def test_a_script_is_named_by_its_whole_path(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A relative name is found from where we are, not on PATH, and never read as an option."""
    monkeypatch.chdir(tmp_path)
    Path("-e").write_text("#!/bin/sh\n")

    assert script_argv("-e") == [str(tmp_path / "-e")]
    assert script_argv("absent") == [str(tmp_path / "absent")]


def test_a_binary_is_run_as_it_is(tmp_path: Path) -> None:
    """A compiled hook needs no shebang."""
    true = shutil.which("true")
    assert true is not None
    shutil.copy(true, tmp_path / "hook")

    assert script_argv(tmp_path / "hook") == [str(tmp_path / "hook")]


def test_a_named_pipe_is_not_opened(tmp_path: Path) -> None:
    """Looking at how a file wants to be run never waits for its writer."""
    os.mkfifo(tmp_path / "hook")

    assert script_argv(tmp_path / "hook") == [str(tmp_path / "hook")]


@pytest.mark.parametrize(
    ("text", "shown"),
    [("./a b", "./a b"), ("\x1b[31m", r"'\x1b[31m'"), ("a ", "'a '"), ("", "''"), ("\udcff", r"'\udcff'")],
)
def test_names_are_never_drawn_raw(text: str, shown: str) -> None:
    """Control characters of a file's name are shown escaped."""
    assert launch._shown(text) == shown


@pytest.mark.parametrize(
    ("head", "problem"),
    [
        (b"#!/bin/sh\n", None),
        (b"#!/usr/bin/env sh\n", None),
        (b"#!/usr/bin/env -S LANG=C sh -e\n", None),
        (b"no shebang\n", None),
        (b"\x7fELF\0", None),
        (b"#!/no/such/sh -e\n", "names an interpreter that does not exist: /no/such/sh"),
        (b"#!/usr/bin/env nosuchprogram\n", "is run by nosuchprogram, which is not found on PATH"),
        (b"#!/bin/sh\r\n", "has Windows line endings (CRLF)"),
        (b"#! \n", "has an empty shebang line"),
    ],
)
def test_what_would_not_run_a_script_shows_beforehand(
    tmp_path: Path, head: bytes, problem: str | None
) -> None:
    """In its first line."""
    (tmp_path / "hook").write_bytes(head)

    found = script_problem(tmp_path / "hook", tmp_path, os.environ)

    assert (found is None) == (problem is None)
    assert (problem or "").strip("'") in (found or "").replace("'", "")

"""`ar hook`: the group, and the help of everything in it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from commands.hook import SUBCOMMANDS
from tests.commands.conftest import Ar, process


def test_without_a_subcommand_it_shows_its_help(ar: Ar) -> None:
    """Asked for nothing, it says what there is."""
    ran = ar("hook")

    assert ran.code == 0
    assert all(name in ran.out for name in SUBCOMMANDS)


@pytest.mark.parametrize("name", SUBCOMMANDS)
def test_every_subcommand_has_help_with_an_example(ar: Ar, name: str) -> None:
    """--help says what it does, and shows a call of it."""
    ran = ar("hook", name, "--help")

    assert ran.code == 0
    assert "Example" in ran.out
    assert f"ar hook {name}" in ran.out


def test_an_unknown_subcommand(ar: Ar) -> None:
    """The nearest one is named."""
    ran = ar("hook", "pyload")

    assert (ran.code, ran.err) == (2, "ar: there is no command 'hook pyload'\ntry: ar hook payload\n")


@pytest.mark.parametrize("before", [(), ("-C", ".")], ids=["by the launcher", "by the command line"])
def test_error_capture_answers_either_way(tmp_path: Path, before: tuple[str, ...]) -> None:
    """Started by the short cut or, with an option before it, by the command line: the same, and recorded."""
    goal = ("faster", "--metric", "total", "--unit", "s", "--direction", "lower")
    assert process("init", *goal, cwd=tmp_path).code == 0
    error = process(
        *before, "hook", "error-capture", "--text", cwd=tmp_path, stdin=b"fatal: not a git repository\n"
    )
    silent = process(*before, "hook", "error-capture", "--text", cwd=tmp_path, stdin=b"all well\n")

    assert (error.code, silent) == (0, (0, "", ""))
    assert '"additionalContext"' in error.out
    seen = process("view", "errors", "--json", cwd=tmp_path)
    assert json.loads(seen.out)["errors"] != []

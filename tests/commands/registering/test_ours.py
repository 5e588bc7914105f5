"""Which commands in somebody's settings are ours."""

from __future__ import annotations

import shlex

import pytest

from commands.registering.ours import ERROR_CAPTURE, MCP, program_in, shell_command


def test_a_command_is_the_program_and_its_verb() -> None:
    """A path with blanks, quotes or a dollar is still one word to the shell."""
    program = ["/opt/it's $HOME/bin/ar"]

    assert shlex.split(shell_command(program, ERROR_CAPTURE)) == [*program, "hook", "error-capture"]


@pytest.mark.parametrize(
    ("command", "program"),
    [
        ("/x/ar hook error-capture", ["/x/ar"]),
        ("./.venv/bin/autoresearch hook error-capture --text || true", ["./.venv/bin/autoresearch"]),
        ("env A=1 /x/ar hook error-capture", ["/x/ar"]),
        (
            "/x/python /y/autoresearch_ledger.py hook error-capture",
            ["/x/python", "/y/autoresearch_ledger.py"],
        ),
        ("echo error-capture", None),
        ("other hook error-capture", None),
        ("ar hook list", None),
        ("ar 'unclosed hook error-capture", None),
        ("", None),
    ],
)
def test_a_line_for_a_shell(command: str, program: list[str] | None) -> None:
    """Ours wherever it is installed, and whatever was put around it."""
    assert program_in(command, ERROR_CAPTURE) == program


@pytest.mark.parametrize(
    ("argv", "program"),
    [
        (["/x y/ar", "mcp"], ["/x y/ar"]),
        (
            ["/x/python", "/y/autoresearch_ledger.py", "mcp", "--http"],
            ["/x/python", "/y/autoresearch_ledger.py"],
        ),
        (["npx", "mcp"], None),
        (["mcp"], None),
        ([], None),
    ],
)
def test_an_argv(argv: list[str], program: list[str] | None) -> None:
    """The same of words."""
    assert program_in(argv, MCP) == program

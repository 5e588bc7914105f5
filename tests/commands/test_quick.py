"""The plain form of `ar append` starts without click, and means the same."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commands.append import append_cmd
from commands.appending import Request, plain_request
from tests.commands.conftest import environment

PLACES = ["note", "-", "detail=x", "n:=1", "3", "-3", "٣", "worker", "", " ", "\udcff"]
OPTIONS = ["--json", "--by", "--by=", "--by=worker:a", "--id", "--id=a=b", "--batch", "--batch=b", "--expect"]
ODD = [
    "--expect=3",
    "--expect=x",
    "--expect=-1",
    "--expect=007",
    "--help",
    "-h",
    "--",
    "-x",
    "--json=1",
    "--js",
]
WORDS = st.sampled_from([*PLACES, *OPTIONS, *ODD])


@given(st.lists(WORDS, max_size=7))
def test_it_is_read_as_the_parser_reads_it(words: list[str]) -> None:
    """Whatever the words, the request is the parser's, or the parser is asked."""
    request = plain_request(words)
    if request is not None:
        parsed = append_cmd.make_context("append", list(words)).params
        assert Request(**parsed) == request


@pytest.mark.parametrize(
    "words",
    [
        [],
        ["--json"],
        ["note", "--help"],
        ["note", "detail=x", "--by"],
        ["note", "--by", "-x"],
        ["note", "--expect", "many"],
        ["note", "--jsn"],
        ["note", "--", "-x=1"],
    ],
)
def test_what_needs_a_second_look_is_left_to_the_parser(words: list[str]) -> None:
    """Help, slips, values that begin with a dash."""
    assert plain_request(words) is None


@pytest.mark.parametrize(
    ("words", "request_"),
    [
        (["note", "detail=x"], Request("note", ("detail=x",))),
        (
            ["--json", "note", "--by", "worker", "a=b", "--id=k"],
            Request("note", ("a=b",), "worker", "k", as_json=True),
        ),
        (["-", "--batch", "n", "--expect=12"], Request("-", batch="n", expect=12)),
    ],
)
def test_the_plain_form(words: list[str], request_: Request) -> None:
    """Options anywhere, with a blank or `=` before their value."""
    assert plain_request(words) == request_


def test_the_launcher_takes_it(tmp_path: Path) -> None:
    """Neither click nor anything that it brings is imported, and errors are told as ever."""
    (tmp_path / ".auto").mkdir()
    (tmp_path / ".auto" / "log.jsonl").touch()
    code = (
        "import sys, autoresearch_ledger as a; sys.argv = ['ar', 'append', *sys.argv[1:]];"
        "code = a.main(); print('click' in sys.modules); sys.exit(code)"
    )
    for words, expected in (
        (["note", "detail=x"], (0, "note is line 1\nFalse\n", "")),
        (["note", "detail=x", "--expect=0"], (3, "False\n", "ar: the log's head is at 1, not at 0\n")),
        (["note", "--hepl"], (2, "True\n", "ar: no such option '--hepl'\n")),
    ):
        done = subprocess.run(
            [sys.executable, "-c", code, *words],
            cwd=tmp_path,
            env=environment(),
            capture_output=True,
            text=True,
        )
        assert (done.returncode, done.stdout) == expected[:2]
        assert done.stderr.startswith(expected[2])

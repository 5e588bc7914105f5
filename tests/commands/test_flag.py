"""`ar flag`: raised for a person, listed, taken down."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.commands.conftest import Ar
from tests.commands.protocol import begin, lines, refused


@pytest.fixture(autouse=True)
def log(ar: Ar, tmp_path: Path) -> Path:
    """A session's log."""
    return begin(ar, tmp_path)


def test_a_flag_goes_up_and_down(ar: Ar, log: Path) -> None:
    """And may go up again."""
    assert ar("flag", "licence", "needs a signature", "--by", "worker:a") == (
        0,
        "licence is up, line 2\n",
        "",
    )
    assert ar("flag", "licence", "--clear") == (0, "licence is down again, line 3\n", "")
    assert ar("flag", "licence", "needs a signature").out == "licence is up, line 4\n"
    assert lines(log)[:2] == [
        {"type": "flag", "by": "worker:a", "kind": "licence", "detail": "needs a signature"},
        {"type": "flag", "kind": "licence", "cleared": True},
    ]


def test_what_is_up_with_the_same_words_is_not_raised_again(ar: Ar, log: Path) -> None:
    """With other words it is."""
    assert ar("flag", "a", "x").code == 0
    assert ar("flag", "a", "x") == (0, "a is up already\n", "")
    document = json.loads(ar("flag", "a", "x", "--json").out)

    assert (document["seq"], document["event"], document["written"]) == (None, None, 0)
    assert ar("flag", "a", "y").out == "a is up, line 3\n"
    assert len(lines(log)) == 2


def test_those_that_are_up_are_listed(ar: Ar) -> None:
    """Those that are not, in the JSON alone; control characters are shown, not sent."""
    assert ar("flag") == (0, "no flag is up\n", "")
    for kind in ("a", "b\x1b[2J"):
        assert ar("flag", kind, "some words", "--by", "worker:x").code == 0
    assert ar("flag", "a", "--clear").code == 0
    rows = ar("flag").out.splitlines()
    document = json.loads(ar("flag", "--json").out)

    assert rows[0].split() == ["flag", "since", "by", "detail"]
    assert rows[1].startswith("b\\x1b[2J  ")
    assert rows[1].endswith("worker:x  some words")
    assert len(rows) == 2
    assert document["up"] == 1
    assert [(row["kind"], row["up"]) for row in document["flags"]] == [("a", False), ("b\x1b[2J", True)]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--clear",), "--clear needs the KIND of a flag"),
        (("a",), "ar: what 'a' is about is missing\ntry: ar flag a 'what and where'\n"),
        (("", "x"), "KIND is empty"),
        (("a", "--clear"), "ar: no flag 'a' is up\ntry: one that is up: none\n"),
    ],
)
def test_what_says_nothing_is_refused(ar: Ar, log: Path, words: tuple[str, ...], message: str) -> None:
    """Exit 2, nothing written."""
    assert message in refused(ar, log, "flag", *words)

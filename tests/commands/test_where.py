"""WHERE: places in the past of a log."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commands.errors import BadInputError
from commands.where import HEAD, AtMoment, AtRun, AtSeq, Where, kinds_for, locate, parse_where
from eventstore.memory import MemoryLog

LOG = b"""\
{"type":"config","name":"g","timestamp":1700000000000}
{"run":1,"status":"keep","metric":1,"timestamp":1700000010}

not json
{"run":7,"status":"keep","metric":1,"timestamp":"2023-11-14T22:14:00Z"}
{"type":"note","detail":"the clock ran backwards","timestamp":1700000020000}
{"type":"session_start","timestamp":1}
{"run":7,"status":"crash","timestamp":1700000100000}
"""


def find(text: str, log: bytes = LOG) -> int:
    """The line a WHERE means in a log."""
    where = parse_where(text)
    memory = MemoryLog(log)
    return locate(where, memory.head().seq, memory.read(kinds=kinds_for(where)))


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("head", HEAD),
        ("120", AtSeq(120)),
        ("0", AtSeq(0)),
        (" 7 ", AtSeq(7)),
        ("run:5", AtRun(5)),
        ("2023-11-14T22:13:20Z", AtMoment(1700000000000)),
        ("2023-11-14T22:13:20", AtMoment(1700000000000)),
        ("2023-11-15 00:13:20+02:00", AtMoment(1700000000000)),
        ("2023-11-14", AtMoment(1699920000000)),
    ],
)
def test_forms(text: str, where: Where) -> None:
    """A line, a run, a time (UTC unless it says otherwise), the head."""
    assert parse_where(text) == where


@pytest.mark.parametrize(
    "text", ["", "run:", "run:0", "run:-1", "run:x", "-3", "yesterday", "1.5", "9" * 30, "٣", "\x1b"]
)
def test_what_is_no_place_is_refused(text: str) -> None:
    """With what is allowed."""
    with pytest.raises(BadInputError) as caught:
        parse_where(text)
    assert caught.value.exit_code == 2
    assert caught.value.remedy


@given(st.text())
def test_any_text_is_a_place_or_refused(text: str) -> None:
    """Nothing else is raised."""
    with suppress(BadInputError):
        parse_where(text)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("head", 8),
        ("0", 0),
        ("4", 4),
        ("8", 8),
        ("run:1", 2),
        ("run:2", 5),
        ("run:3", 8),
        ("2023-11-14T22:13:20Z", 1),
        ("2023-11-14T22:13:35Z", 2),
        ("2023-11-14T22:13:45Z", 6),
        ("2030-01-01", 8),
    ],
)
def test_places_are_found(text: str, line: int) -> None:
    """Blank and damaged lines count, runs count by their order, times by the last event not after them."""
    assert find(text) == line


@pytest.mark.parametrize(
    ("text", "message", "remedy"),
    [
        ("9", "the log ends at line 8; there is no line 9", "head"),
        ("run:4", "the log has 3 runs; there is no run 4", "run:3"),
        (
            "2001-01-01",
            "no event of the log is as old as 2001-01-01T00:00:00.000Z",
            "2023-11-14T22:13:20.000Z",
        ),
    ],
)
def test_beyond_the_log_is_an_error_that_says_how_far_it_goes(text: str, message: str, remedy: str) -> None:
    """And what to ask for instead."""
    with pytest.raises(BadInputError) as caught:
        find(text)
    assert caught.value.message == message
    assert remedy in caught.value.remedy


def test_an_empty_log_has_its_beginning_and_its_head() -> None:
    """Both are the same place; there are no runs and no times in it."""
    assert (find("head", b""), find("0", b"")) == (0, 0)
    for text in ("1", "run:1", "2023-11-14"):
        with pytest.raises(BadInputError):
            find(text, b"")

"""The glance: what it dismisses can be no error."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hooks.error_capture import error_in
from hooks.error_exclusions import EXCLUSIONS, HARMLESS
from hooks.error_glance import may_hold_error
from hooks.error_patterns import PATTERNS, Row
from tests.hooks.test_error_capture import payload

WORDS = [
    "0",
    "10",
    "error",
    "errors",
    "failed",
    ":",
    "=",
    " ",
    ".",
    ",",
    "(",
    "\n",
    "no",
    "x",
    "_",
    "exception",
    "fatal",
]


def as_json(text: str) -> bytes:
    """The text as a payload carries it."""
    return json.dumps(payload(text)).encode()


@pytest.mark.parametrize("row", PATTERNS, ids=lambda row: row.name)
def test_the_glance_knows_every_needle(row: Row) -> None:
    """A new pattern is of no use while the glance dismisses its lines, as text or inside JSON."""
    for needle in row.needles:
        text = f"x {needle.removesuffix('~')} y"
        assert may_hold_error(text.encode()), needle
        assert may_hold_error(as_json(text)), needle


@pytest.mark.parametrize(
    "raw", [b"all good", b'{"tool_response":{"stdout":"ok","stderr":"","interrupted":false}}']
)
def test_the_glance_dismisses_what_holds_no_stem(raw: bytes) -> None:
    """The names of the payload's own fields are no stems."""

    assert not may_hold_error(raw)


@pytest.mark.parametrize(
    "raw",
    [
        b"ERROR",
        b"10 failed",
        b"2.0 errors",
        b"errors: 03",
        b"er\x1b[1mror",
        b'"\\u0065rror"',
        "❌".encode(),
        b'"HTTP\\/1.1 500"',
    ],
)
def test_the_glance_lets_through_what_may_be_hidden(raw: bytes) -> None:
    """Other cases, other numbers, colours and JSON's escapes hide nothing from the glance."""

    assert may_hold_error(raw)


@given(
    st.lists(st.sampled_from(WORDS), max_size=8).map("".join)
    | st.lists(
        st.sampled_from([line for row in (*PATTERNS, *EXCLUSIONS, *HARMLESS) for line in row.lines])
    ).map("\n".join)
)
def test_what_the_glance_dismisses_is_no_error(text: str) -> None:
    """Sound: output with an error in any line is never dismissed, as text or inside JSON."""
    if any(error_in(line) for line in text.split("\n")):
        assert may_hold_error(text.encode())
        assert may_hold_error(as_json(text))

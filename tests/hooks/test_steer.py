"""What of a hook's output reaches the agent."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hooks.process import Finished
from hooks.steer import STEER_CAP, cut_text, is_truncated, label, render_steer


def finished(stdout: bytes = b"", stderr: bytes = b"", exit_code: int | None = 0, **more: Any) -> Finished:
    """A hook that ran, of whose output nothing is missing unless `more` says so."""
    totals = {"stdout_bytes": len(stdout), "stderr_bytes": len(stderr)}
    fields = {"exit_code": exit_code, "timeout": 30.0, "duration_ms": 5, **totals, **more}
    return Finished(stdout=stdout, stderr=stderr, **fields)


@pytest.mark.parametrize(
    ("data", "cap", "kept", "cut"),
    [
        (b"short", 5, b"short", False),
        (b"one\ntwo\nthree", 9, b"one\ntwo", True),
        (b"one\ntwo\nthree", 7, b"one\ntwo", True),
        (b"one\ntwo\nthree", 6, b"one", True),
        (b"\nlong line", 4, b"\nlon", True),
        ("aé".encode(), 2, b"a", True),
        ("a€b".encode(), 3, b"a", True),
        ("a€b".encode(), 4, "a€".encode(), True),
        ("😀😀".encode(), 7, "😀".encode(), True),
        ("😀".encode(), 3, b"", True),
        (b"\x80" * 9, 5, b"\x80" * 5, True),
        (b"anything", 0, b"", True),
        (b"", 0, b"", False),
    ],
)
def test_text_is_cut_at_a_line_or_a_character(data: bytes, cap: int, kept: bytes, cut: bool) -> None:
    """At the last newline at or before the cap; without one, before the character that crosses it."""
    assert cut_text(data, cap) == (kept, cut)


@given(st.text(alphabet=st.sampled_from("a\né€😀"), max_size=40), st.integers(0, 60))
def test_a_cut_text_is_the_longest_valid_head(text: str, cap: int) -> None:
    """The cut is a head of whole characters, never over the cap, and whole lines if it has lines at all."""
    data = text.encode()
    kept, cut = cut_text(data, cap)

    assert data.startswith(kept)
    assert len(kept) <= cap or not cut
    assert cut == (kept != data)
    kept.decode()
    if cut and b"\n" in data[1 : cap + 1]:
        assert data[len(kept) : len(kept) + 1] == b"\n"
        assert b"\n" not in data[len(kept) + 1 : cap + 1]
    elif cut:
        assert len(kept) > cap - 4


@given(st.binary(max_size=40), st.integers(0, 60))
def test_no_bytes_at_all_are_too_strange_to_cut(data: bytes, cap: int) -> None:
    """What is no UTF-8 is cut too, to a head no longer than the cap."""
    kept, cut = cut_text(data, cap)

    assert data.startswith(kept)
    assert len(kept) <= max(cap, 0)
    assert cut == (len(data) > cap)


@pytest.mark.parametrize(
    ("result", "steer"),
    [
        (finished(b"try X\n"), "try X"),
        (finished(b"two\nlines\n\n", b"noise"), "two\nlines"),
        (finished(b"", b"only noise"), ""),
        (finished(b" \n\t\n"), ""),
        (finished(exit_code=1), "[before hook exited 1]"),
        (finished(b"out\n", b"err\n", 3), "[before hook exited 3]\nerr\nout"),
        (finished(b"out", b"", 3), "[before hook exited 3]\nout"),
        (finished(exit_code=-9), "[before hook exited -9 (SIGKILL)]"),
        (finished(exit_code=-99), "[before hook exited -99]"),
        (finished(b"half a w", b"x", None, timed_out=True), "[before hook timed out after 30s]"),
        (finished(exit_code=None, timed_out=True, timeout=0.5), "[before hook timed out after 0.5s]"),
        (finished(exit_code=None, error="it is gone"), "[before hook could not be run: it is gone]"),
        (finished(b"caf\xc3"), "caf\ufffd"),
    ],
)
def test_a_steer_says_what_the_hook_said_or_why_not(result: Finished, steer: str) -> None:
    """stdout of a hook that went well, else the reason first; silence stays silence."""
    assert render_steer("before", result) == steer


@pytest.mark.parametrize(
    ("stdout", "shown"),
    [
        (b"x" * STEER_CAP, STEER_CAP),
        (b"x" * STEER_CAP + b"\n", STEER_CAP),
        (b"x" * (STEER_CAP + 1), STEER_CAP),
        (b"x" * (STEER_CAP - 1) + "é".encode(), STEER_CAP - 1),
        (b"x" * (STEER_CAP - 2) + b"\n" + b"y" * 50, STEER_CAP - 2),
    ],
    ids=["exactly", "exactly and a newline", "one too many", "half a character", "at a newline"],
)
def test_a_long_steer_is_cut_to_the_byte_and_says_so(stdout: bytes, shown: int) -> None:
    """Up to the cap nothing is said; beyond, the last line says how much of how much is shown."""
    steer = render_steer("after", finished(stdout))
    whole = len(stdout.rstrip(b"\n")) == shown
    marker = "" if whole else f"\n[truncated: the first {shown} of {len(stdout)} bytes]"

    assert steer == stdout[:shown].decode() + marker
    assert is_truncated(finished(stdout)) is not whole


def test_what_was_not_captured_counts_as_cut() -> None:
    """A flood of which only the head was kept is told by its true size."""
    result = finished(b"one\n" + b"x" * STEER_CAP, stdout_bytes=52_428_800, stdout_truncated=True)

    assert render_steer("before", result) == "one\n[truncated: the first 3 of 52428800 bytes]"
    assert is_truncated(result)


@given(st.binary(max_size=30).map(lambda head: head * 700), st.binary(max_size=3))
def test_a_steer_is_never_larger_than_its_cap(body: bytes, end: bytes) -> None:
    """Whatever a hook prints, at most the cap's bytes of valid UTF-8 stand before the marker."""
    steer = render_steer("before", finished(body + end))

    assert len(steer.partition("\n[truncated: ")[0].encode()) <= STEER_CAP


def test_a_steer_is_labelled_by_its_script() -> None:
    """The agent sees which hook speaks; silence gets no label."""
    assert label("before", "try X") == "[hook before.sh]\ntry X"
    assert label("after", "") == ""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reducers.policies.fencing import clipped, fenced, one_line, quoted

HOSTILE = st.text(
    alphabet=st.sampled_from("ab`\"'\n\r\t \x1b\x00\x9b\u202e\ud800#-$()\\"), max_size=60
) | st.text(max_size=60)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("two\nlines\t and  blanks", "two lines and blanks"),
        ("\x1b[31mred\x1b[0m", "\\x1b[31mred\\x1b[0m"),
        ("a\u202eb", "a\\u202eb"),
        ("# heading\n```", "# heading ```"),
        ("", ""),
    ],
)
def test_a_text_becomes_one_line(text: str, shown: str) -> None:
    """White space is blanks, what steers a terminal is spelled out."""

    assert one_line(text) == shown


@given(HOSTILE, st.integers(1, 40))
def test_one_line_is_one_line_within_its_cap(text: str, cap: int) -> None:
    """Whatever it is given: printable, no line break, no longer than asked for."""
    line = one_line(text, cap)

    assert len(line) <= cap
    assert "\x1b" not in line
    assert len(line.splitlines()) <= 1


@given(HOSTILE)
def test_a_quoted_text_cannot_end_its_quotes(text: str) -> None:
    """The only double quotes are the two around it."""

    assert quoted(text).count('"') == 2


def test_a_text_that_is_cut_ends_with_an_ellipsis() -> None:
    """It counts as one of the characters."""

    assert clipped("abcdef", 4) == "abc…"
    assert clipped("abcd", 4) == "abcd"


@given(HOSTILE, st.integers(1, 200), st.sampled_from(["head", "tail"]))
def test_nothing_in_a_block_closes_its_fence(text: str, cap: int, keep: str) -> None:
    """Its first line's fence is found again in one line only, the one that ends it."""
    block = fenced(text, cap=cap, keep=keep)  # type: ignore[arg-type]

    lines = block.split("\n")
    fence = lines[0].removesuffix("text")
    assert re.fullmatch("`{3,}", fence)
    closing = [number for number, line in enumerate(lines) if line.strip() == fence]
    assert len(closing) == 1
    assert closing[0] >= len(lines) - 2
    assert all(fence not in line for line in lines[1 : closing[0]])
    assert "\x1b" not in block
    assert len(block) <= 4 * cap + 2 * (cap + 4) + 200


def test_what_is_too_long_is_cut_at_a_line_and_says_so() -> None:
    """At its end, or at its beginning where the end is what matters; where the rest is, is told."""
    text = "\n".join(f"line {number}" for number in range(10))

    assert fenced(text, cap=15, rest="ideas.md") == (
        "```text\nline 0\nline 1\n```\n(56 characters are left out at its end; all of it is in ideas.md.)"
    )
    assert fenced(text, cap=15, keep="tail") == (
        "```text\nline 8\nline 9\n```\n(56 characters are left out at its beginning.)"
    )
    assert fenced("a\r\nb\n", cap=15) == "```text\na\nb\n```"

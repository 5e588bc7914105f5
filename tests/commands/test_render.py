"""Values as text for people."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commands.render import Column, cells, clip, delta, duration, escape, fitted, number, pairs, table, when


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\x1b[31mred\x1b[0m", "\\x1b[31mred\\x1b[0m"),
        ("a\nb\tc\r", "a\\nb\\tc\\r"),
        ("\x07\x00\x7f\x9b", "\\x07\\x00\\x7f\\x9b"),
        ("abc\u202etxt", "abc\\u202etxt"),
        ("\ud83d", "\\ud83d"),
        ("\u2028\u2029\ufeff\U000e0041", "\\u2028\\u2029\\ufeff\\U000e0041"),
    ],
)
def test_what_a_terminal_obeys_is_spelled_out(text: str, shown: str) -> None:
    """Controls, direction overrides, invisible marks and half emoji are shown, not sent."""
    assert escape(text) == shown


@pytest.mark.parametrize("text", ["µs, naïve, 模型", "a\xa0b\u3000c", "👩\u200d💻", "[red]x[/red]"])
def test_harmless_text_stays_as_it_is(text: str) -> None:
    """Letters of any script, wide blanks and joined emoji are not escaped."""
    assert escape(text) == text


@given(st.text())
def test_nothing_escaped_holds_a_control(text: str) -> None:
    """Whatever the text, no character below a blank, no DEL and no C1 control is left."""
    assert not any(ord(c) < 32 or 127 <= ord(c) < 160 for c in escape(text))


def test_lines_may_stay_lines() -> None:
    """For text of several lines, newlines and tabs stay, all else is escaped."""
    assert escape("a\n\tb\x1b\r", lines=True) == "a\n\tb\\x1b\\r"


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (38, "38"),
        (38.9, "38.9"),
        (38.0, "38"),
        (0.1 + 0.2, "0.3"),
        (1234567.891, "1234567.9"),
        (123456789, "123456789"),
        (1e300, "1e+300"),
        (2.5e-7, "2.5e-07"),
        (-0.85, "-0.85"),
        (None, "-"),
        ("12 apples\x1b", "12 apples\\x1b"),
        (True, "True"),
    ],
)
def test_numbers_are_readable(value: object, shown: str) -> None:
    """Six significant digits, integers whole, and nothing that is no number breaks it."""
    assert number(value) == shown


def test_an_integer_too_long_to_spell_is_no_error() -> None:
    """Python refuses to spell out integers of more than some thousand digits."""
    assert number(10**5000) == "an integer of thousands of digits"


def test_a_number_has_its_unit() -> None:
    """The unit comes after a blank, escaped; an empty one is none."""
    assert (number(3.5, "ms"), number(3.5, ""), number(1, "\x1b")) == ("3.5 ms", "3.5", "1 \\x1b")


@pytest.mark.parametrize(
    ("before", "after", "shown"),
    [
        (44.4, 38.9, "-12.4%"),
        (-10, -5, "+50.0%"),
        (5, 5, "+0.0%"),
        (0, 5, "-"),
        (None, 5, "-"),
        (5, None, "-"),
        (1e-300, 1e300, "-"),
        (1e-9, 1e9, "+1.0e+20%"),
        (10**400, 1, "-100.0%"),
        (1, 10**400, "-"),
    ],
)
def test_a_change_is_told_in_percent(before: float | None, after: float | None, shown: str) -> None:
    """Signed, of the earlier value's magnitude; nothing where there is nothing to compare."""
    assert delta(before, after) == shown


@pytest.mark.parametrize(
    ("seconds", "shown"),
    [
        (0.8123, "0.812 s"),
        (45, "45 s"),
        (720, "12 min"),
        (11_100, "3 h 05 min"),
        (187_200, "2 d 4 h"),
        (-3, "0 s"),
    ],
)
def test_lengths_of_time_are_rounded(seconds: float, shown: str) -> None:
    """In the unit that suits them."""
    assert duration(seconds) == shown


def test_a_moment_is_shown_in_utc() -> None:
    """To the second, with its zone; `-` where there is none."""
    assert (when(1764517599123), when(None)) == ("2025-11-30 15:46:39Z", "-")


def test_wide_characters_take_two_cells() -> None:
    """Cells are counted as a terminal draws them."""
    assert (cells("abc"), cells("模型"), cells("e\u0301"), cells("👩\u200d💻")) == (3, 4, 1, 4)


@given(st.text(), st.integers(0, 30))
def test_cut_text_fits(text: str, width: int) -> None:
    """What is cut takes no more cells than there are, and what fits is not cut."""
    shown = clip(text, width)
    assert cells(shown) <= width
    if cells(text) <= width:
        assert shown == text


def test_pairs_are_aligned() -> None:
    """Values begin in one column, also after wide labels."""
    assert pairs([("goal", "x"), ("模型", "y"), ("a", "z")]) == "goal  x\n模型  y\na     z\n"
    assert pairs([]) == ""


def test_a_table_is_aligned_and_uncut() -> None:
    """Numbers to the right, text to the left, no blanks at the end."""
    columns = [Column("run", right=True), Column("status"), Column("description", flexible=True)]

    text = table(columns, [("1", "keep", "baseline"), ("12", "discard", "x" * 100)])

    assert text == f"run  status   description\n  1  keep     baseline\n 12  discard  {'x' * 100}\n"


def test_a_flexible_column_makes_room() -> None:
    """Only its cells are cut, and to no less than ten."""
    columns = [Column("run", right=True), Column("description", flexible=True)]
    rows = [("12345", "x" * 100)]

    assert fitted(columns, rows, 40) == [["12345", "x" * 32 + "…"]]
    assert fitted(columns, rows, 3) == [["12345", "x" * 9 + "…"]]
    assert fitted(columns, rows, 200) == [list(row) for row in rows]


def test_several_share_what_there_is() -> None:
    """The widest are cut to one width; one that is narrower stays whole, and a number always does."""
    columns = [Column("n", right=True), *(Column(name, flexible=True) for name in ("a", "b", "c"))]
    rows = [("1", "x" * 60, "y" * 40, "z" * 12)]

    assert fitted(columns, rows, 59) == [["1", "x" * 19 + "…", "y" * 19 + "…", "z" * 12]]
    assert fitted(columns, rows, 20) == [["1", "x" * 9 + "…", "y" * 9 + "…", "z" * 9 + "…"]]


def test_a_table_without_rows_is_its_headings() -> None:
    """Nothing to show is no error."""
    assert table([Column("run")], []) == "run\n"

"""Values as people give them on the command line."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commands.errors import BadInputError
from commands.given import LONGEST, choices, finite, length, moment, words
from eventstore.events.protocol import Layer

NOW = 1_764_517_600_000
HOUR = 3_600_000


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("90s", 90),
        ("15m", 900),
        ("15min", 900),
        ("2h", 7200),
        ("1h30m", 5400),
        ("1h 30 m", 5400),
        ("1.5h", 5400),
        (".5s", 0.5),
        ("2D", 172_800),
        ("1w", 604_800),
        ("600", 600),
        (" 12.25 ", 12.25),
    ],
)
def test_a_length_of_time_is_read_as_people_write_it(text: str, seconds: float) -> None:
    """A number alone is seconds; whole ones are integers."""
    found = length("--for", text)

    assert found == seconds
    assert type(found) is (int if seconds == int(seconds) else float)


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "m",
        "-5m",
        "0",
        "0s",
        "15 x",
        "15m later",
        "1e3",
        "inf",
        "nan",
        "1_000",
        "٣m",
        "15m-2m",
        "9999d",
    ],
)
def test_what_is_no_length_of_time_is_refused(text: str) -> None:
    """One line that names the option and what would do; never a limit that reads as infinite."""
    with pytest.raises(BadInputError, match="--for"):
        length("--for", text)


@given(st.text(max_size=12))
def test_no_text_makes_a_length_that_is_not_one(text: str) -> None:
    """A finite number above 0 and at most a year, or an error."""
    try:
        seconds = length("--for", text)
    except BadInputError:
        return

    assert 0 < seconds <= LONGEST


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("15m", NOW + HOUR // 4),
        ("2h", NOW + 2 * HOUR),
        ("2025-11-30T18:00Z", 1_764_525_600_000),
        ("2025-11-30T18:00", 1_764_525_600_000),
        ("2025-11-30T19:00+01:00", 1_764_525_600_000),
    ],
)
def test_a_moment_is_a_span_from_now_or_an_iso_time(text: str, at: int) -> None:
    """In UTC unless it says."""
    assert moment("--until", text, NOW) == at


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("900", "no unit"),
        ("2020-01-01", "is past"),
        ("soon", "no length of time"),
        ("-1h", "no length of time"),
    ],
)
def test_a_moment_that_is_none_is_refused(text: str, said: str) -> None:
    """A bare number could be either, a time that is past would end at once."""
    with pytest.raises(BadInputError, match=said):
        moment("--until", text, NOW)


def test_numbers_stay_as_they_are_written() -> None:
    """Infinity and the like are none."""
    assert [finite("--metric", text) for text in ("38", "38.5", "1e3")] == [38, 38.5, 1000.0]
    for text in ("inf", "nan", "x", "1e999", ""):
        with pytest.raises(BadInputError):
            finite("--metric", text)


def test_words_are_not_blank_and_choices_are_the_fields() -> None:
    """What the events themselves allow."""
    assert words("TEXT", " a ") == " a "
    assert choices(Layer) == ("L0", "L1", "L2")
    with pytest.raises(BadInputError, match="TEXT is empty"):
        words("TEXT", "\n")

"""What the branches of a finalised session are called and say."""

from __future__ import annotations

import pytest

from commands.effects.git_queries import trailers
from reducers.policies.finalizing import KeptRun, Metric
from reducers.policies.finalizing_text import (
    Gain,
    branch_name,
    free_prefix,
    gain_of,
    headline,
    message,
    told_gain,
)

MS = Metric("total", "ms", "lower")


def kept(
    run: int,
    before: float | None,
    after: float | None,
    words: str = "x",
    segment: int = 0,
    metric: Metric = MS,
) -> KeptRun:
    return KeptRun(run, segment, words, f"{run:040x}", before, after, ("a",), metric=metric)


def test_a_chain_of_runs_gained_from_its_first_to_its_last() -> None:
    """The change is that of the metric: below 0 for less."""
    assert gain_of([kept(2, 40, 30), kept(5, 30, 20)]) == Gain(40, 20, -20, -50.0)
    assert told_gain(gain_of([kept(2, 40, 30)]), "ms") == "40 -> 30 ms (-25.0%)"
    assert told_gain(gain_of([kept(2, 0, 3)]), None) == "0 -> 3"


def test_what_others_gained_in_between_is_not_the_group_s() -> None:
    """Its own share is the sum of its steps, and only that is told."""
    gain = gain_of([kept(2, 40, 30), kept(5, 25, 20)])

    assert gain == Gain(40, 20, -15, -37.5, apart=True)
    assert told_gain(gain, "ms") == "-15 ms (-37.5%)"
    assert told_gain(gain_of([kept(2, 1, 3), kept(4, 9, 10)]), None) == "+3 (+300.0%)"


@pytest.mark.parametrize(
    "runs",
    [
        [],
        [kept(1, None, 40)],
        [kept(2, 40, None)],
        [kept(2, 40, 30), kept(3, 20, 10, segment=1)],
        [kept(2, -1.7e308, 1.7e308)],
    ],
)
def test_no_gain_is_made_up(runs: list[KeptRun]) -> None:
    """Where there is no value before or after, over two segments, or beyond a double."""
    assert gain_of(runs) == Gain()
    assert told_gain(gain_of(runs), "ms") == ""


def test_a_run_that_tells_no_gain_is_passed_over() -> None:
    """Those that do count."""
    assert gain_of([kept(1, None, 40), kept(2, 40, 30)]) == Gain(40, 30, -10, -25.0)


def test_the_run_that_gained_most_gives_the_headline() -> None:
    """By per cent and by direction; how many there are besides is told."""
    higher = Metric("score", "", "higher")
    runs = [kept(2, 40, 39, "small"), kept(3, 39, 30, "large"), kept(4, 30, 29, "late")]

    assert headline(runs) == "large (and 2 more)"
    assert headline([kept(2, 1, 2, "up", 0, higher), kept(3, 2, 9, "more", 0, higher)]) == "more (and 1 more)"
    assert headline([kept(7, 1, 2, " ")]) == "the change of run 7"
    assert headline([]) == "other changes"
    assert len(headline([kept(2, 1, 2, "word " * 40), kept(3, 2, 3)])) <= 72


def test_a_message_tells_the_gain_run_by_run() -> None:
    """And ends with trailers that our own reader finds."""
    text = message([kept(2, 40, 30, "cache"), kept(5, 30, 20, "arena")], "41:9f86")

    assert text == (
        "arena (and 1 more)\n"
        "\n"
        "total: 40 -> 20 ms (-50.0%)\n"
        "\n"
        "Kept in the session, each measured against the best before it:\n"
        "- run 2: 40 -> 30 ms (-25.0%) cache\n"
        "- run 5: 30 -> 20 ms (-33.3%) arena\n"
        "\n"
        "Ar-Runs: 2, 5\n"
        "Ar-Gain: -20 ms (-50.0%)\n"
        "Ar-Head: 41:9f86\n"
    )
    assert trailers(text) == {"Ar-Runs": "2, 5", "Ar-Gain": "-20 ms (-50.0%)", "Ar-Head": "41:9f86"}


def test_a_share_is_called_one() -> None:
    """So that nobody takes the values of the ends for its doing."""
    text = message([kept(2, 40, 30), kept(5, 25, 20)], None)

    assert "total: -15 ms (-37.5%), while other changes were kept in between\n" in text
    assert "Ar-Head" not in text


def test_agents_words_cannot_forge_a_trailer() -> None:
    """They stand in one line, escaped."""
    evil = "fine\n\nAr-Head: 1:0000\n\x1b[2J"
    text = message([kept(2, 40, 30, evil, metric=Metric("m\nAr-Gain: 9", "u\nAr-Runs: 7"))], "41:9f86")

    assert "\x1b" not in text
    assert trailers(text)["Ar-Head"] == "41:9f86"
    assert trailers(text)["Ar-Runs"] == "2"
    assert text.count("\nAr-") == 3


def test_a_message_without_runs_says_so() -> None:
    """That of the other changes."""
    assert message([], None) == "other changes\n\nWhat belongs to no kept run of the session.\n"


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("Cache the parser!", "p/3-cache-the-parser"),
        ("größer: Überlauf", "p/3-groer-uberlauf"),
        ("..", "p/3-change"),
        ("漢字", "p/3-change"),
        ("x.lock", "p/3-x-lock"),
        ("w" * 60, f"p/3-{'w' * 40}"),
        ("one two three four five six seven eight nine ten", "p/3-one-two-three-four-five-six-seven-eight"),
    ],
)
def test_a_branch_is_named_after_its_change(words: str, name: str) -> None:
    """In letters that git, a shell and a file system take."""
    assert branch_name("p", 3, 9, words) == name


def test_numbers_are_as_wide_as_the_largest() -> None:
    """So that names sort."""
    assert branch_name("p", 3, 10, "x") == "p/03-x"


def test_a_prefix_that_is_taken_gets_a_number() -> None:
    """By a branch of that name, or by branches below it."""
    assert free_prefix(["main", "finalized-x"]) == "finalized"
    assert free_prefix(["finalized/1-a"]) == "finalized-2"
    assert free_prefix(["finalized", "finalized-2/x"]) == "finalized-3"

"""Numbers, verdicts, directions and times as other programs write them."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eventstore.formats.values import (
    clean,
    direction_in,
    direction_of,
    is_nothing,
    is_unfinished,
    moment_of,
    number_of,
    plain_word,
    status_of,
    whole_of,
)
from eventstore.values import is_json


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("38.9", 38.9),
        ("38", 38),
        ("+0.3", 0.3),
        ("-85.29%", -85.29),
        ("−4", -4),
        ("1,234,567.5", 1234567.5),
        ("1,234", 1234),
        (".5", 0.5),
        ("5.", 5.0),
        ("1e-05", 1e-05),
        ("137ms", 137),
        ("12.3 s", 12.3),
        ("2.5x", 2.5),
        ("~3.4", 3.4),
        (" 7 ", 7),
        ("14/20", None),
        ("2141.08/110.5", None),
        ("2026-01-31", None),
        ("1.2.3", None),
        ("12 apples", None),
        ("NaN", None),
        ("inf", None),
        ("1e999", None),
        ("—", None),
        ("-", None),
        ("pending", None),
        ("hang", None),
        ("0,983", None),
        ("", None),
        ("٣", None),
        ("9" * 100, None),
    ],
)
def test_numbers_in_text(text: str, number: float | None) -> None:
    """A cell that spells a number is that number; whatever else has digits in it is text."""
    assert number_of(text) == number


def test_numbers_keep_their_type() -> None:
    """38 stays an integer; a boolean is no number; what no double can hold is none."""
    assert type(number_of("38")) is int
    assert number_of(True) is None
    assert number_of(float("nan")) is None
    assert number_of(2**70) == float(2**70)
    assert number_of(10**400) is None
    assert whole_of("12") == 12
    assert whole_of(12.5) is None
    assert whole_of("-3") is None


@pytest.mark.parametrize(
    ("said", "status"),
    [
        ("keep", "keep"),
        ("KEPT", "keep"),
        ("baseline", "keep"),
        ("BASELINE", "keep"),
        ("keep (reworked)", "keep"),
        ("keep — val_bpb improved from 0.99 to 0.98", "keep"),
        ("positive. 1.4x improved it", "keep"),
        ("**keep**", "keep"),
        ("✅ keep", "keep"),
        ("保留✔✔", "keep"),
        (True, "keep"),
        ("true", "keep"),
        ("done", "keep"),
        ("DISCARDED", "discard"),
        ("REVERT", "discard"),
        ("no-op", "discard"),
        ("no-op: already in the baseline", "discard"),
        ("negative — worse", "discard"),
        ("ref", "discard"),
        ("skipped", "discard"),
        ("回滚(交易<10)", "discard"),
        (False, "discard"),
        ("OOM", "crash"),
        ("timed out", "crash"),
        ("error: no metric", "crash"),
        ("CONSTRAINT_FAIL", "checks_failed"),
        ("checks-failed", "checks_failed"),
        ("guard fail", "checks_failed"),
        ("keep-candidate", None),
        ("diagnostic", None),
        ("keeping an eye on it", None),
        ("", None),
        (None, None),
        (3, None),
    ],
)
def test_verdicts(said: object, status: str | None) -> None:
    """A verdict is a known word, alone or with remarks after it; another word is none."""
    assert status_of(said) == status


def test_verdicts_of_the_users_own() -> None:
    """The user's own words come before the tables; weak words count only where they are asked for."""
    assert status_of("iterate", {"iterate": "keep"}) == "keep"
    assert status_of("shipped to all", {"shipped": "crash"}) == "crash"
    assert status_of("ok", only_strong=True) is None
    assert status_of("failed", only_strong=True) is None
    assert status_of("failed") == "crash"
    assert is_unfinished("In Progress")
    assert not is_unfinished("keep")


@pytest.mark.parametrize("word", ["higher", "higher_is_better", "maximize", "MAX", "up", "Higher is better"])
def test_directions(word: str) -> None:
    """Words for upwards and downwards; no other word is a direction."""
    assert direction_of(word) == "higher"
    assert direction_of("lower_is_better") == "lower"
    assert direction_of("sideways") is None


@pytest.mark.parametrize(
    ("text", "direction"),
    [
        ("Goal: minimize val_bpb", "lower"),
        ("higher is better", "higher"),
        ("maximise throughput", "higher"),
        ("lower is better, higher is worse", "lower"),
        ("minimize loss, maximize accuracy", None),
        ("a higher plane", None),
    ],
)
def test_directions_in_sentences(text: str, direction: str | None) -> None:
    """A sentence says a direction if it says one and not the other."""
    assert direction_in(text) == direction


@pytest.mark.parametrize(
    ("value", "ms"),
    [
        (1764517599123, 1764517599123),
        (1764517599, 1764517599000),
        (1785700580.745753, 1785700580746),
        ("1764517599", 1764517599000),
        ("2026-01-31T12:00:00Z", 1769860800000),
        ("2026-01-31 12:00:00", 1769860800000),
        ("2026/01/31 12:00", 1769860800000),
        ("2026-03-25T15:10:40+08:00", 1774422640000),
        ("2026-01-31", 1769817600000),
        (12.5, None),
        (0, None),
        ("soon", None),
        (None, None),
        (True, None),
        (float("inf"), None),
    ],
)
def test_times(value: object, ms: int | None) -> None:
    """Times in any shape give milliseconds; a small number is a duration, not a time of 1970."""
    assert moment_of(value) == ms


def test_placeholders() -> None:
    """Dashes and their like stand for nothing; zero and words do not."""
    assert all(map(is_nothing, ("", "-", "—", " N/A ", "None", None, "pending")))
    assert not any(map(is_nothing, ("0", "x", 0, False)))


@given(
    st.recursive(
        st.one_of(st.floats(), st.text(), st.integers(), st.none(), st.text(alphabet="\ud800\udfff a")),
        lambda inner: st.one_of(st.lists(inner), st.dictionaries(st.text(), inner)),
    )
)
def test_clean_values_are_strict_json(value: Any) -> None:
    """Whatever JSON readers accept becomes strict JSON, and stays as it is if it was."""
    cleaned = clean(value)
    assert is_json([cleaned])
    json.dumps(cleaned, allow_nan=False).encode()
    if is_json([value]):
        assert cleaned == value


def test_clean_keeps_what_it_cannot_hold_as_text() -> None:
    """NaN, infinities, huge integers and deep nesting become text that says what was there."""
    deep: Any = []
    for _ in range(100):
        deep = [deep]
    assert clean({"a": math.nan, "b": [math.inf, 2**70]}) == {"a": "NaN", "b": ["Infinity", str(2**70)]}
    assert "nested too deeply" in json.dumps(clean(deep))
    assert clean("a\ud83d b") == "a\ufffd b"


@given(st.text())
def test_plain_words(text: str) -> None:
    """A plain word is its own plain word."""
    word = plain_word(text)
    assert plain_word(word) == word

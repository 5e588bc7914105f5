from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reducers.policies.directions import CLOSE, closest, normal, similarity

words = st.text(max_size=20) | st.text("ab 0123456789.-,%+_é", max_size=12)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Cache the parser", "  cache   THE parser!  "),
        ("Crème brûlée", "creme brulee"),
        ("batch_size 32", "Batch size: 32"),
        ("`lru_cache` (parser)", "lru cache parser"),
        ("don't allocate", "dont allocate"),
        ("use lr=0.01", "use lr = 0.01."),
        ("offset \u22125", "offset -5"),
        ("STRASSE", "straße"),
        ("in-line", "in line"),
        ("cafe\u0301", "café"),
        ("soft\u00adhyphen", "softhyphen"),
    ],
)
def test_the_same_direction_is_the_same_however_it_is_written(one: str, other: str) -> None:
    """Case, accents, white space and punctuation do not count."""

    assert normal(one) == normal(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("lr 0.01", "lr 0.001"),
        ("lr 0.01", "lr 001"),
        ("lr 0,01", "lr 0,001"),
        ("offset 1", "offset -1"),
        ("x=1", "x=-1"),
        ("lr 1e-3", "lr 1e3"),
        ("grow by 50%", "grow by 50"),
        ("10²", "102"),
        ("1.5", "15"),
        (".5", "5"),
        ("port it to C++", "port it to C"),
        ("a < b", "a > b"),
        ("कि", "कु"),
        ("!!!", "???"),
        ("one", "two"),
    ],
)
def test_numbers_and_what_else_tells_directions_apart_stays(one: str, other: str) -> None:
    """0.01 is not 0.001, and -1 is not 1."""

    assert normal(one) != normal(other)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("top-5 of 1-9", "top 5 of 1 9"),
        ("(-.5), lr-0.1", "-.5 lr 0.1"),
        ("v1.10.2", "v1 10 2"),
        ("fp16 3x", "fp16 3x"),
        ("", ""),
        (" ?! ", "?!"),
    ],
)
def test_a_hyphen_is_a_sign_where_nothing_stands_right_before_it(text: str, expected: str) -> None:
    """Elsewhere it is punctuation."""

    assert normal(text) == expected


@given(words)
def test_a_normal_text_is_its_own(text: str) -> None:
    """Whatever the text: normalising twice changes nothing, and only nothing becomes nothing."""

    assert normal(normal(text)) == normal(text)
    assert bool(normal(text)) == bool(text.strip())


@given(words, words)
def test_similarity_is_the_same_both_ways_round_and_between_0_and_100(one: str, other: str) -> None:
    """And 100 for a direction and itself, whatever the order of its words."""

    assert similarity(one, other) == similarity(other, one)
    assert 0 <= similarity(one, other) <= 100
    assert similarity(one, one) == 100
    shuffled = " ".join(sorted(normal(one).split(), reverse=True))
    if len(shuffled.split()) > 1 and normal(shuffled) == shuffled:
        assert similarity(one, shuffled) == 100


def test_the_closest_is_named_from_90_on() -> None:
    """With how alike it is; below that there is none."""
    tried = ["rewrite the parser in C", "use a hash map for lookups", "use hash maps for lookups"]

    found = closest("use a hash map for lookup", tried)
    assert found is not None
    assert found[0] == "use a hash map for lookups"
    assert CLOSE <= found[1] < 100
    assert closest("unroll the loop", tried) is None
    assert closest("anything", []) is None


def test_of_directions_equally_close_the_earliest_is_named() -> None:
    """Its outcome came first."""

    assert closest("b a", ["a b", "b a"]) == ("a b", 100.0)


def test_similarity_reaches_its_threshold_exactly() -> None:
    """Nine of ten characters alike on both sides is 90."""

    assert similarity("abcdefghij", "abcdefghi0") == CLOSE
    assert closest("abcdefghij", ["abcdefghi0"]) == ("abcdefghi0", 90.0)
    assert closest("abcdefghij", ["abcdefgh00"]) is None


def test_a_long_text_is_compared_in_full() -> None:
    """No character is left out for being frequent."""
    long = "optimise the inner loop of the tokenizer " * 8

    assert similarity(long, long + "x") > 99

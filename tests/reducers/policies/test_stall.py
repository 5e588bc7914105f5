from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reducers.policies.stall import LEVELS, level_due, pivot_due, rank, threshold
from reducers.strategies import numbers


@pytest.mark.parametrize(
    ("count", "due"),
    [(0, None), (1, None), (2, "structure"), (3, "inject"), (4, "human"), (99, "human")],
)
def test_the_count_decides_how_far_a_pivot_must_go(count: int, due: str | None) -> None:
    """Design, section 5."""

    assert level_due(count, {}) == due


def test_thresholds_may_be_set_one_by_one() -> None:
    """The farthest that is reached counts, in whatever order they lie."""

    assert level_due(3, {"inject": 9}) == "structure"
    assert level_due(1, {"human": 1}) == "human"


def test_a_pivot_of_at_least_the_due_level_answers_it() -> None:
    """And of no lower one."""
    answered = {
        level: [pivot_due(count, {}, level) for count in (2, 3, 4)] for level in (*LEVELS, None, "odd")
    }

    assert answered == {
        "structure": [None, "inject", "human"],
        "inject": [None, None, "human"],
        "human": [None, None, None],
        None: ["structure", "inject", "human"],
        "odd": ["structure", "inject", "human"],
    }


def test_levels_are_ranked() -> None:
    """What nobody knows goes nowhere."""

    assert [rank(level) for level in (None, "odd", *LEVELS)] == [0, 0, 1, 2, 3]


@pytest.mark.parametrize(
    ("value", "whole"),
    [
        (1, 1),
        (3.0, 3),
        (10**400, 10**400),
        *((value, None) for value in (0, -1, 2.5, True, "3", float("nan"), float("inf"), None)),
    ],
)
def test_a_threshold_is_a_whole_number_from_one(value: object, whole: int | None) -> None:
    """Anything else is none."""

    assert threshold(value) == whole


@given(numbers() | st.none() | st.text())
def test_a_threshold_is_never_below_one(value: object) -> None:
    """A limit of 0 would always be reached."""
    found = threshold(value)

    assert found is None or found >= 1

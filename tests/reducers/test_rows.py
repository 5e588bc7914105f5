"""Rows of a view: made when they are looked at, and compared by what may have changed."""

from __future__ import annotations

import copy
import json

import msgspec
import pytest

from reducers.core import encode_state, to_plain
from reducers.rows import Rows

made: list[int] = []


class State(msgspec.Struct):
    """Numbers, and the place at which one was changed last."""

    numbers: list[int]
    changed: int = -1


def doubled(state: State, place: int) -> int:
    made.append(place)
    return 2 * state.numbers[place]


def touched(one: State, other: State) -> list[int]:
    return [one.changed, other.changed]


def rows(*numbers: int, changed: int = -1) -> Rows[State, int]:
    return Rows(State(list(numbers), changed), len(numbers), doubled, touched)


def test_they_are_a_sequence() -> None:
    """Equal to a list of the same rows, and encoded as one."""
    some = rows(1, 2, 3)

    assert (len(some), list(some), some[1], some[-1], some[1:]) == (3, [2, 4, 6], 4, 6, [4, 6])
    assert some == [2, 4, 6] == some
    assert some == rows(1, 2, 3)
    assert some != rows(1, 2)
    assert some != (2, 4, 6)
    assert (4 in some, bool(some), bool(rows())) == (True, True, False)
    assert json.loads(encode_state(some)) == to_plain(some) == copy.deepcopy(some) == [2, 4, 6]
    assert repr(some) == "Rows([2, 4, 6])"
    with pytest.raises(IndexError, match="row 3 of 3"):
        some[3]


def test_a_row_is_made_when_it_is_looked_at() -> None:
    """And no other."""
    made.clear()

    assert rows(1, 2, 3)[1] == 4
    assert made == [1]


def test_what_may_differ_is_told_without_making_a_row() -> None:
    """What was touched, and what only one of them has; ascending."""
    made.clear()

    assert [*rows(1, 2, 3).may_differ(rows(1, 5, 3, 4, 6, changed=1))] == [1, 3, 4]
    assert [*rows(1, 2, changed=7).may_differ(rows(1, 2))] == []
    assert [*rows(1, 2).may_differ(Rows(State([1]), 1, lambda state, place: 0, touched))] == [0, 1]
    assert made == []

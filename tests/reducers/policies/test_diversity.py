from __future__ import annotations

import pytest

from eventstore.events import Direction, Event, Iteration, Run
from reducers.core import fold
from reducers.directions import DirectionRow, directions
from reducers.policies.directions import CLAIM_MS
from reducers.policies.diversity import earlier, neighbour, told

AT = 1_764_517_600_000


def rows(*log: Event) -> list[DirectionRow]:
    return directions.view(fold(directions, log)).directions


def run(number: int, direction: str, status: str = "discard") -> Run:
    return Run(run=number, status=status, direction=direction)


def claim(text: str, by: str = "worker:a", **fields: int) -> Direction:
    return Direction(text=text, state="claimed", by=by, timestamp=AT, **fields)


@pytest.mark.parametrize("again", ["Cache the parser", "cache  the parser!", "CACHE THE PARSER"])
def test_what_was_tried_stands_in_the_way(again: str) -> None:
    """However it is spelled; with what came of it."""
    found = earlier(again, rows(run(1, "cache the parser")), "worker:b", AT)

    assert found is not None
    assert told(found) == '"cache the parser" was tried, outcome "discard", run 1'


def test_numbers_make_directions_differ() -> None:
    """0.01 is not 0.001: another direction, and one that is much like the first."""
    known = rows(run(1, "learning rate of 0.01 with warm up"))

    assert earlier("learning rate of 0.001 with warm up", known, "worker:b", AT) is None
    near = neighbour("learning rate of 0.001 with warm up", known)
    assert near is not None
    assert near[0].text == "learning rate of 0.01 with warm up"
    assert 90 <= near[1] < 100
    assert neighbour("something else altogether", known) is None
    assert neighbour("Learning rate of 0.01, with warm up", known) is None


def test_a_claim_stands_in_the_way_of_others_until_it_ends() -> None:
    """Not of who made it; not once its time is up."""
    known = rows(claim("SIMD"))

    assert earlier("simd", known, "worker:a", AT) is None
    assert earlier("simd", known, "worker:b", AT + CLAIM_MS - 1) == known[0]
    assert earlier("simd", known, "worker:b", AT + CLAIM_MS) is None
    assert told(known[0]) == '"SIMD" is claimed by "worker:a"'


def test_what_was_tried_stays_tried_through_an_ended_claim_and_a_drop() -> None:
    """Only one that nobody pursued is free again when it is dropped."""
    dropped = Direction(text="SIMD", state="abandoned")

    assert earlier("SIMD", rows(run(1, "SIMD"), claim("SIMD")), "worker:b", AT + CLAIM_MS) is not None
    assert earlier("SIMD", rows(run(1, "SIMD"), dropped), "worker:b", AT) is not None
    assert earlier("SIMD", rows(claim("SIMD"), dropped), "worker:b", AT) is None
    assert earlier("SIMD", rows(Iteration(iteration=1, direction="SIMD")), "worker:b", AT) is not None
    assert earlier("SIMD", rows(), "worker:b", AT) is None

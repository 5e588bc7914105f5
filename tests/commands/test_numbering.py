"""Runs get the next number, or that of the same run."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commands.numbering import UNNUMBERED, Runs, counted, numbered
from eventstore.errors import ConflictError
from eventstore.events import Event, Note, Run

KEYS = st.none() | st.sampled_from("abc")
RUNS = st.builds(lambda number, key: Run(run=number, status="keep", id=key), st.integers(1, 9), KEYS)
EVENTS = st.lists(RUNS | st.just(Note(detail="n")), max_size=8)


def runs_of(events: list[Event]) -> Runs:
    return counted(Runs(), events, frozenset("abc"))


@given(EVENTS, EVENTS)
def test_open_numbers_go_on_from_the_log(log: list[Event], asked: list[Event]) -> None:
    """Whatever numbers the log claims, ours are ordinals, in order, and no two runs share one."""
    runs = runs_of(log)
    fresh = [event for event in asked if not (isinstance(event, Run) and event.id in runs.known)]

    given = numbered(fresh, runs, range(len(fresh)))

    assert [event.run for event in given if isinstance(event, Run)] == [
        runs.count + n for n in range(1, 1 + sum(isinstance(event, Run) for event in fresh))
    ]


@given(EVENTS, EVENTS)
def test_counting_in_parts_is_counting(one: list[Event], other: list[Event]) -> None:
    """So that what came in since can be added."""
    assert counted(runs_of(one), other, frozenset("abc")) == runs_of([*one, *other])


def test_a_run_that_is_there_keeps_its_number() -> None:
    """And takes none from those after it."""
    runs = runs_of([Run(run=7, status="keep", id="a")])
    asked = [Run(run=UNNUMBERED, status="keep", id="a"), Run(run=UNNUMBERED, status="crash")]

    assert [run.run for run in numbered(asked, runs, {0, 1})] == [7, 2]  # type: ignore[attr-defined]


def test_a_number_that_is_given_must_be_the_next() -> None:
    """Open ones before it count."""
    asked = [Run(run=UNNUMBERED, status="keep"), Run(run=3, status="keep")]

    with pytest.raises(ConflictError, match="run 3 is not the next one: the log will have 1 before it"):
        numbered(asked, Runs(), {0})

from __future__ import annotations

from typing import Any

from hypothesis import given

from eventstore.events import Direction, Iteration, Run
from reducers.directions import directions
from reducers.policies.directions import CLAIM_MS, normal
from reducers.strategies import logs
from tests.reducers.given import START, shown


def rows(log: list[Any]) -> dict[str, dict[str, Any]]:
    return {row["text"]: row for row in shown(directions, log)["directions"]}


def claim(by: str, at: int, text: str = "cache", **fields: Any) -> Direction:
    return Direction(text=text, state="claimed", by=by, timestamp=START + at, **fields)


def test_every_direction_with_what_came_of_it(log: list[Any]) -> None:
    """Texts that are the same after normalising are one direction, worded as it was first.

    {"type":"direction","text":"Cache the parser","kind":"tactical","state":"claimed","by":"worker:a",
     "timestamp":1764517600000,"until":1764518000000,"reason":"it is hot"}
    {"run":1,"metric":5,"status":"discard","direction":"cache the  parser!"}
    {"run":2,"metric":4,"status":"keep","direction":"CACHE the parser"}
    {"run":3,"metric":4,"status":"crash","direction":"cache the parser"}
    {"run":4,"metric":4,"status":"crash","direction":"new allocator"}
    {"run":5,"metric":4,"status":"discard"}
    {"type":"iteration","iteration":7,"findings":0,"direction":"read the papers"}
    {"type":"iteration","iteration":8,"findings":2,"direction":"Read the papers"}
    {"type":"iteration","iteration":9,"findings":0,"direction":"ask around"}
    {"type":"direction","text":"new allocator","kind":"structural","state":"abandoned","reason":"it crashes"}
    {"type":"direction","text":"lr 0.01","state":"tried"}
    {"type":"direction","text":"lr 0.001","state":"claimed"}
    """

    def row(text: str, state: str, outcome: str | None, **fields: Any) -> dict[str, Any]:
        empty = {"kind": None, "reason": None, "runs": [], "iterations": [], "by": None, "until": None}
        return {"text": text, "state": state, "outcome": outcome, **empty, **fields}

    assert shown(directions, log)["directions"] == [
        row("Cache the parser", "tried", "keep", kind="tactical", reason="it is hot", runs=[1, 2, 3]),
        row("new allocator", "abandoned", "crash", kind="structural", reason="it crashes", runs=[4]),
        row("read the papers", "tried", "findings", iterations=[7, 8]),
        row("ask around", "tried", "nothing", iterations=[9]),
        row("lr 0.01", "tried", None),
        row("lr 0.001", "claimed", None, by="user"),
    ]


def test_the_first_claim_wins_until_it_expires() -> None:
    """Times are the events' own: no clock decides who holds a direction."""
    first = claim("worker:a", 0, until=START + 1000)

    held = rows([first, claim("worker:b", 999)])["cache"]
    assert (held["state"], held["by"], held["until"]) == ("claimed", "worker:a", START + 1000)
    taken = rows([first, claim("worker:b", 1000)])["cache"]
    assert (taken["by"], taken["until"]) == ("worker:b", START + 1000 + CLAIM_MS)


def test_a_claim_is_renewed_by_its_holder_and_lasts_15_minutes_by_itself() -> None:
    """A worker at work says so again."""
    log = [claim("worker:a", 0), claim("worker:a", 60_000)]

    assert rows(log[:1])["cache"]["until"] == START + CLAIM_MS == START + 900_000
    assert rows(log)["cache"]["until"] == START + 60_000 + CLAIM_MS


def test_a_claim_ends_when_something_else_is_said() -> None:
    """Tried, abandoned, judged by a run, by its holder, a user or an orchestrator: nobody holds it then."""
    for end in (
        Direction(text="Cache", state="tried"),
        Direction(text="Cache", state="abandoned"),
        Run(run=1, status="crash", direction="cache"),
        Run(run=1, status="crash", direction="cache", by="worker:a"),
        Iteration(iteration=1, direction="cache", by="orchestrator"),
    ):
        row = rows([claim("worker:a", 0), end])["cache"]
        assert (row["state"], row["by"], row["until"]) == (
            getattr(end, "state", "tried"),
            None,
            None,
        )


def test_a_claim_lasts_through_what_other_workers_do() -> None:
    """A run or a word of theirs takes it from nobody, so that a third cannot take it either."""
    for other in (
        Direction(text="Cache", state="tried", by="worker:b"),
        Direction(text="Cache", state="abandoned", by="worker"),
        Run(run=1, status="crash", direction="cache", by="worker:b"),
    ):
        row = rows([claim("worker:a", 0), other, claim("worker:c", 1)])["cache"]
        assert (row["state"], row["by"]) == ("claimed", "worker:a")


def test_a_claim_that_tells_no_time_does_not_get_anothers() -> None:
    """Nor does it end by itself."""
    timeless = Direction(text="cache", state="claimed", by="worker:b", timestamp="yesterday")

    assert rows([claim("worker:a", 0), timeless])["cache"]["by"] == "worker:a"
    assert rows([timeless, claim("worker:a", CLAIM_MS * 9)])["cache"]["by"] == "worker:b"


@given(logs(30))
def test_each_direction_is_there_once_with_all_its_runs(log: list[Any]) -> None:
    """Whatever the log: no two rows are the same direction, no run is missing or in two of them."""
    found = shown(directions, log)["directions"]

    keys = [normal(row["text"]) for row in found]
    assert len(keys) == len(set(keys))
    run_events = [record for record in log if type(record) is Run]
    expected = {
        ordinal: normal(event.direction) for ordinal, event in enumerate(run_events, 1) if event.direction
    }
    assert {ordinal: key for row, key in zip(found, keys, strict=True) for ordinal in row["runs"]} == expected
    assert sum(len(row["runs"]) for row in found) == len(expected)

"""Claims are exclusive, whatever is done in whatever order, and whatever the clock does."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from commands.claiming import claim, dropped, tried
from eventstore.errors import LedgerError
from eventstore.events import Direction, Event, Run
from eventstore.memory import MemoryLog
from reducers.core import fold
from reducers.directions import DirectionsState, directions
from reducers.policies.directions import normal

START = 1_764_517_600_000
MINUTE = 60_000

WORKERS = ("worker:a", "worker:b", "orchestrator", "user")
TEXTS = ("arena", "Arena!", "SIMD")
STEPS = st.tuples(
    st.sampled_from(("claim", "try", "drop", "run")),
    st.sampled_from(WORKERS),
    st.sampled_from(TEXTS),
    st.sampled_from((None, "why not")),
    st.integers(-20, 20),
)


@given(st.lists(STEPS, max_size=40))
def test_never_do_two_hold_one_direction(steps: list[tuple[str, str, str, str | None, int]]) -> None:
    """A model of what each was granted: who was told that it is theirs is the only one until it ends.

    A claim ends with its time, by trying, by being dropped, and by a run of its holder, a user or an
    orchestrator; a clock that goes back does not end it sooner.
    """
    log, now = MemoryLog(), START
    held: dict[str, tuple[str, int]] = {}
    for verb, by, text, reason, minutes in steps:
        now += minutes * MINUTE
        before = held.get(normal(text))
        if verb == "run":  # whoever, in whatever direction: nobody asks before a run is recorded
            log.append([Run(run=1, status="discard", direction=text, by=by, timestamp=now)])
            if before is not None and (by in (before[0], "orchestrator", "user") or before[1] <= now):
                del held[normal(text)]
            continue
        is_others = before is not None and before[0] != by and before[1] > now
        try:
            step(log, verb, by, text, reason, now)
        except LedgerError:
            continue
        if verb == "claim":
            assert not is_others
            held[normal(text)] = by, now + 15 * MINUTE
        else:
            assert not is_others or (verb == "drop" and reason and by in ("orchestrator", "user"))
            held.pop(normal(text), None)
        for row in directions.view(folded(log)).directions:
            assert (row.by, row.until) == held.get(normal(row.text), (None, None))


def step(log: MemoryLog, verb: str, by: str, text: str, reason: str | None, now: int) -> None:
    """One call of a worker, decided as `ar direction` decides it."""
    states = {"claim": "claimed", "try": "tried", "drop": "abandoned"}
    until = now + 15 * MINUTE if verb == "claim" else None
    asked = Direction(text=text, state=states[verb], reason=reason, until=until)
    decide = {"claim": claim, "try": tried, "drop": dropped}[verb]

    def decided(state: DirectionsState) -> list[Event]:
        return [decide(state, asked, by=by, now=now)]

    log.transact(
        decided, fold=lambda state, records: fold(directions, records, state), state=directions.initial
    )


def folded(log: MemoryLog) -> DirectionsState:
    """The state of the whole log."""
    state = directions.initial
    for batch in log.read():
        state = fold(directions, batch.records, state)
    return state

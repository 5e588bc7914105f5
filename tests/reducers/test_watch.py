from __future__ import annotations

from eventstore.events import Finding, Flag, Heartbeat, Hook, Pivot, Settings
from reducers import laws
from reducers.core import fold
from reducers.liveness import liveness
from reducers.watch import watch

START = 1_764_517_600_000


def test_it_sees_life_flags_and_pivots() -> None:
    """Each as its own reducer does."""
    log = [
        Heartbeat(by="worker:a", timestamp=START),
        Flag(kind="stuck", timestamp=START),
        Pivot(level="inject", timestamp=START + 1),
        Finding(text="x", timestamp=START + 2),
    ]
    seen = watch.view(fold(watch, log), START + 3)

    assert seen.liveness == liveness.view(fold(liveness, log), START + 3)
    assert [flag.kind for flag in seen.flags.flags] == ["stuck"]
    assert (seen.pivots.count, seen.pivots.last_at) == (1, START + 1)


def test_what_says_nothing_of_life_leaves_the_state_as_it_is() -> None:
    """A log's hooks and settings cost no memory."""
    state = fold(watch, [Heartbeat(by="worker:a", timestamp=START)])

    assert fold(watch, [Hook(stage="before"), Settings()], state) is state


def test_the_laws_hold() -> None:
    """As for every view."""
    laws.check(watch)

from __future__ import annotations

from eventstore.events import Iteration, Pivot, Run
from reducers import laws
from reducers.core import fold
from reducers.pivots import Pivots, next_perturbation, pivots

START = 1_764_517_600_000


def test_it_is_kept_what_the_next_pivot_needs() -> None:
    """How many there were, with which impulses, when the last was, and where the search goes."""
    state = fold(
        pivots,
        [
            Run(run=1, status="discard", direction="SIMD"),
            Pivot(level="inject", perturbation="start over: x", timestamp=START),
            Iteration(iteration=1, direction="arena"),
            Run(run=2, status="discard"),
            Pivot(level="human", timestamp=START + 1),
        ],
    )

    assert state == Pivots(count=2, used=state.used, last_at=START + 1, direction="arena")
    assert list(state.used) == ["start over: x"]


def test_the_next_impulse_is_the_same_for_the_same_log() -> None:
    """And another once it was used."""
    state = fold(pivots, [Pivot(level="inject", perturbation="mine")])
    chosen = next_perturbation(state)

    assert next_perturbation(fold(pivots, [Pivot(level="inject", perturbation="mine")])) == chosen
    assert next_perturbation(fold(pivots, [Pivot(level="inject", perturbation=chosen.text)], state)) != chosen


def test_the_laws_hold() -> None:
    """As for every view."""
    laws.check(pivots)

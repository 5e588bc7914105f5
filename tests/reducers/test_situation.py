from __future__ import annotations

from typing import Any

from eventstore.events import Config, Finding, Measured, Pivot, Run
from reducers.core import fold
from reducers.laws import check
from reducers.situation import RECENT, REMEMBERED, Situation, follow, sight_of, trail


def run(number: int, **fields: Any) -> Run:
    return Run(**{"run": number, "metric": 10 - number / 1000, "status": "keep", **fields})


def test_the_trail_obeys_the_laws() -> None:
    """As a view would."""
    check(trail, examples=60)


def test_what_is_remembered_is_bounded() -> None:
    """The last runs and findings, in order; what was kept in the segment stays whole."""
    log = [event for number in range(1, 400) for event in (run(number), Finding(text=str(number)))]

    state = fold(trail, log)

    assert RECENT <= len(state.recent) < 2 * RECENT
    assert [row.run for row in state.recent[-RECENT:]] == list(range(400 - RECENT, 400))
    assert REMEMBERED <= len(state.findings) < 2 * REMEMBERED
    assert state.findings[-1] == "399"
    assert len(state.kept) == 399


def test_a_new_segment_keeps_nothing_yet() -> None:
    """Runs stay remembered, with the numbers and baselines of their own segments."""
    state = fold(trail, [run(1), run(2), Config(name="again"), run(3, metric=5)])

    assert [row.run for row in state.kept] == [3]
    assert [(row.run, row.segment) for row in state.recent] == [(1, 0), (2, 0), (3, 1)]
    assert [row.delta for row in state.recent][::2] == [0, 0]


def test_a_measurement_belongs_to_the_run_after_it() -> None:
    """And is forgotten with the next one; a pivot is, too."""
    measured, pivot = Measured(cycle=1, error="exit 1"), Pivot(level="inject")

    assert fold(trail, [measured, run(1)]).measured == measured
    assert fold(trail, [measured, run(1), run(2)]).measured is None
    assert fold(trail, [measured, run(1), measured, run(2)]).measured == measured
    assert fold(trail, [run(1), pivot]).pivot == pivot
    assert fold(trail, [pivot, run(1)]).pivot is None


def test_a_sight_shows_all_views_of_one_log() -> None:
    """Each as it would be by itself."""
    sight = sight_of(follow(Situation(), [Config(name="faster"), run(1), run(2, status="discard")]))

    assert sight.session.run_count == len(sight.trail.recent) == 2
    assert sight.stall.stale_count == 1
    assert sight.budget.cycles_used == 1

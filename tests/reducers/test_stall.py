from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

from eventstore.events import Config, Iteration, Pivot, Run, Settings
from reducers.core import fold
from reducers.stall import stall
from reducers.strategies import logs
from tests.reducers.given import records, shown

CONFIG = '{"type":"config","seq":1,"name":"g","metricName":"ms","bestDirection":"lower"}'


def line(word: str) -> str:
    """`keep 5`, `discard 6`, `checks_failed`, `crash`, `iteration 2 5`, `pivot inject`, `segment`."""
    kind, *rest = word.split()
    if kind == "segment":
        return CONFIG
    if kind == "pivot":
        return f'{{"type":"pivot","level":"{rest[0]}"}}'
    if kind == "iteration":
        return (
            f'{{"type":"iteration","iteration":1,"findings":{rest[0]},"metric":{(rest[1:] or ["null"])[0]}}}'
        )
    return f'{{"type":"run","run":1,"status":"{kind}","metric":{(rest or ["null"])[0]}}}'


def after(*words: str) -> dict[str, Any]:
    return shown(stall, records("\n".join([CONFIG, *map(line, words)])))


@pytest.mark.parametrize(
    ("words", "stale_count"),
    [
        ([], 0),
        (["keep 5"], 0),
        (["keep 5", "discard 6"], 1),
        (["keep 5", "keep 6"], 1),
        (["keep 5", "keep 5"], 1),
        (["keep 5", "checks_failed"], 1),
        (["keep 5", "discard 6", "crash"], 1),
        (["keep 5", "discard 6", "unheard_of 1"], 1),
        (["keep 5", "discard 6", "discard 7", "keep 4"], 0),
        (["discard 5", "discard 4"], 2),
        (["crash", "crash"], 0),
        (["keep 5", "discard 6", "segment"], 0),
        (["keep 5", "discard 6", "segment", "discard 6"], 1),
        (["keep 5", "discard 6", "iteration 0", "iteration 0"], 1),
        (["iteration 0"], 1),
        (["iteration 0", "iteration 0"], 2),
        (["iteration 0", "iteration 1"], 0),
        (["iteration 1 5", "iteration 1 6"], 1),
        (["iteration 1 5", "iteration 1 5"], 0),
        (["iteration 1 5", "iteration 1"], 0),
        (["iteration 1 5", "iteration 1", "iteration 1 9"], 0),
        (["iteration 0 5", "iteration 1 4"], 0),
        (["iteration 0", "iteration 0", "keep 5"], 0),
        (["iteration 0", "crash", "iteration 0"], 1),
    ],
)
def test_stale_count_follows_the_table(words: list[str], stale_count: int) -> None:
    """Design, section 5: runs count in a segment that has some, iterations in one that has none."""

    assert after(*words)["stale_count"] == stale_count


@pytest.mark.parametrize(
    ("words", "discards", "failures", "since_best"),
    [
        ([], 0, 0, 0),
        (["discard 5", "crash", "checks_failed"], 2, 3, 3),
        (["keep 5", "discard 6", "crash", "odd 1"], 1, 3, 3),
        (["keep 5", "discard 6", "keep 7"], 0, 0, 2),
        (["keep 5", "discard 6", "pivot structure", "discard 6"], 1, 2, 2),
        (["keep 5", "discard 6", "crash", "segment"], 0, 0, 0),
        (["keep 5", "segment", "crash", "crash"], 0, 2, 2),
    ],
)
def test_streaks_are_of_the_segment(words: list[str], discards: int, failures: int, since_best: int) -> None:
    """A crash neither counts as a discard nor ends the streak, a pivot restarts it; all runs are failures."""
    view = after(*words)

    assert (view["discard_streak"], view["failure_streak"], view["runs_since_best"]) == (
        discards,
        failures,
        since_best,
    )


@pytest.mark.parametrize(
    ("words", "due"),
    [
        (["keep 5", "discard 6"], None),
        (["keep 5", *["discard 6"] * 2], "structure"),
        (["keep 5", *["discard 6"] * 3], "inject"),
        (["keep 5", *["discard 6"] * 4], "human"),
        (["keep 5", *["discard 6"] * 9], "human"),
        (["keep 5", *["discard 6"] * 2, "pivot structure"], None),
        (["keep 5", *["discard 6"] * 2, "pivot structure", "crash"], None),
        (["keep 5", *["discard 6"] * 2, "pivot structure", "discard 6"], "inject"),
        (["keep 5", *["discard 6"] * 3, "pivot structure"], "inject"),
        (["keep 5", *["discard 6"] * 3, "pivot human", "pivot structure"], None),
        (["keep 5", *["discard 6"] * 2, "pivot sideways"], "structure"),
        (["keep 5", "pivot human", *["discard 6"] * 2], "structure"),
        ([*["iteration 0"] * 3], "inject"),
    ],
)
def test_a_pivot_is_due_until_one_of_its_level_is_made(words: list[str], due: str | None) -> None:
    """It clears `pivot_due`, not the count, and only until the count grows again."""
    view = after(*words)

    assert view["pivot_due"] == due
    assert (
        view["stale_count"] == after(*[word for word in words if not word.startswith("pivot")])["stale_count"]
    )


def test_thresholds_are_set_by_settings_and_survive_a_segment(log: list[Any]) -> None:
    """What cannot be a threshold changes nothing.

    {"type":"settings","thresholds":{"structure":5,"inject":6.0,"human":7}}
    {"type":"settings","thresholds":{"structure":0,"inject":-1,"human":2.5,"other":1}}
    {"type":"config","seq":3,"name":"g","metricName":"ms","bestDirection":"lower"}
    {"type":"run","run":1,"status":"keep","metric":5}
    {"type":"config","seq":5,"name":"g","metricName":"ms","bestDirection":"lower"}
    {"type":"run","run":2,"status":"discard","metric":6}
    {"type":"run","run":3,"status":"discard","metric":6}
    {"type":"run","run":4,"status":"discard","metric":6}
    {"type":"run","run":5,"status":"discard","metric":6}
    {"type":"run","run":6,"status":"discard","metric":6}
    {"type":"run","run":7,"status":"discard","metric":6}
    """

    assert [shown(stall, log[:upto])["pivot_due"] for upto in (9, 10, 11)] == [None, "structure", "inject"]


def test_direction_decides_what_is_worse_between_iterations() -> None:
    """Higher is better where the config says so."""
    config = Config(seq=1, name="g", metricName="score", bestDirection="higher")
    better, worse = (Iteration(iteration=1, findings=1, metric=metric) for metric in (6, 5))

    assert shown(stall, [config, better, worse])["stale_count"] == 1
    assert shown(stall, [config, worse, better])["stale_count"] == 0


def test_an_iteration_of_another_segment_is_not_compared_with() -> None:
    """Its metric was another."""
    iteration = [Iteration(iteration=n, findings=1, metric=metric) for n, metric in ((1, 1), (2, 9))]
    log = [Config(seq=1, name="g", metricName="m"), iteration[0], Run(run=1, status="crash")]

    assert shown(stall, [*log, Config(seq=4, name="g", metricName="n"), iteration[1]])["stale_count"] == 0


@given(logs(30))
def test_stale_count_follows_the_table_for_any_history(log: list[Any]) -> None:
    """Record by record: what a row of the table names moves it as the row says, and nothing else does."""
    state = stall.initial
    for record in log:
        before, state = state, fold(stall, [record], state)
        new_best = state.standing.best is not before.standing.best
        if state.standing.segment != before.standing.segment:
            expected = 0
        elif type(record) is Run and record.status in ("keep", "discard", "checks_failed"):
            expected = 0 if new_best else before.stale_count + 1
        elif type(record) is Iteration and state.run_count == state.standing.runs_before:
            assert state.stale_count in (0, before.stale_count + 1)
            expected = state.stale_count if record.findings > 0 else before.stale_count + 1
        else:
            expected = before.stale_count
        assert state.stale_count == expected
        if type(record) not in (Config, Run, Iteration, Pivot, Settings):
            assert state is before
        if type(record) is Pivot and record.level == "human":
            assert stall.view(state).pivot_due is None

"""A log against itself: every run, cycle and measurement recomputed from its parts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings

from eventstore.events import (
    Committed,
    Config,
    Event,
    Flag,
    Measured,
    Record,
    Reverted,
    Run,
    Started,
    Stopped,
)
from reducers.policies.audit_gain import gain_findings, gain_of
from reducers.policies.audited import LogAudit, RunCounts
from reducers.policies.auditing import audit_log
from reducers.strategies import logs

CONFIG = Config(
    name="g",
    metricName="ms",
    metricUnit="ms",
    bestDirection="lower",
    measure="bench",
    samples=3,
    assets=("src",),
)


def baseline(*samples: float) -> list[Event]:
    values = samples or (9, 10, 11)
    middle = sorted(values)[1]
    return [
        CONFIG,
        Started(cycle=0, parent="a" * 40),
        Measured(cycle=0, commit="a" * 40, samples=values, median=middle),
        Run(run=1, commit="a" * 7, metric=middle, status="keep", reason="baseline"),
    ]


def attempt(
    number: int, *samples: float, status: str = "keep", reason: str = "improved", **run: Any
) -> list[Event]:
    """A cycle from its beginning to its run."""
    commit = f"{number:x}" * 40
    return [
        Started(cycle=number, parent="a" * 40),
        Committed(cycle=number, commit=commit, parent="a" * 40, files=("src/a",)),
        Measured(cycle=number, commit=commit, samples=samples, median=sorted(samples)[1]),
        Run(
            run=number + 1, commit=commit[:7], metric=sorted(samples)[1], status=status, reason=reason, **run
        ),
    ]


def back(number: int, **fields: Any) -> Reverted:
    values = {"revert_commit": "e" * 40, "verified": True, **fields}
    return Reverted(cycle=number, commit=f"{number:x}" * 40, **values)


def ours(events: Sequence[Event]) -> list[tuple[int, Record]]:
    """The events as lines of ours."""
    from msgspec.structs import replace

    return [(line, replace(event, seq=line)) for line, event in enumerate(events, 1)]


def found(*events: Event) -> list[tuple[str, str, str, int]]:
    """What an audit finds in these lines."""
    return [(f.level, f.source, f.kind, f.line) for f in audit_log(ours(events)).findings]


HONEST = [
    *baseline(),
    *attempt(1, 7, 8, 9),
    *attempt(2, 8, 9, 10, status="discard", reason="worse"),
    back(2),
    Started(cycle=3, parent="b" * 40),
    Run(run=4, status="crash", reason="no_change"),
]


def test_an_honest_session_has_no_finding() -> None:
    """And everything in it is counted."""
    audit = audit_log(ours(HONEST))

    assert audit.findings == ()
    assert audit.counts == RunCounts(total=4, measured=3, unmeasured=1)
    assert audit.measurements == 3
    assert [(c.cycle, c.run, c.status, c.revert_commit) for c in audit.cycles] == [
        (1, 2, "keep", None),
        (2, 3, "discard", "e" * 40),
    ]
    assert [(s.segment, s.line, s.assets, s.commit) for s in audit.segments] == [(0, 1, ("src",), "a" * 7)]
    assert audit.samples == {1: (9, 10, 11), 2: (7, 8, 9)}


def changed(place: int, **fields: Any) -> list[Event]:
    """The honest session with fields of one line changed; places from 1."""
    from msgspec.structs import replace

    events = list(HONEST)
    events[place - 1] = replace(events[place - 1], **fields)
    return events


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        (changed(8, run=7), ("error", "runs", "number", 8)),
        (changed(8, segment=3), ("error", "runs", "segment", 8)),
        (changed(8, metric=1), ("error", "measurements", "metric", 8)),
        (changed(8, metrics={"rss": 1}), ("error", "measurements", "metric", 8)),
        (changed(8, status="discard"), ("error", "measurements", "verdict", 8)),
        (changed(12, status="keep"), ("error", "measurements", "verdict", 12)),
        (changed(12, reason="equal"), ("warning", "measurements", "verdict", 12)),
        (changed(7, median=7), ("error", "measurements", "median", 7)),
        (changed(7, median=None), ("error", "measurements", "median", 7)),
        (changed(7, samples=(8,)), ("error", "measurements", "samples", 7)),
        (changed(7, samples=(10**400, 10**400, 1)), ("error", "measurements", "median", 7)),
        (changed(7, commit="f" * 40), ("error", "cycles", "commit", 7)),
        (changed(6, parent="f" * 40), ("error", "cycles", "parent", 6)),
        (changed(9, cycle=5), ("error", "cycles", "order", 9)),
        ([*HONEST[:6], *HONEST[7:]], ("error", "measurements", "missing", 7)),
        ([*HONEST[:11], *HONEST[12:]], ("error", "cycles", "order", 12)),
        ([*HONEST[:12], *HONEST[13:]], ("error", "cycles", "order", 13)),
        ([*HONEST, back(3)], ("error", "cycles", "order", 16)),
        ([*HONEST, Started(cycle=4, parent="a" * 40)], ("warning", "cycles", "open", 16)),
        (
            [*HONEST[:12], back(2, verified=False, detail="src/a is not as before")],
            ("error", "cycles", "open", 9),
        ),
        ([*HONEST, Flag(kind="harness", detail="x")], ("warning", "flags", "flag", 16)),
    ],
)
def test_what_does_not_agree_is_found(events: list[Event], expected: tuple[str, str, str, int]) -> None:
    """With its level, its kind and its line."""
    assert expected in found(*events)


def test_a_flag_that_was_cleared_is_none() -> None:
    """It is down."""
    flag = Flag(kind="harness", detail="x")

    assert found(*HONEST, flag, Flag(kind="harness", detail="x", cleared=True)) == []


def test_a_rollback_that_succeeded_later_is_one() -> None:
    """As `--resume` does it, once a person has put the files right."""
    failed = back(2, verified=False, detail="in the way")

    assert found(*HONEST[:12], failed, Stopped(reason="rollback_failed"), back(2)) == []


def test_runs_are_counted_on_whose_word_they_are() -> None:
    """Ours that were judged by who logged them, and those of other programs; kept ones are for git."""
    logged = Run(run=2, commit="b" * 7, metric=5, status="keep")
    foreign = Run(run=99, commit="c" * 7, metric=4, status="keep", segment=7)

    audit = audit_log([*ours([*baseline(), logged]), (6, foreign), (7, Run(run=1, status="discard"))])

    assert audit.findings == ()
    assert audit.counts == RunCounts(total=4, measured=1, judged=1, foreign=2)
    assert [(k.run, k.line, k.commit, k.ours) for k in audit.kept] == [
        (2, 5, "b" * 7, True),
        (3, 6, "c" * 7, False),
    ]


def test_a_line_that_was_overtaken_is_not_to_blame() -> None:
    """Another program's run came in between: the number is wrong, harmlessly."""
    foreign = Run(run=1, metric=5, status="keep")
    overtaken = Run(run=2, seq=5, metric=4, status="keep")

    (finding,) = audit_log([*ours(baseline()), (5, foreign), (6, overtaken)]).findings

    assert (finding.level, finding.kind, finding.line) == ("warning", "number", 6)


def test_failed_measurements_are_judged_by_the_same_rule() -> None:
    """Crash, failed constraint, changed harness."""
    commit = "1" * 40
    opening: list[Event] = [*baseline(), *attempt(1, 7, 8, 9)[:2]]
    for error, status, reason, median in (
        ("exit_1: sample 2 of 3 exited 1", "crash", "exit_1", None),
        ("constraint_failed: the constraint exited 1", "checks_failed", "constraint_failed", None),
        ("harness: what measures has changed: x", "discard", "harness", 8),
    ):
        samples = (7, 8, 9) if median else (7,)
        measured = Measured(cycle=1, commit=commit, samples=samples, median=median, error=error)
        run = Run(run=2, commit=commit[:7], metric=median, status=status, reason=reason)

        assert found(*opening, measured, run, back(1)) == []


def gains(*events: Event) -> tuple[Any, list[str]]:
    audit = audit_log(ours(events))
    gain = gain_of(audit)
    return gain, [finding.kind for finding in gain_findings(gain, audit)]


def test_a_gain_whose_samples_lie_apart() -> None:
    """Is told with its confidence."""
    gain, kinds = gains(*baseline(20, 21, 22), *attempt(1, 10, 11, 12), *attempt(2, 8, 9, 10))

    assert (gain.baseline, gain.best, gain.best_run) == (21, 9, 3)
    assert gain.change_pct == pytest.approx(-57.14, abs=0.01)
    assert (gain.measured, gain.overlap, kinds) == (True, False, [])
    assert gain.confidence == 6


def test_a_gain_within_noise() -> None:
    """Samples that overlap, or a confidence below 1, are warned about."""
    gain, kinds = gains(*baseline(9, 10, 11), *attempt(1, 8, 9, 30, reason="improved"))

    assert (gain.overlap, kinds) == (True, ["overlap"])
    noisy = [
        *baseline(9, 10, 11),
        *attempt(1, 5, 9.9, 10),
        *attempt(2, 50, 50, 50, status="discard", reason="worse"),
        back(2),
        *attempt(3, 90, 90, 90, status="discard", reason="worse"),
        back(3),
    ]
    assert gains(*noisy)[1] == ["noise", "overlap"]


def test_a_gain_that_nobody_measured() -> None:
    """Is its author's word, in a session that measures."""
    gain, kinds = gains(*baseline(), Run(run=2, metric=1, status="keep"))

    assert (gain.measured, gain.overlap, kinds) == (False, None, ["unmeasured"])
    agents = Config(name="g", metricName="ms", metricUnit="ms", bestDirection="lower")
    assert gains(agents, Run(run=1, metric=2, status="keep"), Run(run=2, metric=1, status="keep"))[1] == []


def test_higher_may_be_better() -> None:
    """Then the worst sample of the best has to beat the best of the baseline."""
    from msgspec.structs import replace

    events = [replace(CONFIG, bestDirection="higher"), *baseline(9, 10, 11)[1:], *attempt(1, 11, 12, 13)]

    assert gains(*events)[0].overlap is True
    assert gains(*events[:-2], *attempt(1, 12, 13, 14)[2:])[0].overlap is False


@settings(max_examples=60)
@given(logs())
def test_no_log_stops_an_audit(log: Sequence[Record]) -> None:
    """Law: whatever stands in it, findings are values."""
    audit = audit_log(list(enumerate(log, 1)))

    assert isinstance(audit, LogAudit)
    gain = gain_of(audit)
    list(gain_findings(gain, audit))
    counts = audit.counts
    assert counts.total == counts.measured + counts.unmeasured + counts.judged + counts.foreign
    assert counts.total == sum(isinstance(record, Run) for record in log)

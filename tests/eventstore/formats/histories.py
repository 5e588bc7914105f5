"""Hypothesis strategies for logs as we write them: what may be appended, in any order after a goal."""

from __future__ import annotations

from hypothesis import strategies as st

from eventstore.events import (
    Config,
    Custom,
    Direction,
    Event,
    Finding,
    Flag,
    Iteration,
    Note,
    Pivot,
    Run,
    Status,
    Verified,
)
from eventstore.memory import MemoryLog

_TEXT = st.one_of(
    st.text(max_size=20),
    st.text(alphabet="\\tnr\t\n\r ab'\"=+-@,#|", max_size=12),
    st.sampled_from(
        ["=1+1", "-3", "@x", "a\tb", "two\nlines", "keep", '{"a":1}', "C:\\temp\\new", "  spaced  "]
    ),
)
_SAID = _TEXT.filter(lambda text: text.strip() != "")
_MAYBE = st.none() | _SAID
_NUMBER = st.one_of(
    st.integers(-(10**6), 10**6),
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from([0, 1e-05]),
)
_VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), _NUMBER, _TEXT),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_TEXT, inner, max_size=3),
    max_leaves=4,
)
_NAMES = st.sampled_from(["rss_kb", "p99_ms", "tok/s", "µs", "a b"])
_WORKERS = st.sampled_from(["user", "worker:gpu0", "orchestrator"])
_START = 1764517599123


def _optional(**fields: st.SearchStrategy[object]) -> dict[str, st.SearchStrategy[object]]:
    return fields


CONFIGS = st.one_of(
    st.builds(
        Config,
        name=_SAID,
        metricName=_SAID,
        metricUnit=st.sampled_from([None, "", "ms"]),
        bestDirection=st.sampled_from(["lower", "higher"]),
        milestones=st.lists(_SAID, max_size=2).map(tuple),
        success=st.lists(_SAID, max_size=2).map(tuple),
    ),
    st.builds(Config, name=_SAID),
)

RUNS = st.builds(
    Run,
    run=st.just(1),
    commit=st.none() | st.sampled_from(["abc1234", "baseline"]),
    metric=st.none() | _NUMBER,
    metrics=st.dictionaries(_NAMES, st.one_of(_NUMBER, _VALUES), max_size=3),
    status=st.sampled_from(["keep", "discard", "crash", "checks_failed"]),
    description=_TEXT,
    confidence=st.none() | _NUMBER,
    asi=st.dictionaries(_SAID, _VALUES, max_size=3),
    reason=_MAYBE,
    direction=_MAYBE,
    duration_seconds=st.none() | _NUMBER,
    by=_WORKERS,
)

OTHERS: st.SearchStrategy[Event] = st.one_of(
    st.builds(
        Finding,
        text=_SAID,
        evidence=_MAYBE,
        source=_MAYBE,
        iteration=st.none() | st.integers(0, 9),
        by=_WORKERS,
    ),
    st.builds(
        Iteration,
        iteration=st.integers(0, 9),
        summary=_TEXT,
        findings=st.integers(0, 3),
        metric=st.none() | _NUMBER,
        direction=_MAYBE,
        rounds=st.none() | st.integers(0, 15),
        by=_WORKERS,
    ),
    st.builds(
        Direction,
        text=_SAID,
        kind=st.sampled_from([None, "tactical", "structural"]),
        state=st.sampled_from(["claimed", "tried", "abandoned"]),
        reason=_MAYBE,
        until=st.none() | st.integers(_START, _START + 10**7),
        by=_WORKERS,
    ),
    st.builds(
        Verified,
        kind=st.sampled_from(["test", "citation"]),
        target=_MAYBE,
        ok=st.booleans(),
        by=st.sampled_from(["user", "verifier:v"]),
    ),
    st.builds(
        Note, detail=_TEXT, event=_MAYBE, level=st.sampled_from(["info", "warn", "decision"]), source=_MAYBE
    ),
    st.builds(Note, detail=_SAID, by=st.just("guardian:patrol")),
    st.builds(Status, status=_SAID),
    st.builds(Flag, kind=_SAID, cleared=st.booleans()),
    st.builds(Pivot, level=st.sampled_from(["structure", "inject"]), from_=_MAYBE, by=st.just("guardian")),
    st.builds(
        Custom, type=st.just("x.deploy"), fields=st.dictionaries(st.sampled_from(["to", "n"]), _VALUES)
    ),
)


def written(events: list[Event]) -> MemoryLog:
    """A log to which these events were appended one by one, runs numbered, a second apart."""
    from msgspec.structs import replace

    moments = iter(range(_START, _START + 10**9, 1000))
    log = MemoryLog(clock=lambda: next(moments))
    runs = segment = 0
    for event in events:
        if isinstance(event, Config):
            segment += runs > 0
        elif isinstance(event, Run):
            runs += 1
            event = replace(event, run=runs, segment=segment)
        log.append([event])
    return log


LOGS = st.builds(
    lambda first, rest: written([first, *rest]),
    CONFIGS,
    st.lists(st.one_of(CONFIGS, RUNS, RUNS, OTHERS), max_size=12),
)
"""Logs that begin with a goal."""

RUN_LOGS = st.builds(
    lambda groups: written([event for config, runs in groups for event in (config, *runs)]),
    st.lists(st.tuples(CONFIGS, st.lists(RUNS, min_size=1, max_size=4)), min_size=1, max_size=3),
)
"""Logs of runs alone, in one or several segments, none of them empty."""

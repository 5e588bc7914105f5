"""Logs that were written by many hands: ours, pi's, people's, and a crash's."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from eventstore.filelog import FileLog


def line(**fields: Any) -> bytes:
    """One line of a log, without its newline."""
    return json.dumps(fields, separators=(",", ":"), ensure_ascii=False).encode()


def write_log(path: Path, lines: list[bytes]) -> FileLog:
    """A log of these lines, every one ended."""
    path.write_bytes(b"".join(part + b"\n" for part in lines))
    return FileLog(path)


_metrics = st.sampled_from([1, 2.5, 1e-05, 0, -3, None, "fast", 1e300, 10**30])
_statuses = st.sampled_from(["keep", "discard", "crash", "checks_failed", "odd"])
_texts = st.sampled_from(["", "sort first", 'a "b" $(c)', "😀\n"])

_runs = st.builds(
    line,
    type=st.just("run"),
    run=st.integers(1, 50),
    status=_statuses,
    metric=_metrics,
    description=_texts,
    asi=st.sampled_from([{}, {"hypothesis": "h"}, "text", None]),
)
_foreign_runs = st.builds(line, run=st.integers(1, 50), status=_statuses, metric=_metrics, cost=_metrics)
_configs = st.builds(
    line,
    type=st.just("config"),
    name=_texts,
    metricName=st.sampled_from(["total", None]),
    metricUnit=st.sampled_from(["s", ""]),
    bestDirection=st.sampled_from(["lower", "higher", None]),
)
_settings = st.builds(
    lambda seconds: line(type="settings", timeouts={"hook": seconds}),
    st.sampled_from([5, 0.5, 0, -1, "x", 10**400]),
)
_others = st.sampled_from(
    [
        b"",
        b"torn {",
        b"\xff",
        b"[1]",
        line(type="stopped", reason="user"),
        line(type="stopped", reason="harness"),
        line(type="stopped", reason="target", by="guardian:g"),
        line(type="resumed"),
        line(type="hook", stage="after", exit_code=0, at=1),
        line(type="heartbeat"),
        line(type="newer", run=1),
        line(type="x.own", a=1),
    ]
)

log_lines = st.lists(st.one_of(_runs, _foreign_runs, _configs, _settings, _others), max_size=8)
"""The lines of a log in which anything may stand."""

"""A log as pi-autoresearch writes it: config, run and hook lines, nothing else."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from eventstore.events import Config, Hook
from eventstore.formats.rows import Aim, Exported, RunRow
from eventstore.formats.values import moment_of

__all__ = ["write_pi"]

_STATUSES = frozenset(("keep", "discard", "crash", "checks_failed"))


def write_pi(events: Iterable[Exported]) -> Iterator[bytes]:
    """The lines, each with its newline.

    pi calls every status it does not know a keep, so one that is none of the four becomes a discard, its own
    word kept in `asi`. A run without a metric has null, which pi reads as 0. A task without a metric has an
    empty `metricName`. What pi's lines have no field for, and what it ignores, follows its own fields where
    a run has it: `reason`, `direction`, `duration_seconds`, `by`.
    """
    for exported in events:
        event = exported.event
        if isinstance(event, Config):
            yield _line(_config(exported.aim))
        elif exported.row is not None:
            yield _line(_run(exported.row))
        elif isinstance(event, Hook):
            yield _line(_hook(event))


def _line(fields: dict[str, Any]) -> bytes:
    return msgspec.json.encode(fields) + b"\n"


def _config(aim: Aim) -> dict[str, Any]:
    return {
        "type": "config",
        "name": aim.goal,
        "metricName": aim.metric or "",
        "metricUnit": aim.unit or "",
        "bestDirection": aim.direction or "lower",
    }


def _run(row: RunRow) -> dict[str, Any]:
    run = row.run
    metric = run.metric if isinstance(run.metric, (int, float)) and math.isfinite(run.metric) else None
    asi = dict(run.asi)
    if run.status not in _STATUSES:
        asi.setdefault("status", run.status)
    line: dict[str, Any] = {
        "run": row.ordinal,
        "commit": run.commit or "",
        "metric": metric,
        "metrics": run.metrics,
        "status": run.status if run.status in _STATUSES else "discard",
        "description": run.description,
        "timestamp": moment_of(run.timestamp),
        "segment": row.segment,
        "confidence": run.confidence,
    }
    beside = {
        "iterationTokens": run.iterationTokens,
        "asi": asi or None,
        "reason": run.reason,
        "direction": run.direction,
        "duration_seconds": run.duration_seconds,
        "by": None if run.by == "user" else run.by,
    }
    return line | {name: value for name, value in beside.items() if value is not None}


def _hook(hook: Hook) -> dict[str, Any]:
    return {
        "type": "hook",
        "stage": hook.stage,
        "exit_code": hook.exit_code,
        "duration_ms": hook.duration_ms,
        "stdout_bytes": hook.stdout_bytes,
        "timed_out": hook.timed_out,
    }

"""The long-horizon protocol's state folder, made of a log: its whole layout, each file as its bytes.

Nothing of the log is lost on the way: findings, iterations and directions stand in files of their own, every
other event is a line of the log whose loop appended it, its fields in `detail`. A direction that a run or an
iteration went in stands among the directions as well, as one that was tried, with that as its `event`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from eventstore.events import (
    ENVELOPE,
    TYPES,
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
    Verified,
    type_of,
)
from eventstore.formats.task_spec import write_task
from eventstore.formats.values import moment_of
from eventstore.roles import role_of
from eventstore.timestamps import iso_utc

__all__ = ["LOGS", "Progress", "write_folder"]

LOGS = ("work", "orchestrator", "heartbeat")
"""The logs of the folder: the workers' (and of everyone who has none of their own), the orchestrator's, the
guardians'."""

_LOG_OF = {"orchestrator": "orchestrator", "guardian": "heartbeat"}


class Progress(msgspec.Struct, frozen=True):
    """The protocol's `progress.json`: number of the last iteration, findings so far, the task's status, how
    many iterations in a row brought nothing (design, section 5)."""

    iteration: int = 0
    total_findings: int = 0
    status: str | None = None
    stale_count: int = 0


def write_folder(
    numbered: Iterable[tuple[int, Event]], progress: Progress, goal: Config | None
) -> dict[str, bytes]:
    """The files of the folder by path.

    `numbered`: the log's events with their lines' numbers. `progress`, `goal`: what its views say at the end;
    None where it has no goal.
    """
    findings: list[bytes] = []
    iterations: list[bytes] = []
    directions: list[dict[str, Any]] = []
    logs: dict[str, list[bytes]] = {name: [] for name in LOGS}
    for seq, event in numbered:
        if isinstance(event, Finding):
            findings.append(_json(_finding(seq, event)))
        elif isinstance(event, Iteration):
            iterations.append(_json(_iteration(seq, event)))
            directions += _went_in(seq, event)
        elif isinstance(event, Direction):
            directions.append(_direction(seq, event))
        else:
            directions += _went_in(seq, event) if isinstance(event, Run) else []
            logs[_LOG_OF.get(role_of(event.by), "work")].append(_json(_log_line(seq, event)))
    files = {
        "task_spec.md": b"" if goal is None else write_task(goal).encode(),
        "progress.json": _pretty(msgspec.to_builtins(progress)),
        "findings.jsonl": b"".join(findings),
        "directions_tried.json": _pretty(directions),
        "iteration_log.jsonl": b"".join(iterations),
    }
    return files | {f"logs/{name}.jsonl": b"".join(lines) for name, lines in logs.items()}


def _json(value: dict[str, Any]) -> bytes:
    return msgspec.json.encode(value) + b"\n"


def _pretty(value: Any) -> bytes:
    return msgspec.json.format(msgspec.json.encode(value), indent=2) + b"\n"


def _ts(moment: object) -> str | None:
    ms = moment_of(moment)
    return None if ms is None else iso_utc(ms)


def _line(event: Event, level: str, detail: Any, kind: str | None = None) -> dict[str, Any]:
    """The five fields that each line of the protocol has."""
    return {
        "ts": _ts(event.timestamp),
        "source": event.by,
        "level": level,
        "event": kind or type_of(event),
        "detail": detail,
    }


def _with(line: dict[str, Any], **beside: Any) -> dict[str, Any]:
    return line | {name: value for name, value in beside.items() if value is not None}


def _finding(seq: int, event: Finding) -> dict[str, Any]:
    return _with(
        _line(event, "info", event.text),
        iteration=event.iteration,
        evidence=event.evidence,
        citation=event.source,
        seq=seq,
    )


def _iteration(seq: int, event: Iteration) -> dict[str, Any]:
    return _with(
        _line(event, "info", event.summary),
        iteration=event.iteration,
        findings=event.findings,
        metric=event.metric,
        direction=event.direction,
        rounds=event.rounds,
        duration_seconds=event.duration_seconds,
        seq=seq,
    )


def _direction(seq: int, event: Direction) -> dict[str, Any]:
    return _with(
        {"direction": event.text, "state": event.state},
        kind=event.kind,
        reason=event.reason,
        until=_ts(event.until),
        ts=_ts(event.timestamp),
        source=event.by,
        seq=seq,
    )


def _went_in(seq: int, event: Run | Iteration) -> list[dict[str, Any]]:
    """The direction that a run or an iteration made a tried one, if it names any."""
    if not event.direction:
        return []
    said = {"direction": event.direction, "state": "tried", "ts": _ts(event.timestamp), "source": event.by}
    return [said | {"event": type_of(event), "seq": seq}]


def _log_line(seq: int, event: Event) -> dict[str, Any]:
    """A note says its own line; the detail of any other event is its fields and its place in the log."""
    if isinstance(event, Note):
        kind = event.event or "note"
        if event.source is None and event.detail.strip() == event.detail != "" and _is_free(event.event):
            return _line(event, _level(event), event.detail, kind)
    return _line(event, _level(event), {"seq": seq, **_fields(event)})


def _is_free(word: str | None) -> bool:
    """Whether a note's word is read back as it is, and is not taken for a type of event."""
    return word is None or (word not in TYPES and word.strip() == word != "" and not word.startswith("x."))


def _fields(event: Event) -> dict[str, Any]:
    if isinstance(event, Custom):
        return event.fields
    plain: dict[str, Any] = msgspec.to_builtins(event)
    return {name: value for name, value in plain.items() if name != "type" and name not in ENVELOPE}


def _level(event: Event) -> str:
    if isinstance(event, Note):
        return event.level
    if isinstance(event, Pivot):
        return "decision"
    warns = (
        (isinstance(event, Flag) and not event.cleared)
        or (isinstance(event, Run) and event.status == "crash")
        or (isinstance(event, Verified) and not event.ok)
    )
    return "warn" if warns else "info"

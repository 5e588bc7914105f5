"""Events of a session: its goal, its settings, its runs, its hooks and its ends."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec

from eventstore.events.base import Count, Number, Tagged, always, at_least, one_of

__all__ = ["Config", "Hook", "Imported", "Resumed", "Run", "Settings", "Status", "Stopped"]

Direction = Annotated[str, one_of("lower", "higher")]
RunStatus = Annotated[str, one_of("keep", "discard", "crash", "checks_failed")]
Stage = Annotated[str, one_of("before", "after")]
Metric = Annotated[
    int | float | str | None,
    msgspec.Meta(extra={"door": "number"}, extra_json_schema={"type": ["number", "null"]}),
]
RunNumber = Annotated[
    int | float,
    msgspec.Meta(extra={"door": "integer", "min": 1}, extra_json_schema={"type": "integer", "minimum": 1}),
]
Name = Annotated[str, msgspec.Meta(extra={"door": "required"})]


class Config(Tagged, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """A session, or a new segment of it, was configured. Written by `ar init`.

    Read after a run it starts the next segment.

    name: the goal, in words; required when appended.
    metricName: the metric's name; absent in a task without a metric, whose metric views are null.
    metricUnit: its unit, as text; empty if it has none.
    bestDirection: `lower` or `higher`; which way is better.
    measure: the command whose output holds the metric.
    constraint: the command that must succeed for a run to be kept.
    assets: paths the agent may change, relative to the working directory.
    samples: how many times a run is measured, from 1; their median counts.
    harness: SHA-256 (hex) of each file that measuring relies on, by path.
    milestones: what is to be reached on the way, in order.
    success: what makes the task done.
    """

    name: Name = always("")
    metricName: str | None = None  # noqa: N815  (pi's own names)
    metricUnit: str | None = None  # noqa: N815
    bestDirection: Direction | None = None  # noqa: N815
    measure: str | None = None
    constraint: str | None = None
    assets: tuple[str, ...] = ()
    samples: Annotated[int, at_least(1)] | None = None
    harness: dict[str, str] = {}
    milestones: tuple[str, ...] = ()
    success: tuple[str, ...] = ()


class Settings(Tagged, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """Limits, thresholds or timeouts were set. Written by `ar init`, and where `config.json` has changed.

    What is not named stays as it was. Never starts a segment.

    limits: `max_cycles`, `time_limit_minutes`, `target`, `max_iterations`, `discards`, `failures`,
        `no_change`; a number above 0 (`target`: any finite number), or the text `none` for no limit.
    thresholds: stale counts from which a pivot is due: `structure`, `inject`, `human`; whole numbers from 1.
    timeouts: seconds above 0: `sample`, `constraint`, `hook`, `agent`.
    metric_pattern: regular expression with one group that finds the metric in a command's output.
    """

    limits: dict[str, int | float | str | None] = {}
    thresholds: dict[str, Number] = {}
    timeouts: dict[str, Number] = {}
    metric_pattern: str | None = None


class Run(Tagged, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """An experiment was judged. Written by `ar log` and `ar cycle`, and by other programs.

    The one event with a numeric top-level `run`, so that pi reads it.

    run: its number, from 1; ours are the ordinal among all runs of the log, a foreign claim is kept as it is.
    commit: the commit it was measured at, usually abbreviated; null if there was none.
    metric: the measured value, in the metric's unit; null if there was none. Foreign logs also hold text,
        which is no metric.
    metrics: secondary metrics by name.
    status: `keep`, `discard`, `crash` or `checks_failed`; foreign logs also hold others.
    description: what was tried, in the agent's words.
    segment: number of the segment it was written in, from 0; a claim, the log's own order decides.
    confidence: the session's confidence when it was written (design, section 5), from 0; or null.
    asi: what the agent wants its successors to know: hypothesis, next_focus, learned, rollback_reason, ...
    reason: why it was judged so, in a word: no_metric, not_finite, timed_out, ...
    direction: the direction of the search it belongs to.
    duration_seconds: how long the experiment took, seconds.
    iterationTokens: how many tokens the agent spent on it, from 0; written by pi alone.
    """

    run: RunNumber
    commit: str | None = always(None)
    metric: Metric = always(None)
    metrics: dict[str, Any] = always({})
    status: RunStatus
    description: str = always("")
    segment: int = always(0)
    confidence: int | float | None = always(None)
    asi: dict[str, Any] = {}
    reason: str | None = None
    direction: str | None = None
    duration_seconds: int | float | None = None
    iterationTokens: int | float | None = None  # noqa: N815  (pi's own name)


class Hook(Tagged, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """A hook script fired. Written by the commands that fire hooks.

    stage: `before` or `after` an iteration.
    exit_code: the script's exit code, from 0; negative for a signal, null if it never ended by itself.
    duration_ms: how long it ran, milliseconds.
    stdout_bytes: how much it printed on stdout, before any cut, bytes.
    timed_out: whether its time limit ended it.
    truncated: whether its steer was cut at the cap.
    steer: what it said to the agent; absent if it was silent.
    script_sha256: SHA-256 (hex) of the script that ran.
    at: number of the last line its payload was taken from, from 0, which is an empty log.
    """

    stage: Stage
    exit_code: int | None = always(None)
    duration_ms: int | float | None = always(None)
    stdout_bytes: int | float | None = always(None)
    timed_out: bool = always(False)
    truncated: bool = always(False)
    steer: str | None = None
    script_sha256: str | None = None
    at: int | None = None


class Stopped(Tagged, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """The loop ended, or the session was switched off. Written by loops and `ar off`.

    reason: the stop rule that held (design, section 5), or `user`; `off` where it was switched off.
    detail: what exactly was reached, in words.
    """

    reason: str
    detail: str = ""


class Resumed(Tagged, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """The loop went on, or the session was switched on. Written by loops and `ar on`.

    reason: why, in a word; `on` where it was switched on, which alone answers `off`.
    detail: the same in more words.
    """

    reason: str | None = None
    detail: str = ""


class Status(Tagged, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """A task's status changed. Written by loops and orchestrators (`ar status`).

    status: the new status, in a word.
    detail: what led to it, in words.
    """

    status: str
    detail: str = ""


class Imported(Tagged, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """Foreign history was taken in. Written by `ar import`.

    source: where it came from: the file's path, from the session's folder on where it lies in there.
    format: which parser read it.
    sha256: SHA-256 (hex) over the bytes that were read.
    events: how many events were appended for it, from 0.
    skipped: what was left out: objects of `line` (from 1) and `reason`.
    bytes: how much of the source was read, bytes.
    lines: how many lines of the source were read, from 0.
    marks: the first 4 hex digits of SHA-256 of each of these lines, without its end, one after the other;
        they tell which line changed when the digest tells that one did. Absent for more than 100,000 lines.
    """

    source: str
    format: str
    sha256: str | None = None
    events: Count = 0
    skipped: tuple[dict[str, Any], ...] = ()
    bytes: Count | None = None
    lines: Count | None = None
    marks: str | None = None

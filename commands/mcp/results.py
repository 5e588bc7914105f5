"""What each tool gives as structured content: the documents of `--json`, and what an agent needs beside them.

These types are the source of the output schemas and of the reference page. Recorded events and views within
them are told as objects: `docs/events.md` and `docs/views.md` say what they hold.
"""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta, Struct

__all__ = [
    "BriefResult",
    "CheckDirectionResult",
    "CycleResult",
    "InitResult",
    "LogNext",
    "LogResult",
    "ProposeResult",
    "RecordResult",
    "Rules",
    "RunResult",
    "Verdict",
    "ViewResult",
    "WhyResult",
]

Json = dict[str, Any]
Number = int | float

Seq = Annotated[int, Meta(description="Number of the line in the log, from 1.")]
LastSeq = Annotated[int, Meta(description="Number of the last line that was looked at; 0 for none.")]
Head = Annotated[str | None, Meta(description="`SEQ:DIGEST` of that line; null for an empty log.")]
Written = Annotated[int, Meta(description="How many events were written; 0 where the log had them already.")]
Recorded = Annotated[Json | None, Meta(description="The line as it stands in the log.")]
Mended = Annotated[list[Json], Meta(description="What the store noted about itself on the way.")]
Damaged = Annotated[list[int], Meta(description="Numbers of the lines that are no JSON object.")]
Hooks = Annotated[
    list[Json],
    Meta(description="Hooks that fired: seq, stage, exit_code, timed_out, duration_ms, truncated, steer."),
]
Neighbour = Annotated[
    Json | None, Meta(description="An earlier direction much like this one: text, outcome, similarity.")
]


class Rules(Struct, kw_only=True, frozen=True):
    """What the stop rules and the stall rules say now."""

    stop_reason: Annotated[str | None, Meta(description="Why the session must not go on; null while it may.")]
    stop_detail: Annotated[str, Meta(description="What was reached, in words; empty while nothing is.")]
    stale_count: Annotated[int, Meta(description="Judged runs since the last new best.")]
    pivot_due: Annotated[
        str | None, Meta(description="structure, inject or human: the pivot that is due; null for none.")
    ]
    demand: Annotated[str, Meta(description="What the next change has to be; empty for anything.")]


class InitResult(Struct, kw_only=True, frozen=True):
    """What `init_experiment` gives."""

    seq: LastSeq
    head: Head
    log: Annotated[str, Meta(description="Path of the log.")]
    config: Annotated[Json | None, Meta(description="The config that was recorded; null if it is not new.")]
    settings: Annotated[Json | None, Meta(description="The settings that were recorded; null likewise.")]
    segment: Annotated[int, Meta(description="The current segment, from 0.")]
    damaged_lines: Damaged
    hooks: Hooks
    checks: Annotated[
        list[Json],
        Meta(description="Where `ar` measures: what was checked, with name, state, detail, remedy."),
    ] = []


class Verdict(Struct, kw_only=True, frozen=True):
    """What a cycle would make of it."""

    status: Annotated[str, Meta(description="keep, discard, crash or checks_failed.")]
    reason: Annotated[str, Meta(description="baseline, improved, equal, worse, or what it failed of.")]
    best_before: Annotated[Number | None, Meta(description="The value to beat; null if there is none.")]
    change_pct: Annotated[Number | None, Meta(description="Change against it, per cent; null if unknown.")]


class LogNext(Struct, kw_only=True, frozen=True):
    """Arguments for `log_experiment`; the description of what was tried is yours to add."""

    status: Annotated[str, Meta(description="keep, discard, crash or checks_failed.")]
    metric: Annotated[Number | None, Meta(description="The measured value; null for none.")]
    metrics: Annotated[dict[str, Number], Meta(description="Secondary metrics by name.")]
    duration_seconds: Annotated[Number, Meta(description="How long the samples took.")]
    reason: Annotated[str | None, Meta(description="Why, in a word, where it is not plain.")]


class RunResult(Struct, kw_only=True, frozen=True):
    """What `run_experiment` gives."""

    command: Annotated[str, Meta(description="The command that was run.")]
    constraint: Annotated[str | None, Meta(description="The constraint that was run first; null for none.")]
    samples: Annotated[list[Number], Meta(description="The values, in order.")]
    median: Annotated[Number | None, Meta(description="Their median; null if a command failed.")]
    metrics: Annotated[dict[str, Number], Meta(description="Medians of the other named metrics.")]
    exit_code: Annotated[int | None, Meta(description="Of the last command; null if it was ended.")]
    constraint_exit: Annotated[int | None, Meta(description="Of the constraint; null likewise.")]
    timed_out: Annotated[bool, Meta(description="Whether a time limit ended a command.")]
    duration_seconds: Annotated[Number, Meta(description="Of all samples.")]
    error: Annotated[str | None, Meta(description="What went wrong, in words; null if nothing.")]
    output_tail: Annotated[
        str, Meta(description="The end of what the last command printed: 20 lines and 4 KiB at most.")
    ]
    verdict: Annotated[Verdict, Meta(description="What a cycle would make of it.")]
    log_next: Annotated[
        LogNext, Meta(description="What to call log_experiment with; the description is yours to add.")
    ]


class LogResult(Struct, kw_only=True, frozen=True):
    """What `log_experiment` gives."""

    seq: Seq
    head: Head
    written: Written
    event: Annotated[Json, Meta(description="The run as it stands in the log.")]
    session: Annotated[Json, Meta(description="The view `session` after it.")]
    mended: Mended
    hooks: Hooks
    git: Annotated[
        Json | None,
        Meta(
            description="committed: the commit of a keep. saved: where undone changes lie. Null without git."
        ),
    ]
    rules: Annotated[Rules, Meta(description="What the stop rules and the stall rules say now.")]


class CycleResult(Struct, kw_only=True, frozen=True):
    """What `cycle` gives."""

    cycle: Annotated[int | None, Meta(description="Its number; null where none was open to be resumed.")]
    hooks: Hooks
    run: Annotated[int | None, Meta(description="Number of its run.")] = None
    seq: Annotated[int | None, Meta(description="Number of the run's line in the log.")] = None
    status: Annotated[str | None, Meta(description="keep, discard, crash or checks_failed.")] = None
    reason: Annotated[
        str | None, Meta(description="improved, equal, worse, harness, or what it failed of.")
    ] = None
    description: Annotated[str, Meta(description="What was tried.")] = ""
    commit: Annotated[str | None, Meta(description="The commit that was measured.")] = None
    before: Annotated[Number | None, Meta(description="The value it was compared with.")] = None
    metric: Annotated[Number | None, Meta(description="The median; null for none.")] = None
    metrics: Annotated[dict[str, Number], Meta(description="Medians of the other named metrics.")] = {}
    confidence: Annotated[
        Number | None, Meta(description="2 and more: likely real; below 1: within noise.")
    ] = None
    reverted: Annotated[Json | None, Meta(description="The rollback; null if it was kept.")] = None
    saved: Annotated[str | None, Meta(description="Where work that was in the way was saved.")] = None
    stopped: Annotated[str | None, Meta(description="Why the session stopped over it.")] = None
    stop_reason: Annotated[str | None, Meta(description="Why the loop must not go on; null if it may.")] = (
        None
    )
    finished_first: Annotated[
        Json | None, Meta(description="An interrupted cycle that was finished first, in the same keys.")
    ] = None
    rules: Annotated[Rules | None, Meta(description="What the stop rules and the stall rules say now.")] = (
        None
    )


class ViewResult(Struct, kw_only=True, frozen=True):
    """What `view` gives, beside the view's own fields, which are in `docs/views.md`."""

    view: Annotated[str, Meta(description="Its name.")]
    seq: LastSeq
    head: Head
    damaged_lines: Damaged
    left_out: Annotated[
        dict[str, int], Meta(description="How many of the oldest rows of each list are left out.")
    ] = {}


class BriefResult(Struct, kw_only=True, frozen=True):
    """What `brief` gives."""

    seq: LastSeq
    next_run: Annotated[int, Meta(description="Number of the run that comes next.")]
    sections: Annotated[list[Json], Meta(description="Its parts: name, title, text.")]
    damaged_lines: Damaged


class WhyResult(Struct, kw_only=True, frozen=True):
    """What `why` gives."""

    view: Annotated[str, Meta(description="The view's name.")]
    field: Annotated[str, Meta(description="The field.")]
    value: Annotated[Any, Meta(description="Its value.")]
    causes: Annotated[
        list[Json], Meta(description="What gave it its values, the newest first: seq, value, event.")
    ]
    damaged_lines: Damaged


class CheckDirectionResult(Struct, kw_only=True, frozen=True):
    """What `check_direction` gives."""

    seq: LastSeq
    head: Head
    direction: Annotated[str, Meta(description="The direction that was asked about.")]
    free: Annotated[bool, Meta(description="Whether it may be taken.")]
    earlier: Annotated[
        Json | None, Meta(description="What stands in its way: text, state, outcome, runs, by, until.")
    ]
    neighbour: Neighbour
    damaged_lines: Damaged


class ProposeResult(Struct, kw_only=True, frozen=True):
    """What `propose` gives."""

    seq: Seq
    head: Head
    event: Annotated[Json, Meta(description="The proposal as it stands in the log.")]
    claimed: Annotated[str | None, Meta(description="The direction that is yours for 15 minutes.")]
    neighbour: Neighbour
    mended: Mended


class RecordResult(Struct, kw_only=True, frozen=True):
    """What `record_finding`, `pivot` and `heartbeat` give."""

    seq: Annotated[int | None, Meta(description="Number of the line in the log, from 1.")]
    head: Head
    written: Written
    event: Recorded
    mended: Mended

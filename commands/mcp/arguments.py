"""What each tool takes: one type a tool, from which its schema, its checks and its reference page are made.

Names are those of the log, and of pi-autoresearch's tools where both mean the same, so that an agent which
knows those finds its way. None stands for what was left out.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

from reducers import registry

__all__ = [
    "Arguments",
    "BriefArguments",
    "CheckDirectionArguments",
    "CycleArguments",
    "HeartbeatArguments",
    "InitArguments",
    "Limits",
    "LogArguments",
    "PivotArguments",
    "ProposeArguments",
    "RecordFindingArguments",
    "RunArguments",
    "Thresholds",
    "Timeouts",
    "ViewArguments",
    "WhyArguments",
    "WritingArguments",
]

Number = int | float
Positive = Annotated[int, Meta(ge=1)]
Seconds = Annotated[float, Meta(gt=0)]
Limit = int | float | str

At = Annotated[
    str | None,
    Meta(
        description="Look at the log as it was: a line's number, `run:N` (just after the Nth run), an ISO "
        "time (UTC), or `head`. Left out: now.",
        examples=["run:5"],
    ),
]
Asi = Annotated[
    dict[str, Any],
    Meta(
        description="What successors should know, as free keys and values. Usual keys: hypothesis, learned, "
        "next_focus, rollback_reason, next_action_hint.",
        examples=[{"learned": "the parser is not the bottleneck"}],
    ),
]


class Arguments(Struct, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """What every tool takes."""

    cwd: Annotated[
        str | None,
        Meta(
            description="Directory of the session, or one below it; best absolute. Left out: where the "
            "server was started."
        ),
    ] = None


class WritingArguments(Arguments, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """What every tool takes that appends to the log."""

    agent: Annotated[
        str | None,
        Meta(
            description="Your name, where several agents work on one session: what you append is signed with "
            "it (`worker:NAME`). No spaces, 64 characters at most.",
            examples=["gpu0"],
        ),
    ] = None


class Limits(Struct, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """Limits of the loop; each a number above 0, or `none` for no limit."""

    max_cycles: Annotated[Limit | None, Meta(description="Cycles of a segment.")] = None
    time_limit_minutes: Annotated[
        Limit | None,
        Meta(description="Minutes of active loop time in a segment; a text such as `2h` is taken too."),
    ] = None
    target: Annotated[Limit | None, Meta(description="The metric to reach.")] = None
    max_iterations: Annotated[Limit | None, Meta(description="Runs of a segment.")] = None
    discards: Annotated[Limit | None, Meta(description="Judged runs in a row without a keep.")] = None
    failures: Annotated[Limit | None, Meta(description="Runs in a row without a keep.")] = None
    no_change: Annotated[Limit | None, Meta(description="Turns in a row that change nothing.")] = None


class Thresholds(Struct, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """How many stale runs demand a pivot of each level."""

    structure: Annotated[Positive | None, Meta(description="Change a structural constraint.")] = None
    inject: Annotated[Positive | None, Meta(description="Bring in a new direction.")] = None
    human: Annotated[Positive | None, Meta(description="Raise a flag for a person.")] = None


class Timeouts(Struct, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """How long commands may take, seconds."""

    sample: Annotated[Seconds | None, Meta(description="One run of the metric command. 600 at first.")] = None
    constraint: Annotated[Seconds | None, Meta(description="The constraint. 300 at first.")] = None
    hook: Annotated[Seconds | None, Meta(description="A hook. 30 at first.")] = None
    agent: Annotated[Seconds | None, Meta(description="A turn of `ar loop`. 1800 at first.")] = None


class InitArguments(WritingArguments, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """What `init_experiment` takes."""

    name: Annotated[
        str | None,
        Meta(description="The goal, in words. Needed the first time.", examples=["make the tests faster"]),
    ] = None
    metric_name: Annotated[
        str | None,
        Meta(
            description="Name of the metric, as in `METRIC name=value`. Needed the first time, together with "
            "metric_unit and direction.",
            examples=["total"],
        ),
    ] = None
    metric_unit: Annotated[
        str | None,
        Meta(description="Its unit, such as s, ms, kb; an empty text for a number without one."),
    ] = None
    direction: Annotated[
        Literal["lower", "higher"] | None, Meta(description="Which way is better; never guessed.")
    ] = None
    no_metric: Annotated[
        bool, Meta(description="A task without a metric, in the place of metric_name and its kin.")
    ] = False
    measure: Annotated[
        str | None,
        Meta(
            description="Shell command that prints the metric: the last number on stdout, or a line "
            "`METRIC name=value`. With it `cycle` measures and judges; assets are then needed, and the "
            "repository must be clean inside them.",
            examples=["bash .auto/measure.sh"],
        ),
    ] = None
    constraint: Annotated[
        str | None,
        Meta(description="Shell command that must succeed for a change to be kept.", examples=["pytest -q"]),
    ] = None
    assets: Annotated[
        list[str],
        Meta(
            description="Files and directories that may be changed, relative to the session. Keep what "
            "measures out of them.",
            examples=[["src"]],
        ),
    ] = []
    samples: Annotated[
        Positive | None, Meta(description="How often a change is measured; the median counts. 3 at first.")
    ] = None
    milestones: Annotated[list[str], Meta(description="Steps on the way.")] = []
    success: Annotated[list[str], Meta(description="What makes the task done.")] = []
    new_segment: Annotated[
        bool,
        Meta(description="Begin a new segment though nothing changes: baseline and best are counted anew."),
    ] = False
    limits: Annotated[Limits | None, Meta(description="Limits to change; the others stay.")] = None
    thresholds: Annotated[Thresholds | None, Meta(description="Stall thresholds to change.")] = None
    timeouts: Annotated[Timeouts | None, Meta(description="Time limits of commands to change.")] = None
    metric_pattern: Annotated[
        str | None,
        Meta(description="Regular expression that finds the metric in the output; one group around it."),
    ] = None
    harness: Annotated[
        list[str],
        Meta(
            description="What else measuring relies on and may not change; the scripts that the commands run "
            "are found by themselves."
        ),
    ] = []
    allow_dirty: Annotated[
        bool, Meta(description="What is changed outside the assets is the user's, and is let be.")
    ] = False


class RunArguments(Arguments, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """What `run_experiment` takes."""

    command: Annotated[
        str | None,
        Meta(
            description="Shell command that prints the metric; only for a session that has neither a metric "
            "command nor .auto/measure.sh. Left out: the session's."
        ),
    ] = None
    samples: Annotated[
        Positive | None,
        Meta(
            description="How often it is run; the median counts. Left out: the session's number, else once."
        ),
    ] = None
    timeout_seconds: Annotated[
        Seconds | None, Meta(description="Limit for one sample. Left out: the session's, else 600.")
    ] = None
    checks_timeout_seconds: Annotated[
        Seconds | None, Meta(description="Limit for the constraint. Left out: the session's, else 300.")
    ] = None


class LogArguments(WritingArguments, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """What `log_experiment` takes."""

    status: Annotated[
        Literal["keep", "discard", "crash", "checks_failed"],
        Meta(
            description="What the run came to. keep: better than the best so far, its changes are committed. "
            "discard: not better. crash: no number. checks_failed: the constraint or .auto/checks.sh failed. "
            "For all but keep the changes inside the assets are saved and undone."
        ),
    ]
    description: Annotated[
        str, Meta(description="What was tried, in one line.", examples=["cache the parser"])
    ]
    metric: Annotated[
        Number | None, Meta(description="The measured value, in the session's unit; left out for a crash.")
    ] = None
    metrics: Annotated[
        dict[str, Number],
        Meta(description="Secondary metrics by name.", examples=[{"rss_kb": 5120}]),
    ] = {}
    asi: Asi = {}
    commit: Annotated[
        str | None, Meta(description="Commit that it was measured at. Left out: git's HEAD.")
    ] = None
    direction: Annotated[
        str | None, Meta(description="Direction of the search that it belongs to, in words.")
    ] = None
    duration_seconds: Annotated[Number | None, Meta(description="How long measuring took.")] = None
    reason: Annotated[
        str | None,
        Meta(description="Why it was judged so, in a word: no_metric, timed_out, exit_1, worse, ..."),
    ] = None
    id: Annotated[
        str | None,
        Meta(
            description="Idempotency key: the same call with the same id is no second run.",
            examples=["try-7"],
        ),
    ] = None
    force: Annotated[
        bool, Meta(description="Allow a secondary metric that the segment does not have yet.")
    ] = False


class CycleArguments(WritingArguments, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """What `cycle` takes."""

    description: Annotated[
        str | None,
        Meta(description="What was changed, in one line. Left out: the last proposal's words."),
    ] = None
    hypothesis: Annotated[str | None, Meta(description="Why it should help.")] = None
    direction: Annotated[
        str | None, Meta(description="Direction of the search that it belongs to, in words.")
    ] = None
    asi: Asi = {}
    resume: Annotated[
        bool, Meta(description="Finish the cycle that was interrupted or cancelled, and begin none.")
    ] = False
    allow_dirty: Annotated[
        bool, Meta(description="What changed outside the assets is the user's, and stays as it is.")
    ] = False


class ViewArguments(Arguments, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """What `view` takes."""

    view: Annotated[
        str,
        Meta(
            description=f"One of {', '.join(registry.names())}, or a view that an installed package offers. "
            "session says where it stands, runs tells every run, stall whether the search circles, budget "
            "what is left, cycle what is open, debrief what came of it."
        ),
    ] = "session"
    at: At = None
    last: Annotated[
        int,
        Meta(ge=0, description="At most so many rows of each list, the newest ones; 0 for all of them."),
    ] = 50


class BriefArguments(Arguments, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """What `brief` takes."""

    at: At = None


class WhyArguments(Arguments, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """What `why` takes."""

    field: Annotated[
        str,
        Meta(
            description="A field of the view, as a path with dots.",
            examples=["best_metric", "statuses.keep", "runs.0.metric"],
        ),
    ]
    view: Annotated[str, Meta(description="The view that it is a field of.")] = "session"
    at: At = None
    last: Annotated[Positive, Meta(description="How many of its values are told, the newest first.")] = 10


class CheckDirectionArguments(Arguments, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """What `check_direction` takes."""

    direction: Annotated[
        str, Meta(description="The direction you think of taking, in words.", examples=["SIMD scanning"])
    ]
    agent: Annotated[
        str | None, Meta(description="Your name, if you give one elsewhere: your own claims are no obstacle.")
    ] = None


class ProposeArguments(WritingArguments, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """What `propose` takes."""

    description: Annotated[
        str, Meta(description="The change you are about to make, in one line.", examples=["arena allocator"])
    ]
    hypothesis: Annotated[str | None, Meta(description="Why it should help.")] = None
    direction: Annotated[
        str | None,
        Meta(
            description="Direction of the search that it belongs to, in words; it is claimed for 15 minutes, "
            "and refused if it was tried or another holds it."
        ),
    ] = None
    asi: Asi = {}
    reason: Annotated[
        str | None, Meta(description="Why a direction that was tried before is taken again; recorded.")
    ] = None


class RecordFindingArguments(WritingArguments, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """What `record_finding` takes."""

    text: Annotated[
        str,
        Meta(
            description="What was learned, also when it did not help.", examples=["p99 is garbage collection"]
        ),
    ]
    evidence: Annotated[
        str | None, Meta(description="What shows it, in words or as a path.", examples=["trace.json"])
    ] = None
    source: Annotated[
        str | None,
        Meta(
            description="Where it is cited from; makes it a cited item, to be verified.",
            examples=["arXiv:1711.05101"],
        ),
    ] = None
    iteration: Annotated[
        Annotated[int, Meta(ge=0)] | None, Meta(description="The iteration of a long task it came from.")
    ] = None


class PivotArguments(WritingArguments, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """What `pivot` takes."""

    level: Annotated[
        Literal["structure", "inject", "human"] | None,
        Meta(
            description="structure: change a structural constraint, not a parameter. inject: bring in a new "
            "direction. human: raise the flag `stalled` for a person; work goes on. Left out: the one that "
            "is due."
        ),
    ] = None
    to: Annotated[str | None, Meta(description="The direction that is taken instead, in words.")] = None
    from_direction: Annotated[
        str | None, Meta(description="The one that is left. Left out: the last run's.")
    ] = None
    reason: Annotated[str | None, Meta(description="What demands it. Left out: the stale count.")] = None
    perturbation: Annotated[
        str | None, Meta(description="The impulse. Left out: the next one of a documented set is chosen.")
    ] = None


class HeartbeatArguments(WritingArguments, kw_only=True, frozen=True, forbid_unknown_fields=True):
    """What `heartbeat` takes."""

    state: Annotated[
        Literal["working", "waiting", "paused", "rate_limited", "stopped"],
        Meta(
            description="What the loop is at. One that is paused, rate_limited or stopped is left alone by "
            "guardians."
        ),
    ] = "working"
    until: Annotated[
        str | None,
        Meta(description="When that state should end: 15m, 2h, or an ISO time (UTC).", examples=["2h"]),
    ] = None
    last_output: Annotated[
        str | None, Meta(description="The last thing you said; a question in it may be answered by a nudge.")
    ] = None

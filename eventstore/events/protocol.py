"""Events of the long-horizon protocol: findings, directions, life signs, guardians (design, section 6.3)."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec

from eventstore.events.base import Count, Moment, Tagged, one_of

__all__ = [
    "Direction",
    "Dispatch",
    "Dispatched",
    "ErrorSeen",
    "Finding",
    "Flag",
    "Heartbeat",
    "Iteration",
    "Note",
    "Nudge",
    "Pivot",
    "Registered",
    "Restart",
    "Verified",
]

CheckKind = Annotated[str, one_of("test", "compile", "check", "citation", "evidence")]
DirectionKind = Annotated[str, one_of("tactical", "structural")]
DirectionState = Annotated[str, one_of("claimed", "tried", "abandoned")]
PivotLevel = Annotated[str, one_of("structure", "inject", "human")]
Layer = Annotated[str, one_of("L0", "L1", "L2")]
LoopState = Annotated[str, one_of("working", "waiting", "paused", "rate_limited", "stopped")]
NoteLevel = Annotated[str, one_of("info", "warn", "error", "decision")]
Pattern = Annotated[str, one_of("A", "B", "C", "D")]


class Finding(Tagged, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """Something was learned. Written by agents (`ar finding`) and people.

    text: what, in words.
    evidence: what shows it, in words or as a path.
    source: where it is cited from; makes it a cited item.
    iteration: number of the protocol iteration it came from, from 0.
    """

    text: str
    evidence: str | None = None
    source: str | None = None
    iteration: int | None = None


class Verified(Tagged, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """An independent check ended. Written by verifiers (`ar verified`), never by workers.

    kind: `test`, `compile`, `check`, `citation` or `evidence`.
    target: what was checked.
    ok: whether it held.
    detail: what was seen, in words.
    """

    kind: CheckKind
    target: str | None = None
    ok: bool
    detail: str = ""


class Iteration(Tagged, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """A protocol iteration ended. Written by loops (`ar iteration`).

    iteration: its number, from 0.
    summary: what happened, in words.
    findings: how many were made, from 0.
    metric: the metric's value after it, in the metric's unit; null if none.
    direction: the direction that was pursued, in words.
    rounds: how many turns it took, from 0.
    duration_seconds: how long it took, seconds.
    """

    iteration: Count
    summary: str = ""
    findings: Count = 0
    metric: int | float | None = None
    direction: str | None = None
    rounds: int | None = None
    duration_seconds: int | float | None = None


class Direction(Tagged, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """A direction of the search was claimed, tried or dropped. Written by agents (`ar direction`).

    text: the direction, in words.
    kind: `tactical` or `structural`.
    state: `claimed`, `tried` or `abandoned`.
    reason: why, or why again.
    until: when a claim expires, milliseconds since 1970 UTC.
    """

    text: str
    kind: DirectionKind | None = None
    state: DirectionState
    reason: str | None = None
    until: Moment = None


class Pivot(Tagged, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """The search was forced elsewhere. Written by loops and guardians (`ar pivot`).

    level: `structure`, `inject` or `human` (design, section 5).
    reason: what demanded it, in words.
    from: the direction that was left, in words.
    to: the direction that was taken, in words.
    perturbation: the impulse that was chosen, in words.
    """

    level: PivotLevel
    reason: str | None = None
    from_: str | None = msgspec.field(default=None, name="from")
    to: str | None = None
    perturbation: str | None = None


class Registered(Tagged, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """A loop says how it is to be restarted. Written by the loop, which is the name in `by`.

    argv: the command, as arguments, never through a shell; empty where only the interval is told.
    cwd: the directory to run it in.
    interval_seconds: how often it means to give a sign of life, seconds.
    level: `L0`, `L1` or `L2` (design, section 6.3).
    """

    argv: tuple[str, ...]
    cwd: str | None = None
    interval_seconds: int | float | None = None
    level: Layer | None = None


class Heartbeat(Tagged, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """The loop named in `by` says that it lives. Written by that loop, by nobody for it.

    By `ar beat`, and by `ar loop`, `ar orchestrate`, `ar patrol` and `ar guard` for themselves.

    pid: number of its process, from 1.
    pid_started: an opaque stamp that tells a reused pid apart.
    host: the machine it runs on.
    state: `working`, `waiting`, `paused`, `rate_limited` or `stopped`.
    until: when that state should end, milliseconds since 1970 UTC.
    last_output: the last thing it said.
    """

    pid: int | None = None
    pid_started: str | None = None
    host: str | None = None
    state: LoopState = "working"
    until: Moment = None
    last_output: str | None = None


class Nudge(Tagged, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """A loop that had stopped to wait was pushed. Written by guardians (`ar patrol`).

    target: the loop's name.
    reason: what was seen, in words.
    """

    target: str
    reason: str | None = None


class Restart(Tagged, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """A loop that had died was restarted. Written by guardians (`ar patrol`).

    target: the loop's name.
    reason: what was seen, in words.
    """

    target: str
    reason: str | None = None


class Flag(Tagged, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """Something needs a person, without asking one. Written by anyone (`ar flag`).

    kind: what it is about, in a word.
    detail: the same in more words.
    cleared: whether this takes the flag down again.
    """

    kind: str
    detail: str = ""
    cleared: bool = False


class Note(Tagged, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """A log line of the protocol, or a decision that was taken alone. Written by anyone (`ar decide`).

    level: `info`, `warn`, `error` or `decision`.
    event: what kind of thing happened, in a word.
    detail: what happened, in words.
    source: who or what says so.
    """

    level: NoteLevel = "info"
    event: str | None = None
    detail: str
    source: str | None = None


class Dispatch(Tagged, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """A sub-agent was sent. Written by who sends it (`ar dispatch`).

    dispatch: the dispatch's id.
    pattern: `A` goal-driven, `B` parallel, `C` experiment run, `D` verification.
    about: its task, in words.
    deliverable: what must come back, verifiably.
    workdir: the directory it works in.
    limits: what it may use, by name.
    done_when: the criterion for done, in words.
    """

    dispatch: str
    pattern: Pattern
    about: str | None = None
    deliverable: str | None = None
    workdir: str | None = None
    limits: dict[str, Any] = {}
    done_when: str | None = None


class Dispatched(Tagged, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """A sub-agent came back. Written by who sent it (`ar dispatch`).

    dispatch: the dispatch's id.
    ok: whether it delivered.
    summary: what it brought, in words.
    """

    dispatch: str
    ok: bool
    summary: str = ""


class ErrorSeen(Tagged, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """Error text was spotted in a tool's output. Written by `ar hook error-capture`.

    tool: the tool's name.
    pattern: the name of the pattern that matched.
    context: the line that it matched.
    command: what was run.
    """

    tool: str | None = None
    pattern: str
    context: str | None = None
    command: str | None = None

"""The `budget` view: what a segment has used of its limits, and why it must stop (design, section 5).

Active time is the time between the loop's own events: each stretch between two of them counts, up to the
longest silence that the loop's own time limits allow, so that a killed loop or a sleeping machine costs no
more than that. From a stop, a pause of the loop that worked last, or the end of an orchestrator's round to
the next event of a loop nothing counts.
"""

from __future__ import annotations

from typing import TypeVar

import msgspec
from msgspec.structs import replace

from eventstore.events import (
    Committed,
    Config,
    Event,
    Heartbeat,
    Iteration,
    Measured,
    Proposal,
    Resumed,
    Reverted,
    Run,
    Settings,
    Started,
    Stopped,
)
from eventstore.timestamps import epoch_ms
from reducers.core import Projection, fold
from reducers.halt import Halt, after_halting
from reducers.policies.limits import NO_LIMIT, limits_from, parse_limit
from reducers.policies.liveness import LEFT_ALONE
from reducers.policies.pace import active_ms, longest_silence
from reducers.policies.stop import Counts, stop_reason
from reducers.stall import StallState, stall

__all__ = ["BudgetState", "BudgetView", "budget"]

N = TypeVar("N", int, float)


class BudgetState(msgspec.Struct, frozen=True, gc=False):
    """What is kept of a log for the `budget` view.

    stall: the `stall` view's state.
    limits: those that were set, by name; `none` is no limit. timeouts: seconds, by name. samples: a run.
    active_ms: worked in the segment up to the last event of a loop.
    last_at, last_by: when that was, milliseconds since 1970 UTC, and whose. working: whether time goes on
        counting since.
    halt: what holds the session up.
    """

    stall: StallState = StallState()
    limits: dict[str, int | float | str] = {}
    timeouts: dict[str, int | float] = {}
    samples: int | None = None
    active_ms: int = 0
    last_at: int | None = None
    last_by: str | None = None
    working: bool = False
    halt: Halt = Halt()

    @property
    def stopped(self) -> str | None:
        """The recorded reason of a stop that still holds; `off` for a session that is switched off."""
        return self.halt.stopped


class BudgetView(msgspec.Struct, frozen=True):
    """What the current segment has used of its limits; what is limited by nothing has null for what is left.

    cycles_used: runs of the segment, the one that gave the baseline not among them.
    max_cycles: how many there may be.
    cycles_left: how many there may still be.
    minutes_used: active loop time, minutes; without a time to look at, up to the last event of a loop.
    time_limit_minutes: how much there may be, minutes.
    minutes_left: how much there may still be, minutes.
    runs_used: runs of the segment.
    max_iterations: how many there may be, whoever records them.
    iterations_left: how many there may still be.
    target: value of the metric that is enough.
    discards: how many judged runs in a row there may be without a keep, a pivot begins them anew.
    discards_left: how many there may still be.
    failures: how many runs in a row there may be without a keep, crashes included.
    failures_left: how many there may still be.
    stopped: whether a stop is recorded that still holds.
    stop_reason: why the loop must not go on: the reason recorded, or else the first stop rule that holds;
        null while it may.

    A recorded stop holds until it is resumed or a new segment begins; one for `harness` holds through a
    resume. A session that is switched off (`off`) stays so through both, until it is switched on.
    """

    cycles_used: int
    max_cycles: int | None
    cycles_left: int | None
    minutes_used: float
    time_limit_minutes: float | None
    minutes_left: float | None
    runs_used: int
    max_iterations: int | None
    iterations_left: int | None
    target: float | None
    discards: int | None
    discards_left: int | None
    failures: int | None
    failures_left: int | None
    stopped: bool
    stop_reason: str | None


def _on_stall(state: BudgetState, event: Event) -> BudgetState:
    after = fold(stall, (event,), state.stall)
    return state if after is state.stall else replace(state, stall=after)


def _on_config(state: BudgetState, event: Config) -> BudgetState:
    state = replace(_on_stall(state, event), samples=event.samples)
    if state.stall.run_count == 0:
        return state
    halt = after_halting(state.halt, event, state.stall.run_count)
    return replace(state, active_ms=0, last_at=None, last_by=None, working=False, halt=halt)


def _on_settings(state: BudgetState, event: Settings) -> BudgetState:
    limits = {**state.limits, **_valid(event.limits)}
    return replace(_on_stall(state, event), limits=limits, timeouts={**state.timeouts, **event.timeouts})


def _valid(stated: dict[str, int | float | str | None]) -> dict[str, int | float | str]:
    """The limits that can be read; what cannot is never taken for "no limit", the earlier one stays."""
    limits: dict[str, int | float | str] = {}
    for name, value in stated.items():
        if value is not None:
            try:
                limit = parse_limit(name, value)
            except ValueError:
                continue
            limits[name] = NO_LIMIT if limit is None else limit
    return limits


def _is_guardian(event: Event) -> bool:
    return event.by.partition(":")[0] == "guardian"


def _worked(state: BudgetState, event: Event, *, counts: bool = True, working: bool = True) -> BudgetState:
    """The state once a loop has shown that it works; `counts`: whether the time since the last sign does."""
    at = epoch_ms(event.timestamp)
    if at is None or _is_guardian(event):
        return state
    worked = 0
    if counts and state.working and state.last_at is not None:
        worked = active_ms(state.last_at, at, longest_silence(state.timeouts, state.samples))
    return replace(state, active_ms=state.active_ms + worked, last_at=at, last_by=event.by, working=working)


def _on_work(state: BudgetState, event: Event) -> BudgetState:
    return _worked(_on_stall(state, event), event)


def _on_heartbeat(state: BudgetState, event: Heartbeat) -> BudgetState:
    if event.state == "waiting" and event.by.partition(":")[0] == "orchestrator":
        return _worked(state, event, working=False)  # for its next round, in which it works again
    if event.state not in LEFT_ALONE:
        return _worked(state, event)
    return _worked(state, event, working=False) if event.by == state.last_by else state


def _on_stopped(state: BudgetState, event: Stopped) -> BudgetState:
    if _is_guardian(event):
        return state
    halt = after_halting(state.halt, event, state.stall.run_count)
    return replace(_worked(state, event, working=False), working=False, halt=halt)


def _on_resumed(state: BudgetState, event: Resumed) -> BudgetState:
    if _is_guardian(event):
        return state
    halt = after_halting(state.halt, event, state.stall.run_count)
    return replace(_worked(state, event, counts=False), halt=halt)


def _view(state: BudgetState, now: int | None) -> BudgetView:
    standing = state.stall.standing
    limits = limits_from(state.limits)
    worked = state.active_ms
    if now is not None and state.working and state.last_at is not None:
        worked += active_ms(state.last_at, now, longest_silence(state.timeouts, state.samples))
    runs = state.stall.run_count - standing.runs_before
    counts = Counts(
        cycles=runs - (standing.baseline is not None),
        active_seconds=worked / 1000,
        best=standing.best.metric if standing.best else None,
        direction=standing.goal.direction or "lower",
        discards=state.stall.discard_streak,
        failures=state.stall.failure_streak,
    )
    return BudgetView(
        cycles_used=counts.cycles,
        max_cycles=limits.max_cycles,
        cycles_left=_left(limits.max_cycles, counts.cycles),
        minutes_used=worked / 60_000,
        time_limit_minutes=limits.time_limit_minutes,
        minutes_left=_left(limits.time_limit_minutes, worked / 60_000),
        runs_used=runs,
        max_iterations=limits.max_iterations,
        iterations_left=_left(limits.max_iterations, runs),
        target=limits.target,
        discards=limits.discards,
        discards_left=_left(limits.discards, counts.discards),
        failures=limits.failures,
        failures_left=_left(limits.failures, counts.failures),
        stopped=state.stopped is not None,
        stop_reason=state.stopped if state.stopped is not None else stop_reason(counts, limits),
    )


def _left(limit: N | None, used: N) -> N | None:
    return None if limit is None else max(limit - used, 0)


budget: Projection[BudgetState, BudgetView] = Projection(
    name="budget",
    version=3,
    initial=BudgetState(),
    handlers={
        **dict.fromkeys(stall.handlers, _on_stall),
        **dict.fromkeys((Run, Iteration, Proposal, Started, Committed, Measured, Reverted), _on_work),
        Config: _on_config,
        Settings: _on_settings,
        Heartbeat: _on_heartbeat,
        Stopped: _on_stopped,
        Resumed: _on_resumed,
    },
    shows=_view,
    view_type=BudgetView,
    timed=True,
)
"""What a segment has used of its limits, and whether it must stop."""

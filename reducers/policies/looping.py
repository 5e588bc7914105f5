"""What a loop decides between two turns: stop, go on, go elsewhere (design, sections 5 and 6.1). Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from eventstore.events import Event, Flag, Pivot, Record, Resumed
from reducers.budget import BudgetView, budget
from reducers.core import fold
from reducers.halt import SWITCHED_OFF, Halt
from reducers.pivots import Pivots, next_perturbation, pivots
from reducers.policies.fencing import one_line
from reducers.policies.limits import Limits, limits_from
from reducers.policies.stop import Counts, stop_reason
from reducers.situation import Situation, follow
from reducers.stall import stall
from reducers.turns import STALLED, Turns, turns
from reducers.wording import number

__all__ = [
    "DESCRIPTION",
    "REFUSALS",
    "Course",
    "Refusal",
    "Stop",
    "after",
    "how_ended",
    "last_line",
    "resumption",
]

REFUSALS = 3
"""Turns in a row that are refused, after which the agent counts as failed: it keeps to no rules."""

DESCRIPTION = 200
"""Characters of an agent's last line that serve as a description."""


class Course(msgspec.Struct, frozen=True):
    """What a loop knows of its log: the situation that briefs are made from, what became of turns, pivots."""

    situation: Situation = Situation()
    turns: Turns = turns.initial
    pivots: Pivots = pivots.initial


class Stop(msgspec.Struct, frozen=True):
    """A reason to stop, by its name in `reducers.policies.stop`, and what exactly was reached."""

    reason: str
    detail: str


class Refusal(msgspec.Struct, frozen=True):
    """Why a loop may not go on, in one line, and what to do about it."""

    message: str
    remedy: str


def after(course: Course, records: Sequence[Record]) -> Course:
    """The course after these lines too."""
    return Course(
        follow(course.situation, records),
        fold(turns, records, course.turns),
        fold(pivots, records, course.pivots),
    )


def recorded(course: Course) -> Stop | None:
    """The stop on the log that still holds; None if none does."""
    reason = course.situation.budget.stopped
    return None if reason is None else Stop(reason, "as the log has it")


def due(course: Course, now: int) -> Stop | None:
    """The first stop rule that holds now, a recorded stop left out; None while the loop may go on.

    now: milliseconds since 1970 UTC.
    """
    state = msgspec.structs.replace(course.situation.budget, halt=Halt())
    view = budget.view(state, now)
    limits = limits_from(state.limits)
    if view.stop_reason is not None:
        return Stop(view.stop_reason, _detail(view.stop_reason, view, course, limits))
    if view.iterations_left == 0:
        return Stop("max_cycles", f"max_iterations: {view.runs_used} of {view.max_iterations} runs")
    refused = course.turns.refused >= REFUSALS
    reason = stop_reason(Counts(no_change=course.turns.no_change, agent_failed=refused), limits)
    return None if reason is None else Stop(reason, _detail(reason, view, course, limits))


def _detail(reason: str, view: BudgetView, course: Course, limits: Limits) -> str:
    """What was reached, in words."""
    streak = course.situation.budget.stall
    best = streak.standing.best
    said = {
        "max_cycles": f"{view.cycles_used} of {view.max_cycles} cycles",
        "time_limit": f"{view.minutes_used:.0f} of {number(view.time_limit_minutes)} minutes of active time",
        "target": f"the best is {number(best.metric if best else None)}, the target {number(view.target)}",
        "discards": f"{streak.discard_streak} judged runs in a row without a keep",
        "failures": f"{streak.failure_streak} runs in a row without a keep",
        "no_change": f"{course.turns.no_change} turns in a row changed nothing (limit {limits.no_change})",
        "agent_failed": f"{course.turns.refused} turns in a row were refused",
    }
    return said.get(reason, "")


def stall_answer(course: Course) -> list[Event]:
    """What the stall rules demand now (design, section 5), as events; empty while they demand nothing.

    For `structure` and `inject` a pivot with a perturbation, which restarts the count of discards. For
    `human` a flag, once until something is kept: work goes on, but a loop that circles after both pivots runs
    into the stop rules.
    """
    state = course.situation.budget.stall
    view = stall.view(state)
    told = f"{view.stale_count} judged runs without a new best"
    if view.pivot_due == "human":
        return [] if course.turns.flagged else [Flag(kind=STALLED, detail=told)]
    if view.pivot_due is None:
        return []
    impulse = next_perturbation(course.pivots).text
    return [Pivot(level=view.pivot_due, reason=told, from_=course.pivots.direction, perturbation=impulse)]


def resumption(course: Course, now: int, pivot: str | None) -> list[Event] | Refusal:
    """The events with which a loop goes on from where the log stands, or why it may not.

    pivot: the direction to take instead, in words; it restarts the count of discards. A stop by the user, or
    over an agent that failed or changed nothing, is answered by starting the loop again; one over a limit by
    another limit; one over the harness by a new segment (design, section 5). What is switched off stays off.
    """
    if course.situation.budget.halt.off:
        return Refusal(*SWITCHED_OFF)
    events: list[Event] = []
    if pivot is not None:
        level = stall.view(course.situation.budget.stall).pivot_due or "structure"
        events.append(Pivot(level=level, reason="asked for", from_=course.pivots.direction, to=pivot))
    stopped = course.situation.budget.stopped
    if stopped is None:
        return events
    events.append(Resumed(reason="loop", detail=f"it had stopped: {one_line(stopped, 60)}"))
    then = after(course, events)
    still = recorded(then) or due(then, now)
    if still is None:
        return events
    return Refusal(
        f"the session has stopped: {one_line(still.reason, 60)} ({still.detail})",
        _REMEDIES.get(still.reason, "ar init --new-segment"),
    )


_REMEDIES = {
    "max_cycles": "ar loop --max-cycles N raises the limit",
    "time_limit": "ar loop --time-limit N raises the limit",
    "target": "ar loop --target N sets another, `none` none",
    "discards": "ar loop --pivot 'another direction', --discards N, or ar init --new-segment",
    "failures": "ar loop --failures N, or ar init --new-segment with another goal, metric or assets",
    "harness": "put the scripts back, or accept them with ar init --new-segment",
}

_ANSI = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-_])")


def how_ended(code: int) -> str:
    """How a program ended that did not end well, in words; below 0 is the signal that ended it."""
    return f"exited {code}" if code > 0 else f"was ended by signal {-code}"


def last_line(output: bytes) -> str:
    """The last line of a program's output that is not blank, fit to be a description; empty for none.

    Colours and other terminal commands are taken out, what controls are left is spelled out; at most
    `DESCRIPTION` characters.
    """
    text = _ANSI.sub("", output.decode("utf-8", "replace"))
    lines = (line.strip() for line in reversed(text.replace("\r", "\n").split("\n")))
    return one_line(next((line for line in lines if line), ""), DESCRIPTION)

"""What an orchestrator does with a task: leave it, hold it, or send a worker (design, section 6.3). Pure.

    step(course, last_stop, rounds, now)

Tasks run until they are stopped: limits that nobody set are none. Between two iterations stands a check that
held; without one the next does not begin.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec
from msgspec.structs import replace

from eventstore.events import Event, Flag, Pivot, Resumed, Settings, Stopped
from reducers.pivots import next_perturbation
from reducers.policies import looping
from reducers.policies.fencing import one_line
from reducers.policies.iteration_limits import LIMITS, Excess
from reducers.policies.limits import LOOP, NO_LIMIT, ORCHESTRATED
from reducers.policies.looping import Course, Stop
from reducers.rounds import Rounds

__all__ = ["ASKED_FOR", "UNVERIFIED", "Hold", "Leave", "Send", "step"]

ASKED_FOR = "as asked for"
"""How the detail of a stop ends that a loop recorded because its turns were used up: it is none of a task."""

UNVERIFIED = "unverified"
"""The kind of the flag, and of the excess, over an iteration that no check has found in order."""


class Leave(msgspec.Struct, frozen=True):
    """The task is stopped. reason: why. events: what is to be recorded, if that is new."""

    reason: str
    events: tuple[Event, ...] = ()


class Hold(msgspec.Struct, frozen=True):
    """Something is to be verified before the next iteration.

    reason: what, in words. events: a flag for it. verifiable: whether the orchestrator's own check may do.
    """

    reason: str
    events: tuple[Event, ...] = ()
    verifiable: bool = True


class Send(msgspec.Struct, frozen=True):
    """A worker is to be sent. events: what the stall rules and the limits have recorded first."""

    events: tuple[Event, ...] = ()


def step(
    course: Course,
    last_stop: Stopped | None,
    rounds: Rounds,
    now: int,
    exceeded: Sequence[Excess] = (),
) -> Leave | Hold | Send:
    """What to do with a task now.

    last_stop: the last stop on its log. now: milliseconds since 1970 UTC. exceeded: what of the protocol's
    limits the task's log exceeds, where that holds it up; an unverified iteration always does.
    A stop over one of the rules that are off here holds only if a limit that somebody set still says so.
    """
    recorded = looping.recorded(course)
    freed = _freed(course.situation.budget.limits)
    due = looping.due(looping.after(course, freed), now)
    if recorded is not None and not _is_answered(recorded, last_stop, due):
        return Leave(recorded.reason)
    if due is not None:
        return Leave(due.reason, (*freed, Stopped(reason=due.reason, detail=due.detail)))
    if rounds.last is not None and not rounds.verified:
        return _held(rounds.last, rounds.exceeded, freed)
    beyond = [each for each in exceeded if each.kind != UNVERIFIED]
    if beyond:
        told = "; ".join(f"{each.kind}: {each.detail}" for each in beyond)
        return Hold(told, (*freed, Flag(kind=LIMITS, detail=told)), verifiable=False)
    answer = _stall_answer(course)
    if recorded is not None:
        answer.insert(
            0, Resumed(reason="orchestrate", detail=f"it had stopped: {one_line(recorded.reason, 60)}")
        )
    if recorded is not None and recorded.reason == "discards" and not _has_pivot(answer):
        impulse = next_perturbation(course.pivots).text
        answer.append(Pivot(level="inject", reason="its loop had stopped: discards", perturbation=impulse))
    return Send((*freed, *answer))


def _held(iteration: int, exceeded: str | None, freed: tuple[Event, ...]) -> Hold:
    """The hold over an unverified iteration; one that exceeds the limits is for somebody else to judge."""
    told = f"no ok check followed iteration {iteration}; the next waits for one"
    reason = f"iteration {iteration} is not verified"
    if exceeded is None:
        return Hold(reason, (*freed, Flag(kind=UNVERIFIED, detail=told)))
    return Hold(f"{reason}: {exceeded}", (*freed, Flag(kind=LIMITS, detail=exceeded)), verifiable=False)


_OFF = {
    name: NO_LIMIT
    for name in LOOP.__struct_fields__
    if getattr(LOOP, name) is not None and getattr(ORCHESTRATED, name) is None
}
"""The limits that an orchestrated task does not have unless somebody sets them."""

_LIFTED = ("max_cycles", "time_limit", "target", "discards", "failures")
"""The stop rules that are off here by default; a stop over one of them holds while its rule does."""


_TRIED_AGAIN = (LIMITS, "agent_failed")
"""Stops that starting again answers: a strict loop looks anew at what is verified, and an agent that failed
may have been cut off from what it needs for a while, as everybody is at times in a week."""


def _freed(stated: Mapping[str, object]) -> tuple[Event, ...]:
    """The setting that makes limits none which nobody set; empty where there is nothing to set."""
    missing: dict[str, int | float | str | None] = {
        name: limit for name, limit in _OFF.items() if name not in stated
    }
    return (Settings(limits=missing),) if missing else ()


def _is_answered(recorded: Stop, last_stop: Stopped | None, due: Stop | None) -> bool:
    """Whether a recorded stop is none of the task.

    So where its loop's turns were used up, its rule is off here, or the next round is another attempt.
    """
    if recorded.reason == "user":
        return last_stop is not None and last_stop.detail.endswith(ASKED_FOR)
    return recorded.reason in _TRIED_AGAIN or (recorded.reason in _LIFTED and due is None)


def _has_pivot(events: Sequence[Event]) -> bool:
    return any(isinstance(each, Pivot) for each in events)


def _stall_answer(course: Course) -> list[Event]:
    """What the stall rules demand, in words that fit a task without runs too."""
    events = looping.stall_answer(course)
    if course.situation.trail.run_count:
        return events
    told = f"{course.situation.budget.stall.stale_count} iterations in a row that found nothing new"
    return [
        replace(each, reason=told) if isinstance(each, Pivot) else replace(each, detail=told)
        for each in events
    ]

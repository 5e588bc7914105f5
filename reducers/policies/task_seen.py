"""What an orchestrator knows of a task's log, and what it reads off a worker's lines. Pure."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from eventstore.events import Direction, Heartbeat, Proposal, Record, Stopped
from reducers.core import fold
from reducers.flags import FlagsState, flags
from reducers.liveness import liveness
from reducers.policies import looping
from reducers.policies.looping import Course
from reducers.rounds import Rounds, rounds
from reducers.signs import LivenessState

__all__ = ["Seen", "pursued", "seen_after"]


class Seen(msgspec.Struct, frozen=True):
    """What is known of a task, all of the same log.

    last_stop: the last one there. state: of the orchestrator's own last heartbeat; None if it never gave one.
    """

    course: Course = Course()
    rounds: Rounds = rounds.initial
    flags: FlagsState = flags.initial
    liveness: LivenessState = liveness.initial
    last_stop: Stopped | None = None
    state: str | None = None


def seen_after(before: Seen, records: Sequence[Record], by: str) -> Seen:
    """What is known after these lines too. by: the orchestrator."""
    stops = [each for each in records if isinstance(each, Stopped)]
    beats = [each.state for each in records if isinstance(each, Heartbeat) and each.by == by]
    return Seen(
        looping.after(before.course, records),
        fold(rounds, records, before.rounds),
        fold(flags, records, before.flags),
        fold(liveness, records, before.liveness),
        stops[-1] if stops else before.last_stop,
        beats[-1] if beats else before.state,
    )


def pursued(records: Sequence[Record]) -> str | None:
    """The direction in which a worker went, as it said itself: proposed, claimed or tried; the last one."""
    named = [
        each.direction if isinstance(each, Proposal) else each.text
        for each in records
        if isinstance(each, (Proposal, Direction)) and each.by.partition(":")[0] == "worker"
    ]
    return next((text for text in reversed(named) if text), None)

"""What `ar cycle` does: finishes the open cycle, then takes the change that lies in the working tree."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import msgspec

from commands.bearings import Standing
from commands.context import Call
from commands.effects.cycling import Attempt, Ground, Outcome, begin, finish, ground_of, take_bearings
from commands.effects.measuring import Step
from commands.effects.owed import fire_closed, fire_owed
from commands.effects.tree_lock import tree_locked
from commands.errors import BadInputError
from commands.output import warn
from eventstore.store import now_ms
from reducers.budget import budget

if TYPE_CHECKING:
    from hooks.runner import Fired

__all__ = ["Closed", "Ended", "Idle", "Wanted", "cycles"]


class Wanted(msgspec.Struct, frozen=True):
    """What is wanted of a call.

    description, hypothesis, direction, asi: of the change; see the `proposal` event for the fields. What is
    not given is taken from the proposal that no run has answered yet; where there is a description, only from
    one by the same author. resume: finish the cycle that was
    interrupted, begin none. allow_dirty: what changed outside the assets is let be. git_hooks: the user's
    hooks see the commit, and it is signed, as configured.
    """

    description: str | None = None
    hypothesis: str | None = None
    direction: str | None = None
    asi: dict[str, Any] = {}
    resume: bool = False
    allow_dirty: bool = False
    git_hooks: bool = False


class Ended(msgspec.Struct, frozen=True):
    """A cycle has ended; its hooks fire next. resumed: it is the one that was interrupted."""

    outcome: Outcome
    resumed: bool


class Closed(msgspec.Struct, frozen=True):
    """A cycle has ended and its hooks have fired.

    stop_reason: why the loop must not go on; None while it may.
    """

    outcome: Outcome
    resumed: bool
    fired: tuple[Fired, ...]
    stop_reason: str | None


class Idle(msgspec.Struct, frozen=True):
    """No cycle was open. fired: the hooks that a kill had swallowed."""

    fired: tuple[Fired, ...]


def cycles(
    call: Call, by: str | None, wanted: Wanted, told: Callable[[Step], None]
) -> Iterator[Ended | Closed | Idle]:
    """Does it, and gives each thing that happened as soon as it has.

    told: called as each command begins and ends. The working tree is locked until the iterator is exhausted.
    Raises BadInputError and InvalidEventError when there is nothing to be tried, ConflictError when the
    session takes no cycle or somebody is at work on the tree, GitError, StorageError when a rollback failed.
    """
    place = call.session
    if place.layout == "file":
        raise BadInputError("a cycle needs its session, not just a log", "leave --log out, or use -C DIR")
    ground = ground_of(place, call.writer(by))
    with tree_locked(place.tree_lock):
        try:
            yield from _cycles(ground, wanted, told)
        except KeyboardInterrupt:
            opened = take_bearings(ground.log).cycle.open
            if opened is not None:
                warn(f"cycle {opened.cycle} is interrupted; ar cycle --resume finishes it")
            raise


def _cycles(ground: Ground, wanted: Wanted, told: Callable[[Step], None]) -> Iterator[Ended | Closed | Idle]:
    standing = take_bearings(ground.log)
    finished = finish(ground, told, standing, git_hooks=wanted.git_hooks)
    if finished is not None:
        standing = finished.standing
        yield from _closing(ground, finished, resumed=True)
    else:
        yield Idle(tuple(fire_owed(ground)))
    if wanted.resume:
        return
    standing = begin(
        ground, _attempt(standing, wanted, ground.log.by), accept_outside=wanted.allow_dirty, since=standing
    )
    outcome = finish(ground, told, standing, git_hooks=wanted.git_hooks)
    if outcome is not None:
        yield from _closing(ground, outcome, resumed=False)


def _closing(ground: Ground, outcome: Outcome, *, resumed: bool) -> Iterator[Ended | Closed]:
    """Fires the hooks of a cycle that has just ended."""
    yield Ended(outcome, resumed)
    fired = fire_closed(ground, outcome.seq)
    reason = budget.view(outcome.standing.budget, now_ms()).stop_reason
    yield Closed(outcome, resumed, tuple(fired), reason)


def _attempt(standing: Standing, wanted: Wanted, by: str) -> Attempt:
    """What is tried, in the words given, or else in those of the proposal that no run has answered yet.

    by: who cycles. A description says what came of the proposal, and leaves its hypothesis and direction as
    they are, unless the proposal is another author's, who is at something else.
    """
    proposal = standing.intent.proposal
    described = wanted.description is not None and wanted.description.strip()
    if described and (proposal is None or (proposal.by or "user") != by):
        return Attempt(wanted.description or "", wanted.hypothesis, wanted.direction, wanted.asi)
    if proposal is None:
        raise BadInputError(
            "what was changed is not said", "ar cycle -m 'what I changed', or ar propose first"
        )
    return Attempt(
        (wanted.description if described else None) or proposal.description,
        wanted.hypothesis or proposal.hypothesis,
        wanted.direction or proposal.direction,
        {**proposal.asi, **wanted.asi},
    )

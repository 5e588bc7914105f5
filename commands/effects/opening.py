"""Opening a measured cycle: whether there is one to be had, and the events that say so (design, 6.1)."""

from __future__ import annotations

import os
from typing import Any

import msgspec

from commands.bearings import Standing, stand
from commands.configuring import copied_limits, events_of, require_on
from commands.effects.config_file import limits_of
from commands.effects.git import describe
from commands.effects.git_commit import require_head, require_quiet
from commands.effects.git_queries import identity, submodules
from commands.effects.ground import Ground, assets_of, require_config, strayed_paths, take_bearings
from commands.effects.worktree import changed_within
from commands.judging import HARNESS
from commands.logged_paths import as_logged
from eventstore.errors import ConflictError, InvalidEventError
from eventstore.events import Proposal, Started
from hooks.pids import process_started
from reducers.budget import budget

__all__ = ["Attempt", "begin"]


class Attempt(msgspec.Struct, frozen=True):
    """What is tried, in the agent's words; see the `proposal` event for the fields."""

    description: str
    hypothesis: str | None = None
    direction: str | None = None
    asi: dict[str, Any] = {}


def begin(
    ground: Ground,
    attempt: Attempt,
    *,
    accept_outside: bool = False,
    even_off: bool = False,
    since: Standing | None = None,
) -> Standing:
    """Opens a cycle for the change that lies in the working tree; nothing is touched yet.

    accept_outside: what changed outside the assets is not the agent's doing and is let be. even_off: the
    change was begun before the session was switched off, and is finished. since: an earlier
    standing to read on from. Raises InvalidEventError when there is nothing to try or the change cannot be
    taken, ConflictError when a cycle is open, the session is off, stopped for good or takes no more runs, and
    GitError when the repository is not fit.
    """
    standing = take_bearings(ground.log, since)
    config = require_config(standing)
    copy = copied_limits(standing.configured, limits_of(ground.session))
    if not even_off:
        require_on(standing.budget.halt)
    _require_open_session(stand(standing, events_of(copy)))
    require_quiet(ground.repo)
    identity(ground.repo)
    parent = require_head(ground.repo)
    assets = assets_of(ground, config)
    if not accept_outside:
        strayed = strayed_paths(ground, assets)
        if strayed:
            raise InvalidEventError(
                f"changed outside the assets: {describe(strayed)}",
                "undo it, or say that it is yours: ar cycle --allow-dirty",
            )
    inside = changed_within(ground.repo, assets).inside
    if not inside:
        raise InvalidEventError(
            f"nothing has changed inside the assets ({describe(config.assets)})",
            "change something, then repeat",
        )
    foreign = [path for path in inside if path.endswith("/") or path in submodules(ground.repo)]
    if foreign:
        raise InvalidEventError(
            f"a repository of its own cannot be part of a change: {describe(foreign)}",
            "move it out of the assets",
        )
    pid = os.getpid()
    started = Started(
        cycle=(standing.cycle.last_cycle or 0) + 1,
        parent=parent,
        files=as_logged(inside),
        pid=pid,
        pid_started=process_started(pid),
    )
    ground.log.append(events_of(copy, _proposal(standing, attempt), started))
    return take_bearings(ground.log, standing)


def _require_open_session(standing: Standing) -> None:
    """Raises ConflictError where the session takes no cycle."""
    if standing.cycle.open is not None:
        raise ConflictError(f"cycle {standing.cycle.open.cycle} is not finished", "ar cycle --resume")
    if standing.budget.halt.reason == HARNESS:
        raise ConflictError(
            "the session has stopped: what it is measured with has changed",
            "put the scripts right, then ar init --new-segment takes them as they are",
        )
    view = budget.view(standing.budget)
    if view.iterations_left == 0:
        raise ConflictError(
            f"max_iterations: the segment has its {view.max_iterations} runs and takes no more",
            "ar init --new-segment begins another, ar init --max-iterations N raises the limit",
        )


def _proposal(standing: Standing, attempt: Attempt) -> Proposal | None:
    """What is tried, as an event; None where the log says just that already."""
    wanted = Proposal(
        description=attempt.description,
        hypothesis=attempt.hypothesis,
        direction=attempt.direction,
        asi=attempt.asi,
    )
    known = standing.intent.proposal
    if known is None:
        return wanted
    bare = msgspec.structs.replace(known, seq=None, timestamp=None, by=wanted.by, id=None, prev=None)
    return None if bare == wanted else wanted

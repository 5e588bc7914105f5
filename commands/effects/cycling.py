"""The measured cycle: commit, measure, judge, and prove it gone if it is not better (design, section 6.1).

Each step does one thing to the world and then appends the event that says so. Which step comes next is read
off the log, so that a cycle which was killed is finished by the same code: what was committed, measured or
rolled back is not done again. The caller holds the tree lock. Deciding is left to the pure policies.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import msgspec

from commands.bearings import Standing, stand
from commands.effects.git_commit import commit_paths, cycle_message
from commands.effects.ground import (
    Ground,
    assets_of,
    ground_of,
    remember_outside,
    require_config,
    strayed_paths,
    take_bearings,
)
from commands.effects.measuring import Step
from commands.effects.measuring_cycle import measure_commit
from commands.effects.opening import Attempt, begin
from commands.effects.owed import owe
from commands.effects.rollback import Phase, state_of_cycle
from commands.effects.running import end_recorded
from commands.effects.salvage import salvage
from commands.effects.taking_back import take_back
from commands.effects.worktree import changed_within
from commands.judging import HARNESS, decide_run, without_measurement
from commands.logged_paths import as_logged
from eventstore.errors import StorageError
from eventstore.events import Committed, Event, Reverted, Run
from reducers.core import fold
from reducers.cycle import OpenCycle
from reducers.session import SessionState, session

__all__ = [
    "Attempt",
    "Ground",
    "Outcome",
    "Standing",
    "begin",
    "finish",
    "ground_of",
    "remember_outside",
    "strayed_paths",
    "take_bearings",
]

Told = Callable[[Step], None]


class Outcome(msgspec.Struct, frozen=True):
    """How a cycle ended.

    cycle: its number. run: as it stands in the log. seq: of its line. before: the best, or the baseline, that
    it was compared with. reverted: what became of its rollback; None if it was kept. saved: where work that
    was in the way was saved. stopped: why the session stopped over it; None if it did not. standing: where
    the session stands afterwards.
    """

    cycle: int
    run: Run
    seq: int
    before: float | None
    reverted: Reverted | None = None
    saved: str | None = None
    stopped: str | None = None
    standing: Standing = Standing()


def finish(
    ground: Ground, told: Told | None = None, since: Standing | None = None, *, git_hooks: bool = False
) -> Outcome | None:
    """Takes the open cycle from where it is to its end; None if none is open.

    What is left of a killed measurement is ended first. told: called as each command begins and ends. since:
    an earlier standing to read on from. git_hooks: the user's hooks see the commit, and it is signed, as
    configured. Raises GitError when git cannot do its part, StorageError when the rollback failed or could
    not be verified: then the session has stopped, and the message holds the exact state and the way out.
    """
    standing = take_bearings(ground.log, since)
    opened = standing.cycle.open
    if opened is None:
        return None
    require_config(standing)
    number = opened.cycle or 0
    end_recorded(ground.running)
    if opened.run is None:
        owe(ground, standing.after)
    entered = _Entered(opened.run)
    begun = standing if opened.run is None else Standing()
    while (opened := standing.cycle.open) is not None and opened.cycle == number:
        phase = opened.phase
        if phase == "started":
            _commit(ground, standing, opened, entered, git_hooks)
        elif phase == "committed":
            clear = partial(_clear_away, ground, standing, entered)
            clear()  # else it would be measured as well
            commit = opened.commit or ""
            ground.log.append([measure_commit(ground, standing, number, commit, told, between=clear)])
        elif phase == "measured":
            _judge(ground, standing, entered)
        else:
            take_back(ground, standing, opened)
        standing = take_bearings(ground.log, standing)
        if standing.cycle.open is not None and standing.cycle.open.phase == phase:
            raise StorageError(f"the log does not take cycle {number} beyond {phase!r}", "ar verify")
    remember_outside(ground, assets_of(ground, require_config(standing)))
    return _outcome(ground, number, begun, standing, entered)


class _Entered:
    """What the steps of one `finish` leave for its report.

    run: ordinal of the cycle's run. saved: where work was saved first; more lies beside it.
    """

    def __init__(self, run: int | None) -> None:
        self.run = run
        self.saved: str | None = None


def _commit(
    ground: Ground, standing: Standing, opened: OpenCycle, entered: _Entered, git_hooks: bool
) -> None:
    """Commits the change, unless git has it already. One that cannot be committed any more is given up.

    That is so when somebody took it back before it was committed, or moved HEAD: then it is saved like any
    rejected work, for what stays would be taken for the next change.
    """
    number, parent = opened.cycle or 0, opened.parent or ""
    if number == 0:
        commit, files = parent, opened.files
    else:
        found = state_of_cycle(ground.repo, parent, number)
        if found.phase is Phase.ELSEWHERE:
            _give_up(ground, standing, number, "head_moved", entered)
            return
        if found.commit is not None:
            commit, files = found.commit, opened.files
        else:
            inside = changed_within(ground.repo, assets_of(ground, require_config(standing))).inside
            if not inside:
                _give_up(ground, standing, number, "no_change", entered)
                return
            description = standing.intent.proposal.description if standing.intent.proposal else ""
            message = cycle_message(number, description, str(ground.log.head()))
            commit = commit_paths(ground.repo, inside, message, parent=parent, git_hooks=git_hooks)
            files = as_logged(inside)
    ground.log.append([Committed(cycle=number, commit=commit, parent=parent, files=files)])


def _give_up(ground: Ground, standing: Standing, number: int, reason: str, entered: _Entered) -> None:
    _clear_away(ground, standing, entered)
    _record(ground, standing, entered, lambda state: without_measurement(state, number, reason))


def _judge(ground: Ground, standing: Standing, entered: _Entered) -> None:
    """Records the run, before any rollback; what commands left changed inside the assets is saved first."""
    measured = standing.measured
    if measured is None:
        raise StorageError("the log holds no measurement of the open cycle", "ar verify")
    _clear_away(ground, standing, entered)
    _record(ground, standing, entered, lambda state: decide_run(state, measured))


def _record(
    ground: Ground, standing: Standing, entered: _Entered, decide: Callable[[Standing], list[Event]]
) -> None:
    appended = ground.log.transact(decide, fold=stand, state=standing, after=standing.after)
    entered.run = next(int(event.run) for event in appended.events if isinstance(event, Run))


def _clear_away(ground: Ground, standing: Standing, entered: _Entered) -> None:
    """Saves and undoes what is changed inside the assets, under the name of the run to come."""
    left = changed_within(ground.repo, assets_of(ground, require_config(standing))).inside
    if left:
        run = standing.session.run_count + 1
        saved = salvage(ground.repo, left, ground.rejected(run)).directory
        entered.saved = entered.saved or saved


def _outcome(ground: Ground, number: int, begun: Standing, standing: Standing, entered: _Entered) -> Outcome:
    """What is told of a cycle that has ended; `begun` is a standing from before its run."""
    state = begun.session
    for batch in ground.log.read(begun.after, kinds=session.handlers):
        for seq, record in batch.numbered():
            if isinstance(record, Run) and state.run_count + 1 == entered.run:
                return _told(number, record, seq, state, standing, entered.saved)
            state = fold(session, (record,), state)
    raise StorageError("the log holds no run of the cycle that ended", "ar verify")


def _told(
    number: int, run: Run, seq: int, before: SessionState, after: Standing, saved: str | None
) -> Outcome:
    mark = before.standing.best or before.standing.baseline
    reverted = after.reverted if run.status != "keep" and run.commit else None
    return Outcome(
        number,
        run,
        seq,
        mark.metric if mark else None,
        reverted if reverted is not None and reverted.cycle == number else None,
        saved,
        after.stopped if run.reason == HARNESS else None,
        after,
    )

"""The last step of a cycle that is not kept: its commit is taken back, and that is proved (design, 6.1)."""

from __future__ import annotations

from commands.bearings import Standing
from commands.effects.git import GitError
from commands.effects.git_index import changed_entries, entries, tree_entries, worktree_entries
from commands.effects.ground import Ground, take_bearings
from commands.effects.rollback import rollback
from eventstore.errors import StorageError
from eventstore.events import Event, Resumed, Reverted, Stopped
from reducers.cycle import OpenCycle

__all__ = ["FAILED", "take_back"]

FAILED = "rollback_failed"
"""The reason of a stop because a rollback failed or could not be proved."""


def take_back(ground: Ground, standing: Standing, opened: OpenCycle) -> None:
    """Rolls a judged cycle's commit back and records it; a session that had stopped over it goes on.

    Work that is in the way is saved under the name of the cycle's run. Raises StorageError when the rollback
    failed or cannot be proved: it is recorded, the session has stopped, and the error holds the exact state
    and the way out.
    """
    cycle, commit = opened.cycle or 0, opened.commit or ""
    event, remedy = _rolled_back(ground, cycle, commit, opened.parent or "", opened.run or 0)
    if event.verified:
        missing = _missing(standing, take_bearings(ground.log))
        if not missing:
            ground.log.append([event, *_resumption(standing.stopped, cycle)])
            return
        event = Reverted(cycle=cycle, commit=commit, verified=False, detail=missing)
        remedy = "ar verify tells what the log has lost; the files are rolled back"
    ground.log.append([event, Stopped(reason=FAILED, detail=event.detail)])
    raise StorageError(f"cycle {cycle}: the rollback of {commit[:12]} is not proved: {event.detail}", remedy)


def _resumption(stopped: str | None, cycle: int) -> list[Event]:
    if stopped != FAILED:
        return []
    return [Resumed(reason="rolled_back", detail=f"the change of cycle {cycle} is gone after all")]


def _rolled_back(ground: Ground, cycle: int, commit: str, parent: str, run: int) -> tuple[Reverted, str]:
    """What became of the rollback, and what to do if it is not proved."""
    try:
        rolled = rollback(ground.repo, commit, parent, rescue=ground.rejected(run))
    except GitError as error:
        if _is_gone(ground, commit, parent):
            detail = "taken back by somebody else; its files are as before the change"
            return Reverted(cycle=cycle, commit=commit, verified=True, detail=detail), ""
        return Reverted(cycle=cycle, commit=commit, verified=False, detail=f"{error}"), _way_out(error)
    event = Reverted(
        cycle=cycle,
        commit=commit,
        revert_commit=rolled.revert_commit,
        verified=rolled.verified,
        detail=rolled.detail,
    )
    return event, "look at git status and git log; once the files are right, ar cycle --resume"


def _way_out(error: GitError) -> str:
    return f"{error.remedy}; then ar cycle --resume" if error.remedy else "mend it, then ar cycle --resume"


def _is_gone(ground: Ground, commit: str, parent: str) -> bool:
    """Whether HEAD, the index and the files hold nothing of the change any more, however that came."""
    try:
        change = changed_entries(ground.repo, parent, commit)
        wanted = {path: before for path, (before, _) in change.items()}
        found = (
            tree_entries(ground.repo, "HEAD", change),
            entries(ground.repo, change),
            worktree_entries(ground.repo, "HEAD", change),
        )
    except GitError:
        return False
    return all(held == wanted for held in found)


def _missing(known: Standing, found: Standing) -> str:
    """What a log read anew lacks of what was known of it, in words; empty if nothing."""
    baseline = known.session.standing.baseline
    if baseline is not None and found.session.standing.baseline != baseline:
        return "the log has lost its baseline"
    mine, its = known.cycle.open, found.cycle.open
    if mine is not None and (its is None or (its.cycle, its.run) != (mine.cycle, mine.run)):
        return f"the log has lost the run of cycle {mine.cycle}"
    return ""

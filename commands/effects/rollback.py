"""Taking a committed change back, provably (design, section 6.1).

The commit that `git revert` would make is made with plumbing: the parent's tree on top of the change. Files
and index go first, HEAD last, so that HEAD alone tells how far a killed cycle got and every call can be made
again. Only the files of the change are touched; what is staged or edited elsewhere stays as it is.
"""

from __future__ import annotations

import os
from enum import StrEnum

import msgspec

from commands.effects.git import SUBMODULE, Entries, GitError, Repo, describe, run
from commands.effects.git_commit import make_commit, move_head, require_head, require_quiet
from commands.effects.git_index import (
    changed_entries,
    edit,
    entries,
    load,
    put_entries,
    refresh,
    scratch,
    worktree_entries,
)
from commands.effects.git_queries import Commit, read_commit
from commands.effects.salvage import in_the_way, salvage

__all__ = ["CycleState", "Phase", "Rolled", "rollback", "state_of_cycle"]

CYCLE_TRAILER = "Ar-Cycle"
"""The trailer of a cycle's commit that holds its number."""

_Change = dict[str, tuple[tuple[str, str] | None, tuple[str, str] | None]]


class Rolled(msgspec.Struct, frozen=True):
    """A rollback that was carried out.

    revert_commit: the commit that takes the change back. verified: HEAD's tree is the parent's, and index
    and files of the change are as there. detail: what is not so, or what was saved on the way; else empty.
    """

    revert_commit: str
    verified: bool
    detail: str = ""


class Phase(StrEnum):
    """How far a cycle got, as HEAD tells it."""

    AT_PARENT = "at_parent"
    COMMITTED = "committed"
    ROLLED_BACK = "rolled_back"
    ELSEWHERE = "elsewhere"


class CycleState(msgspec.Struct, frozen=True):
    """Where HEAD is, seen from a cycle: its phase; its commit and the one that reverts it, if any."""

    phase: Phase
    commit: str | None = None
    revert_commit: str | None = None


def state_of_cycle(repo: Repo, parent: str, cycle: int) -> CycleState:
    """What became of the cycle numbered `cycle` that started at `parent`, from HEAD and the trailers.

    At the parent: not committed. At a child of it that bears the cycle's trailer: committed. At a child of
    such a commit with the parent's tree: rolled back. Elsewhere: somebody else moved HEAD.
    """
    head = read_commit(repo, require_head(repo))
    if head.id == parent:
        return CycleState(Phase.AT_PARENT)
    if _is_cycle(head, parent, cycle):
        return CycleState(Phase.COMMITTED, head.id)
    if len(head.parents) == 1:
        below = read_commit(repo, head.parents[0])
        if _is_cycle(below, parent, cycle) and head.tree == read_commit(repo, parent).tree:
            return CycleState(Phase.ROLLED_BACK, below.id, head.id)
    return CycleState(Phase.ELSEWHERE)


def _is_cycle(commit: Commit, parent: str, cycle: int) -> bool:
    return commit.parents == (parent,) and commit.trailers.get(CYCLE_TRAILER) == str(cycle)


def rollback(repo: Repo, commit: str, parent: str, *, rescue: str | os.PathLike[str] | None = None) -> Rolled:
    """Take the change `commit` back to `parent`, its only parent, with a commit on top of it.

    rescue: a directory for the work found on files of the change that is neither the commit's nor the
    parent's: edited since, staged since, or new in the way of one that comes back; see `salvage`. None:
    such work is refused, so that it cannot be lost.

    Called again after a kill it finishes; called when all is done it only verifies. Raises GitError with the
    exact state and the way out if HEAD is neither at `commit` nor at its revert, if there is such work and no
    rescue, and if git fails.
    """
    require_quiet(repo)
    made, goal = read_commit(repo, commit), read_commit(repo, parent)
    if made.parents != (goal.id,):
        raise GitError(
            f"{made.id[:12]} is no child of {goal.id[:12]}", repo.top, "name the commit and its parent"
        )
    change = changed_entries(repo, goal.id, made.id)
    head = read_commit(repo, require_head(repo))
    if head.parents == (made.id,) and head.tree == goal.tree:
        return _verified(repo, head.id, goal, change, "")
    if head.id != made.id:
        raise GitError(
            f"HEAD is at {head.id[:12]}, not at the change {made.id[:12]}",
            repo.top,
            f"nothing was rolled back; `git revert {made.id[:12]}` takes the change back",
        )
    linked = [path for path, pair in change.items() if any(entry and entry[0] == SUBMODULE for entry in pair)]
    if linked:
        raise GitError("a submodule is part of the change", describe(linked), f"`git revert {made.id[:12]}`")
    detail = _clear(repo, made, change, rescue)
    backwards = {path: (after, before) for path, (before, after) in change.items()}
    message = f'Revert "{made.message.partition(chr(10))[0]}"\n\nThis reverts commit {made.id}.\n'
    revert = make_commit(repo, goal.tree, made.id, message)
    try:
        _switch(repo, made.id, goal.id, backwards)
    except GitError as failed:
        way_out = f"HEAD is still at the change; try again, or `git revert {made.id[:12]}`"
        raise GitError(f"rollback of {made.id[:12]} failed: {failed.what}", failed.where, way_out) from None
    try:
        move_head(repo, made.id, revert, f"revert: {message.partition(chr(10))[0]}")
    except GitError:
        _switch(repo, goal.id, made.id, change)
        raise
    return _verified(repo, revert, goal, change, detail)


def _clear(repo: Repo, made: Commit, change: _Change, rescue: str | os.PathLike[str] | None) -> str:
    """See that no work of anybody's is in the way: save it, or refuse. What was saved, for the record."""
    indexed = entries(repo, change)
    current = worktree_entries(repo, made.id, change)
    unknown = [p for p, pair in change.items() if indexed[p] not in pair or current[p] not in (*pair, None)]
    arriving = [path for path, (before, _) in change.items() if before is not None]
    leaving = [path for path, (_, after) in change.items() if after is not None]
    # Where a directory took a file's place the file goes back first, for git would not replace it.
    replaced = [path for path in arriving if change[path][1] and _is_directory(repo, path)]
    unknown = list(dict.fromkeys((*unknown, *replaced, *in_the_way(repo, arriving, leaving))))
    if not unknown:
        return ""
    if rescue is None:
        raise GitError(
            f"files of the change {made.id[:12]} hold other work",
            describe(unknown),
            f"nothing was rolled back; move that work away, then try again, or `git revert {made.id[:12]}`",
        )
    saved = salvage(repo, unknown, rescue)
    return f"edited since the commit, saved in {saved.directory}: {describe(unknown)}"


def _is_directory(repo: Repo, path: str) -> bool:
    full = os.path.join(repo.top, path)
    return os.path.isdir(full) and not os.path.islink(full)


def _switch(repo: Repo, source: str, target: str, change: _Change) -> None:
    """Bring files and index from `source` to `target`, in the paths of `change` (source, target) alone.

    Some of them may be there already, and a file may be missing: a kill while git wrote it. Such paths are
    counted as done, or as in `source`, so that git looks at what is left to do and at nothing else. Git
    itself refuses to overwrite what is not as in `source`.
    """
    current = worktree_entries(repo, source, change)
    held = {path: current[path] if current[path] in pair else pair[0] for path, pair in change.items()}
    with scratch(repo) as index:
        load(repo, index, source)
        put_entries(repo, held, index)
        start = run(repo, "write-tree", index=index).text
    with scratch(repo, copy=True) as index:
        put_entries(repo, held, index)
        refresh(repo, index)
        run(repo, "read-tree", "-m", "-u", "--no-sparse-checkout", start, target, index=index)

    def adopt(index: str) -> None:
        put_entries(repo, {path: after for path, (_, after) in change.items()}, index)
        refresh(repo, index)

    edit(repo, adopt)


def _verified(repo: Repo, revert: str, goal: Commit, change: _Change, detail: str) -> Rolled:
    """Compare HEAD's tree, the index and the files with the parent's."""
    head = read_commit(repo, "HEAD")
    wanted: Entries = {path: before for path, (before, _) in change.items()}
    indexed = entries(repo, change)
    current = worktree_entries(repo, head.id, change)
    wrong = [path for path in change if not indexed[path] == current[path] == wanted[path]]
    if head.id != revert:
        return Rolled(revert, False, f"HEAD is at {head.id[:12]}, not at the revert {revert[:12]}")
    if head.tree != goal.tree:
        return Rolled(revert, False, f"the tree of HEAD is not that of {goal.id[:12]}")
    if wrong:
        return Rolled(revert, False, f"not as in {goal.id[:12]}: {describe(wrong)}")
    return Rolled(revert, True, detail)

"""Kept runs whose change somebody took back by hand, as with `git revert`. Nothing is changed."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from commands.effects.git_index import changed_entries
from commands.effects.git_queries import Commit
from commands.effects.own_commits import Branch
from reducers.policies.finalizing import KeptRun
from reducers.policies.finalizing_plan import Remark

__all__ = ["TakenBack", "taken_back"]


class TakenBack(msgspec.Struct, frozen=True):
    """What was taken back by hand.

    kept: the kept runs that were not. commits: those of the runs that were, and those that took them back, in
    full; of the latter also those that were undone again. remarks: which run by which commit.
    """

    kept: tuple[KeptRun, ...]
    commits: frozenset[str] = frozenset()
    remarks: tuple[Remark, ...] = ()


def taken_back(branch: Branch, kept: Sequence[KeptRun]) -> TakenBack:
    """Looks for commits of no kept run that change exactly a kept run's files, each back to what it was.

    A file that such a run shares with others differs between base and tip all the same, so that without this
    its branch would claim the run's gain. A commit that puts the change in force again ends it.
    """
    runs = {each.commit: each for each in kept if each.paths}
    alike: dict[tuple[str, ...], list[str]] = {}
    by_id: dict[str, Commit] = {}
    gone: dict[str, Commit] = {}
    settled: set[str] = set()
    for commit in branch.commits:
        if commit.id in runs:
            alike.setdefault(branch.paths[commit.id], []).append(commit.id)
            by_id[commit.id] = commit
            continue
        earlier = alike.get(branch.paths[commit.id])
        change = _change(branch, commit) if earlier else None
        if change is None:
            continue
        for name in reversed(earlier or []):
            its = _change(branch, by_id[name])
            if its is None:
                continue
            if name in gone and change == its:
                settled.add(commit.id)
                del gone[name]
                break
            if name not in gone and change == {path: (new, old) for path, (old, new) in its.items()}:
                settled.add(commit.id)
                gone[name] = commit
                break
    return TakenBack(
        tuple(each for each in kept if each.commit not in gone),
        frozenset(settled | gone.keys()),
        tuple(_remark(runs[name], commit) for name, commit in gone.items()),
    )


def _change(branch: Branch, commit: Commit) -> dict[str, tuple[object, object]] | None:
    """What a commit changed, file by file; None for a merge and for a first commit."""
    if len(commit.parents) != 1:
        return None
    return {**changed_entries(branch.repo, commit.parents[0], commit.id)}


def _remark(run: KeptRun, commit: Commit) -> Remark:
    subject = commit.message.partition("\n")[0][:60]
    return Remark(
        "taken_back", f'run {run.run} was taken back by hand, by {commit.id[:12]} "{subject}"', run.run
    )

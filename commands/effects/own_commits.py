"""Whose the commits of a branch are: kept runs', other runs', somebody's own. Nothing is changed."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Collection, Iterator, Mapping, Sequence

from commands.effects.branch import commits_of_branch, paths_of_commits
from commands.effects.git import Repo
from commands.effects.git_queries import Commit, find_commits, is_ancestor
from commands.effects.worktree import session_files
from reducers.lineage import Lineage, RunCommit
from reducers.policies.finalizing import KeptRun, Metric
from reducers.policies.finalizing_plan import OtherCommit, Remark

__all__ = ["Branch", "attribute", "beginning", "others"]

_RUN_TRAILER = "Ar-Run"
_HEAD_TRAILER = "Ar-Head"


def beginning(repo: Repo, rows: Sequence[RunCommit], tip: str) -> str | None:
    """The commit that the first of these runs began at; None if it is not to be had."""
    first = next(iter(rows), None)
    if first is None or not first.commit:
        return None
    commit = find_commits(repo, [first.commit]).get(first.commit)
    if commit is None or not is_ancestor(repo, commit.id, tip):
        return None
    if _is_own(commit, first):
        return commit.parents[0] if commit.parents else None
    return commit.id


def _is_own(commit: Commit, row: RunCommit) -> bool:
    """Whether one of our commands made this commit for this run."""
    return row.made or commit.trailers.get(_RUN_TRAILER) == str(row.run)


class Branch:
    """The commits of a branch, by descent, and what each changed."""

    def __init__(self, repo: Repo, base: str, tip: str) -> None:
        self.repo = repo
        self.base = base
        self.tip = tip
        self.commits = commits_of_branch(repo, base, tip)
        self.paths = paths_of_commits(repo, self.commits)
        self._by_id = {commit.id: commit for commit in self.commits}
        self._ids = sorted(self._by_id)
        self._by_head = {
            commit.trailers[_HEAD_TRAILER]: commit
            for commit in self.commits
            if _HEAD_TRAILER in commit.trailers
        }

    def find(self, name: str) -> Commit | None:
        """The one commit of the branch with this name, in full or abbreviated."""
        if name in self._by_id:
            return self._by_id[name]
        place = bisect_left(self._ids, name)
        found = [each for each in self._ids[place : place + 2] if each.startswith(name)]
        return self._by_id[found[0]] if len(found) == 1 and len(name) >= 4 else None

    def same_as(self, commit: Commit) -> Commit | None:
        """The commit of the branch that this one became when the branch was rebased, by its trailer."""
        head = commit.trailers.get(_HEAD_TRAILER)
        return self._by_head.get(head) if head is not None else None


def attribute(
    branch: Branch, rows: Sequence[RunCommit], fates: Mapping[str, str]
) -> tuple[list[KeptRun], list[Remark]]:
    """The kept ones of these runs that have a commit of their own on the branch, and what is to be said.

    fates: the paths that differ between base and tip, session files left out. A run that only names the
    commit it was measured at, as the one that gave the baseline, has none of its own.
    """
    kept: list[KeptRun] = []
    remarks: list[Remark] = []
    owners: dict[str, int] = {}
    for row in rows:
        commit = branch.find(row.commit or "")
        if row.baseline and (commit is None or not _is_own(commit, row)):
            if commit is not None:
                owners[commit.id] = row.run
            continue
        if row.status != "keep":
            continue
        if commit is None:
            commit, remark = _elsewhere(branch, row)
            if remark is not None:
                remarks.append(remark)
            if commit is None:
                continue
        owner = owners.setdefault(commit.id, row.run)
        if owner != row.run:
            detail = f"run {row.run} names the commit of run {owner}, so it has no change of its own"
            remarks.append(Remark("same_commit", detail, row.run))
            continue
        kept.append(_kept(branch, row, commit, fates))
        remarks += _undone(kept[-1])
    return kept, remarks


def _elsewhere(branch: Branch, row: RunCommit) -> tuple[Commit | None, Remark | None]:
    """The commit of a kept run that is not on the branch by its name: as rebased, or why there is none."""
    run = row.run
    if not row.commit:
        return None, Remark("no_commit", f"run {run} names no commit", run)
    commit = find_commits(branch.repo, [row.commit]).get(row.commit)
    if commit is None:
        what = f"run {run} names the commit {row.commit[:40]}, which this repository does not have"
        return None, Remark("unknown_commit", what, run)
    known = f"the commit {commit.id[:12]} of run {run}"
    if is_ancestor(branch.repo, commit.id, branch.base):
        return None, Remark("in_base", f"{known} is part of the base already", run)
    rebased = branch.same_as(commit)
    if rebased is not None:
        return rebased, None
    return None, Remark("not_on_branch", f"{known} is not on this branch", run)


def _kept(branch: Branch, row: RunCommit, commit: Commit, fates: Mapping[str, str]) -> KeptRun:
    paths = branch.paths[commit.id]
    own = session_files(branch.repo, paths)
    return KeptRun(
        run=row.run,
        segment=row.segment,
        description=row.description,
        commit=commit.id,
        before=row.before,
        after=row.after,
        paths=tuple(path for path in paths if path in fates),
        undone=tuple(path for path in paths if path not in fates and path not in own),
        metric=Metric(row.goal.metric_name, row.goal.metric_unit, row.goal.direction),
    )


def _undone(run: KeptRun) -> Iterator[Remark]:
    if not run.paths:
        what = f"nothing that run {run.run} changed is left at the tip"
        yield Remark("no_effect", what, run.run)
    elif run.undone:
        for path in run.undone:
            yield Remark(
                "undone", f"{path}, changed by run {run.run}, is as in the base again", run.run, path
            )


def others(
    branch: Branch,
    state: Lineage,
    kept: Sequence[KeptRun],
    fates: Mapping[str, str],
    settled: Collection[str] = (),
) -> Iterator[OtherCommit]:
    """The commits that belong to none of these kept runs; those that were taken back are left out.

    settled: commits, in full, that are left out as well.
    """
    passed = {each.commit for each in kept} | {*settled}
    for undone in state.undone:
        revert = branch.find(undone.revert_commit or "")
        commit = branch.find(undone.commit)
        if commit is not None and revert is not None:
            passed |= {commit.id, revert.id}
    runs: dict[str, RunCommit] = {}
    for row in state.runs:
        commit = branch.find(row.commit or "")
        # A run that was not kept names the commit it began at, unless one of ours made one for it.
        if commit is not None and (_is_own(commit, row) or (row.status == "keep" and not row.baseline)):
            runs.setdefault(commit.id, row)
    for commit in branch.commits:
        paths = tuple(path for path in branch.paths[commit.id] if path in fates)
        if commit.id not in passed and paths:
            whose = runs.get(commit.id)
            yield OtherCommit(
                commit.id,
                commit.message.partition("\n")[0],
                whose.run if whose else None,
                whose.status if whose else None,
                paths,
            )

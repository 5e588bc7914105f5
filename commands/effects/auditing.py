"""What git says to a session's record: kept commits and rollbacks.

Nothing is changed, not even an index. The log says what to look for (`reducers.policies.auditing`).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import msgspec

from commands.effects.branch import paths_of_commits
from commands.effects.git import GitError, Repo, describe, run
from commands.effects.git_queries import Commit, find_commits, head_of
from commands.effects.worktree import asset_paths, is_inside, session_files
from commands.logged_paths import from_log
from reducers.policies.audited import (
    ERROR,
    WARNING,
    AuditedCycle,
    AuditedRun,
    AuditedSegment,
    Finding,
    LogAudit,
)

__all__ = ["GitAudit", "KeptCommit", "assets_of", "audit_git"]

_CYCLE = "Ar-Cycle"


class KeptCommit(NamedTuple):
    """The commit of a kept run. line: of the run. cycle: whether a cycle made it."""

    line: int
    run: int
    segment: int
    commit: Commit
    cycle: bool


class GitAudit(msgspec.Struct, frozen=True):
    """What git says.

    findings: in no order. known: the commits that the log knows, in full, with the lines that name them.
    commits: the commits by the names that the log gives them. kept: those of kept runs. rolled_back: how many
    rollbacks were proved. missing: how many commits could not be looked up, for the repository has a part of
    the history only.
    """

    findings: tuple[Finding, ...] = ()
    known: dict[str, int] = {}
    commits: dict[str, Commit] = {}
    kept: tuple[KeptCommit, ...] = ()
    rolled_back: int = 0
    missing: int = 0


def audit_git(repo: Repo, audit: LogAudit) -> GitAudit:
    """Looks up in git what the log says of it. Raises GitError when git cannot be asked."""
    look = _Look(repo, audit)
    for cycle in audit.cycles:
        look.cycle(cycle)
    for each in audit.kept:
        look.logged(each)
    look.reachability()
    return GitAudit(
        tuple(look.findings), look.known, look.commits, tuple(look.kept), look.rolled_back, look.missing
    )


class _Look:
    """A look at a repository."""

    def __init__(self, repo: Repo, audit: LogAudit) -> None:
        self.repo = repo
        self.audit = audit
        self.findings: list[Finding] = []
        self.kept: list[KeptCommit] = []
        self.rolled_back = 0
        self.missing = 0
        self.shallow = run(repo, "rev-parse", "--is-shallow-repository").text == "true"
        self.commits = find_commits(repo, _names(audit))
        self.known: dict[str, int] = {}
        for cycle in audit.cycles:
            for name in filter(None, (cycle.commit, cycle.revert_commit)):
                if name in self.commits:
                    self.known.setdefault(self.commits[name].id, cycle.line)
        for each in audit.kept:
            if each.commit in self.commits:
                self.known.setdefault(self.commits[each.commit].id, each.line)
        made = [self.commits[cycle.commit] for cycle in audit.cycles if cycle.commit in self.commits]
        self.paths = paths_of_commits(repo, made)
        self.assets = {each.segment: assets_of(repo, each) for each in audit.segments}

    def add(self, level: str, kind: str, line: int, message: str, source: str = "git") -> None:
        self.findings.append(Finding(level, source, kind, line, message))

    def absent(self, level: str, line: int, what: str) -> None:
        """A commit that is not there; one of a part of the history may be elsewhere."""
        if self.shallow:
            self.missing += 1
        else:
            self.add(level, "missing", line, f"{what} is not in the repository")

    def cycle(self, cycle: AuditedCycle) -> None:
        """A cycle's commit, and its rollback."""
        commit = self.commits.get(cycle.commit)
        name = f"commit {cycle.commit[:12]} of cycle {cycle.cycle}"
        if commit is None:
            # What was rolled back may be pruned, once nobody needs it any more.
            self.absent(ERROR if cycle.status == "keep" else WARNING, cycle.line, name)
            return
        if cycle.parent is not None and commit.parents != (cycle.parent,):
            what = f"{name} is no child of {cycle.parent[:12]}, as the log says it is"
            self.add(ERROR, "parent", cycle.line, what)
        trailer = commit.trailers.get(_CYCLE)
        if trailer != str(cycle.cycle):
            said = "bears no cycle's number" if trailer is None else f"says that it is of cycle {trailer}"
            self.add(WARNING, "trailer", cycle.line, f"{name} {said}")
        self.files(cycle, commit, name)
        if cycle.status == "keep":
            self.kept.append(KeptCommit(cycle.line, cycle.run or 0, cycle.segment, commit, True))
        elif cycle.status is not None:
            self.rollback(cycle, commit, name)

    def logged(self, kept: AuditedRun) -> None:
        """The commit that a kept run names which no cycle measured.

        It was made by `ar log` where the session has assets; else it is what somebody said.
        """
        commit = self.commits.get(kept.commit or "")
        if commit is not None:
            self.kept.append(KeptCommit(kept.line, kept.run, kept.segment, commit, False))
        elif kept.commit:
            level = ERROR if kept.ours and self.assets.get(kept.segment) else WARNING
            self.absent(level, kept.line, f"commit {kept.commit[:12]} of kept run {kept.run}")

    def files(self, cycle: AuditedCycle, commit: Commit, name: str) -> None:
        """A cycle's commit holds what the log says, and assets alone."""
        paths = self.paths[commit.id]
        if cycle.files and set(paths) != set(from_log(cycle.files)):
            wrong = describe(sorted(set(paths) ^ set(from_log(cycle.files))))
            self.add(ERROR, "files", cycle.line, f"{name} does not hold the files that the log says: {wrong}")
        assets = self.assets.get(cycle.segment)
        if assets:
            own = session_files(self.repo, paths)
            outside = [path for path in paths if path in own or not is_inside(path, assets)]
            if outside:
                what = f"{name} holds files that are no assets: {describe(outside)}"
                self.add(ERROR, "outside", cycle.line, what)

    def rollback(self, cycle: AuditedCycle, commit: Commit, name: str) -> None:
        """What took a change back has just the tree that was there before."""
        if cycle.revert_line is None:
            return  # the log's own findings say so
        if cycle.revert_commit is None:
            what = f"{name} was taken back by somebody else, and no commit is on record"
            self.add(WARNING, "rollback", cycle.revert_line, what)
            return
        revert = self.commits.get(cycle.revert_commit)
        parent = self.commits.get(cycle.parent or "")
        if revert is None:
            what = f"commit {cycle.revert_commit[:12]}, which takes {name} back,"
            self.absent(WARNING, cycle.revert_line, what)
        elif revert.parents != (commit.id,):
            what = f"commit {revert.id[:12]} was not made upon {name}, which it is said to take back"
            self.add(ERROR, "rollback", cycle.revert_line, what)
        elif parent is not None and revert.tree != parent.tree:
            what = f"commit {revert.id[:12]} does not take {name} back: its tree is not the parent's"
            self.add(ERROR, "rollback", cycle.revert_line, what)
        else:
            self.rolled_back += 1

    def reachability(self) -> None:
        """Kept commits that HEAD does not lead to, or that nothing does."""
        if not self.kept:
            return
        wanted = "".join(f"{each.commit.id}\n" for each in self.kept).encode()
        lost = set(run(self.repo, "rev-list", "--stdin", "--not", "--all", stdin=wanted).text.split())
        head = head_of(self.repo).commit
        apart = run(self.repo, "rev-list", "--stdin", "--not", head, stdin=wanted).text if head else ""
        aside = set(apart.split())
        self.several("unreachable", lost, "on no branch: git will prune what nothing leads to")
        self.several("aside", aside - lost, "not part of HEAD")

    def several(self, kind: str, commits: set[str], what: str) -> None:
        """One finding for all kept commits that are among these."""
        found = [each for each in self.kept if each.commit.id in commits]
        if not found:
            return
        first = f"commit {found[0].commit.id[:12]} of kept run {found[0].run}"
        others = f" and {len(found) - 1} more" if len(found) > 1 else ""
        verb = "are" if others else "is"
        self.add(WARNING, kind, found[0].line, f"{first}{others} {verb} {what}")


def _names(audit: LogAudit) -> Iterator[str]:
    """The names of all commits that the log speaks of."""
    for cycle in audit.cycles:
        yield from filter(None, (cycle.commit, cycle.parent, cycle.revert_commit))
    yield from (each.commit for each in audit.kept if each.commit)
    yield from (each.commit for each in audit.segments if each.commit)


def assets_of(repo: Repo, segment: AuditedSegment) -> tuple[str, ...]:
    """The assets of a segment, below the repository's top; none where they are not to be told."""
    try:
        return asset_paths(repo, segment.assets)
    except GitError:
        return ()

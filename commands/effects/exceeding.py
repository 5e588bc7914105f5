"""What of the protocol's engineering limits an iteration exceeds, read from its log and its files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from commands.effects.commit_sizes import changes_in, commits_of
from commands.effects.git import GitError, Repo, find_repo
from commands.effects.git_queries import head_of
from commands.effects.views import read_view
from eventstore.filelog import FileLog
from eventstore.sessions import Session
from reducers.findings import FindingsView, findings
from reducers.iterations import IterationsView, iterations
from reducers.policies.iteration_limits import Excess, FileChange, excesses

__all__ = ["by_files", "by_the_log", "committed_since", "head_in", "told"]


def by_the_log(log: FileLog, session: Session) -> list[Excess]:
    """What the log has too much of: a last iteration without an ok check, too many unverified citations."""
    ended = read_view(log, iterations, cache=session.cache)
    learned = read_view(log, findings, cache=session.cache)
    return excesses(
        (), msgspec.convert(ended.view, IterationsView), msgspec.convert(learned.view, FindingsView)
    )


def by_files(changes: Sequence[FileChange]) -> list[Excess]:
    """What an iteration's files have too much of. changes: of its commits, one a path."""
    return excesses(changes, iterations.view(iterations.initial), findings.view(findings.initial))


def head_in(folder: Path) -> tuple[Repo, str] | None:
    """The repository of this folder and its HEAD; None where there is none, or no commit yet."""
    try:
        repo = find_repo(folder)
        commit = head_of(repo).commit
    except GitError:
        return None
    return None if commit is None else (repo, commit)


def committed_since(before: tuple[Repo, str] | None, folder: Path) -> list[FileChange]:
    """What was committed in this folder's repository since its HEAD was `before`; nothing without one."""
    after = head_in(folder)
    if before is None or after is None or before[1] == after[1]:
        return []
    repo, start = before
    return changes_in(repo, commits_of(repo, (f"{start}..{after[1]}",)))


def told(found: Sequence[Excess]) -> str:
    """Limits that are exceeded, in one line."""
    return "; ".join(f"{each.kind}: {each.detail}" for each in found)

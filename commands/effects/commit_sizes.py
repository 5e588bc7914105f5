"""How much commits change, or would: lines by file, and how large the files have become."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence

from commands.effects.git import GitError, Repo, run, shown
from commands.effects.git_index import worktree_tree
from commands.effects.git_queries import Commit, read_commit
from reducers.policies.iteration_limits import FileChange

__all__ = ["changes_at_work", "changes_in", "commits_of"]

_AT_ONCE = 200
"""How many paths one call of git is given, for the system limits the length of its arguments."""


def commits_of(repo: Repo, revisions: Iterable[str]) -> list[Commit]:
    """The commits that these name, the oldest first, each once; `A..B` are those of B that are not of A's.

    Raises GitError for what names none.
    """
    ids: list[str] = []
    for revision in revisions:
        before, dots, after = revision.partition("..")
        if not dots:
            ids.append(read_commit(repo, revision).id)
        elif after.startswith("."):
            raise GitError(f"{shown(revision)} is no range", repo.top, "A..B, or commits one by one")
        else:
            ends = [read_commit(repo, end or "HEAD").id for end in (before, after)]
            ids += run(repo, "rev-list", "..".join(ends)).text.split()
    wanted = dict.fromkeys(ids)
    if len(wanted) > 1:  # by descent, for commits of the same second say nothing by their time
        walked = run(repo, "rev-list", "--topo-order", "--reverse", *wanted).text.split()
        wanted = {commit: None for commit in walked if commit in wanted}
    return [read_commit(repo, commit) for commit in wanted]


def changes_in(repo: Repo, commits: Sequence[Commit]) -> list[FileChange]:
    """What these commits changed, one a path: lines together, the rest as the last one of them left it.

    A merge is compared with its first parent; what was only moved counts as what was changed of it.
    """
    changed: dict[str, int] = {}
    last: dict[str, Commit] = {}
    for commit in commits:
        for path, lines in _changed_lines(repo, commit):
            changed[path] = changed.get(path, 0) + lines
            last[path] = commit
    found: list[FileChange] = []
    for commit in commits:
        paths = [path for path in changed if last[path] is commit]
        found += _as_left(repo, commit.tree, {path: changed[path] for path in paths})
    return found


def changes_at_work(repo: Repo, paths: Sequence[str]) -> list[FileChange]:
    """What a commit of these paths as they lie in the working tree would change, one a path."""
    if not paths:
        return []
    tree = worktree_tree(repo, "HEAD", paths)
    out = run(repo, "diff-tree", *_NUMSTAT, "-M", "HEAD", tree).out
    return _as_left(repo, tree, dict(_numstat(out)))


def _as_left(repo: Repo, tree: str, changed: Mapping[str, int]) -> list[FileChange]:
    """What was done to these paths, with how a tree holds them. changed: lines by path."""
    sizes, lengths = _sizes(repo, tree, list(changed)), _lengths(repo, tree, list(changed))
    return [FileChange(path, lines, lengths.get(path), sizes.get(path, 0)) for path, lines in changed.items()]


def _changed_lines(repo: Repo, commit: Commit) -> Iterator[tuple[str, int]]:
    """The paths that a commit changed, with the lines added and removed."""
    pair = (commit.parents[0], commit.id) if commit.parents else ("--root", commit.id)
    return _numstat(run(repo, "diff-tree", *_NUMSTAT, "-M", *pair).out)


_NUMSTAT = ("-r", "-z", "--numstat", "--no-commit-id", "--no-ext-diff", "--no-textconv")


def _numstat(out: bytes) -> Iterator[tuple[str, int]]:
    """`added TAB removed TAB path NUL`; of a move, the path is empty and the old and the new one follow."""
    fields = iter(out.split(b"\0"))
    for field in fields:
        if not field:
            continue
        added, removed, path = field.split(b"\t", 2)
        if not path:
            next(fields)
            path = next(fields)
        yield os.fsdecode(path), sum(int(count) for count in (added, removed) if count != b"-")


def _lengths(repo: Repo, tree: str, paths: Sequence[str]) -> dict[str, int]:
    """Lines of these files as a tree holds them; a binary file has none, nor has one that is gone."""
    empty = run(repo, "hash-object", "-t", "tree", "--stdin", stdin=b"").text
    found: dict[str, int] = {}
    for some in _chunks(paths):
        out = run(repo, "diff-tree", *_NUMSTAT, "--no-renames", empty, tree, "--", *some).out
        for line in out.split(b"\0"):
            added, _, rest = line.partition(b"\t")
            if added.isdigit():
                found[os.fsdecode(rest.partition(b"\t")[2])] = int(added)
    return found


def _sizes(repo: Repo, tree: str, paths: Sequence[str]) -> dict[str, int]:
    """Bytes of these files as a tree holds them."""
    found: dict[str, int] = {}
    for some in _chunks(paths):
        for line in run(repo, "ls-tree", "-r", "-l", "-z", tree, "--", *some).out.split(b"\0"):
            facts, _, path = line.partition(b"\t")
            size = facts.split()[-1] if facts else b"-"
            if size.isdigit():
                found[os.fsdecode(path)] = int(size)
    return found


def _chunks(paths: Sequence[str]) -> Iterator[Sequence[str]]:
    return (paths[start : start + _AT_ONCE] for start in range(0, len(paths), _AT_ONCE))

"""What a branch did: where it left the trunk, its commits, and the paths each of them changed."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from commands.effects.git import GitError, Repo, run, shown
from commands.effects.git_queries import Commit, is_ancestor, read_commit, read_commits

__all__ = ["Base", "base_of", "branch_names", "commits_of_branch", "paths_of_commits", "paths_of_tree"]

_TRUNKS = ("main", "master", "trunk")
"""What a trunk is called where the repository does not tell; the first that there is."""

_ORIGIN = "refs/remotes/origin"


class Base(NamedTuple):
    """The commit that a branch began at, in full, and what it is known by, for people."""

    commit: str
    name: str


def base_of(repo: Repo, tip: str, named: str | None, began: str | None) -> Base:
    """Where the branch that ends at `tip` began.

    named: the trunk, or any commit, that it is compared with; then it is their merge base. Else it is the one
    with the trunk: what `origin/HEAD` is, else the configured default branch, else `main`, `master` or
    `trunk`, here or at `origin`, whichever is nearer. Where `tip` is part of the trunk, or there is none, it
    is `began`, the commit that the session began at. Raises GitError where it cannot be told.
    """
    if named is not None:
        commit = read_commit(repo, named)
        found = _merge_base(repo, commit.id, tip)
        if found is None:
            raise GitError(
                f"{shown(named)} and this branch have no commit in common", repo.top, "--base COMMIT"
            )
        return Base(found, named)
    bases: dict[str, str] = {}
    for name, commit_id in _trunk(repo):
        found = _merge_base(repo, commit_id, tip)
        if found is not None:
            bases.setdefault(found, name)
    if bases and tip not in bases:
        nearest = next(iter(bases))
        for other in bases:
            if is_ancestor(repo, nearest, other):
                nearest = other
        return Base(nearest, bases[nearest])
    if began is None:
        raise GitError(
            "where this branch began cannot be told", repo.top, "--base COMMIT, or --base BRANCH, names it"
        )
    return Base(began, "the session's beginning")


def _merge_base(repo: Repo, one: str, other: str) -> str | None:
    answer = run(repo, "merge-base", one, other, accept=(0, 1))
    return answer.text if answer.code == 0 else None


def _trunk(repo: Repo) -> list[tuple[str, str]]:
    """The branches that the trunk has here, as people call them, with their commits; maybe none."""
    pattern = "--format=%(refname)%00%(objectname)%00%(symref)"
    known: dict[str, str] = {}
    default = ""
    for line in run(repo, "for-each-ref", pattern, "refs/heads", _ORIGIN).text.split("\n"):
        name, commit, target = [*line.split("\0"), "", ""][:3]
        known[name] = commit
        if name == f"{_ORIGIN}/HEAD":
            default = target.removeprefix(f"{_ORIGIN}/")
    configured = run(repo, "config", "--get", "init.defaultBranch", accept=(0, 1)).text
    for name in filter(None, (default, configured, *_TRUNKS)):
        places = ((name, f"refs/heads/{name}"), (f"origin/{name}", f"{_ORIGIN}/{name}"))
        found = [(shown_name, known[ref]) for shown_name, ref in places if ref in known]
        if found:
            return found
    return []


def branch_names(repo: Repo) -> list[str]:
    """The names of all branches of this repository, without `refs/heads/`."""
    out = run(repo, "for-each-ref", "--format=%(refname:lstrip=2)", "refs/heads").text
    return out.split("\n") if out else []


def commits_of_branch(repo: Repo, base: str, tip: str) -> list[Commit]:
    """The commits that `tip` has and `base` has not, parents before children."""
    return read_commits(
        repo, run(repo, "rev-list", "--topo-order", "--reverse", tip, f"^{base}").text.split()
    )


def paths_of_commits(repo: Repo, commits: Sequence[Commit]) -> dict[str, tuple[str, ...]]:
    """The paths that each of these commits changed against its first parent; a rename is two paths."""
    asked = "".join(" ".join((commit.id, *commit.parents[:1])) + "\n" for commit in commits)
    shape = ("--stdin", "-r", "-z", "--root", "--raw", "--no-abbrev", "--no-renames")
    fields = run(repo, "diff-tree", *shape, stdin=asked.encode()).out.split(b"\0") if commits else []
    found: dict[str, list[str]] = {commit.id: [] for commit in commits}
    current: list[str] = []
    is_path = False
    for field in fields:
        if is_path:
            current.append(os.fsdecode(field))
            is_path = False
        elif field.startswith(b":"):
            is_path = True
        elif field:
            current = found[field.decode("ascii")]
    return {commit: tuple(paths) for commit, paths in found.items()}


def paths_of_tree(repo: Repo, tree: str) -> Iterable[str]:
    """All paths of a tree, or a commit's."""
    out = run(repo, "ls-tree", "-r", "-z", "--name-only", "--full-tree", tree).out
    return [os.fsdecode(path) for path in out.split(b"\0") if path]

"""Making one branch a group, all of them or none; working tree, index and HEAD are not touched.

Trees are put together in a scratch index, commits hang in the air until everything is checked, and the
references appear in one transaction at the end: a kill before it leaves no branch, one after it all of them.
What fails later takes back just the branches that this call made, and only where they still are as made.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

import msgspec

from commands.effects.branch import branch_names
from commands.effects.finalizing import Survey
from commands.effects.git import Entry, GitError, Repo, describe, run, shown
from commands.effects.git_commit import make_commit
from commands.effects.git_index import changed_entries, load, put_entries, scratch
from commands.effects.git_queries import identity
from commands.errors import BadInputError
from eventstore.errors import ConflictError
from reducers.policies.finalizing import uncovered
from reducers.policies.finalizing_plan import PlannedGroup

__all__ = ["Made", "make_branches", "require_names"]

T = TypeVar("T")

_REASON = "ar finalize: branch of kept runs"


class Made(msgspec.Struct, frozen=True):
    """A branch that was made: its name, its commit, its runs and files."""

    branch: str
    commit: str
    runs: tuple[int, ...]
    files: tuple[str, ...]


def require_names(repo: Repo, names: Sequence[str]) -> None:
    """Raises BadInputError for what git takes for no name of a branch."""
    for name in names:
        is_plain = "\0" not in name and not name.startswith("-") and name != "HEAD"
        if not is_plain or run(repo, "check-ref-format", f"refs/heads/{name}", accept=(0, 1)).code:
            raise BadInputError(f"{shown(name)} is no name of a branch", "letters, digits, - and / will do")


def make_branches(
    repo: Repo,
    found: Survey,
    groups: Sequence[PlannedGroup],
    leave: Sequence[str],
    record: Callable[[Sequence[Made]], T],
) -> tuple[list[Made], T]:
    """Makes the branches of these groups, and records them; what `record` gave comes with them.

    The caller holds the tree lock, and has seen to it that nothing is wrong with the groups. leave: what is
    left out on purpose. record: called with the branches when all of them are there; if it raises, they are
    taken back. Raises ConflictError when somebody else makes one of them meanwhile, GitError when git cannot
    do its part, or when together they are not what they should be.
    """
    identity(repo)
    base = found.facts.base
    made = []
    for group in groups:
        wanted = {path: found.entries[path] for path in group.files}
        commit = make_commit(repo, _tree(repo, base, wanted), base, group.message)
        made.append(Made(group.branch, commit, group.runs, group.files))
    _verify(repo, found, made, leave)
    refs = {each.branch: each.commit for each in made}
    try:
        _create(repo, refs)
        return made, record(made)
    except BaseException:
        _take_back(repo, refs)
        raise


def _tree(repo: Repo, base: str, wanted: Mapping[str, Entry | None]) -> str:
    """The base's tree with these entries in it, written to the object store."""
    with scratch(repo) as index:
        load(repo, index, base)
        put_entries(repo, wanted, index)
        return run(repo, "write-tree", index=index).text


def _verify(repo: Repo, found: Survey, made: Sequence[Made], leave: Sequence[str]) -> None:
    """Reads the commits back: each holds its group's changes and no other, together they are the tip's.

    Session files, and what is left out, are not among these. Raises GitError.
    """
    union: dict[str, Entry | None] = {}
    for each in made:
        changes = changed_entries(repo, found.facts.base, each.commit)
        held = {path: after for path, (_, after) in changes.items()}
        if held != {path: found.entries[path] for path in each.files} or held.keys() & union.keys():
            wrong = sorted(held.keys() ^ set(each.files)) or sorted(held)
            raise GitError(f"{each.branch} does not hold what its group says", describe(wrong))
        union |= held
    missing = uncovered(found.entries.keys(), [union], leave)
    if missing:
        raise GitError("together the branches are not the branch they come from", describe(missing))


def _create(repo: Repo, refs: Mapping[str, str]) -> None:
    """Makes all of these branches, or none."""
    orders = "".join(f"create refs/heads/{name}\0{commit}\0" for name, commit in refs.items())
    try:
        run(repo, "update-ref", "--no-deref", "-m", _REASON, "-z", "--stdin", stdin=orders.encode())
    except GitError:
        there = [name for name in branch_names(repo) if name in refs and _at(repo, name) != refs[name]]
        if there:
            raise ConflictError(
                f"somebody else made a branch {shown(there[0])} meanwhile", "plan anew: ar finalize plan"
            ) from None
        raise


def _at(repo: Repo, name: str) -> str | None:
    answer = run(repo, "rev-parse", "-q", "--verify", f"refs/heads/{name}", accept=(0, 1, 128))
    return answer.text if answer.code == 0 else None


def _take_back(repo: Repo, refs: Mapping[str, str]) -> None:
    """Removes those of the branches that are still at the commits made for them.

    Raises GitError, with the way out, where git does not remove one.
    """
    left = []
    for name, commit in refs.items():
        if _at(repo, name) == commit:
            try:
                run(repo, "update-ref", "--no-deref", "-d", f"refs/heads/{name}", commit)
            except GitError:
                left.append(name)
    if left:
        raise GitError(
            "the branches could neither be finished nor taken back",
            describe(left),
            f"git branch -D {' '.join(map(shown, left))}",
        )

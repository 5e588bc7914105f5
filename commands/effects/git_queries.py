"""The questions asked of a repository: where HEAD is, what a commit holds, what is tracked or ignored.

Nothing here changes a file, the index or a reference.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from commands.effects.git import SUBMODULE, GitError, Repo, join_paths, run, shown, split_paths

__all__ = [
    "Commit",
    "Head",
    "find_commits",
    "git_path",
    "head_of",
    "identity",
    "ignored",
    "index_fingerprint",
    "is_ancestor",
    "operation",
    "patch_of",
    "read_commit",
    "read_commits",
    "submodules",
    "tracked",
    "trailers",
]

_OPERATIONS = (
    ("MERGE_HEAD", "merge"),
    ("rebase-merge", "rebase"),
    ("rebase-apply", "rebase"),
    ("CHERRY_PICK_HEAD", "cherry-pick"),
    ("REVERT_HEAD", "revert"),
    ("BISECT_LOG", "bisect"),
)


class Head(NamedTuple):
    """Where HEAD is: commit None while unborn, branch None while detached (else `refs/heads/…`)."""

    commit: str | None
    branch: str | None


class Commit(NamedTuple):
    """A commit: object names in full; the message as written; trailers by key, the last of a key wins."""

    id: str
    tree: str
    parents: tuple[str, ...]
    message: str
    trailers: dict[str, str]


def git_path(repo: Repo, name: str) -> str:
    """Where git keeps the file `name` (`info/exclude`, …), absolute; linked worktrees share some."""
    return os.path.join(repo.top, run(repo, "rev-parse", "--git-path", name).text)


def head_of(repo: Repo) -> Head:
    """Where HEAD is."""
    branch = run(repo, "symbolic-ref", "-q", "HEAD", accept=(0, 1))
    commit = run(repo, "rev-parse", "-q", "--verify", "HEAD^{commit}", accept=(0, 1, 128))
    return Head(commit.text or None if commit.code == 0 else None, branch.text or None)


def operation(repo: Repo) -> str | None:
    """What somebody has begun and not ended: merge, rebase, cherry-pick, revert or bisect; else None."""
    for name, said in _OPERATIONS:
        if os.path.lexists(os.path.join(repo.git_dir, name)):
            return said
    return None


def identity(repo: Repo) -> str:
    """Who commits, as `Name <mail>`. Raises GitError if git does not know."""
    try:
        run(repo, "var", "GIT_AUTHOR_IDENT")
        return run(repo, "var", "GIT_COMMITTER_IDENT").text.rsplit(" ", 2)[0]
    except GitError:
        raise GitError(
            "git does not know who commits",
            repo.top,
            "git config user.name 'Your Name' && git config user.email you@example.com",
        ) from None


def read_commit(repo: Repo, revision: str) -> Commit:
    """The commit that `revision` names. Raises GitError if there is none."""
    asked = os.fsencode(revision + "^{commit}\n")
    answer = run(repo, "cat-file", "--batch", stdin=asked).out if "\n" not in revision else b""
    found = next(_commits(answer), None)
    if found is None:
        raise GitError(f"no commit is named {shown(revision)}", repo.top)
    return found


def read_commits(repo: Repo, ids: Iterable[str]) -> list[Commit]:
    """The commits of these names, in this order. Raises GitError if one is missing."""
    wanted = list(ids)
    found = find_commits(repo, wanted)
    if len(found) != len(set(wanted)):
        raise GitError("commits are missing from the repository", repo.top, "git fsck tells which")
    return [found[name] for name in wanted]


def find_commits(repo: Repo, names: Iterable[str]) -> dict[str, Commit]:
    """Those commits of these names that there are, by name. A name is 4 hex digits or more, else it is none.

    Branches and tags that are called so are not looked at.
    """
    asked = [name for name in dict.fromkeys(names) if len(name) >= 4 and set(name) <= _DIGITS]
    if not asked:
        return {}
    lines = "".join(f"{name}^{{commit}}\n" for name in asked).encode()
    answers = _commits(run(repo, "cat-file", "--batch", stdin=lines).out)
    return {
        name: commit
        for name, commit in zip(asked, answers, strict=True)
        if commit is not None and commit.id.startswith(name)
    }


_DIGITS = frozenset("0123456789abcdef")


def _commits(answers: bytes) -> Iterator[Commit | None]:
    """What `cat-file --batch` gave for each name: the commit, or None where there is none."""
    at = 0
    while (start := answers.find(b"\n", at) + 1) > 0:
        facts = answers[at : start - 1].decode("utf-8", "surrogateescape").split(" ")
        at = start
        is_object = len(facts) == 3 and facts[2].isdigit() and facts[1] != "missing"
        if is_object:
            at += int(facts[2]) + 1
        yield _commit(facts[0], answers[start : at - 1]) if is_object and facts[1] == "commit" else None


def _commit(name: str, content: bytes) -> Commit:
    header, _, body = content.partition(b"\n\n")
    tree, parents, encoding = "", [], "utf-8"
    for line in header.decode("utf-8", "surrogateescape").split("\n"):
        key, _, value = line.partition(" ")
        if key == "tree":
            tree = value
        elif key == "parent":
            parents.append(value)
        elif key == "encoding":
            encoding = value
    try:
        message = body.decode(encoding, "surrogateescape")
    except LookupError:
        message = body.decode("utf-8", "surrogateescape")
    return Commit(name, tree, tuple(parents), message, trailers(message))


def trailers(message: str) -> dict[str, str]:
    """The trailers of a commit message: the `Key: value` lines of its last paragraph, the subject's excepted.

    A paragraph with any other line holds none.
    """
    paragraphs = message.strip("\n").split("\n\n")
    found: dict[str, str] = {}
    for line in paragraphs[-1].split("\n") if len(paragraphs) > 1 else ():
        key, colon, value = line.partition(": ")
        if not colon or not key.replace("-", "").isalnum():
            return {}
        found[key] = value.strip()
    return found


def is_ancestor(repo: Repo, ancestor: str, descendant: str) -> bool:
    """Whether `descendant` is `ancestor` or was built upon it."""
    return run(repo, "merge-base", "--is-ancestor", ancestor, descendant, accept=(0, 1)).code == 0


def submodules(repo: Repo) -> set[str]:
    """The paths that the index holds as submodules."""
    lines = run(repo, "ls-files", "-s", "-z").out.split(b"\0")
    return {os.fsdecode(line.partition(b"\t")[2]) for line in lines if line.startswith(SUBMODULE.encode())}


def tracked(repo: Repo, assets: Iterable[str] = ("",)) -> list[str]:
    """The tracked files inside the assets (top-relative; "" is everything), in the index's order."""
    chosen = [asset or "." for asset in assets]
    return split_paths(run(repo, "ls-files", "-z", "--", *chosen).out) if chosen else []


def ignored(repo: Repo, paths: Iterable[str]) -> set[str]:
    """Those of the paths that git would ignore; tracked ones never are."""
    # This command takes no literal pathspecs; a leading `:` would be its one kind of magic.
    asked = {f"./{path}" if path.startswith(":") else path: path for path in paths}
    options = ("--no-literal-pathspecs", "check-ignore", "-z", "--stdin")
    found = run(repo, *options, stdin=join_paths(asked), accept=(0, 1))
    return {asked[path] for path in split_paths(found.out)}


def index_fingerprint(repo: Repo) -> str:
    """SHA-256, in hex, of what the index holds (`git ls-files -s -z`): equal as long as nothing is staged."""
    import hashlib

    return hashlib.sha256(run(repo, "ls-files", "-s", "-z").out).hexdigest()


def patch_of(repo: Repo, commit: str) -> bytes:
    """What a commit changed against its first parent, as a patch `git apply` takes, binary files included."""
    found = read_commit(repo, commit)
    pair = (found.parents[0], found.id) if found.parents else ("--root", found.id)
    shape = ("-r", "-p", "--binary", "--full-index", "--no-commit-id", "--no-ext-diff", "--no-textconv", "-M")
    return run(repo, "diff-tree", *shape, *pair).out

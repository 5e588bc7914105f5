"""Committing exactly the named files, and nothing else that happens to be staged (design, section 6.1).

The order makes a kill harmless: objects first, then the index, HEAD last. Before HEAD moves the change is
still the working tree's and can be committed again; once it has moved nothing is left to do.
"""

from __future__ import annotations

from collections.abc import Iterable

from commands.effects.git import SUBMODULE, Entries, GitError, Repo, describe, run
from commands.effects.git_index import (
    UNMERGED,
    changed_entries,
    edit,
    entries,
    load,
    on_disk,
    put_entries,
    refresh,
    scratch,
    skipped,
    tree_entries,
    worktree_tree,
)
from commands.effects.git_queries import head_of, identity, operation, read_commit
from commands.effects.worktree import session_files

__all__ = ["commit_paths", "cycle_message", "make_commit", "move_head", "require_head", "require_quiet"]

_UNDO = "autoresearch: undo a commit that is not what was asked for"

SUBJECT_LENGTH = 100
"""Characters of the first line of a description that fit the subject; the whole text then follows below."""


def cycle_message(cycle: int, description: str, log_head: str) -> str:
    """The message of a cycle's commit: subject, text, and the trailers `Ar-Cycle` and `Ar-Head`.

    cycle: its number. log_head: `seq:digest` of the log's last line. The trailers are a paragraph of their
    own at the end, so that nothing in the description is read as one.
    """
    text = description.replace("\0", "\N{REPLACEMENT CHARACTER}").replace("\r\n", "\n").strip()
    first, _, rest = text.partition("\n")
    subject = f"autoresearch cycle {cycle}: {first.strip()[:SUBJECT_LENGTH] or 'no description'}"
    body = f"{text}\n\n" if rest.strip() or len(first.strip()) > SUBJECT_LENGTH else ""
    return f"{subject}\n\n{body}Ar-Cycle: {cycle}\nAr-Head: {log_head}\n"


def require_head(repo: Repo) -> str:
    """The commit at HEAD. Raises GitError while there is none yet."""
    answer = run(repo, "rev-parse", "-q", "--verify", "HEAD^{commit}", accept=(0, 1, 128))
    if answer.code:
        raise GitError(
            "the repository has no commit yet", repo.top, "commit once, so that there is a way back"
        )
    return answer.text


def require_quiet(repo: Repo) -> None:
    """Raises GitError while a merge, rebase, cherry-pick, revert or bisect is under way."""
    begun = operation(repo)
    if begun is not None:
        raise GitError(
            f"a {begun} is in progress", repo.top, f"finish it, or `git {begun} {_WAY_OUT[begun]}`"
        )


_WAY_OUT = dict.fromkeys(("merge", "rebase", "cherry-pick", "revert"), "--abort") | {"bisect": "reset"}


def commit_paths(
    repo: Repo,
    paths: Iterable[str],
    message: str,
    *,
    parent: str | None = None,
    git_hooks: bool = False,
) -> str:
    """Commit exactly these paths as they lie in the working tree; the new commit's name.

    paths: top-relative; added, modified, deleted, of another mode or kind; a rename is both of its paths.
    parent: where HEAD has to be, wherever it is if None. git_hooks: the user's hooks run and the commit is
    signed, as configured; a hook may edit these files, no other.

    What else is staged or edited stays exactly so. Raises GitError, with HEAD and the index as they were, if
    a path has no change or cannot be committed (a submodule, another repository, a session file), if HEAD is
    unborn or moved, if git does not know who commits, and if a hook refuses or adds other files.
    """
    wanted = tuple(sorted(set(paths)))
    require_quiet(repo)
    old = require_head(repo)
    if parent is not None and old != parent:
        raise _moved(repo, parent, old)
    before = entries(repo, wanted)
    _require_ordinary(repo, wanted, before)
    tree = worktree_tree(repo, old, wanted)
    target = _exactly(repo, old, tree, wanted)
    commit = "" if git_hooks else make_commit(repo, tree, old, message)
    _index_to(repo, target)
    try:
        if git_hooks:
            commit = _commit_with_hooks(repo, old, tree, wanted, message)
        else:
            move_head(repo, old, commit, f"commit: {message.partition(chr(10))[0]}")
    except BaseException:
        _restore_index(repo, before, target)
        raise
    return commit


def make_commit(repo: Repo, tree: str, parent: str, message: str) -> str:
    """Write a commit that nothing refers to yet; its name. GitError if git does not know who commits."""
    try:
        return run(repo, "commit-tree", tree, "-p", parent, "-F", "-", stdin=_encoded(message)).text
    except GitError:
        identity(repo)  # says it better
        raise


def _require_ordinary(repo: Repo, paths: tuple[str, ...], indexed: Entries) -> None:
    """Raises GitError if there is nothing to commit or one of the paths is no ordinary file."""
    if not paths:
        raise GitError("there is nothing to commit", repo.top, "change a file inside the assets")
    nested = [path for path in paths if path.endswith("/")]
    if nested:
        raise GitError(
            "a repository inside this one cannot be committed", describe(nested), "move it elsewhere"
        )
    session = session_files(repo, paths)
    if session:
        raise GitError("session files are never committed", describe(sorted(session)), "leave them out")
    unmerged = [path for path, entry in indexed.items() if entry is not None and entry[0] == UNMERGED]
    if unmerged:
        raise GitError(
            "a merge has left conflicts", describe(unmerged), "resolve them and `git add` the files"
        )
    absent = set(paths) - on_disk(repo, paths).keys()
    sparse = sorted(absent & skipped(repo)) if absent else ()
    if sparse:
        raise GitError("outside of the sparse checkout", describe(sparse), "check it out, or leave it out")


def _exactly(repo: Repo, old: str, tree: str, wanted: tuple[str, ...]) -> Entries:
    """The wanted entries of a tree that differs from `old` in just the wanted paths; else GitError."""
    changes = changed_entries(repo, old, tree)
    missing = [path for path in wanted if path not in changes]
    if missing:
        raise GitError("there is no change to commit", describe(missing), "leave it out, or change it")
    extra = sorted(changes.keys() - set(wanted))
    if extra:
        raise GitError(
            "the commit would hold other files too", describe(extra), "name them, or leave them alone"
        )
    linked = [path for path in wanted if any(entry and entry[0] == SUBMODULE for entry in changes[path])]
    if linked:
        raise GitError(
            "a submodule cannot be part of a change", describe(linked), "keep it out of the assets"
        )
    return {path: after for path, (_, after) in changes.items()}


def _commit_with_hooks(repo: Repo, old: str, tree: str, wanted: tuple[str, ...], message: str) -> str:
    """Let git commit a scratch index, so that hooks see and may edit it; undone if they went too far."""
    with scratch(repo) as index:
        load(repo, index, tree)
        refresh(repo, index)
        options = ("--quiet", "--cleanup=verbatim", "--file=-")
        run(repo, "commit", *options, stdin=_encoded(message), index=index, hooks=True)
    made = read_commit(repo, "HEAD")
    if made.parents != (old,):
        if made.message == message and made.parents:  # ours, on top of somebody else's
            move_head(repo, made.id, made.parents[0], _UNDO)
        raise _moved(repo, old, made.id)
    try:
        target = _exactly(repo, old, made.id, wanted)
    except GitError:
        move_head(repo, made.id, old, _UNDO)
        raise
    _index_to(repo, target)
    return made.id


def _index_to(repo: Repo, target: Entries) -> None:
    """Bring these entries of the real index to `target`, and no other."""

    def change(index: str) -> None:
        put_entries(repo, target, index)
        refresh(repo, index)

    edit(repo, change)


def _restore_index(repo: Repo, before: Entries, target: Entries) -> None:
    """Take `target` back out of the index, but for what HEAD holds by now: somebody else committed it."""
    now = entries(repo, target)
    at_head = tree_entries(repo, "HEAD", target)
    ours = {path: before[path] for path in target if now[path] == target[path] != at_head[path]}
    if ours:
        _index_to(repo, ours)


def move_head(repo: Repo, old: str, new: str, reason: str) -> None:
    """Move HEAD, and the branch it is on, from `old` to `new`; nothing if it is elsewhere by now.

    reason: the reflog's line. Raises GitError if HEAD is not at `old`.
    """
    try:
        run(repo, "update-ref", "-m", reason, "HEAD", new, old)
    except GitError:
        now = head_of(repo).commit
        if now != old:
            raise _moved(repo, old, now) from None
        raise


def _moved(repo: Repo, expected: str, found: str | None) -> GitError:
    return GitError(
        f"HEAD is at {(found or 'no commit')[:12]}, not at {expected[:12]}: somebody else committed",
        repo.top,
        "look at `git log`; nothing was lost, the files lie in the working tree as they were",
    )


def _encoded(message: str) -> bytes:
    return message.encode("utf-8", "replace")

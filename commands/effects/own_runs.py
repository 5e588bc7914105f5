"""The git side of a run that somebody measured and judged themselves (`ar log`; design, section 6.1).

A keep is committed, then recorded. Anything else is recorded, then saved and undone: a note in the cache says
what is still to be undone, so that a kill in between is made good by the next `ar log`, unless the tree has
changed since.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import msgspec

from commands.effects.git import GitError, Repo, find_repo, shown
from commands.effects.git_commit import SUBJECT_LENGTH, commit_paths, require_head, require_quiet
from commands.effects.git_index import worktree_tree
from commands.effects.ground import take_bearings
from commands.effects.measuring import CONSTRAINT_SECONDS
from commands.effects.salvage import salvage
from commands.effects.worktree import asset_paths, changed_within, is_inside, session_files, status
from commands.errors import BadInputError
from commands.output import near, warn
from eventstore.errors import ConflictError
from eventstore.events import Run
from eventstore.filelog import FileLog
from eventstore.sessions import Session
from eventstore.store import Appended, Position

__all__ = ["Moved", "Tree", "judged", "require_checks", "told_moved", "tree_of"]


class Moved(msgspec.Struct, frozen=True):
    """What became of the changes inside the assets.

    committed: the commit of those that were kept; None if none were. saved: where those that had to go were
    saved, absolute; None if there were none.
    """

    committed: str | None = None
    saved: str | None = None


class Tree(msgspec.Struct, frozen=True):
    """The working tree of a session with assets. assets: below the repository's top."""

    place: Session
    log: FileLog
    repo: Repo
    assets: tuple[str, ...]

    @property
    def note(self) -> Path:
        """Where it is written down what is still to be undone."""
        return (self.place.cache or self.place.log.parent) / "rejecting.json"


class _Note(msgspec.Struct, frozen=True):
    """What is to be undone.

    after: where the log ended before its run. tree: HEAD's with the changes, by its object's name.
    """

    after: Position
    tree: str


def require_checks(place: Session, seconds: float | None = None) -> None:
    """Raises BadInputError if the session's checks fail, so that nothing may be kept.

    seconds: their time limit, the constraint's by default.
    """
    if not place.checks.is_file():
        return
    from commands.effects.measuring import tail_of
    from hooks.process import run, strip_own_environment

    finished = run(
        ["bash", str(place.checks)],
        cwd=place.root,
        timeout=seconds or CONSTRAINT_SECONDS,
        stdout_cap=1 << 16,
        stderr_cap=1 << 16,
        keep="tail",
        env=strip_own_environment(os.environ),
    )
    if finished.exit_code == 0:
        return
    said = tail_of(finished, failed=True).strip()
    ended = "did not end in time" if finished.timed_out else f"exited {finished.exit_code}"
    last = f": {shown(said.splitlines()[-1])}" if said else ""
    raise BadInputError(
        f"{place.checks.name} {ended}, so nothing is kept{last}",
        "mend it, or ar log --status checks_failed ...",
    )


def tree_of(place: Session, log: FileLog, assets: tuple[str, ...]) -> Tree | None:
    """The tree that a run is about; None where git is not touched: no assets, or no repository."""
    if not assets or place.layout == "file":
        return None
    try:
        repo = find_repo(place.root)
    except GitError:
        return None
    return Tree(place, log, repo, asset_paths(repo, assets))


def judged(tree: Tree, run: Run, record: Callable[[str | None], Appended]) -> tuple[Appended, Moved]:
    """Records a run and does what its status asks for. The caller holds the tree lock.

    run: as it will be recorded. record: appends it, given the commit that it was measured at. Raises
    ConflictError while a measured cycle is open, GitError when git cannot do its part.
    """
    opened = take_bearings(tree.log).cycle.open
    if opened is not None:
        raise ConflictError(f"cycle {opened.cycle} is not finished", "ar cycle --resume")
    require_quiet(tree.repo)
    head = require_head(tree.repo)
    _make_good(tree)
    if run.status == "keep":
        inside = changed_within(tree.repo, tree.assets).inside
        commit = commit_paths(tree.repo, inside, _message(tree, run), parent=head) if inside else None
        return record((commit or head)[:7]), Moved(committed=commit)
    going = _going(tree)
    if not going:
        return record(head[:7]), Moved()
    _write(tree.note, _Note(take_bearings(tree.log).after, worktree_tree(tree.repo, head, going)))
    appended = record(head[:7])
    return appended, Moved(saved=_undo(tree, going, int(run.run)))


def _message(tree: Tree, run: Run) -> str:
    """Subject, text and trailers of a kept run's commit."""
    text = run.description.replace("\0", "\N{REPLACEMENT CHARACTER}").strip()
    first = text.partition("\n")[0].strip()
    subject = f"autoresearch run {run.run}: {first[:SUBJECT_LENGTH] or 'no description'}"
    body = "" if text == first[:SUBJECT_LENGTH] else f"{text}\n\n"
    return f"{subject}\n\n{body}Ar-Run: {run.run}\nAr-Head: {tree.log.head()}\n"


def _going(tree: Tree) -> list[str]:
    """What is changed inside the assets, or only staged there."""
    lines = [line for line in status(tree.repo, renames=False) if is_inside(line.path, tree.assets)]
    paths = dict.fromkeys(line.path for line in lines)
    return [path for path in paths if not session_files(tree.repo, (path,))]


def _undo(tree: Tree, going: list[str], run: int) -> str | None:
    saved = salvage(tree.repo, going, tree.place.rejected / f"run-{run}").directory
    tree.note.unlink(missing_ok=True)
    return saved


def _write(path: Path, note: _Note) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_name(path.name + ".new")
    fresh.write_bytes(msgspec.json.encode(note))
    os.replace(fresh, path)


def _make_good(tree: Tree) -> None:
    """Undoes what a killed call has recorded but not undone, if it still lies there as it did."""
    try:
        note = msgspec.json.decode(tree.note.read_bytes(), type=_Note)
    except (OSError, msgspec.DecodeError):
        return
    rejected = next(
        (
            record
            for batch in tree.log.read(note.after, kinds={Run})
            for record in batch.records
            if isinstance(record, Run)
        ),
        None,
    )
    if rejected is not None:
        going = _going(tree)
        if going and worktree_tree(tree.repo, require_head(tree.repo), going) == note.tree:
            saved = _undo(tree, going, int(rejected.run))
            warn(f"run {rejected.run} was interrupted: its changes are undone now, and saved in {saved}")
            return
        warn(f"run {rejected.run} was interrupted and its changes not undone; the files have changed since")
    tree.note.unlink(missing_ok=True)


def told_moved(moved: Moved | None) -> str:
    """What git has to do with a run, for people; empty if nothing."""
    if moved is None:
        return ""
    if moved.committed is not None:
        return f"committed {moved.committed[:7]}\n"
    return f"undone; saved in {shown(near(moved.saved))}\n" if moved.saved is not None else ""

"""An agent's turn in the working tree: where it began, what it left, and putting that back (design, 6.1).

What an agent may leave is a change inside the assets, uncommitted. Everything else is taken away again: saved
first, nothing deleted, older dirt untouched. A turn that was killed with us is told from a file in the cache.
"""

from __future__ import annotations

import os
from contextlib import suppress

import msgspec

from commands.effects.git import GitError, Repo, run
from commands.effects.git_index import changed_entries, edit, put_entries, refresh
from commands.effects.git_queries import Head, head_of
from commands.effects.ground import Ground, cache_of, remember_outside, strayed_paths
from commands.effects.outside import kept_before, undo
from commands.effects.salvage import salvage
from commands.effects.worktree import changed_within, staged_only
from eventstore.lock import holder_of
from eventstore.sessions import Session

__all__ = [
    "Cleared",
    "Left",
    "Turn",
    "begin_turn",
    "end_turn",
    "put_back",
    "survey",
    "under_way",
    "unfinished",
]

_MARKER = "turn.json"
_REASON = "autoresearch: what an agent committed itself goes back into the working tree"


class Turn(msgspec.Struct, frozen=True):
    """Where a turn began.

    assets: as paths below the repository's top. commit, branch: where HEAD was; no branch while detached.
    run, cycle: the next run and the last cycle, by which a turn that was overtaken is known.
    """

    assets: tuple[str, ...]
    commit: str
    branch: str | None
    run: int
    cycle: int | None = None


class Left(msgspec.Struct, frozen=True):
    """What an agent left. inside: changed paths inside the assets. outside: those elsewhere.

    committed: whether it had committed by itself, or moved HEAD otherwise; HEAD is back already.
    """

    inside: tuple[str, ...] = ()
    outside: tuple[str, ...] = ()
    committed: bool = False

    @property
    def nothing(self) -> bool:
        """Whether nothing is left."""
        return not self.inside and not self.outside


class Cleared(msgspec.Struct, frozen=True):
    """What was put back.

    saved: the directories, absolute, where the work now lies. remains: the paths that could not be put back.
    """

    saved: tuple[str, ...] = ()
    remains: tuple[str, ...] = ()


def begin_turn(ground: Ground, assets: tuple[str, ...], run_number: int, cycle: int | None) -> Turn:
    """Notes how everything is before the agent starts. Raises GitError while the repository has no commit."""
    head = head_of(ground.repo)
    if head.commit is None:
        raise GitError("the repository has no commit yet", ground.repo.top, "commit once")
    turn = Turn(assets, head.commit, head.branch, run_number, cycle)
    remember_outside(ground, assets)
    fresh = _marker(ground) + ".new"
    with open(fresh, "wb") as file:
        file.write(msgspec.json.encode(turn))
    os.replace(fresh, _marker(ground))
    return turn


def end_turn(ground: Ground) -> None:
    """The turn is over: what it left is on the log, or gone."""
    with suppress(FileNotFoundError):
        os.unlink(_marker(ground))


def unfinished(ground: Ground) -> Turn | None:
    """The turn during which a loop was killed; None if none was."""
    try:
        with open(_marker(ground), "rb") as file:
            return msgspec.json.decode(file.read(), type=Turn)
    except (OSError, msgspec.DecodeError):
        return None


def under_way(place: Session) -> bool:
    """Whether a turn of a loop is under way: who asks is its agent, or the loop's agent is at work.

    An agent's shell has AR_BRIEF from its loop; an MCP server that the agent started may be without the
    agent's environment, but then there is the turn's file, and a loop that holds the tree lock. Where holders
    cannot be known the file alone counts.
    """
    if "AR_BRIEF" in os.environ:
        return True
    if not os.path.exists(cache_of(place) / _MARKER):
        return False
    return holder_of(place.tree_lock) is not None or not os.path.exists("/proc/locks")


def _marker(ground: Ground) -> str:
    return os.path.join(ground.cache, _MARKER)


def survey(ground: Ground, turn: Turn) -> Left:
    """What the agent left since the turn began, HEAD and its branch first being put back where they were.

    What it had committed lies in the working tree then, as if it had not; the commits stay in the reflog.
    What it had staged inside the assets and is not so in the files, is unstaged: the user's next commit would
    take it along.
    """
    now = head_of(ground.repo)
    moved = now != Head(turn.commit, turn.branch)
    if moved:
        _return_head(ground.repo, turn, now)
    salvage(ground.repo, staged_only(ground.repo, turn.assets), ground.rejected(turn.run))
    changes = changed_within(ground.repo, turn.assets)
    return Left(changes.inside, tuple(strayed_paths(ground, turn.assets)), moved)


def _return_head(repo: Repo, turn: Turn, now: Head) -> None:
    """HEAD back to the turn's commit and branch; index entries that were committed back to that commit's."""
    if now.branch != turn.branch:
        if turn.branch is None:
            run(repo, "update-ref", "--no-deref", "-m", _REASON, "HEAD", turn.commit)
        else:
            run(repo, "symbolic-ref", "-m", _REASON, "HEAD", turn.branch)
    there = head_of(repo).commit
    if there != turn.commit:
        run(repo, "update-ref", "-m", _REASON, "HEAD", turn.commit, there or "")
    if now.commit is None or now.commit == turn.commit:
        return
    entries = {path: pair[1] for path, pair in changed_entries(repo, now.commit, turn.commit).items()}

    def change(index: str) -> None:
        put_entries(repo, entries, index)
        refresh(repo, index)

    edit(repo, change)


def put_back(ground: Ground, turn: Turn, left: Left) -> Cleared:
    """Saves what an agent left under the run's rejected work, then brings all of it back to how it was."""
    into = ground.rejected(turn.run)
    saved: list[str | None] = []
    remains: tuple[str, ...] = ()
    kept = kept_before(ground.outside)
    if left.outside and kept is not None:
        undone = undo(ground.repo, kept, into)
        saved.append(undone.saved.directory)
        remains = undone.left
    if left.inside:
        saved.append(salvage(ground.repo, left.inside, into).directory)
    return Cleared(tuple(path for path in saved if path is not None), remains)

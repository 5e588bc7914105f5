"""Where measured cycles take place: the session, its log, its repository, and what is remembered of them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from commands.bearings import KINDS, Standing, stand
from commands.effects.git import Repo, find_repo
from commands.effects.outside import keep, kept_before
from commands.effects.worktree import asset_paths, changed_since, fingerprint_outside
from eventstore.errors import InvalidEventError
from eventstore.events import Config
from eventstore.filelog import FileLog
from eventstore.sessions import Session
from eventstore.store import Position

__all__ = [
    "Ground",
    "assets_of",
    "cache_of",
    "ground_of",
    "remember_outside",
    "require_config",
    "running_of",
    "strayed_paths",
    "take_bearings",
]


class Ground(msgspec.Struct, frozen=True):
    """Where cycles take place: the session, its log to append to, its repository."""

    session: Session
    log: FileLog
    repo: Repo

    @property
    def cache(self) -> Path:
        """Where the session keeps what it can do without."""
        return cache_of(self.session)

    @property
    def outside(self) -> Path:
        """Where the dirt outside the assets is remembered."""
        return self.cache / "outside"

    @property
    def running(self) -> Path:
        """Where the process group at work is written down."""
        return running_of(self.session)

    @property
    def owed(self) -> Path:
        """Where it is written down that a cycle's hooks are still to fire."""
        return self.cache / "owed.json"

    def rejected(self, run: int) -> Path:
        """Where the work of a run that had to go is saved."""
        return self.session.rejected / f"run-{run}"


def cache_of(place: Session) -> Path:
    """Where a session keeps what it can do without."""
    return place.cache if place.cache is not None else place.log.parent / "cache"


def running_of(place: Session) -> Path:
    """Where the process group at work in a session is written down."""
    return cache_of(place) / "running.json"


def ground_of(place: Session, log: FileLog) -> Ground:
    """Where the session's cycles take place. Raises GitError outside of a repository."""
    return Ground(place, log, find_repo(place.root))


def take_bearings(log: FileLog, since: Standing | None = None) -> Standing:
    """The standing at the log's end, read on from an earlier one if there is one."""
    state = Standing() if since is None else since
    for batch in log.read(state.after, kinds=KINDS):
        state = msgspec.structs.replace(stand(state, batch.records), after=Position(batch.last, batch.end))
    return state


def require_config(standing: Standing) -> Config:
    """The config of a session that is measured. Raises InvalidEventError for one that is not."""
    config = standing.configured.config
    if config is None or not config.measure or not config.assets:
        raise InvalidEventError(
            "the session has no metric command and assets", "ar init --measure CMD --asset PATH sets it up"
        )
    return config


def assets_of(ground: Ground, config: Config) -> tuple[str, ...]:
    """The assets as paths below the repository's top. Raises GitError for one outside of it."""
    return asset_paths(ground.repo, config.assets)


def strayed_paths(ground: Ground, assets: Sequence[str]) -> list[str]:
    """What is not as it was at the last iteration's end, outside the assets; empty without a memory of it."""
    kept = kept_before(ground.outside)
    if kept is None or kept.assets != tuple(assets):
        return []
    before = {path: file.digest for path, file in kept.files.items()}
    return changed_since(before, fingerprint_outside(ground.repo, assets))


def remember_outside(ground: Ground, assets: Sequence[str]) -> None:
    """Notes the dirt outside the assets, so that what an agent does there next can be told from it."""
    ground.outside.parent.mkdir(parents=True, exist_ok=True)
    keep(ground.repo, assets, ground.outside)

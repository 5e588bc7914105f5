"""What `ar init` does: a session, a new segment of it, or its settings are recorded (design, section 6.1)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec
from msgspec.structs import replace

from commands.bearings import Standing
from commands.configuring import (
    KINDS,
    Configured,
    Wanted,
    config_for,
    copied_limits,
    events_of,
    follow_up,
    settings_for,
)
from commands.context import Call
from commands.effects.appending import tell_mended
from commands.effects.beginning import keep_out_of_git, make_room
from commands.effects.measuring import Step
from commands.effects.preconditions import Check, Survey, failure_of
from commands.effects.setting_up import Asked, set_up
from commands.effects.views import Look, read_view
from eventstore import door
from eventstore.events import Config, Event
from eventstore.filelog import FileLog
from eventstore.sessions import Session
from eventstore.store import Appended
from reducers.session import session as session_reducer

__all__ = ["Initialised", "initialise", "let_it_fail"]


class Initialised(msgspec.Struct, frozen=True):
    """What came of it.

    place, log: the session's. appended: what was recorded; None if a check failed, and then nothing was.
    look: the `session` view afterwards; None likewise. before: how the session was configured.
    checks: of a session that is measured; empty for another. standing: where it stands afterwards.
    """

    place: Session
    log: FileLog
    appended: Appended | None = None
    look: Look | None = None
    before: Configured = Configured()
    checks: tuple[Check, ...] = ()
    standing: Standing = Standing()

    @property
    def failed(self) -> Check | None:
        """The check for which nothing was started; None if all is well."""
        return None if self.appended is not None else failure_of(self.checks) or self.checks[-1]

    @property
    def begun(self) -> bool:
        """Whether a session or a segment has begun, for which the hooks are to fire."""
        events = self.appended.events if self.appended is not None else ()
        return any(isinstance(event, Config) for event in events)


def initialise(
    call: Call,
    place: Session,
    known: Configured,
    asked: Asked,
    by: str | None,
    told: Callable[[Step], None],
    resolve: Callable[[Survey], bool],
) -> Initialised:
    """Records what was asked for; where `ar` is to measure, only after all was checked and measured.

    place: the session, or the one that would begin. known: how it is configured up to now. told: called as
    each command begins and ends. resolve: asked what to do about changes outside the assets; True if the tree
    is to be looked at again. Fires no hooks. Raises BadInputError for what is not known well enough,
    ConflictError while somebody is at work on the tree, GitError, StorageError.
    """
    log = call.writer(by, place)
    if not _is_measured(place, known, asked):
        return _recorded(place, log, asked)
    done = set_up(place, log, asked, told, resolve)
    if done.appended is None:
        return Initialised(place, log, before=known, checks=done.checks)
    tell_mended(done.appended)
    look = read_view(log, session_reducer)
    return Initialised(place, log, done.appended, look, known, done.checks, done.standing)


def let_it_fail(_: Survey) -> bool:
    """What `resolve` is where nobody can be asked."""
    return False


def _is_measured(place: Session, known: Configured, asked: Asked) -> bool:
    """Whether a segment begins that `ar` is to measure. Raises BadInputError for what is missing."""
    if asked.harness and asked.config == Wanted():
        asked = replace(asked, config=Wanted(new_segment=True))
    config = config_for(known, asked.config)
    return config is not None and bool(config.measure) and place.layout != "file"


def _recorded(place: Session, log: FileLog, asked: Asked) -> Initialised:
    """Records what was asked for, of a session that is not measured or of its settings."""
    before = Configured()

    def decide(state: Configured) -> Sequence[Event]:
        nonlocal before
        before = state
        copy = copied_limits(state, asked.from_file)
        with_copy = follow_up(state, events_of(copy))
        return events_of(config_for(state, asked.config), copy, settings_for(with_copy, asked.settings))

    if not place.log.exists():
        for event in decide(before):
            door.check(event)  # before anything is made
        make_room(place)
    appended = log.transact(decide, fold=follow_up, state=before, kinds=KINDS)
    tell_mended(appended)
    keep_out_of_git(place)
    return Initialised(place, log, appended, read_view(log, session_reducer), before)

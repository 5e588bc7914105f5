"""A measured session, or a new segment of one, begins: checked, measured, recorded (design, section 6.1).

Nothing is recorded before everything has been checked; then config, settings and baseline are one append.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress

import msgspec
from msgspec.structs import replace

from commands.bearings import Standing, stand
from commands.configuring import (
    Configured,
    Wanted,
    config_for,
    copied_limits,
    events_of,
    follow_up,
    settings_for,
)
from commands.effects.beginning import keep_out_of_git, make_room
from commands.effects.git import describe
from commands.effects.ground import Ground, remember_outside, take_bearings
from commands.effects.harness import harness_changes
from commands.effects.measuring import Step, measure
from commands.effects.measuring_cycle import measured_event, plan_of
from commands.effects.preconditions import Check, Survey, failure_of, measured_checks, survey
from commands.effects.running import end_recorded, recording
from commands.effects.tree_lock import tree_locked
from commands.effects.worktree import changed_within
from commands.errors import BadInputError
from commands.judging import decide_run
from eventstore import door
from eventstore.errors import ConflictError
from eventstore.events import Config, Event, Measured, Settings, Started
from eventstore.filelog import FileLog
from eventstore.sessions import Session
from eventstore.store import Appended
from hooks.pids import process_started

__all__ = ["Asked", "SetUp", "set_up"]


class Asked(msgspec.Struct, frozen=True):
    """What `ar init` was asked for.

    config, settings: to change. from_file: the limits that `config.json` sets, None if that is not known.
    harness: paths that are to count as harness. allow_dirty: what is changed outside the assets is let be.
    """

    config: Wanted
    settings: Settings
    from_file: dict[str, object] | None = None
    harness: tuple[str, ...] = ()
    allow_dirty: bool = False


class SetUp(msgspec.Struct, frozen=True):
    """What setting up came to; `appended` is None if a check failed, and then nothing was recorded.

    standing: where the session stands afterwards.
    """

    checks: tuple[Check, ...]
    appended: Appended | None = None
    standing: Standing = Standing()


def set_up(
    place: Session,
    log: FileLog,
    asked: Asked,
    told: Callable[[Step], None],
    resolve: Callable[[Survey], bool],
) -> SetUp:
    """Checks all preconditions, measures the baseline and records it with the config.

    told: called as each command begins and ends. resolve: asked what to do about changes outside the assets;
    True if the tree is to be looked at again. Raises BadInputError for what is not known well enough,
    ConflictError while a cycle is open or somebody is at work on the tree, GitError, StorageError.
    """
    before = take_bearings(log)
    config = _config(before, asked)
    for event in _events(before, asked, config):
        door.check(event)  # before anything is made
    named = asked.harness or _named_before(before, place)
    found = survey(place, config, named, asked.allow_dirty)
    if found.dirty and not asked.allow_dirty and _else_fine(found) and resolve(found):
        found = survey(place, config, named, allow_dirty=True)
    if failure_of(found.checks) is not None or found.repo is None:
        return SetUp(found.checks)
    with _room(place), tree_locked(place.tree_lock):
        ground = Ground(place, log, found.repo)
        standing = take_bearings(log, before)
        if standing.cycle.open is not None:
            raise ConflictError(f"cycle {standing.cycle.open.cycle} is not finished", "ar cycle --resume")
        end_recorded(ground.running)
        checks, measured = _measured(
            ground, found, follow_up(standing.configured, _events(standing, asked, config)), told
        )
        if failure_of(checks) is not None:
            return SetUp((*found.checks, *checks))
        pid = os.getpid()
        started = Started(cycle=0, parent=found.parent, pid=pid, pid_started=process_started(pid))

        def decide(state: Standing) -> Sequence[Event]:
            fresh = replace(_config(state, asked), harness=found.harness)
            opening = [*_events(state, asked, fresh), started, measured]
            return [*opening, *decide_run(stand(state, opening), measured)]

        appended = log.transact(decide, fold=stand, state=standing, after=standing.after)
        remember_outside(ground, found.assets)
    return SetUp((*found.checks, *checks), appended, take_bearings(log, standing))


def _config(standing: Standing, asked: Asked) -> Config:
    """The config of the segment that begins. Raises BadInputError for what a measured session lacks."""
    wanted = replace(asked.config, new_segment=True)
    config = config_for(standing.configured, wanted)
    if config is None or config.metricName is None:
        raise BadInputError("a command that measures needs a metric", "--metric NAME, or leave out --measure")
    if not config.assets:
        raise BadInputError("ar init needs --asset: what may be changed", "ar init ... --asset src")
    return replace(config, samples=config.samples or 3)


def _events(standing: Standing, asked: Asked, config: Config) -> list[Event]:
    copy = copied_limits(standing.configured, asked.from_file)
    with_copy = follow_up(standing.configured, events_of(copy))
    return events_of(config, copy, settings_for(with_copy, asked.settings))


def _named_before(standing: Standing, place: Session) -> tuple[str, ...]:
    """What counted as harness up to now and is still there."""
    config = standing.configured.config
    return tuple(path for path in (config.harness if config else ()) if (place.root / path).is_file())


def _else_fine(found: Survey) -> bool:
    return all(check.state != "failed" or check.name == "outside" for check in found.checks)


@contextmanager
def _room(place: Session) -> Iterator[None]:
    """The session's folder; taken away again if no log came of it."""
    folder = place.tree_lock.parent
    was_there = folder.exists()
    make_room(place)
    try:
        keep_out_of_git(place)
        yield
    finally:
        if not place.log.exists():
            with suppress(OSError):
                place.tree_lock.unlink(missing_ok=True)
                place.lock.unlink(missing_ok=True)
                if place.cache is not None and place.cache.is_dir():
                    place.cache.rmdir()
                if not was_there:
                    folder.rmdir()


def _measured(
    ground: Ground, found: Survey, configured: Configured, told: Callable[[Step], None]
) -> tuple[list[Check], Measured]:
    """Measures the baseline; what that says, and the measurement."""
    plan = plan_of(configured)
    with recording(ground.running) as on_start:
        measurement = measure(plan, cwd=ground.session.root, told=told, on_start=on_start)
    unit = configured.config.metricUnit if configured.config else None
    checks = measured_checks(plan, measurement, unit)
    left = changed_within(ground.repo, found.assets).inside
    if left:
        remedy = "ignore them (.gitignore), or have them written elsewhere; then clean up"
        checks.append(
            Check("tidy", "failed", f"measuring leaves files in the assets: {describe(left)}", remedy)
        )
    changed = harness_changes(found.harness, ground.session.root)
    if changed:
        remedy = "let what measures alone, or have it write elsewhere"
        checks.append(
            Check("harness", "failed", f"measuring changes what measures: {describe(changed)}", remedy)
        )
    return checks, measured_event(0, found.parent, plan, measurement)

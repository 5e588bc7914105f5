"""Looking at a session for `ar doctor`: its log, its locks, its config, its hooks."""

from __future__ import annotations

import os
from collections.abc import Iterator

from commands.bearings import Standing
from commands.doctoring.observed import HookSeen, LogSeen, Problem, SessionSeen
from commands.effects.exclusions import is_tracked
from commands.effects.ground import take_bearings
from commands.effects.harness import harness_changes
from commands.effects.reading import stretches
from commands.hook_list import look_at
from commands.output import near
from eventstore.chain import verify
from eventstore.errors import LedgerError
from eventstore.events import Damaged
from eventstore.filelog import FileLog
from eventstore.lines import decode_line
from eventstore.lock import holder_of
from eventstore.sessions import LOGS, Session, SessionError, read_config, settings_of
from hooks.launch import script_problem
from hooks.runner import STAGES

__all__ = ["session_seen"]

_KEYS = frozenset(("workingDir", "maxIterations"))
"""What `config.json` may hold (design, section 2.1)."""


def session_seen(place: Session) -> SessionSeen:
    """What there is of a session."""
    log, problem = _log(place)
    config, unknown = _config(place)
    others = (place.root / name for name in LOGS) if place.layout != "file" else ()
    return SessionSeen(
        root=str(place.root),
        layout=place.layout,
        unused=tuple(near(path) for path in others if path != place.log and os.path.lexists(path)),
        log=log,
        log_problem=problem,
        config=config,
        unknown=unknown,
        holder=holder_of(place.lock),
        tree_holder=holder_of(place.tree_lock),
        hooks=tuple(_hooks(place)) if place.layout != "file" else (),
    )


def _log(place: Session) -> tuple[LogSeen | None, Problem | None]:
    """The log, or why it cannot be read."""
    if not os.path.lexists(place.log):
        return None, Problem(f"there is no log {near(place.log)}", "an append begins one")
    loose = b""

    def followed() -> Iterator[tuple[int, bytes]]:
        nonlocal loose
        for offset, stretch in stretches(place.log):
            loose = b"" if stretch.endswith(b"\n") else stretch
            yield offset, stretch

    try:
        report = verify(followed())
        standing = take_bearings(FileLog(place.log, cache_dir=place.cache))
    except LedgerError as error:
        return None, Problem(error.message, error.remedy)
    config = standing.configured.config
    opened = standing.cycle.open
    return LogSeen(
        path=near(place.log),
        report=report,
        torn=bool(loose.strip()) and isinstance(decode_line(loose), Damaged),
        tracked=is_tracked(place.log),
        writable=os.access(place.log, os.W_OK),
        configured=config is not None,
        measured=config is not None and bool(config.assets),
        harness=() if config is None else tuple(harness_changes(config.harness, place.root)),
        stopped=_stopped(standing),
        open_cycle=None if opened is None else opened.cycle,
    ), None


def _stopped(standing: Standing) -> str | None:
    return "off" if standing.budget.halt.off else standing.stopped


def _config(place: Session) -> tuple[Problem | None, tuple[str, ...]]:
    """What is wrong with `config.json`, and the keys in it that nobody reads."""
    if place.layout == "file":
        return None, ()
    try:
        config = read_config(place.config_file)
        unknown = tuple(sorted(set(config) - _KEYS))
        settings_of(config)
    except SessionError as error:
        return Problem(error.message, error.remedy), ()
    return None, unknown


def _hooks(place: Session) -> Iterator[HookSeen]:
    for stage in STAGES:
        for each in look_at(place.hooks, stage, None):
            if each.present:
                problem = script_problem(each.path, place.root, os.environ) if each.fires else None
                yield HookSeen(near(each.path), each.fires, each.state, problem or "")

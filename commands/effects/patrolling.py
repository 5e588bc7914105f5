"""The thin executor of a patrol: what is decided is recorded under the log's lock, and only then done.

So two patrols at once never start anything twice: the second one sees the first one's line (design, 6.3).
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TypeVar

import msgspec

from commands.effects.living import name_of, own_beat
from commands.effects.observing import awake_since, observe
from commands.effects.starting import end_old, output_file, start_detached
from commands.effects.tasks import tasks_under
from commands.errors import BadInputError
from eventstore import sessions
from eventstore.errors import LedgerError
from eventstore.events import Event, Note, Record, Registered
from eventstore.filelog import FileLog
from eventstore.sessions import Session
from eventstore.store import now_ms
from reducers.core import fold
from reducers.liveness import LivenessView, LoopRow, liveness
from reducers.policies.patrol import DEFAULTS, Observed, Times, patrol
from reducers.policies.patrol_actions import Action, NudgeLoop, RestartLoop, event_of
from reducers.signs import LivenessState
from reducers.watch import Watch, WatchState, watch

__all__ = [
    "Done",
    "Guardian",
    "Pass",
    "announce",
    "patrol_once",
    "root_of",
    "visit",
]

S = TypeVar("S")

ROOT_TASK = "."
"""The name of ROOT's own session among the tasks: guard and patrol are looked after there."""

_NUDGE_TIMEOUT = 60.0
"""Seconds that a nudge command has."""


class Guardian(msgspec.Struct, frozen=True):
    """Who looks after others, and how.

    me: its name, signed `guardian:NAME`. times: when it acts. nudge: the command that nudges, as argv; None
    if it nudges nobody. layers: whom it looks after, by their layers; None for every loop.
    """

    me: str
    times: Times = DEFAULTS
    nudge: tuple[str, ...] | None = None
    layers: frozenset[str] | None = None


class Done(msgspec.Struct, frozen=True):
    """An action and what came of it. error: why it could not be carried out, in one line; null if it was."""

    action: Action
    error: str | None = None


class Pass(msgspec.Struct, frozen=True):
    """One patrol. at: when, milliseconds since 1970 UTC. tasks: their names. done: what was done, in order.

    failed: the tasks that could not be looked at, each with why; they keep nobody from the others.
    """

    at: int
    tasks: tuple[str, ...]
    done: tuple[Done, ...]
    failed: dict[str, str]


def root_of(root: Path) -> Session | None:
    """The session of ROOT itself, in which guard and patrol have theirs; None where it has none."""
    if not root.is_dir():
        raise BadInputError(f"{root}: is no directory", "name the folder whose folders are the tasks")
    session = sessions.new(root)
    return session if session.log.exists() else None


def announce(
    log: FileLog,
    by: str,
    interval: float,
    *,
    level: str = "L1",
    register: Sequence[str] = (),
    cwd: str | None = None,
) -> None:
    """The heartbeat of who looks after others, first thing in every pass. by: who that is.

    interval: how often it means to give one, seconds; said with its layer where the log has it otherwise.
    register: the command that restarts it, which a person gave and which is recorded as the user's.
    """
    me, argv = name_of(by), tuple(register)
    beat = own_beat(by)

    def decide(state: LivenessState) -> list[Event]:
        row = next((row for row in liveness.view(state).loops if row.loop == me), None)
        said: list[Event] = [beat]
        if row is None or (row.level, row.interval) != (level, float(interval)):
            said.append(Registered(by=by, argv=argv, interval_seconds=interval, level=level))
        if argv and (row is None or (row.argv, row.cwd) != (list(argv), cwd)):
            said.append(
                Registered(by=f"user:{me}", argv=argv, cwd=cwd, interval_seconds=interval, level=level)
            )
        return said

    def carry_on(state: LivenessState, records: Iterable[Record]) -> LivenessState:
        return fold(liveness, records, state)

    log.transact(decide, fold=carry_on, state=liveness.initial, kinds=tuple(liveness.handlers))


def patrol_once(root: Path, guardian: Guardian, *, dry_run: bool = False) -> Pass:
    """Looks after every task under ROOT once; one that cannot be looked at keeps nobody from the others."""
    own = root_of(root)
    found = [(each.name, each.session, each.problem) for each in tasks_under(root)]
    if own is not None:
        found.insert(0, (ROOT_TASK, own, None))
    now = now_ms()
    observed = observe(awake_since(root / ".auto" / "cache" / "awake.json", now, keep=not dry_run))
    done: list[Done] = []
    failed: dict[str, str] = {}
    for name, session, problem in found:
        if session is None:
            failed[name] = problem or "its session cannot be used"
            continue
        try:
            done += visit(name, session, guardian, observed, dry_run=dry_run)
        except (LedgerError, OSError) as error:
            failed[name] = str(error)
    return Pass(now, tuple(name for name, _, _ in found), tuple(done), failed)


def visit(
    name: str, session: Session, guardian: Guardian, observed: Observed, *, dry_run: bool = False
) -> list[Done]:
    """Decides what to do about the task of this name, records it under the log's lock, and does it.

    dry_run: nothing is recorded, and nothing done. Raises what `Log.transact` raises.
    """
    log = FileLog(session.log, by=f"guardian:{guardian.me}", cache_dir=session.cache)
    decided: list[Action] = []

    def decide(state: WatchState) -> list[Event]:
        decided[:] = _actions(name, state, guardian, observed)
        return [event_of(action) for action in decided]

    def carry_on(state: WatchState, records: Iterable[Record]) -> WatchState:
        return fold(watch, records, state)

    kinds = tuple(watch.handlers)
    if dry_run:
        state = watch.initial
        for batch in log.read(kinds=kinds):
            state = carry_on(state, batch.records)
        decide(state)
        return [Done(action) for action in decided]
    log.transact(decide, fold=carry_on, state=watch.initial, kinds=kinds)
    done = [Done(action, _carry_out(action, session, guardian)) for action in decided]
    failures: list[Event] = [
        Note(level="error", event="guardian", detail=f"{each.action.loop}: {each.error}")
        for each in done
        if each.error is not None
    ]
    if failures:
        log.append(failures)
    return done


def _actions(name: str, state: WatchState, guardian: Guardian, observed: Observed) -> list[Action]:
    """What the pure patrol makes of what this guardian sees and can do."""
    now = now_ms()
    seen = watch.view(state, now)
    if guardian.layers is not None:
        seen = _only(seen, lambda row: row.level in (guardian.layers or ()))
    actions = patrol({name: seen}, observed, now, me=guardian.me, times=guardian.times)
    return [each for each in actions if guardian.nudge is not None or not isinstance(each, NudgeLoop)]


def _only(seen: Watch, wanted: Callable[[LoopRow], bool]) -> Watch:
    """The same, of these loops alone."""
    life = seen.liveness
    rows = [row for row in life.loops if wanted(row)]
    return Watch(LivenessView(life.stopped, life.last_progress, rows), seen.flags, seen.pivots)


def _carry_out(action: Action, session: Session, guardian: Guardian) -> str | None:
    """Does what was decided and recorded; why it could not be, in one line."""
    if isinstance(action, RestartLoop):
        if action.end is not None and not end_old(*action.end):
            return f"not restarted: its old process {action.end[0]} could not be ended"
        place = action.cwd or str(session.root)
        file = output_file(session.cache or session.root, action.loop)
        failure = start_detached(action.argv, cwd=place, output=file)
        return None if failure is None else f"not restarted: {failure}"
    if isinstance(action, NudgeLoop) and guardian.nudge is not None:
        return _nudge(action, session, guardian.nudge)
    return None


def _nudge(action: NudgeLoop, session: Session, argv: tuple[str, ...]) -> str | None:
    """Runs the nudge command: words on stdin; AR_TASK (a folder) and AR_LOOP (a name) say whom for."""
    from hooks.process import run, strip_own_environment

    text = (
        f"{action.reason}. Nobody will answer: decide it yourself, record the decision (`ar decide`), "
        "and go on with the work.\n"
    )
    env = strip_own_environment(os.environ)
    env |= {"AR_TASK": str(session.root), "AR_LOOP": action.loop}
    ended = run(
        argv,
        cwd=session.root,
        stdin=text.encode(),
        timeout=_NUDGE_TIMEOUT,
        stdout_cap=4096,
        stderr_cap=4096,
        keep="tail",
        env=env,
    )
    if ended.error is not None:
        return f"not nudged: {ended.error}"
    if ended.timed_out:
        return f"not nudged: the command took longer than {_NUDGE_TIMEOUT:g} s"
    return None if ended.exit_code == 0 else f"not nudged: the command ended with {ended.exit_code}"

"""The guard's pass, and the loop's: both look after the layers above, and nothing else (design, 6.3)."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import msgspec

from commands.effects.observing import awake_since, observe
from commands.effects.patrolling import ROOT_TASK, Done, Guardian, announce, root_of, visit
from commands.effects.starting import output_file, start_detached
from eventstore.errors import LedgerError
from eventstore.events import Event, Heartbeat, Note, Record
from eventstore.filelog import FileLog
from eventstore.sessions import Session
from eventstore.store import now_ms
from reducers.core import fold
from reducers.emergency import EMERGENCY, EMERGENCY_MS, GUARD, Emergencies, emergencies, emergency_due

__all__ = ["Guarded", "guard_log", "guard_once", "in_turn", "look_after", "say_stopped"]

_LAYERS = frozenset({"L0", "L1"})


class Guarded(msgspec.Struct, frozen=True):
    """One pass of the guard. at: when, milliseconds since 1970 UTC. done: what was done about the patrol.

    emergency: why help was sent for; null if it was not. error: why that failed, in one line; null if not.
    """

    at: int
    done: tuple[Done, ...] = ()
    emergency: str | None = None
    error: str | None = None


def guard_log(root: Path, session: Session | None) -> FileLog:
    """Where the guard's heartbeats go: ROOT's session, or without one `.auto/guard.jsonl`, its own."""
    by = f"guardian:{GUARD}"
    if session is not None:
        return FileLog(session.log, by=by, cache_dir=session.cache)
    (root / ".auto").mkdir(exist_ok=True)
    return FileLog(root / ".auto" / "guard.jsonl", by=by)


def guard_once(
    root: Path,
    interval: float,
    *,
    emergency: tuple[str, ...] | None = None,
    after: int = EMERGENCY_MS,
    register: tuple[str, ...] = (),
    cwd: str | None = None,
) -> Guarded:
    """One pass: its own heartbeat, then the patrol's; help is sent for at most once in `after` milliseconds.

    emergency: the command that is started then, as argv; None for none. register, cwd: see `announce`.
    """
    session = root_of(root)
    log = guard_log(root, session)
    announce(log, f"guardian:{GUARD}", interval, level="L0", register=register, cwd=cwd)
    now = now_ms()
    awake_from = awake_since(root / ".auto" / "cache" / "awake.json", now)
    done: list[Done] = []
    if session is not None:
        guardian = Guardian(GUARD, layers=_LAYERS)
        done = visit(ROOT_TASK, session, guardian, observe(awake_from))
    if emergency is None:
        return Guarded(now, tuple(done))
    reason = _decide_emergency(log, after, awake_from)
    failure = None
    if reason is not None:
        file = output_file(root / ".auto" / "cache", EMERGENCY)
        failure = start_detached(emergency, cwd=root, output=file)
        if failure is not None:
            log.append([Note(level="error", event="guardian", detail=f"{EMERGENCY}: {failure}")])
    return Guarded(now, tuple(done), reason, failure)


def _decide_emergency(log: FileLog, after: int, awake_from: int | None) -> str | None:
    """Why help has to be sent for now; recorded under the log's lock, so that nobody else sends too."""
    reasons: list[str] = []

    def decide(state: Emergencies) -> list[Event]:
        reason = emergency_due(state, now_ms(), after=after, awake_since=awake_from)
        reasons[:] = [] if reason is None else [reason]
        return [Note(level="warn", event=EMERGENCY, detail=each) for each in reasons]

    def carry_on(state: Emergencies, records: Iterable[Record]) -> Emergencies:
        return fold(emergencies, records, state)

    log.transact(decide, fold=carry_on, state=emergencies.initial, kinds=tuple(emergencies.handlers))
    return reasons[0] if reasons else None


def look_after(root: Path, me: str) -> list[Done]:
    """What a loop does for the layers above it, as guardian: a dead guard or patrol is restarted.

    me: the loop's name. Nothing where ROOT has no session. Raises what `Log.transact` raises.
    """
    session = root_of(root)
    if session is None:
        return []
    observed = observe(awake_since(root / ".auto" / "cache" / "awake.json", now_ms()))
    return visit(ROOT_TASK, session, Guardian(me, layers=_LAYERS), observed)


def in_turn(log: FileLog, root: Path) -> list[str]:
    """What a loop does in every turn after its own heartbeat: its look after guard and patrol.

    log: the loop's, signed by it. What was done or went wrong, in words: that never keeps the loop from its
    work.
    """
    try:
        done = look_after(root, log.by.partition(":")[2] or log.by)
    except (LedgerError, OSError) as error:
        return [f"{root}: {error}"]
    return [f"{each.action.loop}: {each.error or each.action.reason}" for each in done]


def say_stopped(log: FileLog) -> None:
    """The last heartbeat of who was asked to end, which signs the log: left alone until it beats again."""
    log.append([Heartbeat(state="stopped")])

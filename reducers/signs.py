"""Signs of life, progress, nudges and stops: what is kept of the loops of a log (design, section 6.3)."""

from __future__ import annotations

import msgspec
from msgspec.structs import replace

from eventstore.events import (
    EVENTS,
    Config,
    Custom,
    Event,
    Finding,
    Heartbeat,
    Nudge,
    Registered,
    Restart,
    Resumed,
    Run,
    Stopped,
    Verified,
)
from eventstore.timestamps import epoch_ms
from reducers.core import Handlers, handlers
from reducers.halt import OFF, Halt, after_halting
from reducers.policies.liveness import LEFT_ALONE, interval
from reducers.rest import Rest, after_rest, at_rest
from reducers.standing import Standing, after_config, after_run, is_new_best, metric_of
from reducers.table import Table

__all__ = ["HANDLERS", "LivenessState", "Loop", "Registration", "Signs"]


class Signs(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """The signs of life of one loop.

    first_seen: when it gave the first one in the log that tells a time; milliseconds.
    last_seen: when it gave the last one in the log that tells a time.
    interval: how often it means to give one, seconds. level: `L0`, `L1` or `L2`.
    beats: whether there was a heartbeat. state, until, last_output, pid, pid_started, host: of the last one.
    stopped_in: how often the session had been resumed when it stopped; null if it gave a heartbeat since.
    rest: how long it was paused, rate-limited or stopped by itself since the last progress.
    """

    first_seen: int | None = None
    last_seen: int | None = None
    interval: float | None = None
    level: str | None = None
    beats: bool = False
    state: str = "working"
    until: int | None = None
    last_output: str | None = None
    pid: int | None = None
    pid_started: str | None = None
    host: str | None = None
    stopped_in: int | None = None
    rest: Rest = Rest()


class Registration(msgspec.Struct, frozen=True, gc=False):
    """How a loop is to be restarted, as a user or an orchestrator registered it."""

    argv: tuple[str, ...]
    cwd: str | None


class Loop(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """What is known of one name.

    own: signs of life by any role but guardian. guardian: by that role; they count for a name that had no
        heartbeat but a guardian's, so that no guardian can make a dead loop look alive.
    registration: the last one that may be believed.
    nudges: how many since the task had made `progress_count` steps of progress.
    last_nudge, last_restart: when it was.
    """

    own: Signs = Signs()
    guardian: Signs = Signs()
    registration: Registration | None = None
    nudges: int = 0
    progress_count: int = 0
    last_nudge: int | None = None
    last_restart: int | None = None

    @property
    def signs(self) -> Signs:
        """The signs that count."""
        return self.guardian if self.guardian.beats and not self.own.beats else self.own


class LivenessState(msgspec.Struct, frozen=True, gc=False):
    """What is kept of a log for the `liveness` view.

    loops: by name. halt: what holds the session up. resumes: how often it went on.
    rest: how long it was held up since the last progress.
    standing, run_count: to know a new best.
    progress_count, last_progress: how many steps of progress there were, and when the last was.
    """

    loops: Table[Loop] = Table()
    halt: Halt = Halt()
    resumes: int = 0
    rest: Rest = Rest()
    standing: Standing = Standing()
    run_count: int = 0
    progress_count: int = 0
    last_progress: int | None = None


def _name(by: str) -> str:
    """The loop's name in `by` or in a target: what follows the role, or the role where nothing does."""
    role, _, name = by.partition(":")
    return name or role


def _is_guardian(event: Event) -> bool:
    return event.by.partition(":")[0] == "guardian"


def _with_signs(state: LivenessState, event: Event, loop: Loop, signs: Signs) -> LivenessState:
    loop = replace(loop, guardian=signs) if _is_guardian(event) else replace(loop, own=signs)
    return replace(state, loops=state.loops.put(_name(event.by), loop))


def _on_sign(state: LivenessState, event: Event) -> LivenessState:
    """Any event is a sign of life of the loop that appended it under its name."""
    loop = state.loops.get(_name(event.by)) if ":" in event.by else None
    at = epoch_ms(event.timestamp)
    if loop is None or at is None:
        return state
    before = loop.guardian if _is_guardian(event) else loop.own
    since = at if before.first_seen is None else before.first_seen
    return _with_signs(state, event, loop, replace(before, last_seen=at, first_seen=since))


def _on_heartbeat(state: LivenessState, event: Heartbeat) -> LivenessState:
    loop = state.loops.get(_name(event.by), Loop())
    before = loop.guardian if _is_guardian(event) else loop.own
    at = epoch_ms(event.timestamp)
    progress = (state.progress_count, state.last_progress)
    until = epoch_ms(event.until)
    if event.state in LEFT_ALONE:
        rest = at_rest(before.rest, at, None if event.state == "stopped" else until, *progress)
    else:
        rest = after_rest(before.rest, at, *progress)
    signs = Signs(
        first_seen=at if before.first_seen is None else before.first_seen,
        last_seen=before.last_seen if at is None else at,
        interval=before.interval,
        level=before.level,
        beats=True,
        state=event.state,
        until=until,
        last_output=event.last_output,
        pid=event.pid,
        pid_started=event.pid_started,
        host=event.host,
        rest=rest,
    )
    return _with_signs(state, event, loop, signs)


def _on_registered(state: LivenessState, event: Registered) -> LivenessState:
    """Others register a loop as well, so this is no sign of life; a worker's command is not believed.

    One without a command says how often signs are to be expected, and leaves the command as it was.
    """
    name = _name(event.by)
    loop = state.loops.get(name, Loop())
    if event.argv and event.by.partition(":")[0] in ("user", "orchestrator"):
        loop = replace(loop, registration=Registration(event.argv, event.cwd))
    before = loop.guardian if _is_guardian(event) else loop.own
    signs = replace(before, interval=interval(event.interval_seconds), level=event.level)
    return _with_signs(state, event, loop, signs)


def _on_nudge(state: LivenessState, event: Nudge) -> LivenessState:
    state = _on_sign(state, event)
    loop = state.loops.get(_name(event.target))
    if loop is None:
        return state
    before = loop.nudges if loop.progress_count == state.progress_count else 0
    nudged = replace(
        loop,
        nudges=before + 1,
        progress_count=state.progress_count,
        last_nudge=epoch_ms(event.timestamp),
    )
    return replace(state, loops=state.loops.put(_name(event.target), nudged))


def _on_restart(state: LivenessState, event: Restart) -> LivenessState:
    state = _on_sign(state, event)
    loop = state.loops.get(_name(event.target))
    if loop is None:
        return state
    restarted = replace(loop, last_restart=epoch_ms(event.timestamp))
    return replace(state, loops=state.loops.put(_name(event.target), restarted))


def _on_stopped(state: LivenessState, event: Stopped) -> LivenessState:
    """A worker that has a name stops its own loop; everybody else but a guardian, the session."""
    state = _on_sign(state, event)
    if _is_guardian(event):
        return state
    if event.reason == OFF or not event.by.startswith("worker:"):
        return _halted(state, event)
    loop = state.loops.get(_name(event.by))
    if loop is None:
        return state
    progress = (state.progress_count, state.last_progress)
    rest = at_rest(loop.own.rest, epoch_ms(event.timestamp), None, *progress)
    return _with_signs(state, event, loop, replace(loop.own, stopped_in=state.resumes, rest=rest))


def _on_resumed(state: LivenessState, event: Resumed) -> LivenessState:
    state = _on_sign(state, event)
    if _is_guardian(event):
        return state
    return _halted(replace(state, resumes=state.resumes + 1), event)


def _halted(state: LivenessState, event: Stopped | Resumed | Config) -> LivenessState:
    """The state with what holds the session up after this event; it rests for as long as something does."""
    halt, at = after_halting(state.halt, event, state.run_count), epoch_ms(event.timestamp)
    progress = (state.progress_count, state.last_progress)
    if halt.stopped is None:
        return replace(state, halt=halt, rest=after_rest(state.rest, at, *progress))
    rest = at_rest(state.rest, at, None, *progress) if state.halt.stopped is None else state.rest
    return replace(state, halt=halt, rest=rest)


def _progressed(state: LivenessState, event: Event) -> LivenessState:
    if _is_guardian(event):
        return state
    at = epoch_ms(event.timestamp)
    return replace(
        state,
        progress_count=state.progress_count + 1,
        last_progress=state.last_progress if at is None else at,
    )


def _on_finding(state: LivenessState, event: Finding) -> LivenessState:
    return _progressed(_on_sign(state, event), event)


def _on_verified(state: LivenessState, event: Verified) -> LivenessState:
    state = _on_sign(state, event)
    return _progressed(state, event) if event.ok else state


def _on_config(state: LivenessState, event: Config) -> LivenessState:
    standing = after_config(state.standing, event, state.run_count)
    return _halted(replace(_on_sign(state, event), standing=standing), event)


def _on_run(state: LivenessState, event: Run) -> LivenessState:
    standing, ordinal = state.standing, state.run_count + 1
    metric = metric_of(standing, event)
    if metric is not None:
        standing = after_run(standing, event, metric, ordinal)
    state = replace(_on_sign(state, event), standing=standing, run_count=ordinal)
    return _progressed(state, event) if is_new_best(standing, ordinal) else state


HANDLERS: Handlers[LivenessState] = {
    **dict.fromkeys((*EVENTS, Custom), _on_sign),
    **handlers(
        _on_heartbeat,
        _on_registered,
        _on_nudge,
        _on_restart,
        _on_stopped,
        _on_resumed,
        _on_finding,
        _on_verified,
        _on_config,
        _on_run,
    ),
}
"""What each event tells of the loops; one without a rule of its own is a sign of life."""

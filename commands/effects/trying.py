"""Measuring what lies in the working tree without recording it, for who then records it with `ar log`.

The same commands, limits and reading of the metric as in a cycle (design, section 6.1), and the verdict that
they would get; but nothing is committed, judged or rolled back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from shlex import quote

import msgspec
from msgspec.structs import replace

from commands.bearings import Standing
from commands.configuring import Configured
from commands.context import Call
from commands.effects.config_file import limits_of
from commands.effects.git import describe
from commands.effects.ground import running_of, take_bearings
from commands.effects.harness import harness_changes
from commands.effects.log_guard import guarded
from commands.effects.measuring import Measurement, Plan, Step, measure
from commands.effects.measuring_cycle import measured_event, plan_of
from commands.effects.running import end_recorded, recording
from commands.effects.tree_lock import tree_locked
from commands.errors import BadInputError
from commands.judging import HARNESS, verdict_on
from commands.recording import State, decide_run
from eventstore.errors import ConflictError
from eventstore.events import Run
from eventstore.filelog import FileLog
from eventstore.sessions import Session
from reducers.policies.verdict import Verdict
from reducers.session import SessionView, session

__all__ = ["Trial", "Tried", "try_out"]


class Trial(msgspec.Struct, frozen=True):
    """What is to be measured where the session does not say so itself.

    command: prints the metric; only for a session that has none. samples: how many times, from 1; None for
    the session's, once if it says nothing. sample_seconds, constraint_seconds: limits, above 0; None for its
    own.
    """

    command: str | None = None
    samples: int | None = None
    sample_seconds: float | None = None
    constraint_seconds: float | None = None


class Tried(msgspec.Struct, frozen=True):
    """What a trial came to: what was measured, how, the verdict on it, and where the session stands."""

    plan: Plan
    found: Measurement
    verdict: Verdict
    session: SessionView


def try_out(
    call: Call,
    trial: Trial,
    told: Callable[[Step], None],
    on_output: Callable[[bytes], None] | None = None,
) -> Tried:
    """Measures what lies in the working tree; its log is only read.

    told: called as each command begins and ends. on_output: gets what the commands print. Raises
    BadInputError where it is not known what to measure, ConflictError where the run could not be recorded
    afterwards (switched off, no runs left, an open cycle) or somebody is at work on the tree.
    """
    place = call.session
    log = call.log()
    standing = take_bearings(log)
    _require_recordable(place, standing)
    plan = _plan(place, standing.configured, trial)
    with _undisturbed(place) as on_start:
        opened = take_bearings(log, standing).cycle.open
        if opened is not None:
            raise ConflictError(f"cycle {opened.cycle} is not finished", "ar cycle --resume")
        found = _measured(place, log, standing, plan, told, on_output, on_start)
    view = session.view(standing.session)
    event = measured_event(0, None, plan, found)
    verdict = verdict_on(event, view.direction or "lower", view.best_metric, view.baseline_metric)
    return Tried(plan, found, verdict, view)


def _require_recordable(place: Session, standing: Standing) -> None:
    """Raises what recording the run would raise: better before an hour of measuring than after it."""
    state = State(standing.session, standing.configured)
    decide_run(state, Run(run=1, status="crash", description=""), limits_of(place))
    if session.view(standing.session).metric_name is None:
        raise BadInputError(
            "the task has no metric, so there is nothing to measure", "ar iteration -m 'what was done'"
        )


def _plan(place: Session, configured: Configured, trial: Trial) -> Plan:
    """What is measured, and how: as the session says, else as the trial does."""
    plan = plan_of(configured)
    config = configured.config
    own = plan.command or _script(place.measure)
    asked = trial.command.strip() if trial.command is not None else ""
    if own and asked and asked != own:
        raise BadInputError(
            f"the session is measured with {own!r}, not with {asked[:200]!r}",
            "leave the command out, or ar init --measure 'COMMAND' to begin a segment with another",
        )
    if not own and not asked:
        raise BadInputError(
            "the session has no metric command", "give the command, or write .auto/measure.sh"
        )
    seconds = trial.sample_seconds or plan.sample_seconds
    limit = trial.constraint_seconds or plan.constraint_seconds
    return replace(
        plan,
        command=own or asked,
        constraint=plan.constraint or _script(place.checks),
        samples=trial.samples or (config and config.samples) or 1,
        sample_seconds=seconds,
        constraint_seconds=limit,
    )


def _script(path: Path) -> str | None:
    """The command that runs a script of the session; None where there is none."""
    return f"bash {quote(str(path))}" if path.is_file() else None


@contextmanager
def _undisturbed(place: Session) -> Iterator[Callable[[int, str], None] | None]:
    """While nobody else changes the tree, and what a killed call has left running is ended.

    Gives what is to be called as each command starts. Of a log that was named nothing is locked or noted, for
    nothing is made beside it.
    """
    if place.layout == "file":
        yield None
        return
    with tree_locked(place.tree_lock):
        running = running_of(place)
        end_recorded(running)
        with recording(running) as on_start:
            yield on_start


def _measured(
    place: Session,
    log: FileLog,
    standing: Standing,
    plan: Plan,
    told: Callable[[Step], None],
    on_output: Callable[[bytes], None] | None,
    on_start: Callable[[int, str], None] | None,
) -> Measurement:
    """The measurement; it does not count if what measures is not as agreed, or took the log away."""
    changed = _harness_changes(place, standing)
    if changed is not None:
        return Measurement(reason=HARNESS, error=changed)
    with guarded(log.path, place.rejected / f"run-{standing.session.run_count + 1}") as guard:
        found = measure(plan, cwd=place.root, told=told, on_start=on_start, on_output=on_output)
    changed = _harness_changes(place, standing)
    if changed is not None:
        return replace(found, reason=HARNESS, error=changed)
    if guard.fate is not None:
        return replace(
            found,
            median=None,
            reason="log_changed",
            error=f"the session's log was {guard.fate} meanwhile; it is as it was before",
        )
    return found


def _harness_changes(place: Session, standing: Standing) -> str | None:
    config = standing.configured.config
    changed = harness_changes(config.harness, place.root) if config is not None else []
    return f"what measures has changed: {describe(changed)}" if changed else None

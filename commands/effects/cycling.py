"""The measured cycle: commit, measure, judge, and prove it gone if it is not better (design, section 6.1).

Each step does one thing to the world and then appends the event that says so, so that a cycle which was
killed is finished from the log and git's HEAD: what was committed, measured or rolled back is not done again.
The caller holds the tree lock. Deciding is left to the pure policies.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from commands.configuring import Configured, follow_up
from commands.effects.git import GitError, Repo, describe, find_repo
from commands.effects.git_commit import commit_paths, cycle_message, require_head, require_quiet
from commands.effects.harness import harness_changes
from commands.effects.measuring import CONSTRAINT_SECONDS, SAMPLE_SECONDS, Measurement, Plan, Step, measure
from commands.effects.outside import keep, kept_before
from commands.effects.rollback import Phase, rollback, state_of_cycle
from commands.effects.running import end_recorded, recording
from commands.effects.salvage import salvage
from commands.effects.worktree import asset_paths, changed_since, changed_within, fingerprint_outside
from eventstore.errors import ConflictError, InvalidEventError, StorageError
from eventstore.events import (
    Committed,
    Config,
    Event,
    Flag,
    Measured,
    Proposal,
    Record,
    Reverted,
    Run,
    Started,
    Stopped,
)
from eventstore.filelog import FileLog
from eventstore.sessions import Session
from eventstore.store import START, Position
from hooks.pids import process_started
from reducers.budget import BudgetState, budget
from reducers.core import fold
from reducers.cycle import CycleState, OpenCycle, cycle
from reducers.intent import Intent, intent
from reducers.policies.verdict import Verdict, judge
from reducers.session import SessionState, session

__all__ = [
    "Attempt",
    "Ground",
    "Outcome",
    "Standing",
    "begin",
    "decide_run",
    "finish",
    "ground_of",
    "measured_event",
    "plan_of",
    "remember_outside",
    "stand",
    "strayed_paths",
    "take_bearings",
]

Told = Callable[[Step], None]


class Standing(msgspec.Struct, frozen=True):
    """What a cycle is decided from: the folds of the log up to its end."""

    session: SessionState = session.initial
    cycle: CycleState = cycle.initial
    intent: Intent = intent.initial
    budget: BudgetState = budget.initial
    configured: Configured = Configured()


class Attempt(msgspec.Struct, frozen=True):
    """What is tried, in the agent's words; see the `proposal` event for the fields."""

    description: str
    hypothesis: str | None = None
    direction: str | None = None
    asi: dict[str, Any] = {}


class Outcome(msgspec.Struct, frozen=True):
    """How a cycle ended.

    cycle: its number. run: as it stands in the log. seq: of its line. before: the best, or the baseline, that
    it was compared with. reverted: what became of its rollback; None if it was kept. saved: where work that
    was in the way was saved. stopped: why the session stopped over it; None if it did not.
    """

    cycle: int
    run: Run
    seq: int
    before: float | None
    reverted: Reverted | None = None
    saved: str | None = None
    stopped: str | None = None


class Ground(msgspec.Struct, frozen=True):
    """Where cycles take place: the session, its log to append to, its repository."""

    session: Session
    log: FileLog
    repo: Repo

    @property
    def outside(self) -> Path:
        """Where the dirt outside the assets is remembered."""
        return _cache(self.session) / "outside"

    @property
    def running(self) -> Path:
        """Where the process group at work is written down."""
        return _cache(self.session) / "running.json"


def _cache(place: Session) -> Path:
    """Where the session keeps what it can do without."""
    return place.cache if place.cache is not None else place.log.parent / "cache"


def ground_of(place: Session, log: FileLog) -> Ground:
    """Where the session's cycles take place. Raises GitError outside of a repository."""
    return Ground(place, log, find_repo(place.root))


def stand(state: Standing, records: Iterable[Record]) -> Standing:
    """The standing after these lines too. Pure."""
    known = list(records)
    return Standing(
        fold(session, known, state.session),
        fold(cycle, known, state.cycle),
        fold(intent, known, state.intent),
        fold(budget, known, state.budget),
        follow_up(state.configured, known),
    )


def take_bearings(log: FileLog) -> Standing:
    """The standing at the log's end."""
    state, after = Standing(), START
    for batch in log.read(after):
        state = stand(state, batch.records)
        after = Position(batch.last, batch.end)
    return state


def begin(ground: Ground, attempt: Attempt, *, accept_outside: bool = False) -> None:
    """Opens a cycle for the change that lies in the working tree; nothing is touched yet.

    accept_outside: what changed outside the assets is not the agent's doing and is let be. Raises
    InvalidEventError when there is nothing to try or the change goes beyond the assets, ConflictError when a
    cycle is open or the session has stopped for good, GitError when the repository is not fit.
    """
    standing = take_bearings(ground.log)
    config = _require_config(standing)
    if standing.cycle.open is not None:
        raise ConflictError(f"cycle {standing.cycle.open.cycle} is not finished", "ar cycle --resume")
    stopped = budget.view(standing.budget).stop_reason if standing.budget.stopped else None
    if stopped == "harness":
        raise ConflictError(
            "the session has stopped: what it is measured with has changed",
            "put the scripts back, or accept them with ar init --new-segment",
        )
    require_quiet(ground.repo)
    parent = require_head(ground.repo)
    assets = asset_paths(ground.repo, config.assets)
    changes = changed_within(ground.repo, assets)
    if not accept_outside:
        strayed = strayed_paths(ground, assets)
        if strayed:
            raise InvalidEventError(
                f"changed outside the assets: {describe(strayed)}",
                "undo it, or say that it is yours: ar cycle --allow-dirty",
            )
    if not changes.inside:
        raise InvalidEventError(
            f"nothing has changed inside the assets ({describe(config.assets)})",
            "change something, then repeat",
        )
    number = (standing.cycle.last_cycle or 0) + 1
    pid = os.getpid()
    ground.log.append(
        [
            Proposal(
                description=attempt.description,
                hypothesis=attempt.hypothesis,
                direction=attempt.direction,
                asi=attempt.asi,
            ),
            Started(
                cycle=number,
                parent=parent,
                files=_printable(changes.inside),
                pid=pid,
                pid_started=process_started(pid),
            ),
        ],
    )


def strayed_paths(ground: Ground, assets: Sequence[str]) -> list[str]:
    """What is not as it was at the last iteration's end, outside the assets; empty without a memory of it."""
    kept = kept_before(ground.outside)
    if kept is None or kept.assets != tuple(assets):
        return []
    before = {path: file.digest for path, file in kept.files.items()}
    return changed_since(before, fingerprint_outside(ground.repo, assets))


def remember_outside(ground: Ground, assets: Sequence[str]) -> None:
    """Notes the dirt outside the assets, so that what an agent does there next can be told from it."""
    ground.outside.parent.mkdir(exist_ok=True)
    keep(ground.repo, assets, ground.outside)


def finish(ground: Ground, told: Told | None = None) -> Outcome | None:
    """Takes the open cycle from where it is to its end; None if none is open.

    What is left of a killed measurement is ended first. Raises GitError when HEAD is not where the cycle left
    it, StorageError when the rollback failed or could not be verified: then the session has stopped, and the
    message holds the exact state and the way out.
    """
    standing = take_bearings(ground.log)
    opened = standing.cycle.open
    if opened is None:
        return None
    end_recorded(ground.running)
    config = _require_config(standing)
    files = _paths(opened.files)
    number, parent = opened.cycle or 0, opened.parent or ""
    phase = opened.phase
    commit = _commit(ground, standing, opened, files) if phase == "started" else opened.commit or ""
    measured = None
    if phase in ("started", "committed"):
        measured = _measure(ground, standing, config, number, commit, told)
        phase = "measured"
    if phase == "measured":
        return _judge_and_close(ground, measured or _last_measured(ground.log), parent, commit)
    return _close(ground, commit, parent, number)


def _require_config(standing: Standing) -> Config:
    config = standing.configured.config
    if config is None or not config.measure or not config.assets:
        raise InvalidEventError(
            "the session has no metric command and assets", "ar init --measure CMD --asset PATH sets it up"
        )
    return config


def _commit(ground: Ground, standing: Standing, opened: OpenCycle, files: tuple[str, ...]) -> str:
    """The commit of the cycle's change, made unless git has it already."""
    number, parent = opened.cycle or 0, opened.parent or ""
    found = state_of_cycle(ground.repo, parent, number)
    if found.phase is Phase.AT_PARENT:
        description = standing.intent.proposal.description if standing.intent.proposal else ""
        message = cycle_message(number, description, str(ground.log.head()))
        commit = commit_paths(ground.repo, files, message, parent=parent)
    elif found.commit is not None:
        commit = found.commit
    else:
        raise GitError(
            f"HEAD is no longer at {parent[:12]}, where cycle {number} started",
            str(ground.repo.top),
            "go back to it, then ar cycle --resume",
        )
    ground.log.append([Committed(cycle=number, commit=commit, parent=parent, files=_printable(files))])
    return commit


def _measure(
    ground: Ground, standing: Standing, config: Config, number: int, commit: str, told: Told | None
) -> Measured:
    """Measures what is committed and records it; a changed harness is recorded as the reason."""
    plan = plan_of(standing.configured)
    found = Measurement(reason="harness", error="what measures has changed")
    changed = harness_changes(config.harness, ground.session.root)
    if not changed:
        with recording(ground.running) as on_start:
            found = measure(plan, cwd=ground.session.root, told=told, on_start=on_start)
        changed = harness_changes(config.harness, ground.session.root)
    if changed:
        found = msgspec.structs.replace(
            found, reason="harness", error=f"what measures has changed: {describe(changed)}"
        )
    event = measured_event(number, commit, plan, found)
    ground.log.append([event])
    return event


def plan_of(configured: Configured) -> Plan:
    """What the session measures, and how."""
    config, timeouts = configured.config or Config(), configured.timeouts
    return Plan(
        config.measure or "",
        constraint=config.constraint,
        samples=config.samples or 3,
        metric_name=config.metricName,
        pattern=configured.metric_pattern,
        sample_seconds=timeouts.get("sample", SAMPLE_SECONDS),
        constraint_seconds=timeouts.get("constraint", CONSTRAINT_SECONDS),
    )


def measured_event(number: int, commit: str | None, plan: Plan, found: Measurement) -> Measured:
    """A measurement as the log keeps it; `error` begins with the reason, in a word."""
    return Measured(
        cycle=number,
        commit=commit,
        command=plan.command,
        samples=found.samples,
        median=found.median,
        metrics=found.metrics,
        exit_code=found.exit_code,
        duration_ms=found.duration_ms,
        timed_out=found.timed_out,
        constraint_exit=found.constraint_exit,
        output_tail=found.output_tail or None,
        error=None if found.reason is None else f"{found.reason}: {found.error}",
    )


def _last_measured(log: FileLog) -> Measured:
    last: Measured | None = None
    for batch in log.read(kinds={Measured}):
        last = next((r for r in reversed(batch.records) if isinstance(r, Measured)), last)
    if last is None:
        raise StorageError("the log holds no measurement of the open cycle", "ar verify")
    return last


def _judge_and_close(ground: Ground, measured: Measured, parent: str, commit: str) -> Outcome:
    """Records the run, before any rollback, then closes the cycle."""
    ground.log.transact(lambda state: decide_run(state, measured), fold=stand, state=Standing(), kinds=None)
    return _close(ground, commit, parent, measured.cycle)


def decide_run(state: Standing, measured: Measured) -> list[Event]:
    """The events that record the run of a measurement: its verdict, numbered. Pure."""
    view = session.view(state.session)
    reason = measured.error.partition(":")[0] if measured.error else None
    verdict = verdict_on(measured, reason, view.direction or "lower", view.best_metric, view.baseline_metric)
    proposal = state.intent.proposal
    run = Run(
        run=view.run_count + 1,
        commit=measured.commit[:7] if measured.commit else None,
        metric=measured.median,
        metrics=measured.metrics,
        status=verdict.status,
        description=proposal.description if proposal else f"cycle {measured.cycle}",
        segment=view.segment,
        asi=_asi(proposal),
        reason=verdict.reason,
        direction=proposal.direction if proposal else None,
        duration_seconds=None if measured.duration_ms is None else measured.duration_ms / 1000,
    )
    after = session.view(fold(session, (run,), state.session))
    events: list[Event] = [msgspec.structs.replace(run, confidence=after.confidence)]
    if reason == "harness":
        events.append(Flag(kind="harness", detail=(measured.error or "").partition(": ")[2]))
    return events


def _asi(proposal: Proposal | None) -> dict[str, Any]:
    """What the run tells its successors: the proposal's own, its hypothesis among it."""
    if proposal is None:
        return {}
    return {**({"hypothesis": proposal.hypothesis} if proposal.hypothesis else {}), **proposal.asi}


def verdict_on(
    measured: Measured, reason: str | None, direction: str, best: float | None, baseline: float | None
) -> Verdict:
    """The verdict on a recorded measurement. Pure."""
    changed = reason == "harness"
    return judge(
        measured.median,
        direction,
        best=best,
        baseline=baseline,
        constraint_ok=reason != "constraint_failed",
        failure=None if changed and measured.median is not None else reason,
        harness_changed=changed,
    )


class _RunSeen(msgspec.Struct, frozen=True):
    """The last run of the log: its event, its line, and what it was compared with."""

    run: Run
    seq: int
    before: float | None


def _last_run(log: FileLog) -> _RunSeen:
    state, seen = session.initial, None
    for batch in log.read():
        for number, record in batch.numbered():
            if isinstance(record, Run):
                view = session.view(state)
                before = view.baseline_metric if view.best_metric is None else view.best_metric
                seen = _RunSeen(record, number, before)
            state = fold(session, (record,), state)
    if seen is None:
        raise StorageError("the log holds no run of the open cycle", "ar verify")
    return seen


def _close(ground: Ground, commit: str, parent: str, number: int) -> Outcome:
    """Ends a judged cycle: rolls back what was not kept, and proves it."""
    seen = _last_run(ground.log)
    rejected = ground.session.rejected / f"run-{seen.run.run}"
    stopped = "harness" if seen.run.reason == "harness" else None
    if seen.run.status == "keep":
        saved = _clear_away(ground, rejected)
        outcome = Outcome(number, seen.run, seen.seq, seen.before, saved=saved)
    else:
        reverted = _roll_back(ground, commit, parent, number, rejected)
        saved = _clear_away(ground, rejected)
        outcome = Outcome(number, seen.run, seen.seq, seen.before, reverted, saved, stopped)
    if stopped is not None:
        ground.log.append([Stopped(reason=stopped, detail="what measures has changed; nothing is kept")])
    remember_outside(ground, asset_paths(ground.repo, _require_config(take_bearings(ground.log)).assets))
    return outcome


def _roll_back(ground: Ground, commit: str, parent: str, number: int, rejected: Path) -> Reverted:
    """Takes the commit back and records what became of it; what cannot be proved stops the session."""
    try:
        rolled = rollback(ground.repo, commit, parent, rescue=rejected)
        missing = _missing_in_log(ground.log, number)
        event = Reverted(
            cycle=number,
            commit=commit,
            revert_commit=rolled.revert_commit,
            verified=rolled.verified and not missing,
            detail=missing or rolled.detail,
        )
    except GitError as error:
        event = Reverted(cycle=number, commit=commit, verified=False, detail=f"{error}")
        remedy = error.remedy
    else:
        remedy = "ar cycle --resume tries again; git log and git status show where it stands"
    entered = ground.log.append([event]).events[0]
    if not event.verified:
        ground.log.append([Stopped(reason="rollback_failed", detail=event.detail)])
        raise StorageError(
            f"cycle {number}: the rollback of {commit[:12]} is not proved: {event.detail}", remedy
        )
    return entered if isinstance(entered, Reverted) else event


def _missing_in_log(log: FileLog, number: int) -> str:
    """Whether the log still tells the story so far: what it lacks, in words; empty if nothing."""
    standing = take_bearings(log)
    if standing.session.run_count == 0:
        return "the log has lost its runs"
    if standing.cycle.open is None or standing.cycle.open.cycle != number:
        return f"the log has lost cycle {number}"
    return ""


def _clear_away(ground: Ground, rejected: Path) -> str | None:
    """Saves and undoes what commands left changed inside the assets; where it was saved, or None."""
    config = _require_config(take_bearings(ground.log))
    left = changed_within(ground.repo, asset_paths(ground.repo, config.assets)).inside
    if not left:
        return None
    return salvage(ground.repo, left, rejected).directory


def _printable(paths: Iterable[str]) -> tuple[str, ...]:
    """Paths as the log can hold them: bytes that are no UTF-8 as percent escapes, percent signs too."""
    return tuple(_escape(path) for path in paths)


def _escape(path: str) -> str:
    if path.isascii() and "%" not in path:
        return path
    raw = path.replace("%", "%25").encode("utf-8", "surrogateescape")
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return "".join(
            f"%{ord(c) - 0xDC00:02X}" if "\udc80" <= c <= "\udcff" else c for c in path.replace("%", "%25")
        )


def _paths(printable: Iterable[str]) -> tuple[str, ...]:
    """The paths that `_printable` was given."""
    from urllib.parse import unquote_to_bytes

    return tuple(os.fsdecode(unquote_to_bytes(text)) if "%" in text else text for text in printable)

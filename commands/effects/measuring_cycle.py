"""Measuring what a session measures, as the log keeps it (design, section 6.1)."""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from commands.bearings import Standing
from commands.configuring import Configured
from commands.effects.git import describe
from commands.effects.git_queries import head_of
from commands.effects.ground import Ground, require_config
from commands.effects.harness import harness_changes
from commands.effects.log_guard import guarded
from commands.effects.measuring import CONSTRAINT_SECONDS, SAMPLE_SECONDS, Measurement, Plan, Step, measure
from commands.effects.running import recording
from commands.judging import HARNESS
from eventstore.events import Measured

__all__ = ["measure_commit", "measured_event", "plan_of"]


def measure_commit(
    ground: Ground,
    standing: Standing,
    number: int,
    commit: str,
    told: Callable[[Step], None] | None,
    between: Callable[[], None],
) -> Measured:
    """The measurement of cycle `number`, whose change is committed and lies in the working tree.

    between: called between two commands; undoes what the first one changed, so that each sample is one of the
    commit. Nothing counts if git or what measures is not, or does not stay, as agreed; nor if a command took
    the session's log away, which is put back.
    """
    plan = plan_of(standing.configured)
    found = Measurement()
    unfit = _unfit(ground, standing, commit)
    if unfit is None:
        into = ground.rejected(standing.session.run_count + 1)
        with guarded(ground.log.path, into) as guard, recording(ground.running) as on_start:
            found = measure(plan, cwd=ground.session.root, told=told, on_start=on_start, between=between)
        unfit = _unfit(ground, standing, commit)
        if guard.fate is not None and unfit is None:
            unfit = "log_changed", f"the session's log was {guard.fate} meanwhile; it is as it was before"
    if unfit is not None:
        found = replace(found, reason=unfit[0], error=unfit[1])
    return measured_event(number, commit, plan, found)


def _unfit(ground: Ground, standing: Standing, commit: str) -> tuple[str, str] | None:
    """Why a measurement would not be one of this change, as a word and in words; None if it would."""
    changed = harness_changes(require_config(standing).harness, ground.session.root)
    if changed:
        return HARNESS, f"what measures has changed: {describe(changed)}"
    head = head_of(ground.repo).commit
    if head != commit:
        return "head_moved", f"HEAD is at {(head or 'no commit')[:12]}, not at the change {commit[:12]}"
    return None


def plan_of(configured: Configured) -> Plan:
    """What the session measures, and how."""
    config, timeouts = configured.config, configured.timeouts
    return Plan(
        (config and config.measure) or "",
        constraint=config.constraint if config else None,
        samples=(config and config.samples) or 3,
        metric_name=config.metricName if config else None,
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

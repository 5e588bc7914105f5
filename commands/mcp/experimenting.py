"""The tools that drive a session: configure it, measure, record a run, take a change through a cycle."""

from __future__ import annotations

from typing import Any

import msgspec

from commands.configuring import Wanted
from commands.cycle import document as cycle_document
from commands.cycle import told as told_cycle
from commands.cycle import unit_of
from commands.effects import cycle_call
from commands.effects.config_file import limits_of
from commands.effects.cycle_call import Ended, Idle, cycles
from commands.effects.entering import enter_run
from commands.effects.firing import activate, fire_document, fire_for_run, told_steers
from commands.effects.ground import take_bearings
from commands.effects.initialising import initialise, let_it_fail
from commands.effects.ruling import Ruling, ruling_on
from commands.effects.setting_up import Asked
from commands.effects.trying import Trial, Tried, try_out
from commands.limiting import limits_of_options
from commands.log import document as log_document
from commands.log import told as told_run
from commands.mcp.answers import refused
from commands.mcp.arguments import CycleArguments, InitArguments, LogArguments, RunArguments
from commands.mcp.served import Answer, Work
from commands.output import warn
from commands.render import duration, escape, number
from commands.set_up_text import document as init_document
from commands.set_up_text import refusal
from commands.set_up_text import told as told_init
from eventstore.errors import LedgerError
from eventstore.events import Run, Settings

__all__ = ["cycle", "init_experiment", "log_experiment", "run_experiment"]

_PLAIN = ("baseline", "improved", "equal", "worse")
"""Reasons that the figures tell by themselves."""


def init_experiment(work: Work, asked: InitArguments) -> Answer:
    """Configures a session, a segment, or its settings, as `ar init` does."""
    call, by = work.call(asked), work.served.author(asked.agent)
    wanted = Wanted(
        name=asked.name,
        metric=asked.metric_name,
        unit=asked.metric_unit,
        direction=asked.direction,
        no_metric=asked.no_metric,
        measure=asked.measure,
        constraint=asked.constraint,
        assets=tuple(asked.assets),
        samples=asked.samples,
        milestones=tuple(asked.milestones),
        success=tuple(asked.success),
        new_segment=asked.new_segment,
    )
    limits = {name: str(value) for name, value in _given(asked.limits).items()}
    settings = Settings(
        limits=limits_of_options(limits),
        thresholds=_given(asked.thresholds),
        timeouts=_given(asked.timeouts),
        metric_pattern=asked.metric_pattern,
    )
    place = call.session_to_init()
    known = take_bearings(call.writer(by, place)).configured
    full = Asked(wanted, settings, limits_of(place), tuple(asked.harness), asked.allow_dirty)
    done = initialise(call, place, known, full, by, work.told, let_it_fail)
    if done.failed is not None:
        return refused(refusal(done.failed), told_init(done))
    fired = activate(place, done.log) if done.begun else []
    document = init_document(done, fired)
    return Answer(told_init(done) + told_steers(fired), document)


def _given(group: msgspec.Struct | None) -> dict[str, Any]:
    """What was given of a group of settings."""
    fields = {} if group is None else msgspec.structs.asdict(group)
    return {name: value for name, value in fields.items() if value is not None}


def run_experiment(work: Work, asked: RunArguments) -> Answer:
    """Measures what lies in the working tree; records nothing."""
    trial = Trial(asked.command, asked.samples, asked.timeout_seconds, asked.checks_timeout_seconds)
    tried = try_out(work.call(asked), trial, work.told, work.heard)
    found, verdict = tried.found, tried.verdict
    seconds = found.duration_ms / 1000
    log_next = {
        "status": verdict.status,
        "metric": found.median,
        "metrics": found.metrics,
        "duration_seconds": seconds,
        "reason": None if verdict.reason in _PLAIN else verdict.reason,
    }
    document = {
        "command": tried.plan.command,
        "constraint": tried.plan.constraint,
        "samples": found.samples,
        "median": found.median,
        "metrics": found.metrics,
        "exit_code": found.exit_code,
        "constraint_exit": found.constraint_exit,
        "timed_out": found.timed_out,
        "duration_seconds": seconds,
        "error": found.error,
        "output_tail": found.output_tail,
        "verdict": {
            "status": verdict.status,
            "reason": verdict.reason,
            "best_before": verdict.best_before,
            "change_pct": verdict.change_pct,
        },
        "log_next": log_next,
    }
    return Answer(_told_trial(tried, log_next), document)


def _told_trial(tried: Tried, log_next: dict[str, Any]) -> str:
    found, verdict, unit = tried.found, tried.verdict, tried.session.metric_unit
    lines = []
    if found.median is None:
        lines.append(f"no number: {escape(found.error or verdict.reason)}")
    else:
        samples = ", ".join(number(value) for value in found.samples)
        several = f", the median of {samples}" if len(found.samples) > 1 else ""
        took = duration(found.duration_ms / 1000)
        name = escape(tried.session.metric_name or "metric")
        lines.append(f"{name} is {number(found.median, unit)}{several} ({took})")
        lines += [f"{escape(other)} is {number(value)}" for other, value in found.metrics.items()]
    against = ""
    if verdict.best_before is not None and found.median is not None:
        percent = "" if verdict.change_pct is None else f", {verdict.change_pct:+.2f}%"
        against = f" against {number(verdict.best_before, unit)}{percent}"
    lines.append(f"verdict: {verdict.status}, {escape(verdict.reason)}{against}")
    if found.output_tail.strip():
        lines += ["the last command's output ended with:", *_indented(found.output_tail)]
    given = {name: value for name, value in log_next.items() if value not in (None, {})}
    shown = msgspec.json.encode({**given, "description": "..."}).decode()
    lines.append(f"nothing is recorded yet; call log_experiment with {escape(shown)}")
    return "\n".join(lines) + "\n"


def _indented(text: str) -> list[str]:
    return [f"  {line}" for line in escape(text.rstrip("\n"), lines=True).split("\n")]


def log_experiment(work: Work, asked: LogArguments) -> Answer:
    """Records a run that the agent measured and judged, as `ar log` does."""
    run = Run(
        run=1,
        commit=asked.commit,
        metric=asked.metric,
        metrics=asked.metrics,
        status=asked.status,
        description=asked.description,
        asi=asked.asi,
        reason=asked.reason,
        direction=asked.direction,
        duration_seconds=asked.duration_seconds,
        id=asked.id,
    )
    entered = enter_run(work.call(asked), run, work.served.author(asked.agent), new_metrics=asked.force)
    fired = fire_for_run(entered.place, entered.log, entered.appended.seqs[-1]) if entered.is_new else []
    rules = ruling_on(entered.log)
    return Answer(
        told_run(entered) + told_steers(fired) + told_rules(rules),
        {**log_document(entered, fired), "rules": rules},
    )


def cycle(work: Work, asked: CycleArguments) -> Answer:
    """Takes the change in the working tree through a cycle, as `ar cycle` does."""
    call, by = work.call(asked), work.served.author(asked.agent)
    wanted = cycle_call.Wanted(
        asked.description,
        asked.hypothesis,
        asked.direction,
        asked.asi,
        asked.resume,
        asked.allow_dirty,
    )
    texts: list[str] = []
    finished_first: dict[str, Any] | None = None
    document: dict[str, Any] = {}
    try:
        for happened in cycles(call, by, wanted, work.told):
            if isinstance(happened, Ended):
                texts.append(_told_end(happened))
            elif isinstance(happened, Idle):
                texts.append(_told_idle(happened, asked.resume))
                if asked.resume:
                    document = {"cycle": None, "hooks": [fire_document(each) for each in happened.fired]}
            else:
                texts.append(told_steers(happened.fired))
                if happened.resumed and not asked.resume:
                    finished_first = cycle_document(happened)
                else:
                    document = cycle_document(happened)
    except LedgerError as error:
        return refused(error, "".join(texts))
    rules = ruling_on(call.log())
    return Answer(
        "".join(texts) + told_rules(rules), {**document, "finished_first": finished_first, "rules": rules}
    )


def _told_end(ended: Ended) -> str:
    outcome = ended.outcome
    if outcome.saved is not None:
        warn(f"files that were changed meanwhile were saved in {outcome.saved}")
    return told_cycle(outcome, unit_of(outcome))


def _told_idle(idle: Idle, resume: bool) -> str:
    return told_steers(idle.fired) + ("no cycle is open\n" if resume else "")


def told_rules(rules: Ruling) -> str:
    """What the stop rules and the stall rules say, and what to do about it; empty while they say nothing."""
    told = ""
    if rules.stop_reason is not None:
        detail = f" ({escape(rules.stop_detail)})" if rules.stop_detail else ""
        told = (
            f"stop rule: {escape(rules.stop_reason)}{detail}. Begin no further run: sum up what came of it "
            "(view debrief), or have a person raise the limit.\n"
        )
    if rules.pivot_due is not None:
        told += f"stall rule: a pivot is due, {rules.pivot_due} (call pivot).\n"
    return told + (f"{escape(rules.demand, lines=True)}\n" if rules.demand else "")

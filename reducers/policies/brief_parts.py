"""The parts of a brief that tell what is wanted and what is left: pure functions of a sight to text.

Every text of agents and programs is quoted on one line or fenced, and every list is bounded.
"""

from __future__ import annotations

from collections.abc import Sequence

from reducers.policies.fencing import fenced, one_line, quoted
from reducers.situation import Sight
from reducers.wording import delta, duration, number, significance

__all__ = ["bounded", "budget_left", "goal", "ideas", "metric", "rules", "signed", "steers"]

STEERS = 4
"""Of the steers that no brief has held, the last so many are told."""

STEER_CHARACTERS = 8192 + 256
PROMPT_CHARACTERS = 16_384
IDEAS_CHARACTERS = 8_192
"""How many characters of a steer, of the rules and of the ideas are told."""

ITEMS = 20
"""How many milestones, criteria and secondary metrics are told."""

AGENT_SECONDS = 1800
"""How long an agent's turn may take where no setting says otherwise (design, section 6.1)."""


def steers(sight: Sight) -> str:
    """What the hooks said since an agent last acted, oldest first, each under the name of its script."""
    pending = sight.hooks.pending_steers
    told = [
        f"[hook {one_line(steer.stage, 20)}.sh]\n{fenced(steer.steer, cap=STEER_CHARACTERS)}"
        for steer in pending[-STEERS:]
    ]
    if len(pending) > STEERS:
        told.insert(0, f"({len(pending) - STEERS} older ones are left out: `ar view hooks`.)")
    return "\n\n".join(told)


def goal(sight: Sight) -> str:
    """The goal in words, milestones, and what makes the task done."""
    view, config = sight.session, sight.trail.config
    lines = [quoted(view.goal, 2000) if view.goal else "No goal is configured."]
    if config is not None and config.milestones:
        lines += ["", "Milestones, in order:", *_numbered(config.milestones)]
    if config is not None and config.success:
        lines += ["", "Done when:", *_numbered(config.success)]
    return "\n".join(lines)


def _numbered(texts: Sequence[str]) -> list[str]:
    lines = [f"{place}. {one_line(text, 400)}" for place, text in enumerate(texts[:ITEMS], 1)]
    return lines + ([f"({len(texts) - ITEMS} more.)"] if len(texts) > ITEMS else [])


def rules(prompt: str | None, place: str) -> str:
    """The rules that the session's owner wrote; empty if there are none."""
    if prompt is None or not prompt.strip():
        return ""
    return f"From {place}; they bind you:\n\n{fenced(prompt, cap=PROMPT_CHARACTERS, rest=place)}"


def ideas(backlog: str | None, place: str) -> str:
    """The backlog of ideas, which agents write to as well; empty if there is none."""
    if backlog is None or not backlog.strip():
        return ""
    listed = fenced(backlog, cap=IDEAS_CHARACTERS, rest=place)
    return f"From {place}; take one, add what occurs to you and is not for now:\n\n{listed}"


def metric(sight: Sight) -> str:
    """What is measured, how, and where it stands."""
    view, config = sight.session, sight.trail.config
    if view.metric_name is None:
        return "This task has no metric: what counts is findings and what is verified."
    unit = view.metric_unit
    lines = [f"{quoted(view.metric_name, 80)}{_unit(unit)}: {view.direction} is better."]
    lines.append(f"- baseline: {_marked(view.baseline_metric, view.baseline_run, unit)}")
    change = signed(view.baseline_metric, view.best_metric)
    best = _marked(view.best_metric, view.best_run, unit)
    lines.append(f"- best: {best}{change} -- only strictly better than this is kept")
    if view.confidence is not None:
        sure = significance(view.confidence)
        lines.append(f"- confidence in the gain so far: {bounded(round(view.confidence, 1))}, {sure}")
    if config is not None:
        lines += [
            f"- {label}: {quoted(text, 400)}" for label, text in _commands(config.measure, config.constraint)
        ]
        if config.samples is not None:
            lines.append(f"- samples a run: {bounded(config.samples)}, of which the median counts")
    for name, other in list(view.secondary.items())[:ITEMS]:
        first, at_best = _loose(other.baseline), _loose(other.best)
        lines.append(f"- beside it, {quoted(name, 60)}: first {first}, at the best run {at_best}")
    return "\n".join(lines)


def _commands(measure: str | None, constraint: str | None) -> list[tuple[str, str]]:
    told = [("measured by", measure), ("must succeed first", constraint)]
    return [(label, text) for label, text in told if text]


def budget_left(sight: Sight, *, turn: bool = True) -> str:
    """What is left of the segment's limits, up to the log's last event; no clock is asked.

    turn: whether a loop limits the reader's turn.
    """
    view, unit = sight.budget, sight.session.metric_unit
    lines = [f"- cycles: {_left(view.cycles_left, view.max_cycles)}"]
    minutes = "no limit"
    if view.minutes_left is not None and view.time_limit_minutes is not None:
        minutes = f"{duration(view.minutes_left * 60)} of {duration(view.time_limit_minutes * 60)} left"
    lines.append(f"- active loop time: {minutes}")
    if view.max_iterations is not None:
        lines.append(f"- runs: {_left(view.iterations_left, view.max_iterations)}")
    if view.target is not None:
        lines.append(f"- target: {bounded(view.target, unit)}")
    if turn:
        agent = sight.trail.timeouts.get("agent", AGENT_SECONDS)
        lines.append(f"- this turn: {one_line(_minutes(agent), 40)}")
    if view.stop_reason is not None:
        lines.append(f"- the loop stops here: {one_line(view.stop_reason, 60)}")
    return "\n".join(lines)


def _minutes(seconds: float) -> str:
    return duration(seconds) if 0 < seconds < 1e9 else number(seconds)


def _left(left: int | None, limit: int | None) -> str:
    return "no limit" if left is None else f"{left} of {limit} left"


def bounded(value: object, unit: str | None = None) -> str:
    """A number with its unit, of whatever size, in at most 60 characters."""
    return one_line(number(value, unit), 60)


def _loose(value: object) -> str:
    """A recorded value of a secondary metric, whatever it is."""
    if value is None or type(value) in (int, float):
        return bounded(value)
    return quoted(value, 60) if isinstance(value, str) else "no number"


def _unit(unit: str | None) -> str:
    return f" in {one_line(unit, 20)}" if unit else ""


def _marked(value: float | None, run: int | None, unit: str | None) -> str:
    return "none yet" if value is None else f"{bounded(value, unit)} (run {run})"


def signed(before: float | None, after: float | None) -> str:
    """The change between two values in brackets, after a blank; empty where there is none to tell."""
    change = delta(before, after)
    return "" if change == "-" or before == after else f" ({change})"

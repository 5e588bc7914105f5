"""A debrief as text for people, and as Markdown: what a session came to, and what to do next. Pure.

Agents' words stand in it on one line, escaped; in Markdown they are quoted as well.
"""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from reducers.debrief import DebriefView, KeptChange
from reducers.policies.fencing import one_line, quoted
from reducers.wording import ABSENT, duration, number, significance

__all__ = ["LARGE_PCT", "advice", "markdown", "reason_words", "text"]

TITLE = "AUTORESEARCH COMPLETE"
"""What stands above every debrief; its stop reason says whether the session may go on."""

LARGE_PCT = 20.0
"""From how many per cent on a gain is called large."""

DESCRIPTION = 160
"""How many characters of a change's description are told."""

_REASONS = {
    "max_cycles": "cycle limit",
    "time_limit": "time limit",
    "target": "target reached",
    "discards": "diminishing returns",
    "failures": "nothing kept for too many runs",
    "no_change": "the agent changed nothing, several times in a row",
    "agent_failed": "the agent itself failed",
    "limits": "a limit of the protocol, under --strict",
    "harness": "a measuring script had changed",
    "rollback_failed": "a rollback failed or could not be verified",
    "user": "user interrupt",
}


def reason_words(view: DebriefView) -> str:
    """Why the loop stopped, in words; that it may go on where it has not."""
    if view.stop_reason is None:
        return "none yet: the session may go on"
    words = _REASONS.get(view.stop_reason, one_line(view.stop_reason, 80))
    detail = f" ({one_line(view.stop_detail, 200)})" if view.stop_detail else ""
    return words + detail if view.stopped else f"{words}, though no stop is recorded"


def text(view: DebriefView, results: str) -> str:
    """The debrief for a terminal. results: where the log lies."""
    rows = [*_figures(view), ("Results log", one_line(results, 400))]
    widest = max(len(label) for label, _ in rows)
    lines = [TITLE, "", *(f"{label + ':':<{widest + 1}}  {value}" for label, value in rows)]
    lines += ["", "KEPT CHANGES", *_changes(view, lambda told: one_line(told, DESCRIPTION))]
    lines += ["", *(f"{label}: {value}" for label, value in _ends(view))]
    lines += ["", "NEXT", *(f"- {each}" for each in advice(view))]
    return "\n".join(lines) + "\n"


def markdown(view: DebriefView, results: str) -> str:
    """The debrief as Markdown. results: where the log lies."""
    if view.metric_unit:
        view = replace(view, metric_unit=_safe(one_line(view.metric_unit, 40)))
    rows = [*_figures(view), ("Results log", _code(results)), *_ends(view, _code)]
    lines = [f"# {TITLE}", "", "| | |", "|---|---|"]
    lines += [f"| {label} | {_safe(value) if label in _WORDS else value} |" for label, value in rows]
    lines += ["", "## Kept changes", "", *_changes(view, lambda told: _safe(quoted(told, DESCRIPTION)))]
    lines += ["", "## Next", "", *(f"- {each}" for each in advice(view))]
    return "\n".join(lines) + "\n"


_WORDS = ("Goal", "Stop reason")
"""The labels of what somebody put into words."""


def _figures(view: DebriefView) -> list[tuple[str, str]]:
    """The figures by their labels, in order."""
    unit = view.metric_unit
    rows = [("Goal", one_line(view.goal, 200) or ABSENT)]
    if view.metric_name is not None:
        rows.append(("Baseline", _number(view.baseline_metric, unit)))
        rows.append(("Final best", _number(view.best_metric, unit)))
        rows.append(("Improvement", _improvement(view)))
    rows.append(("Cycles run", str(view.cycles)))
    rows.append(("Kept", str(view.kept)))
    failed = f" ({view.checks_failed} of them failed the constraint)" if view.checks_failed else ""
    rows.append(("Discarded", f"{view.discarded}{failed}"))
    rows.append(("Crashed", str(view.crashed)))
    rows.append(("Refused", str(view.refused)))
    if view.no_change:
        rows.append(("Without change", str(view.no_change)))
    rows.append(("Elapsed", _elapsed(view)))
    return rows


def _improvement(view: DebriefView) -> str:
    if view.improvement_pct is None:
        return ABSENT
    sure = significance(view.confidence)
    confidence = (
        f" (confidence {_number(round(view.confidence, 1))}, {sure})" if view.confidence is not None else ""
    )
    return f"{_percent(view.improvement_pct)}{confidence}"


def _elapsed(view: DebriefView) -> str:
    if view.elapsed_minutes is None:
        return ABSENT
    told = duration(view.elapsed_minutes * 60)
    active = duration(view.active_minutes * 60)
    return told if active == told or not view.active_minutes else f"{told} (the loop at work {active})"


def _changes(view: DebriefView, shown: Callable[[str], str]) -> list[str]:
    if not view.kept_changes:
        return ["No change was kept."]
    unit = view.metric_unit
    return [f"{place}. {_change(each, unit, shown)}" for place, each in enumerate(view.kept_changes, 1)]


def _change(change: KeptChange, unit: str | None, shown: Callable[[str], str]) -> str:
    words = shown(change.description) if change.description.strip() else f"run {change.run}"
    if change.after is None:
        return words
    if change.before is None:
        return f"{words}: {_number(change.after, unit)}"
    percent = "" if change.change_pct is None else f" ({_percent(change.change_pct)})"
    return f"{words}: {_number(change.before)} -> {_number(change.after, unit)}{percent}"


def _ends(view: DebriefView, shown: Callable[[str], str] = one_line) -> list[tuple[str, str]]:
    """Why it stopped, and between which commits all of it lies."""
    rows = [("Stop reason", reason_words(view))]
    for label, commit in (("Baseline SHA", view.baseline_commit), ("Final SHA", view.final_commit)):
        rows.append((label, shown(commit) if commit else ABSENT))
    return rows


def advice(view: DebriefView) -> list[str]:
    """What to do next, by what dominated the session; at least one thing, what matters most first."""
    cycles = view.cycles
    unsure = view.confidence is not None and view.confidence < 1
    found = (
        (
            view.stop_reason == "rollback_failed",
            "See to the working tree first: `git status`, then `ar cycle --resume`.",
        ),
        (
            view.stop_reason == "harness",
            "See what changed the measuring scripts, then begin anew: `ar init --new-segment`.",
        ),
        (
            view.stop_reason == "agent_failed",
            "Run the agent's command by hand, `ar brief` on its stdin, and see why it fails.",
        ),
        (
            cycles > 0 and 2 * view.checks_failed >= cycles,
            "Most changes failed the constraint: narrow the assets, or relax the constraint.",
        ),
        (
            cycles > 0 and 2 * view.crashed >= cycles,
            "Most changes crashed: let the constraint catch what breaks before it is measured.",
        ),
        (
            view.refused > 0 and 2 * view.refused >= cycles,
            "Many turns were refused, for files outside the assets or too much at once: say so in the rules.",
        ),
        (
            view.stop_reason == "no_change" or view.no_change > cycles,
            "The agent changes nothing: say in the rules what it may change, and give it ideas.",
        ),
        (
            view.kept > 0 and unsure,
            "The gain is within noise: take more samples, or a steadier metric command.",
        ),
        (
            view.improvement_pct is not None and view.improvement_pct >= LARGE_PCT and not unsure,
            "A large gain: `ar finalize plan` makes branches of it that tell the measurements.",
        ),
        (
            view.stop_reason in ("discards", "failures"),
            "Diminishing returns: look to the architecture beyond the assets.",
        ),
        (
            view.stop_reason in ("max_cycles", "time_limit") and view.kept > 0,
            "A limit ended it, not the search: raise it (`ar init --max-cycles N --time-limit N`).",
        ),
        (
            view.stop_reason == "target",
            "The target is reached: merge what was kept, or set the next (`ar init --target N`).",
        ),
        (
            view.kept == 0 and cycles > 0,
            "Nothing was kept: check that the metric moves when the assets change, or widen them.",
        ),
        (cycles == 0, "No cycle was run yet: `ar brief` tells an agent how to begin."),
    )
    told = [words for holds, words in found if holds]
    return told or ["Go on, or make branches of what was kept: `ar finalize plan`."]


def _number(value: object, unit: str | None = None) -> str:
    return one_line(number(value, unit), 60)


def _percent(value: float) -> str:
    return f"{value:+.1f}%" if abs(value) < 1e6 else f"{value:+.1e}%"


def _code(value: str) -> str:
    """A path or a commit as code in a cell; without backticks, which would end it."""
    return f"`{one_line(value, 400).replace('`', chr(39))}`".replace("|", "\\|")


def _safe(words: str) -> str:
    """Words without what Markdown or HTML would make of them."""
    return "".join(f"\\{c}" if c in "\\`*_[]<>|&#!~$" else c for c in words)

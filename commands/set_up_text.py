"""What `ar init` tells, as text and as its JSON document. Pure but for colour."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from commands.bearings import Standing
from commands.effects.firing import fire_document
from commands.effects.initialising import Initialised
from commands.effects.preconditions import Check
from commands.errors import BadInputError
from commands.output import near, paint
from commands.render import escape, number, pairs
from commands.summaries import summary
from eventstore.events import Config, Event, type_of
from reducers.budget import budget
from reducers.session import session

if TYPE_CHECKING:
    from hooks.runner import Fired

__all__ = ["document", "refusal", "told"]

_STYLES = {"ok": "green", "warn": "yellow", "failed": "red"}


def document(done: Initialised, fired: Sequence[Fired]) -> dict[str, Any]:
    """The JSON document: what was appended, where the session then stands, what was checked, the hooks."""
    if done.appended is None or done.look is None:
        return {"config": None, "checks": done.checks}
    written: dict[str, Event] = {type_of(event): event for event in done.appended.events}
    checks = {"checks": done.checks} if done.checks else {}
    return {
        "seq": done.look.seq,
        "head": done.look.head,
        "log": str(done.log.path),
        "config": written.get("config"),
        "settings": written.get("settings"),
        "segment": done.look.view["segment"],
        "damaged_lines": list(done.look.damaged),
        **checks,
        "hooks": [fire_document(each) for each in fired],
    }


def refusal(failed: Check) -> BadInputError:
    """The error for a check that failed."""
    return BadInputError(f"{failed.name}: {failed.detail}; nothing was started", failed.remedy)


def told(done: Initialised) -> str:
    """What was done, or why it was not, for people."""
    if done.checks:
        standing = "" if done.appended is None else _standing(done.standing, done.log.path)
        return _checks(done.checks) + standing
    shown = near(done.log.path)
    if done.appended is None or done.look is None or not done.appended.events:
        return f"nothing new: {escape(shown)} says so already\n"
    rows = [(type_of(event), summary(event)) for event in done.appended.events]
    rows.append(("log", f"{escape(shown)}, line {done.appended.head.seq}"))
    if done.before.runs and done.begun:
        rows.append(("segment", f"{done.look.view['segment']} begins: baseline and best are counted anew"))
    return pairs(rows)


def _checks(checks: Sequence[Check]) -> str:
    """The preconditions as a list: state, name, what was found."""
    width = max(len(check.name) for check in checks)
    lines = []
    for check in checks:
        state = paint(check.state.ljust(6), _STYLES[check.state])
        more = f" ({check.remedy})" if check.state == "warn" else ""
        lines.append(f"{state}  {check.name.ljust(width)}  {escape(check.detail + more)}\n")
    return "".join(lines)


def _standing(standing: Standing, log: Path) -> str:
    """The summary of a session that has just begun, line by line."""
    view, limits = session.view(standing.session), budget.view(standing.budget)
    config = standing.configured.config or Config()
    minutes = limits.time_limit_minutes
    commit = view.last_run.commit if view.last_run else None
    measured = f"{number(view.baseline_metric, view.metric_unit)}, {view.direction} is better"
    rows = [
        ("baseline", f"{measured} (run {view.baseline_run}, commit {escape(commit or '-')})"),
        ("metric", f"{escape(view.metric_name or '-')}: {escape(config.measure or '-')}"),
        ("constraint", escape(config.constraint or "none")),
        ("assets", escape(", ".join(config.assets))),
        ("cycles", "no limit" if limits.max_cycles is None else f"{number(limits.max_cycles)} at most"),
        ("time limit", "none" if minutes is None else f"{number(minutes)} minutes"),
    ]
    if limits.target is not None:
        rows.append(("target", number(limits.target, view.metric_unit)))
    if view.segment:
        rows.append(("segment", f"{view.segment} begins: baseline and best are counted anew"))
    rows.append(("log", f"{escape(near(log))}, line {standing.after.seq}"))
    return pairs(rows)

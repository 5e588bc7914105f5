"""What `ar init` tells of a session that is measured. Pure but for colour."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from commands.bearings import Standing
from commands.effects.preconditions import Check
from commands.output import paint
from commands.render import escape, number, pairs
from eventstore.events import Config
from reducers.budget import budget
from reducers.session import session

__all__ = ["told_checks", "told_standing"]

_STYLES = {"ok": "green", "warn": "yellow", "failed": "red"}


def told_checks(checks: Sequence[Check]) -> str:
    """The preconditions as a list: state, name, what was found."""
    width = max(len(check.name) for check in checks)
    lines = []
    for check in checks:
        state = paint(check.state.ljust(6), _STYLES[check.state])
        more = f" ({check.remedy})" if check.state == "warn" else ""
        lines.append(f"{state}  {check.name.ljust(width)}  {escape(check.detail + more)}\n")
    return "".join(lines)


def told_standing(standing: Standing, log: Path) -> str:
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
    rows.append(("log", f"{escape(os.path.relpath(log))}, line {standing.after.seq}"))
    return pairs(rows)

"""The table of benchmarks, for people and for programs."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from typing import Any

import msgspec

from tests.benchmarks.measuring import Budget, Row

__all__ = ["document", "machine", "table"]

HEADINGS = ("name", "work", "measured", "budget", "against", "verdict")


def machine() -> dict[str, Any]:
    """What the numbers were measured on: cores, Python, system, versions."""
    import os

    return {
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        "msgspec": msgspec.__version__,
    }


def document(rows: Sequence[Row], events: int) -> dict[str, Any]:
    """The JSON document of a run: the machine, the events in the big log, and the rows with verdicts."""
    return {
        "machine": machine(),
        "events": events,
        "rows": [{**msgspec.to_builtins(row), "verdict": row.verdict} for row in rows],
    }


def table(rows: Sequence[Row]) -> str:
    """The rows as a table of Markdown, its columns aligned."""
    cells = [HEADINGS, *(_cells(row) for row in rows)]
    widths = [max(len(row[column]) for row in cells) for column in range(len(HEADINGS))]
    lines = [_line(row, widths) for row in cells]
    lines.insert(1, _line(["-" * width for width in widths], widths))
    return "\n".join(lines) + "\n"


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    return "| " + " | ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)) + " |"


def _cells(row: Row) -> tuple[str, ...]:
    budget = "" if row.budget is None else _budget(row.budget, row.unit)
    if row.remark:
        budget = f"{budget} ({row.remark})"
    return (row.name, row.work, _measured(row), budget, row.against, row.verdict)


def _measured(row: Row) -> str:
    shown = _amount(row.measured, row.unit)
    if row.unit == "x" and row.ours is not None and row.reference is not None:
        shown += f" ({_seconds(row.ours)} / {_seconds(row.reference)})"
    return shown


def _budget(budget: Budget, unit: str) -> str:
    return f"{'≤' if budget.sense == '<=' else '≥'} {_amount(budget.value, unit, exact=True)}"


def _amount(value: float, unit: str, *, exact: bool = False) -> str:
    digits = f"{value:g}" if exact else f"{value:.2f}" if unit == "x" else f"{value:.1f}"
    return f"{digits} {'µs' if unit == 'us' else '×' if unit == 'x' else unit}"


def _seconds(value: float) -> str:
    if value >= 1:
        return f"{value:.2f} s"
    return f"{value * 1e3:.1f} ms" if value >= 1e-3 else f"{value * 1e6:.0f} µs"

"""Views as text for people: `session` in words of its own, every other by its shape. Pure.

Lists of objects become tables, objects within objects are indented, recorded events take one line.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from commands.paths import MISSING, Change
from commands.render import ABSENT, Column, delta, duration, escape, number, pairs, table, when
from commands.summaries import summary
from eventstore.lines import decode_line
from eventstore.timestamps import epoch_ms
from reducers.wording import significance

__all__ = [
    "STATUS_STYLES",
    "STATUS_WORDS",
    "Block",
    "TableBlock",
    "TextBlock",
    "blocks_of",
    "field",
    "short",
    "significance",
    "text_of",
    "told_change",
    "told_confidence",
    "value_of",
]

STATUS_WORDS = {"keep": "KEPT", "discard": "DISCARDED", "crash": "CRASHED", "checks_failed": "CHECKS FAILED"}
"""How the report of a run calls its verdict."""

STATUS_STYLES = {"keep": "green", "discard": "yellow", "crash": "red", "checks_failed": "red"}
"""Colours of the statuses of a run."""


class TextBlock(msgspec.Struct, frozen=True):
    """Text that ends with a newline."""

    text: str


class TableBlock(msgspec.Struct, frozen=True):
    """A table."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[str, ...], ...]


Block = TextBlock | TableBlock


def text_of(blocks: Sequence[Block]) -> str:
    """Blocks as plain text, nothing cut."""
    return "".join(
        table(block.columns, block.rows) if isinstance(block, TableBlock) else block.text for block in blocks
    )


def blocks_of(name: str, view: Any) -> list[Block]:
    """What is shown of a view, given as plain values."""
    special = _SPECIAL.get(name)
    if special is not None and isinstance(view, dict):
        return special(view)
    if isinstance(view, dict):
        return _object(view)
    if isinstance(view, list):
        return _list("", view)
    return [TextBlock(short(view) + "\n")]


def _object(view: dict[str, Any]) -> list[Block]:
    """The plain fields as pairs, then each list of objects as a table under its name."""
    rows = [(label(name), field(name, value)) for name, value in view.items() if not _is_table(value)]
    blocks: list[Block] = [TextBlock(pairs(rows))] if rows else []
    for name, value in view.items():
        if _is_table(value):
            if blocks:
                blocks.append(TextBlock("\n"))
            blocks += _list(label(name) if len(view) > 1 else "", value)
    return blocks


def _is_table(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(item, dict) for item in value)


def _list(heading: str, items: Sequence[Any]) -> list[Block]:
    blocks: list[Block] = [TextBlock(f"{heading}\n")] if heading else []
    if not items:
        return [*blocks, TextBlock("none\n")]
    if not _is_table(items):
        return [*blocks, TextBlock("".join(f"{short(item)}\n" for item in items))]
    names = list(dict.fromkeys(name for item in items for name in item))
    names = [name for name in names if any(item.get(name) not in (None, "", [], {}) for item in items)]
    columns = tuple(
        Column(
            label(name),
            right=all(_is_number(item.get(name)) for item in items),
            flexible=any(isinstance(item.get(name), str) for item in items),
            styles=STATUS_STYLES if name == "status" else {},
        )
        for name in names
    )
    rows = tuple(tuple(field(name, item.get(name)) for name in names) for item in items)
    return [*blocks, TableBlock(columns, rows)]


def _is_number(value: Any) -> bool:
    return value is None or type(value) in (int, float)


_MOMENTS = frozenset(
    ("timestamp", "until", "since", "expires", "last_seen", "last_progress", "last_nudge", "last_restart")
)


def field(name: str, value: Any) -> str:
    """A field's value in one line: times as such, `_pct` and `_ms` with units, all else by its shape."""
    if type(value) in (int, float):
        if name in _MOMENTS or name.endswith("_at"):
            ms = epoch_ms(value)
            return number(value) if ms is None else when(ms)
        if name.endswith("_pct"):
            return f"{value:+.1f}%"
        if name.endswith("_ms"):
            return duration(value / 1000)
    return short(value)


def label(name: str) -> str:
    """A field's name for people: `best_metric` is `best metric`; a unit that the value shows is left out."""
    return escape(name.removesuffix("_ms").removesuffix("_pct").replace("_", " "))


def short(value: Any) -> str:
    """A plain value in one line, escaped: an event by its summary, objects and lists by their items."""
    if value is None or value == "" or value == {} or value == []:
        return ABSENT
    if isinstance(value, bool):
        return "yes" if value else "no"
    if type(value) in (int, float):
        return number(value)
    if isinstance(value, str):
        return escape(value)
    if isinstance(value, dict):
        if isinstance(value.get("type"), str):
            kind = "" if value["type"] == "run" else f"{escape(value['type'])} "
            return kind + summary(decode_line(msgspec.json.encode(value)))
        return ", ".join(f"{escape(str(k))} {short(v)}" for k, v in value.items())
    if isinstance(value, list):
        return ", ".join(short(item) for item in value)
    return escape(str(value))


def value_of(value: Any) -> str:
    """A field's value in a sentence: null and absent are told apart."""
    special = "absent" if value is MISSING else "null" if value is None else '""' if value == "" else ""
    return special or short(value)


def told_change(change: Change) -> str:
    """A change in one line: `best_metric: 44.4 -> 38.9`."""
    return f"{escape(change.path) or 'it'}: {value_of(change.before)} -> {value_of(change.after)}"


def told_confidence(confidence: float | None) -> str:
    """A confidence with what it means: `2.6, likely real`; empty where there is none."""
    return "" if confidence is None else f"{confidence:.1f}, {significance(confidence)}"


def _session(view: dict[str, Any]) -> list[Block]:
    """Where a session stands, the way one would tell it."""
    unit = view["metric_unit"]
    rows = [("goal", short(view["goal"]))]
    if view["metric_name"] is not None:
        named = escape(view["metric_name"]) + (f" ({escape(unit)})" if unit else "")
        rows.append(("metric", f"{named}, {view['direction']} is better"))
        rows.append(("baseline", _mark(view["baseline_metric"], view["baseline_run"], unit)))
        change = _change(view["baseline_metric"], view["best_metric"])
        rows.append(("best", _mark(view["best_metric"], view["best_run"], unit) + change))
        if view["confidence"] is not None:
            rows.append(("confidence", told_confidence(view["confidence"])))
    runs = f"{view['run_count']}"
    if view["segment"]:
        runs += f", {view['segment_run_count']} of them in segment {view['segment']}"
    statuses = ", ".join(f"{count} {escape(status)}" for status, count in view["statuses"].items())
    rows.append(("runs", f"{runs} ({statuses})" if statuses else runs))
    if view["last_run"] is not None:
        rows.append(("last run", short(view["last_run"])))
    rows += [(escape(name), _secondary(value)) for name, value in view["secondary"].items()]
    return [TextBlock(pairs(rows))]


def _change(before: Any, after: Any) -> str:
    """`, -12.4%`; empty where there is no change to tell."""
    if type(before) not in (int, float) or type(after) not in (int, float) or before == after:
        return ""
    change = delta(before, after)
    return "" if change == ABSENT else f", {change}"


def _mark(metric: Any, run: int | None, unit: str | None) -> str:
    return ABSENT if metric is None else f"{number(metric, unit)} (run {run})"


def _secondary(value: dict[str, Any]) -> str:
    first, best, unit = value["baseline"], value["best"], value["unit"]
    if best is None or best == first:
        return number(first, unit)
    return f"{number(first)} -> {number(best, unit)}{_change(first, best)}"


def _runs(view: dict[str, Any]) -> list[Block]:
    """One row a run; its segment only where there are several, its `asi` and the like left to `show`."""
    rows = view["runs"]
    if not rows:
        return [TextBlock("no runs\n")]
    has_segments = any(row["segment"] for row in rows)
    columns = [
        Column("run", right=True),
        *([Column("segment", right=True)] if has_segments else []),
        Column("status", styles=STATUS_STYLES),
        Column("metric", right=True),
        Column("change", right=True),
        Column("best"),
        Column("description", flexible=True),
    ]
    cells_of = [
        (
            number(row["run"]),
            *([number(row["segment"])] if has_segments else []),
            short(row["status"]),
            number(row["metric"]),
            field("delta_pct", row["delta_pct"]),
            "*" if row["new_best"] else "",
            short(row["description"]),
        )
        for row in rows
    ]
    return [TableBlock(tuple(columns), tuple(cells_of))]


_SPECIAL: dict[str, Callable[[dict[str, Any]], list[Block]]] = {"session": _session, "runs": _runs}

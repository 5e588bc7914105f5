"""`ar tasks`: every task below a directory in one table."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from commands.effects.tasks import Task, looks, tasks_under
from commands.effects.views import Look
from commands.options import examples, json_option
from commands.output import color_on, emit, emit_json, emit_table, is_terminal, warn
from commands.render import ABSENT, Column, escape, number, when
from commands.verb import Verb

__all__ = ["tasks_cmd"]

POLL_SECONDS = 1.0
"""How often `--follow` looks again, seconds."""

_STYLES = {"stuck": "red", "stalled": "yellow", "overdue": "red", "alive": "green", "unreadable": "red"}
_COLUMNS = (
    Column("task"),
    Column("state", styles=_STYLES),
    Column("best", right=True),
    Column("stale", right=True),
    Column("last seen"),
    Column("flags", flexible=True),
)

Row = tuple[Task, Look | None]


@click.command(
    "tasks",
    cls=Verb,
    epilog=examples("ar tasks ~/work", "ar tasks . --follow", "ar tasks . --json | jq -r '.tasks[].task'"),
)
@click.argument("root", metavar="[ROOT]", default=".")
@click.option("--follow", is_flag=True, help="Show it again whenever it changes, until interrupted.")
@json_option
def tasks_cmd(root: str, follow: bool, as_json: bool) -> None:
    """Show every task below a directory in one table.

    A task is a folder with a session of its own; that of ROOT (the working directory if left out) belongs to
    its guardians. State: why it stopped, or how the worst off of its loops is, and the status it was given;
    last seen: its last event, guardians' apart. With --follow and --json, one JSON document a line.
    """
    top = Path(root)
    shown: list[dict[str, Any]] | None = None
    told: set[str] = set()
    while True:
        rows = list(looks(tasks_under(top)))
        told |= _tell(rows, told)
        documents = [_document(*row) for row in rows]
        if documents != shown and not _show(root, rows, documents, as_json, first=shown is None):
            return
        if not follow:
            return
        shown = documents
        time.sleep(POLL_SECONDS)


def _show(
    root: str, rows: Sequence[Row], documents: list[dict[str, Any]], as_json: bool, *, first: bool
) -> bool:
    """Puts the table on the screen; False when nobody reads it any more."""
    if as_json:
        return emit_json({"root": root, "tasks": documents})
    if is_terminal() and color_on() and not first and not emit("\x1b[H\x1b[J"):
        return False
    if not first and not is_terminal() and not emit("\n"):
        return False
    if not rows:
        return emit(f"no task below {escape(root)}\n")
    return emit_table(_COLUMNS, [_cells(*row) for row in rows])


def _document(task: Task, look: Look | None) -> dict[str, Any]:
    """A task's JSON: its overview with `task`, `log`, `seq`, `problem` and `damaged_lines` around."""
    log = None if task.session is None else str(task.session.log)
    around = {"task": task.name, "log": log, "problem": task.problem}
    if look is None:
        return {**around, "state": "unreadable", "flags": [], "damaged_lines": []}
    return {**around, **look.view, "seq": look.seq, "damaged_lines": list(look.damaged)}


def _cells(task: Task, look: Look | None) -> tuple[str, ...]:
    name = escape(task.name)
    if look is None:
        return (name, "unreadable", ABSENT, ABSENT, ABSENT, escape(task.problem or ""))
    view = look.view
    reason, status = view["stop_reason"], view["status"]
    state = f"{view['state']}: {escape(reason)}" if reason else str(view["state"])
    state += f" ({escape(status)})" if status else ""
    return (
        name,
        state,
        number(view["best_metric"], view["metric_unit"]),
        str(view["stale_count"]),
        when(view["last_seen"]),
        " ".join(map(escape, view["flags"])) or ABSENT,
    )


def _tell(rows: Sequence[Row], told: set[str]) -> set[str]:
    """Says on stderr what is wrong with a task, each thing once; what was said now."""
    wrong = {f"{task.name}: {task.problem}" for task, _ in rows if task.problem}
    wrong |= {
        f"{task.name}: line {', '.join(map(str, look.damaged[:10]))} is damaged and not part of what is shown"
        for task, look in rows
        if look is not None and look.damaged
    }
    for line in sorted(wrong - told):
        warn(line)
    return wrong

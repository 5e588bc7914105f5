"""`ar measure`: one measurement against the best so far, for scripts that drive a loop by themselves.

A drop-in for the first AutoResearch skill's `measure_cycle.py`: its flags, its JSON object, its exit codes
and its table (design, section 6.1). It needs no session and touches no log of ours.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from commands.effects.measuring import Measurement, Plan, measure
from commands.effects.results import TableError, add_row, check_table, next_cycle
from commands.measuring_progress import Progress
from commands.options import examples
from commands.output import emit_json
from eventstore.store import now_ms
from reducers.policies.results_tsv import CONSTRAINT_FAIL
from reducers.policies.verdict import Verdict, judge

__all__ = ["measure_cmd"]

FAILED = 2
"""The exit code of a measurement that gave no number."""


@click.command(
    "measure",
    epilog=examples(
        "ar measure --metric 'bash bench.sh' --direction lower",
        "ar measure --metric 'bash bench.sh' --direction lower --best 41.2 \\",
        "           --constraint 'pytest -q' --cycle 3 --change 'cache the parser'",
    ),
)
@click.option("--metric", "command", metavar="CMD", required=True, help="The command that prints the number.")
@click.option(
    "--direction", type=click.Choice(["lower", "higher"]), required=True, help="Which way is better."
)
@click.option(
    "--runs",
    type=click.IntRange(1),
    metavar="N",
    default=3,
    show_default=True,
    help="Samples; their median counts.",
)
@click.option(
    "--best", type=float, metavar="NUMBER", help="The best so far; without it this is the baseline."
)
@click.option("--constraint", metavar="CMD", help="Must succeed before a change is measured.")
@click.option(
    "--cycle", type=click.IntRange(0), metavar="N", help="The cycle's number. [after the table's last]"
)
@click.option("--change", default="", metavar="TEXT", help="What was changed, in words.")
@click.option(
    "--log",
    "table",
    type=click.Path(dir_okay=False, path_type=Path),
    default=Path("autoresearch-results.tsv"),
    show_default=True,
    help="The table that gets a row.",
)
@click.option(
    "--timeout",
    metavar="SECONDS",
    type=click.FloatRange(0, min_open=True),
    default=600.0,
    show_default=True,
    help="For one sample.",
)
@click.option(
    "--constraint-timeout",
    metavar="SECONDS",
    type=click.FloatRange(0, min_open=True),
    default=300.0,
    show_default=True,
    help="For the constraint.",
)
def measure_cmd(
    command: str,
    direction: str,
    runs: int,
    best: float | None,
    constraint: str | None,
    cycle: int | None,
    change: str,
    table: Path,
    timeout: float,
    constraint_timeout: float,
) -> None:
    """Measure once and judge, without a session.

    Runs the metric command, takes the median, compares it with the best so far, adds a row to a table and
    prints one JSON object. A failed command or no number: "ok" is false, the exit code 2, nothing is added.
    """
    if best is not None and not abs(best) < float("inf"):
        raise click.BadParameter(f"{best} is not a finite number", param_hint="'--best'")
    baseline = best is None
    try:
        check_table(table)
        number = 0 if baseline else next_cycle(table) if cycle is None else cycle
    except TableError as error:
        _fail({"cycle": cycle or 0, "change": change, "error": str(error)})
    plan = Plan(
        command,
        constraint=None if baseline else constraint,
        samples=runs,
        sample_seconds=timeout,
        constraint_seconds=constraint_timeout,
    )
    with Progress() as progress:
        found = measure(plan, cwd=Path.cwd(), told=progress.tell)
    if found.median is None and found.constraint_ok:
        _fail({**_head(number, change or ("baseline" if baseline else "")), **_failure(found)})
    judged = judge(
        found.median, direction, best=best, constraint_ok=found.constraint_ok, failure=found.reason
    )
    verdict = "BASELINE" if baseline else "KEPT" if judged.status == "keep" else "DISCARDED"
    after = CONSTRAINT_FAIL if found.median is None else found.median
    told = change or ("baseline" if baseline else "")
    try:
        add_row(table, now_ms(), number, told, best, after, verdict)
    except TableError as error:
        _fail({**_head(number, told), "error": str(error)})
    emit_json(
        {"ok": True, **_head(number, told), **_outcome(found, judged, best, verdict), "log": str(table)}
    )


def _head(cycle: int, change: str) -> dict[str, Any]:
    return {"cycle": cycle, "change": change}


def _outcome(found: Measurement, judged: Verdict, best: float | None, verdict: str) -> dict[str, Any]:
    """What a measurement came to, in the keys of the drop-in; those that do not apply are left out."""
    shown: dict[str, Any] = {
        "samples": list(found.samples),
        "median": found.median,
        "best_before": best,
        "best_after": judged.best_after,
        "verdict": verdict,
        "change_pct": judged.change_pct,
        "reason": judged.reason,
    }
    if found.constraint_exit is not None:
        shown["constraint_exit"] = found.constraint_exit
    return shown


def _failure(found: Measurement) -> dict[str, Any]:
    shown: dict[str, Any] = {"samples": list(found.samples), "reason": found.reason, "error": found.error}
    if found.constraint_exit is not None:
        shown["constraint_exit"] = found.constraint_exit
    if found.output_tail:
        shown["output_tail"] = found.output_tail
    return shown


def _fail(document: dict[str, Any]) -> Any:
    emit_json({"ok": False, **document})
    raise click.exceptions.Exit(FAILED)

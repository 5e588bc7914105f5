"""`ar log`: records a run that somebody measured and judged, numbered under the lock."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from commands.context import Call
from commands.effects.entering import Entered, enter_run
from commands.effects.firing import fire_document, fire_for_run, told_steers
from commands.effects.own_runs import told_moved
from commands.given import finite
from commands.options import by_option, examples, json_option
from commands.output import emit, emit_json, paint
from commands.pairs import json_value, loose_value, parse_pairs
from commands.render import ABSENT, delta, escape, number
from commands.verb import Verb
from commands.viewtext import STATUS_STYLES, STATUS_WORDS, told_confidence
from eventstore.events import Run

if TYPE_CHECKING:
    from hooks.runner import Fired

__all__ = ["STATUSES", "document", "log_cmd", "told"]

STATUSES = ("keep", "discard", "crash", "checks_failed")


@click.command(
    "log",
    cls=Verb,
    epilog=examples(
        "ar log --status keep --metric 38.9 -m 'arena allocator'",
        "ar log --status discard --metric 41 -m 'larger pages' --metrics rss_kb=5120",
        "ar log --status crash -m 'unrolled loop' --asi learned='needs AVX2'",
    ),
)
@click.option("--status", type=click.Choice(STATUSES), required=True, help="What it came to.")
@click.option("--metric", metavar="NUMBER", help="The measured value; left out if there is none.")
@click.option("-m", "--description", metavar="TEXT", required=True, help="What was tried.")
@click.option("--metrics", metavar="NAME=NUMBER", multiple=True, help="A secondary metric; repeatable.")
@click.option(
    "--asi",
    metavar="KEY=VALUE",
    multiple=True,
    help="What successors should know, such as learned=...; repeatable.",
)
@click.option("--commit", metavar="ID", help="The commit it was measured at; git's HEAD if left out.")
@click.option("--direction", metavar="TEXT", help="The direction of the search that it belongs to.")
@click.option("--duration", metavar="SECONDS", help="How long it took.")
@click.option("--reason", metavar="WORD", help="Why it was judged so: no_metric, timed_out, ...")
@click.option(
    "--id", "key", metavar="KEY", help="Idempotency key: a second log of the same is no second run."
)
@click.option("--force", is_flag=True, help="Allow a secondary metric that the segment does not have yet.")
@by_option
@json_option
@click.pass_obj
def log_cmd(
    call: Call,
    status: str,
    metric: str | None,
    description: str,
    metrics: tuple[str, ...],
    asi: tuple[str, ...],
    commit: str | None,
    direction: str | None,
    duration: str | None,
    reason: str | None,
    key: str | None,
    force: bool,
    by: str | None,
    as_json: bool,
) -> None:
    """Record a run that you measured and judged yourself.

    It gets the next number, its segment and the session's confidence at the moment it is written. --metrics
    and --asi also take one JSON object. Refused (exit 3) once the segment has as many runs as max_iterations
    allows, and (exit 2) a keep while .auto/checks.sh fails.

    In a repository, where the session has assets: a keep commits their changes; for any other status their
    changes are saved in .auto/rejected/run-N and undone, once the run is recorded.
    """
    run = Run(
        run=1,
        commit=commit,
        metric=None if metric is None else finite("--metric", metric),
        metrics=_fields("metrics", metrics),
        status=status,
        description=description,
        asi=_fields("asi", asi),
        reason=reason,
        direction=direction,
        duration_seconds=None if duration is None else finite("--duration", duration),
        id=key,
    )
    entered = enter_run(call, run, by, new_metrics=force)
    if not as_json:
        emit(told(entered))
    fired = fire_for_run(entered.place, entered.log, entered.appended.seqs[-1]) if entered.is_new else []
    if as_json:
        emit_json(document(entered, fired))
    else:
        emit(told_steers(fired))


def _fields(name: str, words: tuple[str, ...]) -> dict[str, Any]:
    """`key=value` words, or one JSON object. Numbers among the values are numbers. Raises BadInputError."""
    if len(words) == 1 and words[0].lstrip().startswith("{"):
        found = json_value(name, words[0])
        return found if isinstance(found, dict) else {}
    return parse_pairs(words, loose_value if name == "metrics" else lambda _, text: text)


def document(entered: Entered, fired: Sequence[Fired] = ()) -> dict[str, Any]:
    """The JSON document: the run as it stands in the log, where the session stands after it, the hooks."""
    appended = entered.appended
    return {
        "seq": appended.seqs[-1],
        "head": str(appended.head),
        "written": appended.written,
        "event": entered.run,
        "session": entered.after,
        "mended": list(appended.mended),
        "hooks": [fire_document(each) for each in fired],
        "git": entered.moved,
    }


def told(entered: Entered) -> str:
    """What a person wants to see of a recorded run: its verdict, the change, where the session stands."""
    run, before, after = entered.run, entered.before, entered.after
    if not entered.is_new:
        return f"run {run.run} is line {entered.appended.seqs[-1]} already\n"
    unit = after.metric_unit
    verdict = paint(STATUS_WORDS.get(run.status, run.status), STATUS_STYLES.get(run.status, "bold"), "bold")
    reference = before.baseline_metric if before.best_metric is None else before.best_metric
    line = f"Run {run.run}: {verdict} -- {escape(run.description)}"
    if type(run.metric) in (int, float):
        if run.status == "crash" or before.segment_run_count == 0 or reference is None:
            line += f" ({number(run.metric, unit)})"
        else:
            change = delta(reference, run.metric)  # type: ignore[arg-type]
            percent = "" if change == ABSENT else f", {change}"
            line += f" ({number(reference)} -> {number(run.metric, unit)}{percent})"
    if run.reason:
        line += f" [{escape(run.reason)}]"
    standing = []
    if after.best_metric is not None:
        change = delta(after.baseline_metric, after.best_metric)
        percent = "" if change in (ABSENT, "+0.0%") else f", {change}"
        standing.append(f"best {number(after.best_metric, unit)} (run {after.best_run}{percent})")
    if after.baseline_metric is not None:
        standing.append(f"baseline {number(after.baseline_metric, unit)} (run {after.baseline_run})")
    if after.confidence is not None:
        standing.append(f"confidence {told_confidence(after.confidence)}")
    return line + "\n" + ("; ".join(standing) + "\n" if standing else "") + told_moved(entered.moved)

"""`ar cycle`: takes the change that lies in the working tree through commit, measurement and verdict."""

from __future__ import annotations

from typing import Any

import click

from commands.context import Call
from commands.effects.cycle_call import Closed, Ended, Idle, Wanted, cycles
from commands.effects.cycling import Outcome
from commands.effects.firing import fire_document, told_steers
from commands.measuring_progress import Progress
from commands.options import by_option, examples, json_option
from commands.output import emit, emit_json, paint, warn
from commands.pairs import parse_pairs
from commands.render import ABSENT, delta, escape, number
from commands.verb import Verb
from commands.viewtext import STATUS_STYLES, STATUS_WORDS

__all__ = ["cycle_cmd", "document", "told", "unit_of"]

_MEASURED = ("improved", "worse", "equal")
"""Reasons that the figures tell by themselves."""


@click.command(
    "cycle",
    cls=Verb,
    epilog=examples(
        "ar cycle -m 'cache the parser'",
        "ar cycle -m 'arena allocator' --hypothesis 'fewer mallocs' --direction heap",
        "ar cycle --resume",
    ),
)
@click.option("-m", "--description", metavar="TEXT", help="What was changed. [the last proposal's]")
@click.option("--hypothesis", metavar="TEXT", help="Why it should help.")
@click.option("--direction", metavar="TEXT", help="The direction of the search that it belongs to.")
@click.option("--asi", metavar="KEY=VALUE", multiple=True, help="What successors should know; repeatable.")
@click.option("--resume", is_flag=True, help="Finish the cycle that was interrupted; begin none.")
@click.option(
    "--allow-dirty", is_flag=True, help="What changed outside the assets is yours, and stays as it is."
)
@click.option(
    "--git-hooks", is_flag=True, help="Let your git hooks see the commit, and sign it, as configured."
)
@by_option
@json_option
@click.pass_obj
def cycle_cmd(
    call: Call,
    description: str | None,
    hypothesis: str | None,
    direction: str | None,
    asi: tuple[str, ...],
    resume: bool,
    allow_dirty: bool,
    git_hooks: bool,
    by: str | None,
    as_json: bool,
) -> None:
    """Measure the change that lies in the working tree, and keep it or prove it gone.

    Commits the changed files inside the assets, runs the constraint and the metric command, and keeps the
    commit only if the median is strictly better than the best so far. Anything else is rolled back, and the
    rollback checked. A cycle that was killed is finished first, or by --resume alone.
    """
    wanted = Wanted(
        description,
        hypothesis,
        direction,
        parse_pairs(asi, lambda _, text: text),
        resume,
        allow_dirty,
        git_hooks,
    )
    with Progress() as progress:
        for happened in cycles(call, by, wanted, progress.tell):
            progress.clear()
            if as_json:
                _print_document(happened, resume)
            else:
                _print(happened, resume)


def _print(happened: Ended | Closed | Idle, resume: bool) -> None:
    """Tells people what has happened."""
    if isinstance(happened, Ended):
        outcome = happened.outcome
        emit(told(outcome, unit_of(outcome)))
        if outcome.saved is not None:
            warn(f"files that were changed meanwhile were saved in {outcome.saved}")
        return
    emit(told_steers(happened.fired))
    if isinstance(happened, Idle):
        if resume:
            emit("no cycle is open\n")
    elif happened.stop_reason is not None:
        emit(f"stop rule: {escape(happened.stop_reason)}\n")


def _print_document(happened: Ended | Closed | Idle, resume: bool) -> None:
    """Prints the one document of a call: that of the cycle it was about."""
    if isinstance(happened, Closed) and happened.resumed == resume:
        emit_json(document(happened))
    elif isinstance(happened, Idle) and resume:
        emit_json({"cycle": None, "hooks": [fire_document(each) for each in happened.fired]})


def unit_of(outcome: Outcome) -> str | None:
    """The unit of a cycle's metric; None if it has none."""
    config = outcome.standing.configured.config
    return config.metricUnit if config else None


def told(outcome: Outcome, unit: str | None) -> str:
    """The report of a cycle: `Cycle N: KEPT -- description (before -> after, pct%)`."""
    run = outcome.run
    verdict = paint(STATUS_WORDS.get(run.status, run.status), STATUS_STYLES.get(run.status, "bold"), "bold")
    line = f"Cycle {outcome.cycle}: {verdict} -- {escape(run.description)}"
    if isinstance(run.metric, int | float) and outcome.before is not None:
        change = delta(outcome.before, run.metric)
        percent = "" if change == ABSENT else f", {change}"
        line += f" ({number(outcome.before)} -> {number(run.metric, unit)}{percent})"
    if run.reason and run.reason not in _MEASURED:
        line += f" [{escape(run.reason)}]"
    return f"{line}\n"


def document(closed: Closed) -> dict[str, Any]:
    """The JSON document: the cycle, its run, its rollback, what stops the loop, what hooks said."""
    outcome = closed.outcome
    run = outcome.run
    return {
        "cycle": outcome.cycle,
        "run": run.run,
        "seq": outcome.seq,
        "status": run.status,
        "reason": run.reason,
        "description": run.description,
        "commit": run.commit,
        "before": outcome.before,
        "metric": run.metric,
        "metrics": run.metrics,
        "confidence": run.confidence,
        "reverted": outcome.reverted,
        "saved": outcome.saved,
        "stopped": outcome.stopped,
        "stop_reason": closed.stop_reason,
        "hooks": [fire_document(each) for each in closed.fired],
    }

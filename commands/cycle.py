"""`ar cycle`: takes the change that lies in the working tree through commit, measurement and verdict."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from commands.bearings import Standing
from commands.context import Call
from commands.effects.cycling import Attempt, Ground, Outcome, begin, finish, ground_of, take_bearings
from commands.effects.firing import fire_document, told_steers
from commands.effects.owed import fire_closed, fire_owed
from commands.effects.tree_lock import tree_locked
from commands.errors import BadInputError
from commands.measuring_progress import Progress
from commands.options import by_option, examples, json_option
from commands.output import emit, emit_json, paint, warn
from commands.pairs import parse_pairs
from commands.render import ABSENT, delta, escape, number
from commands.verb import Verb
from commands.viewtext import STATUS_STYLES, STATUS_WORDS
from eventstore.store import now_ms
from reducers.budget import budget

if TYPE_CHECKING:
    from hooks.runner import Fired

__all__ = ["cycle_cmd", "told"]

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
    place = call.session
    if place.layout == "file":
        raise BadInputError("a cycle needs its session, not just a log", "leave --log out, or use -C DIR")
    ground = ground_of(place, call.writer(by))
    given = parse_pairs(asi, lambda _, text: text)
    with tree_locked(place.tree_lock), _told_if_interrupted(ground), Progress() as progress:
        standing = take_bearings(ground.log)
        finished = finish(ground, progress.tell, standing, git_hooks=git_hooks)
        progress.clear()
        if finished is not None:
            standing = _report(ground, finished, as_json, quiet=as_json and not resume)
        else:
            fired = fire_owed(ground)
            if not as_json:
                emit(told_steers(fired))
            if resume:
                _nothing_open(as_json, fired)
        if resume:
            return
        attempt = _attempt(standing, description, hypothesis, direction, given)
        standing = begin(ground, attempt, accept_outside=allow_dirty, since=standing)
        outcome = finish(ground, progress.tell, standing, git_hooks=git_hooks)
        progress.clear()
        if outcome is not None:
            _report(ground, outcome, as_json)


@contextmanager
def _told_if_interrupted(ground: Ground) -> Iterator[None]:
    """Says how a cycle that was left open by Ctrl-C goes on."""
    try:
        yield
    except KeyboardInterrupt:
        opened = take_bearings(ground.log).cycle.open
        if opened is not None:
            warn(f"cycle {opened.cycle} is interrupted; ar cycle --resume finishes it")
        raise


def _attempt(
    standing: Standing,
    description: str | None,
    hypothesis: str | None,
    direction: str | None,
    given: dict[str, Any],
) -> Attempt:
    """What is tried, in the words given or in those of the proposal that no run has answered yet."""
    proposal = standing.intent.proposal
    if description is not None and description.strip():
        return Attempt(description, hypothesis, direction, given)
    if proposal is None:
        raise BadInputError(
            "what was changed is not said", "ar cycle -m 'what I changed', or ar propose first"
        )
    return Attempt(
        proposal.description,
        hypothesis or proposal.hypothesis,
        direction or proposal.direction,
        {**proposal.asi, **given},
    )


def _nothing_open(as_json: bool, fired: Sequence[Fired]) -> None:
    if as_json:
        emit_json({"cycle": None, "hooks": [fire_document(each) for each in fired]})
    else:
        emit("no cycle is open\n")


def _report(ground: Ground, outcome: Outcome, as_json: bool, quiet: bool = False) -> Standing:
    """Fires the hooks of a cycle that has just ended, tells how it went, and gives the standing after it.

    quiet: nothing is printed, for a program wants one document, and that is another cycle's.
    """
    standing = outcome.standing
    config = standing.configured.config
    if not as_json:
        emit(told(outcome, config.metricUnit if config else None))
        if outcome.saved is not None:
            warn(f"files that were changed meanwhile were saved in {outcome.saved}")
    fired = fire_closed(ground, outcome.seq)
    reason = budget.view(standing.budget, now_ms()).stop_reason
    if as_json and not quiet:
        emit_json(_document(outcome, reason, fired))
    elif not as_json:
        emit(told_steers(fired))
        if reason is not None:
            emit(f"stop rule: {escape(reason)}\n")
    return standing


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


def _document(outcome: Outcome, stop_reason: str | None, fired: Sequence[Fired]) -> dict[str, Any]:
    """The JSON document: the cycle, its run, its rollback, what stops the loop, what hooks said."""
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
        "stop_reason": stop_reason,
        "hooks": [fire_document(each) for each in fired],
    }

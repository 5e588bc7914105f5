"""`ar init`: configures a session, a new segment of it, or its limits."""

from __future__ import annotations

from typing import Any

import click

from commands.asking import ask_about_dirt, ask_for_missing, can_ask
from commands.configuring import Wanted
from commands.context import Call
from commands.effects.config_file import limits_of
from commands.effects.firing import activate, told_steers
from commands.effects.ground import take_bearings
from commands.effects.initialising import initialise, let_it_fail
from commands.effects.setting_up import Asked
from commands.errors import BadInputError
from commands.limiting import limit_options, limits_of_options
from commands.measuring_progress import Progress
from commands.options import by_option, examples, json_option
from commands.output import emit, emit_json
from commands.pairs import parse_pairs
from commands.set_up_text import document, refusal, told
from commands.verb import Verb
from eventstore.events import Settings

__all__ = ["init_cmd"]


@click.command(
    "init",
    cls=Verb,
    epilog=examples(
        "ar init 'faster tests' --metric total --unit s --direction lower \\",
        "    --measure 'bash .auto/measure.sh' --constraint 'pytest -q' --asset src",
        "ar init 'faster build' --metric total --unit s --direction lower",
        "ar init 'fewer drops' --metric drops --unit '' --direction lower",
        "ar init 'write the survey' --no-metric --success 'claims have sources'",
        "ar init --max-cycles 80 --time-limit none",
    ),
)
@click.argument("name", metavar="[GOAL]", required=False)
@click.option("--goal", metavar="TEXT", help="The goal, in words; the same as GOAL.")
@click.option("--metric", metavar="NAME", help="The metric's name.")
@click.option("--unit", metavar="TEXT", help="Its unit; '' for a number without one.")
@click.option("--direction", type=click.Choice(["lower", "higher"]), help="Which way is better.")
@click.option("--no-metric", is_flag=True, help="A task without a metric.")
@click.option("--measure", metavar="COMMAND", help="The command whose output holds the metric.")
@click.option(
    "--constraint", metavar="COMMAND", help="The command that must succeed for a change to be kept."
)
@click.option("--asset", "assets", metavar="PATH", multiple=True, help="What may be changed; repeatable.")
@click.option("--samples", type=click.IntRange(1), metavar="N", help="How often a change is measured.")
@click.option(
    "--milestone", "milestones", metavar="TEXT", multiple=True, help="A step on the way; repeatable."
)
@click.option("--success", metavar="TEXT", multiple=True, help="What makes the task done; repeatable.")
@click.option("--new-segment", is_flag=True, help="Begin a new segment with the config as it is.")
@limit_options
@click.option(
    "--threshold", "thresholds", metavar="NAME=N", multiple=True, help="structure, inject or human."
)
@click.option(
    "--timeout", "timeouts", metavar="NAME=SECONDS", multiple=True, help="sample, constraint, hook, agent."
)
@click.option("--metric-pattern", metavar="REGEX", help="Finds the metric in the output; one group.")
@click.option(
    "--harness",
    metavar="PATH",
    multiple=True,
    help="What else measuring relies on; may not change; repeatable.",
)
@click.option("--allow-dirty", is_flag=True, help="What is changed outside the assets is let be.")
@by_option
@json_option
@click.pass_obj
def init_cmd(
    call: Call,
    /,
    name: str | None,
    goal: str | None,
    metric: str | None,
    unit: str | None,
    direction: str | None,
    no_metric: bool,
    measure: str | None,
    constraint: str | None,
    assets: tuple[str, ...],
    samples: int | None,
    milestones: tuple[str, ...],
    success: tuple[str, ...],
    new_segment: bool,
    thresholds: tuple[str, ...],
    timeouts: tuple[str, ...],
    metric_pattern: str | None,
    harness: tuple[str, ...],
    allow_dirty: bool,
    by: str | None,
    as_json: bool,
    **limits: str | None,
) -> None:
    """Configure a session, or a new segment of it.

    The first time, GOAL, --metric, --unit and --direction are demanded, or asked for at a terminal. Again,
    what is named changes, the rest stays, and a new segment begins: baseline and best are counted anew.
    Limits, thresholds, timeouts and the pattern are settings; they never begin a segment.

    With --measure, `ar` measures and judges: --asset says what may be changed, the repository is looked at,
    the constraint run and the metric measured, and only if all is well the session begins, with that as its
    baseline. Without it you measure yourself, and record with `ar log`.
    """
    if name is not None and goal is not None:
        raise BadInputError("the goal is given twice", "ar init GOAL, or --goal TEXT")
    wanted = Wanted(
        name=goal if name is None else name,
        metric=metric,
        unit=unit,
        direction=direction,
        no_metric=no_metric,
        measure=measure,
        constraint=constraint,
        assets=assets,
        samples=samples,
        milestones=milestones,
        success=success,
        new_segment=new_segment,
    )
    settings = Settings(
        limits=limits_of_options(limits),
        thresholds=parse_pairs(thresholds, lambda _, text: _number(text)),
        timeouts=parse_pairs(timeouts, lambda _, text: _number(text)),
        metric_pattern=metric_pattern,
    )
    place = call.session_to_init()
    known = take_bearings(call.writer(by, place)).configured
    can_be_asked = can_ask() and not as_json
    if known.config is None and can_be_asked:
        wanted = ask_for_missing(wanted, place.root)
    asked = Asked(wanted, settings, limits_of(place), harness, allow_dirty)
    resolve = ask_about_dirt if can_be_asked else let_it_fail
    with Progress() as progress:
        done = initialise(call, place, known, asked, by, progress.tell, resolve)
    if not as_json:
        emit(told(done))
    if done.failed is not None:
        if as_json:
            emit_json(document(done, []))
        raise refusal(done.failed)
    fired = activate(place, done.log) if done.begun else []
    if as_json:
        emit_json(document(done, fired))
    else:
        emit(told_steers(fired))


def _number(text: str) -> Any:
    """A number as it is written; anything else stays text, which the door refuses."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text

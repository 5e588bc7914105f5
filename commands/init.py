"""`ar init`: configures a session, a new segment of it, or its limits."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
from msgspec.structs import replace

from commands.asking import ask_about_dirt, ask_for_missing, can_ask
from commands.configuring import (
    KINDS,
    Configured,
    Wanted,
    config_for,
    copied_limits,
    events_of,
    follow_up,
    settings_for,
)
from commands.context import Call
from commands.effects.appending import tell_mended
from commands.effects.beginning import keep_out_of_git, make_room
from commands.effects.config_file import limits_of
from commands.effects.firing import activate, fire_document, told_steers
from commands.effects.ground import take_bearings
from commands.effects.preconditions import Survey, failure_of
from commands.effects.setting_up import Asked, set_up
from commands.effects.views import Look, read_view
from commands.errors import BadInputError
from commands.limiting import limit_options, limits_of_options
from commands.measuring_progress import Progress
from commands.options import by_option, examples, json_option
from commands.output import emit, emit_json
from commands.pairs import parse_pairs
from commands.render import escape, pairs
from commands.set_up_text import told_checks, told_standing
from commands.summaries import summary
from commands.verb import Verb
from eventstore import door
from eventstore.events import Config, Event, Settings, type_of
from eventstore.sessions import Session
from eventstore.store import Appended
from reducers.session import session as session_reducer

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
    session = call.session_to_init()
    known = take_bearings(call.writer(by, session)).configured
    if known.config is None and can_ask() and not as_json:
        wanted = ask_for_missing(wanted, session.root)
    asked = Asked(wanted, settings, limits_of(session), harness, allow_dirty)
    if _is_measured(session, known, asked):
        _set_up(call, session, asked, by, as_json)
    else:
        _init(call, session, asked, by, as_json)


def _is_measured(session: Session, known: Configured, asked: Asked) -> bool:
    """Whether a segment begins that `ar` is to measure. Raises BadInputError for what is missing."""
    if asked.harness and asked.config == Wanted():
        asked = replace(asked, config=Wanted(new_segment=True))
    config = config_for(known, asked.config)
    return config is not None and bool(config.measure) and session.layout != "file"


def _number(text: str) -> Any:
    """A number as it is written; anything else stays text, which the door refuses."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return text


def _init(call: Call, session: Session, asked: Asked, by: str | None, as_json: bool) -> None:
    """Records what was asked for, of a session that is not measured or of its settings."""
    before = Configured()

    def decide(state: Configured) -> Sequence[Event]:
        nonlocal before
        before = state
        copy = copied_limits(state, asked.from_file)
        with_copy = follow_up(state, events_of(copy))
        return events_of(config_for(state, asked.config), copy, settings_for(with_copy, asked.settings))

    if not session.log.exists():
        for event in decide(before):
            door.check(event)  # before anything is made
        make_room(session)
    log = call.writer(by, session)
    appended = log.transact(decide, fold=follow_up, state=before, kinds=KINDS)
    tell_mended(appended)
    keep_out_of_git(session)
    look = read_view(log, session_reducer)
    if not as_json:
        emit(_told(appended, before, look, log.path))
    begun = any(isinstance(event, Config) for event in appended.events)
    fired = activate(session, log) if begun else []
    if as_json:
        emit_json({**_document(appended, look, log.path), "hooks": [fire_document(each) for each in fired]})
    else:
        emit(told_steers(fired))


def _set_up(call: Call, session: Session, asked: Asked, by: str | None, as_json: bool) -> None:
    """Checks, measures and records; nothing is recorded unless all is well."""
    log = call.writer(by, session)
    resolve = ask_about_dirt if can_ask() and not as_json else _let_it_fail
    with Progress() as progress:
        done = set_up(session, log, asked, progress.tell, resolve)
    if not as_json:
        emit(told_checks(done.checks))
    if done.appended is None:
        if as_json:
            emit_json({"config": None, "checks": done.checks})
        failed = failure_of(done.checks) or done.checks[-1]
        raise BadInputError(f"{failed.name}: {failed.detail}; nothing was started", failed.remedy)
    tell_mended(done.appended)
    look = read_view(log, session_reducer)
    if not as_json:
        emit(told_standing(done.standing, log.path))
    fired = activate(session, log)
    if as_json:
        document = _document(done.appended, look, log.path)
        emit_json({**document, "checks": done.checks, "hooks": [fire_document(each) for each in fired]})
    else:
        emit(told_steers(fired))


def _let_it_fail(_: Survey) -> bool:
    return False


def _document(appended: Appended, look: Look, path: Path) -> dict[str, Any]:
    """The JSON document: what was appended, and where the session then stands."""
    written: dict[str, Event] = {type_of(event): event for event in appended.events}
    return {
        "seq": look.seq,
        "head": look.head,
        "log": str(path),
        "config": written.get("config"),
        "settings": written.get("settings"),
        "segment": look.view["segment"],
        "damaged_lines": list(look.damaged),
    }


def _told(appended: Appended, before: Configured, look: Look, path: Path) -> str:
    """What was done, for people."""
    shown = os.path.relpath(path)
    if not appended.events:
        return f"nothing new: {escape(shown)} says so already\n"
    rows = [(type_of(event), summary(event)) for event in appended.events]
    rows.append(("log", f"{escape(shown)}, line {appended.head.seq}"))
    if before.runs and any(isinstance(event, Config) for event in appended.events):
        rows.append(("segment", f"{look.view['segment']} begins: baseline and best are counted anew"))
    return pairs(rows)

"""`ar loop`: drives an agent unattended, a fresh one every turn, until a stop rule holds."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from commands.configuring import require_on
from commands.context import Call
from commands.effects.agents import PRESETS, Agent, agent_of
from commands.effects.ctrl_c import CtrlC
from commands.effects.cycling import Outcome, ground_of
from commands.effects.firing import fire_document
from commands.effects.ground import Ground, require_config, take_bearings
from commands.effects.liveview import LiveView, step_text
from commands.effects.loop_terms import Ended, Plan
from commands.effects.looping import loop
from commands.effects.own_program import own_argv
from commands.effects.patrolling import root_of
from commands.effects.tree_lock import tree_locked
from commands.effects.turning import unfinished
from commands.errors import INTERRUPTED, BadInputError
from commands.limiting import limit_options, limits_of_options
from commands.loop_text import told_of
from commands.options import by_option, examples, json_option
from commands.output import emit, emit_json, is_terminal, warn
from commands.render import escape
from commands.verb import Verb
from eventstore.events import Event
from reducers.policies.iteration_limits import LIMITS
from reducers.policies.looping import Course
from reducers.policies.pace import TIMEOUTS
from reducers.situation import sight_of

if TYPE_CHECKING:
    from commands.effects.measuring import Step
    from hooks.runner import Fired

__all__ = ["loop_cmd"]

_REFUSED = 1
"""The exit code of a strict loop that may not begin a turn."""

_FAILED = 4
"""The exit code of a loop that ended over what only a person can put right."""

_UNITS = {"s": 1, "m": 60, "h": 3600}


@click.command(
    "loop",
    cls=Verb,
    epilog=examples(
        "ar loop --agent claude",
        "ar loop --agent 'my-agent --quiet' --iterations 10 --agent-timeout 20m",
        "ar loop --agent codex --pivot 'another data layout'",
    ),
)
@click.option(
    "--agent",
    "command",
    metavar="COMMAND",
    required=True,
    help=f"The agent: a command that reads the brief from stdin, or one of {', '.join(PRESETS)}.",
)
@click.option(
    "--iterations", type=click.IntRange(1), metavar="N", help="Turns at most. [until a stop rule holds]"
)
@click.option(
    "--agent-timeout", metavar="TIME", help="How long a turn may take: 90s, 20m, 1h. [30m, or the setting]"
)
@click.option(
    "--max-turns",
    type=click.IntRange(1),
    metavar="N",
    default=15,
    show_default=True,
    help="The agent's own turns in each, for presets that take a limit (claude).",
)
@click.option(
    "--root",
    metavar="ROOT",
    type=click.Path(path_type=Path),
    help="In every turn a heartbeat first, then a look after guard and patrol of ROOT.",
)
@click.option("--pivot", metavar="TEXT", help="Go elsewhere: this direction from now on.")
@click.option("--leave-open", is_flag=True, help="After --iterations, record no stop: another call goes on.")
@click.option(
    "--strict", is_flag=True, help="Refuse what `ar check iteration` would find: too much, or unverified."
)
@click.option(
    "--register", is_flag=True, help="Record this command as the one that restarts the loop (`ar patrol`)."
)
@limit_options
@by_option
@json_option
@click.pass_obj
def loop_cmd(
    call: Call,
    /,
    command: str,
    iterations: int | None,
    agent_timeout: str | None,
    max_turns: int,
    root: Path | None,
    pivot: str | None,
    leave_open: bool,
    strict: bool,
    register: bool,
    by: str | None,
    as_json: bool,
    **limits: str | None,
) -> int:
    """Let an agent work unattended: brief, agent, cycle, hooks, over and over, until a stop rule holds.

    Every turn is a fresh process that gets the brief on stdin and, as a file, in AR_BRIEF; never a resumed
    conversation. It changes something inside the assets and ends; the change is measured, and kept or proved
    gone. What it changes elsewhere is put back. Ctrl-C ends the loop after the step it is at, a second one at
    once. A loop that has stopped, or was killed, goes on when it is started again. Limits that are given are
    recorded, as by `ar init`; they never begin a segment.

    With --strict, a change of more than 5 large files, or to a file over 300 lines, is put back and not
    measured; while an iteration or more than 20 citations are unverified, no turn begins: exit 1.
    """
    stated = limits_of_options(limits)
    place = call.session
    if place.layout == "file":
        raise BadInputError("a loop needs its session, not just a log", "leave --log out, or use -C DIR")
    if pivot is not None and not pivot.strip():
        raise BadInputError("--pivot says no direction", "ar loop --pivot 'another data layout' ...")
    if root is not None and root_of(root) is None:
        raise BadInputError(
            f"--root: {root} has no session", f"ar -C {root} init 'look after the tasks' --no-metric"
        )
    ground = ground_of(place, call.writer(by))
    agent = agent_of(command, max_turns)
    with tree_locked(place.tree_lock):
        configured = take_bearings(ground.log)
        require_config(configured)
        require_on(configured.configured.halt)
        limit = configured.configured.timeouts.get("agent", TIMEOUTS["agent"])
        seconds = limit if agent_timeout is None else _seconds(agent_timeout)
        plan = Plan(
            agent,
            seconds,
            _agent_author(ground),
            turns=iterations,
            pivot=pivot,
            root=root,
            limits=stated,
            strict=strict,
            leave_open=leave_open,
            register=_command_line(place.root, ground.log.by) if register else (),
        )
        with _told_if_cut_off(ground):
            ended, watch = _run(ground, plan, as_json)
    if as_json:
        emit_json(watch.document(ended))
    return _exit_code(ended)


def _command_line(place: Path, by: str) -> tuple[str, ...]:
    """The command that starts this loop again: the options as they were given, but for what is done once."""
    given = click.get_current_context().params
    words = [*own_argv(), "-C", str(place), "loop", "--agent", given["command"], "--by", by]
    for name in ("iterations", "agent_timeout", "max_turns"):
        if given[name] is not None:
            words += [f"--{name.replace('_', '-')}", str(given[name])]
    if given["root"] is not None:
        words += ["--root", os.path.realpath(given["root"])]
    return (*words, *(["--strict"] if given["strict"] else []))


@contextmanager
def _told_if_cut_off(ground: Ground) -> Iterator[None]:
    """Says what a loop that was ended at once has left, and how that is put right."""
    try:
        yield
    except KeyboardInterrupt:
        opened = take_bearings(ground.log).cycle.open
        if opened is not None:
            warn(f"cycle {opened.cycle} is interrupted; ar cycle --resume, or the next ar loop, ends it")
        elif unfinished(ground) is not None:
            warn("the agent's turn is cut off; the next ar loop saves and puts back what it left")
        raise


def _seconds(text: str) -> float:
    """A time limit as it is written: a number with `s`, `m` or `h`, seconds without."""
    factor = _UNITS.get(text[-1:], 0)
    try:
        value = float(text[:-1]) * factor if factor else float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < 1e9:
        raise BadInputError(f"--agent-timeout {text!r} is no time above 0", "90s, 20m or 1h")
    return value


def _agent_author(ground: Ground) -> str:
    """Who the agent is in what it appends: the loop's own author, if that is a worker."""
    by = ground.log.by
    return by if by.partition(":")[0] == "worker" else "worker"


def _run(ground: Ground, plan: Plan, as_json: bool) -> tuple[Ended, _Watch]:
    with ExitStack() as stack:
        live = stack.enter_context(LiveView()) if is_terminal() and not as_json else None
        watch = _Watch(live, quiet=as_json)
        watch.begin(plan.agent, plan.seconds)
        wish = stack.enter_context(
            CtrlC(lambda: warn("the loop ends after the step it is at; Ctrl-C again ends it at once"))
        )
        return loop(ground, plan, watch, wish), watch


def _exit_code(ended: Ended) -> int:
    if ended.stop.reason == "user" and ended.stop.detail == "Ctrl-C":
        return INTERRUPTED
    if ended.stop.reason == LIMITS:
        return _REFUSED
    return _FAILED if ended.stop.reason in ("agent_failed", "harness", "rollback_failed") else 0


class _Watch:
    """Tells what happens: in the live view on a terminal, else in plain lines; as JSON, at the end.

    quiet: nothing is told until then.
    """

    def __init__(self, live: LiveView | None, *, quiet: bool) -> None:
        self._live, self._quiet = live, quiet
        self._course = Course()
        self._happened: list[dict[str, Any]] = []

    def begin(self, agent: Agent, seconds: float) -> None:
        self._say(f"loop: {escape(agent.name)}, up to {seconds:g} s a turn; Ctrl-C ends it after a step\n")

    def doing(self, what: str) -> None:
        if self._live is not None:
            self._live.doing(escape(what))
        else:
            self._say(f"{escape(what)}\n")

    def measuring(self, step: Step) -> None:
        if self._live is not None and step.value is None:
            self._live.doing(f"measuring: {step_text(step)}")

    def stands(self, course: Course) -> None:
        self._course = course
        if self._live is not None:
            self._live.stands(course)

    def happened(self, thing: Event | Outcome | Fired) -> None:
        config = self._course.situation.trail.config
        self._say(told_of(thing, config.metricUnit if config else None))
        self._happened.append(_plain(thing))

    def document(self, ended: Ended) -> dict[str, Any]:
        """The JSON document: why it ended, how it stands, and what happened, in order."""
        view = sight_of(self._course.situation).session
        return {
            "stop_reason": ended.stop.reason,
            "detail": ended.stop.detail,
            "iterations": ended.turns,
            "run_count": view.run_count,
            "baseline_metric": view.baseline_metric,
            "best_metric": view.best_metric,
            "happened": self._happened,
        }

    def _say(self, text: str) -> None:
        if self._quiet or not text:
            return
        if self._live is not None:
            self._live.say(text)
        else:
            emit(text)


def _plain(thing: Event | Outcome | Fired) -> dict[str, Any]:
    """A thing that happened, under a `kind`: a `cycle`, a `hook`, or the type of an event."""
    if isinstance(thing, Outcome):
        return {
            "kind": "cycle",
            "cycle": thing.cycle,
            "seq": thing.seq,
            "before": thing.before,
            "run": thing.run,
            "reverted": thing.reverted,
            "saved": thing.saved,
        }
    if isinstance(thing, Event):
        import msgspec

        plain: dict[str, Any] = msgspec.to_builtins(thing)
        return {"kind": plain.pop("type"), **plain}
    return {"kind": "hook", **fire_document(thing)}

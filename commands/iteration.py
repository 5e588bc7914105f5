"""`ar iteration`: a protocol iteration ended."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click
from msgspec.structs import replace

from commands.context import Call
from commands.effects.recording import document, enter_decided
from commands.given import finite, length, words
from commands.options import by_option, examples, json_option
from commands.output import emit, emit_json, warn
from commands.verb import Verb
from eventstore.errors import ConflictError
from eventstore.events import Event, Iteration
from reducers.core import fold
from reducers.rounds import Rounds, rounds
from reducers.stall import stall

__all__ = ["decide_iteration", "iteration_cmd"]


@click.command(
    "iteration",
    cls=Verb,
    epilog=examples(
        "ar iteration -m 'profiled it; the tokenizer dominates' --duration 25m",
        "ar iteration -m 'no gain' --metric 38.9 --direction SIMD --json",
    ),
)
@click.option("-m", "--summary", metavar="TEXT", required=True, help="What happened.")
@click.option(
    "--findings",
    type=click.IntRange(0),
    metavar="N",
    help="How many were made; those recorded since the last.",
)
@click.option("--metric", metavar="NUMBER", help="The metric's value after it.")
@click.option("--direction", metavar="TEXT", help="The direction that was pursued; it counts as tried.")
@click.option("--rounds", "turns", type=click.IntRange(0), metavar="N", help="How many turns it took.")
@click.option("--duration", metavar="TIME", help="How long it took: 25m, 1h10m, 90s.")
@click.option("--iteration", type=click.IntRange(0), metavar="N", help="Its number; the next if left out.")
@by_option
@json_option
@click.pass_obj
def iteration_cmd(
    call: Call,
    summary: str,
    findings: int | None,
    metric: str | None,
    direction: str | None,
    turns: int | None,
    duration: str | None,
    iteration: int | None,
    by: str | None,
    as_json: bool,
) -> None:
    """Record that an iteration of long work ended.

    Without runs, iterations are what stalling is counted in: one that found nothing, or made the metric
    worse, is stale. Says which pivot that demands, and warns when no ok check followed the one before.
    """
    words("-m", summary)
    if direction is not None:
        words("--direction", direction)
    ended = Iteration(
        iteration=0,
        summary=summary,
        metric=None if metric is None else finite("--metric", metric),
        direction=direction,
        rounds=turns,
        duration_seconds=None if duration is None else length("--duration", duration),
    )
    before = rounds.initial

    def decide(state: Rounds) -> Sequence[Event]:
        nonlocal before
        before = state
        return [decide_iteration(state, ended, iteration, findings)]

    appended = enter_decided(call, by, Iteration, rounds, decide)
    after = stall.view(fold(rounds, appended.events, before).stall)
    unverified = before.last if before.last is not None and not before.verified else None
    if unverified is not None:
        warn(f"no ok check followed iteration {unverified}: `ar verified` records one")
    if as_json:
        said: dict[str, Any] = {"stale_count": after.stale_count, "pivot_due": after.pivot_due}
        emit_json(document(appended, **said, unverified=unverified))
    else:
        written = appended.events[0]
        assert isinstance(written, Iteration)
        due = f"; pivot due: {after.pivot_due} (ar pivot)" if after.pivot_due else ""
        emit(
            f"iteration {written.iteration} is line {appended.seqs[0]}: "
            f"{written.findings} finding{'' if written.findings == 1 else 's'}, "
            f"stale count {after.stale_count}{due}\n"
        )


def decide_iteration(
    state: Rounds, ended: Iteration, number: int | None = None, findings: int | None = None
) -> Iteration:
    """The iteration with its number and its count of findings, taken from the log where not given. Pure.

    The first is number 1, unless it is given as 0. Raises ConflictError for a number that is not after the
    last one.
    """
    following = 1 if state.last is None else state.last + 1
    if number is not None and state.last is not None and number <= state.last:
        raise ConflictError(
            f"iteration {state.last} is recorded already", f"--iteration {following}, or leave it out"
        )
    return replace(
        ended,
        iteration=following if number is None else number,
        findings=state.findings if findings is None else findings,
    )

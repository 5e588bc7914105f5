"""`ar direction`: where the search goes, so that no two workers go the same way and none goes twice."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

import click
import msgspec

from commands.claiming import claim, dropped, holder, tried
from commands.context import Call, author
from commands.damage import tell_damage
from commands.effects.recording import document, enter_decided
from commands.effects.views import Look, read_view
from commands.given import choices, length, words
from commands.options import by_option, examples, json_option
from commands.output import emit, emit_json, emit_table, warn
from commands.render import ABSENT, Column, escape, when
from commands.verb import Verb, VerbGroup
from eventstore.events import Direction, Event
from eventstore.events.protocol import DirectionKind, DirectionState
from eventstore.store import now_ms
from reducers.directions import DirectionRow, DirectionsState, DirectionsView, directions
from reducers.policies.diversity import earlier, neighbour, told

__all__ = ["Checked", "check", "check_document", "direction_cmd", "told_check"]

LONGEST_CLAIM = 86_400
"""The longest claim, seconds: what a dead worker holds must come free again."""

_COLUMNS = (
    Column("direction", flexible=True),
    Column("kind"),
    Column("state"),
    Column("outcome"),
    Column("runs"),
    Column("held by"),
    Column("until"),
)

_text = click.argument("text", metavar="TEXT")
_kind = click.option("--kind", type=click.Choice(choices(DirectionKind)), help="What it changes.")
_again = click.option("--reason", metavar="TEXT", help="Why one that was tried is taken again; recorded.")


class _Decide(Protocol):
    def __call__(self, state: DirectionsState, asked: Direction, *, by: str, now: int) -> Direction: ...


@click.group(
    "direction",
    cls=VerbGroup,
    invoke_without_command=True,
    subcommand_metavar="COMMAND ...",
    epilog=examples(
        "ar direction check 'SIMD'",
        "ar direction claim 'SIMD' --by worker:gpu0",
        "ar direction add 'SIMD' --reason 'memory-bound, no gain'",
    ),
)
@click.pass_context
def direction_cmd(ctx: click.Context) -> None:
    """Directions of the search: claim one before you work on it, check it, list them.

    Two directions are the same if they differ in case, accents, white space and punctuation alone; numbers
    count. What was tried is refused (exit 3) with what came of it, unless --reason says why again.
    """
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


@direction_cmd.command(
    "add",
    cls=Verb,
    epilog=examples("ar direction add 'larger pages' --kind tactical --reason 'no gain'"),
)
@_text
@_kind
@_again
@by_option
@json_option
@click.pass_obj
def add_cmd(
    call: Call, text: str, kind: str | None, reason: str | None, by: str | None, as_json: bool
) -> None:
    """Record a direction as tried; that ends your claim of it.

    --reason says what came of it, or why it was tried again. A direction that was tried before, or that
    another holds, is refused (exit 3).
    """
    asked = Direction(text=words("TEXT", text), kind=kind, state="tried", reason=_said(reason))
    _record(call, asked, tried, by, as_json, lambda _: "tried")


@direction_cmd.command(
    "claim",
    cls=Verb,
    epilog=examples(
        "ar direction claim 'SIMD' --by worker:gpu0",
        "ar direction claim 'SIMD' --by worker:gpu0 --for 1h   # renews it",
        "ar direction claim 'SIMD' --reason 'another machine'",
    ),
)
@_text
@click.option("--for", "span", metavar="TIME", default="15m", show_default=True, help="How long: 15m, 2h.")
@_kind
@_again
@by_option
@json_option
@click.pass_obj
def claim_cmd(
    call: Call, text: str, span: str, kind: str | None, reason: str | None, by: str | None, as_json: bool
) -> None:
    """Claim a direction, or renew your claim, so that nobody else works on it.

    The first claim wins; the name in --by holds it until it ends. No reason takes another's claim away, so
    workers need names of their own. A direction much like an earlier one is warned about.
    """
    seconds = length("--for", span, LONGEST_CLAIM)
    asked = Direction(text=words("TEXT", text), kind=kind, state="claimed", reason=_said(reason))

    def decide(state: DirectionsState, asked: Direction, *, by: str, now: int) -> Direction:
        until = now + round(seconds * 1000)
        return claim(state, msgspec.structs.replace(asked, until=until), by=by, now=now)

    _record(call, asked, decide, by, as_json, lambda event: f"yours until {_moment(event.until)}")


@direction_cmd.command("drop", cls=Verb, epilog=examples("ar direction drop 'SIMD' --reason 'no such unit'"))
@_text
@click.option("--reason", metavar="TEXT", help="Why it is given up.")
@by_option
@json_option
@click.pass_obj
def drop_cmd(call: Call, text: str, reason: str | None, by: str | None, as_json: bool) -> None:
    """Give a direction up, and the claim of it.

    Another's claim is only taken away by a user or an orchestrator, with a --reason.
    """
    asked = Direction(text=words("TEXT", text), state="abandoned", reason=_said(reason))
    _record(call, asked, dropped, by, as_json, lambda _: "given up")


@direction_cmd.command(
    "check", cls=Verb, epilog=examples("ar direction check 'SIMD' && ar direction claim 'SIMD'")
)
@_text
@by_option
@json_option
@click.pass_obj
def check_cmd(call: Call, text: str, by: str | None, as_json: bool) -> None:
    """Ask whether a direction is free: exit 1 where it was tried, or another holds it.

    Writes nothing; only a claim makes sure. One much like an earlier one is free, with a warning.
    """
    checked = check(call, text, by)
    if as_json:
        emit_json(check_document(checked))
    else:
        emit(told_check(checked))
    tell_damage(checked.look.damaged)
    if checked.found is not None:
        raise click.exceptions.Exit(1)


class Checked(NamedTuple):
    """Whether a direction is free.

    look: what was looked at. found: the direction that stands in its way; None if it is free. near: the one
    most like it, as in the JSON document; None if there is none, or it is not free.
    """

    text: str
    look: Look
    found: DirectionRow | None
    near: dict[str, Any] | None


def check(call: Call, text: str, by: str | None) -> Checked:
    """Looks whether a direction is free for `by`; one much like an earlier one is warned about.

    Raises BadInputError for empty words.
    """
    words("TEXT", text)
    look, rows = _look(call)
    found = earlier(text, rows, author(by), now_ms())
    return Checked(text, look, found, _warned(text, rows) if found is None else None)


def check_document(checked: Checked) -> dict[str, Any]:
    """The JSON document of the answer."""
    text, look, found, near = checked
    said = {"direction": text, "free": found is None, "earlier": found, "neighbour": near}
    return {"seq": look.seq, "head": look.head, **said, "damaged_lines": list(look.damaged)}


def told_check(checked: Checked) -> str:
    """The answer, for people."""
    return f"{escape(checked.text)} is free\n" if checked.found is None else told(checked.found) + "\n"


@direction_cmd.command(
    "list", cls=Verb, epilog=examples("ar direction list", "ar direction list --state claimed --json")
)
@click.option("--state", type=click.Choice(choices(DirectionState)), help="Only those in this state.")
@json_option
@click.pass_obj
def list_cmd(call: Call, state: str | None, as_json: bool) -> None:
    """List every direction with what came of it, and who holds it now."""
    look, rows = _look(call)
    now = now_ms()
    rows = [row for row in rows if state in (None, row.state)]
    if as_json:
        listed = [{**msgspec.structs.asdict(row), "held_by": holder(row, now)} for row in rows]
        emit_json({**look.document(), "directions": listed})
    elif rows:
        emit_table(_COLUMNS, [_cells(row, now) for row in rows])
    else:
        emit("no direction came up yet\n" if state is None else f"none is {state}\n")
    tell_damage(look.damaged)


def _said(reason: str | None) -> str | None:
    return None if reason is None else words("--reason", reason)


def _record(
    call: Call,
    asked: Direction,
    decide: _Decide,
    by: str | None,
    as_json: bool,
    tell: Callable[[Direction], str],
) -> None:
    """Decides under the log's lock, appends, and says what came of it."""
    speaker = author(by)
    before = directions.initial

    def entered(state: DirectionsState) -> Sequence[Event]:
        nonlocal before
        before = state
        return [decide(state, asked, by=speaker, now=now_ms())]

    appended = enter_decided(call, by, Direction, directions, entered)
    near = None if asked.state == "abandoned" else _warned(asked.text, directions.view(before).directions)
    if as_json:
        emit_json(document(appended, neighbour=near))
    else:
        written = appended.events[0]
        assert isinstance(written, Direction)
        emit(f"{escape(asked.text)} is {tell(written)}, line {appended.seqs[0]}\n")


def _warned(text: str, rows: Sequence[DirectionRow]) -> dict[str, Any] | None:
    """Warns of the direction most like this one, if one is close, and returns it for the JSON document."""
    near = neighbour(text, rows)
    if near is None:
        return None
    warn(f"much like a direction of before ({near[1]:.0f} of 100): {told(near[0])}")
    return {"text": near[0].text, "outcome": near[0].outcome, "similarity": round(near[1], 1)}


def _look(call: Call) -> tuple[Look, Sequence[DirectionRow]]:
    look = read_view(call.log(), directions, cache=call.cache("directions"))
    return look, msgspec.convert(look.view, DirectionsView).directions


def _cells(row: DirectionRow, now: int) -> tuple[str, ...]:
    held_by = holder(row, now)
    is_over = row.state == "claimed" and held_by is None
    return (
        escape(row.text),
        escape(row.kind or ABSENT),
        "claim over" if is_over else escape(row.state),
        escape(row.outcome or ABSENT),
        ", ".join(map(str, row.runs)) or ABSENT,
        escape(held_by or ABSENT),
        when(row.until) if held_by else ABSENT,
    )


def _moment(until: object) -> str:
    return when(until) if isinstance(until, int) else ABSENT

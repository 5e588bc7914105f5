"""`ar flag`: something needs a person, without asking one."""

from __future__ import annotations

from collections.abc import Sequence

import click

from commands.context import Call
from commands.damage import tell_damage
from commands.effects.recording import document, enter_decided
from commands.effects.views import read_view
from commands.errors import BadInputError
from commands.given import words
from commands.options import by_option, examples, json_option
from commands.output import emit, emit_json, emit_table
from commands.render import Column, escape, when
from commands.verb import Verb
from eventstore.events import Event, Flag
from reducers.flags import FlagsState, flags

__all__ = ["decide_flag", "flag_cmd"]

_COLUMNS = (Column("flag"), Column("since"), Column("by"), Column("detail", flexible=True))


@click.command(
    "flag",
    cls=Verb,
    epilog=examples(
        "ar flag licence 'the data set needs a signature'",
        "ar flag licence --clear",
        "ar flag   # which are up",
    ),
)
@click.argument("kind", metavar="[KIND]", required=False)
@click.argument("detail", metavar="[DETAIL]", required=False)
@click.option("--clear", is_flag=True, help="Take the flag down again.")
@by_option
@json_option
@click.pass_obj
def flag_cmd(
    call: Call, kind: str | None, detail: str | None, clear: bool, by: str | None, as_json: bool
) -> None:
    """Raise a flag for a person; work goes on meanwhile. Without KIND, list those that are up.

    KIND is a word of yours. A flag that is up with the same words is not raised again.
    """
    if kind is None:
        if clear:
            raise BadInputError("--clear needs the KIND of a flag", "ar flag   # which are up")
        _list(call, as_json)
        return
    words("KIND", kind)
    if detail is None and not clear:
        raise BadInputError(
            f"what {kind[:60]!r} is about is missing", f"ar flag {kind[:60]} 'what and where'"
        )
    flag = Flag(kind=kind, detail=detail or "", cleared=clear)

    def decide(state: FlagsState) -> Sequence[Event]:
        return decide_flag(state, flag)

    appended = enter_decided(call, by, Flag, flags, decide)
    if as_json:
        emit_json(document(appended))
    elif not appended.written:
        emit(f"{escape(kind)} is up already\n")
    else:
        emit(f"{escape(kind)} is {'down again' if clear else 'up'}, line {appended.seqs[0]}\n")


def decide_flag(state: FlagsState, flag: Flag) -> list[Event]:
    """The events that raise or clear a flag: none where it is up with the same words. Pure.

    Raises BadInputError for clearing one that is not up.
    """
    standing = {row.kind: row.detail for row in flags.view(state).flags if row.up}
    if flag.cleared and flag.kind not in standing:
        known = ", ".join(standing) or "none"
        raise BadInputError(f"no flag {flag.kind[:60]!r} is up", f"one that is up: {known[:200]}")
    return [] if not flag.cleared and standing.get(flag.kind) == flag.detail else [flag]


def _list(call: Call, as_json: bool) -> None:
    """Shows the flags that are up."""
    look = read_view(call.log(), flags)
    if as_json:
        emit_json(look.document())
    else:
        up = [row for row in look.view["flags"] if row["up"]]
        rows = [
            (escape(row["kind"]), when(row["since"]), escape(row["by"]), escape(row["detail"])) for row in up
        ]
        if rows:
            emit_table(_COLUMNS, rows)
        else:
            emit("no flag is up\n")
    tell_damage(look.damaged)

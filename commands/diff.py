"""`ar diff`: what a view shows differently at two places of the log."""

from __future__ import annotations

import click

from commands.catalog import reducer_named
from commands.context import Call
from commands.damage import tell_damage
from commands.effects.views import place_of, read_view
from commands.options import cache_option, examples, json_option, view_option
from commands.output import emit, emit_json
from commands.paths import changes
from commands.replay import plain_change
from commands.verb import Verb
from commands.viewtext import told_change
from commands.where import parse_where

__all__ = ["diff_cmd"]


@click.command(
    "diff",
    cls=Verb,
    epilog=examples("ar diff run:5 head", "ar diff 0 120 --view stall", "ar diff run:1 run:9 --json"),
)
@click.argument("one", metavar="WHERE")
@click.argument("other", metavar="WHERE")
@view_option
@cache_option
@json_option
@click.pass_obj
def diff_cmd(call: Call, one: str, other: str, view: str, no_cache: bool, as_json: bool) -> int:
    """Compare a view at two places of the log.

    Field by field. WHERE is a line's number, run:N, an ISO time (UTC) or head. Exit code 1 if anything
    differs.
    """
    reducer = reducer_named(view)
    log = call.log()
    cache = call.cache(view, no_cache)
    places = [parse_where(one), parse_where(other)]
    before, after = (read_view(log, reducer, at=place_of(log, place), cache=cache) for place in places)
    changed = changes(before.view, after.view)
    damaged = sorted({*before.damaged, *after.damaged})
    if as_json:
        emit_json(
            {
                "view": reducer.name,
                "before": {"seq": before.seq, "head": before.head},
                "after": {"seq": after.seq, "head": after.head},
                "changes": [plain_change(change) for change in changed],
                "damaged_lines": damaged,
            }
        )
    else:
        emit("".join(f"{told_change(change)}\n" for change in changed))
    tell_damage(damaged)
    return 1 if changed else 0

"""`ar view`: a view of the log, now or at any place in its past, once or as it changes."""

from __future__ import annotations

import time
from typing import Any

import click

from commands.catalog import reducer_named
from commands.context import Call
from commands.damage import tell_damage
from commands.drawing import draw
from commands.effects.streaming import can_stream, pieces
from commands.effects.views import Look, place_of, read_view
from commands.errors import BadInputError
from commands.options import at_option, cache_option, examples, json_option
from commands.output import color_on, emit, emit_json, emit_pieces, is_terminal
from commands.verb import Verb
from commands.viewtext import blocks_of
from commands.where import parse_where
from eventstore.store import Reset

__all__ = ["view_cmd"]

POLL_SECONDS = 0.2
"""How often `--follow` looks for more, seconds."""

REDRAW_SECONDS = 1.0
"""How often `--follow` draws a view anew that depends on the time, seconds."""


@click.command(
    "view",
    cls=Verb,
    epilog=examples(
        "ar view",
        "ar view runs --at run:20",
        "ar view stall --json",
        "ar view my_views.py:slowest --follow",
    ),
)
@click.argument("name", metavar="[VIEW]", default="session")
@at_option
@click.option("--follow", is_flag=True, help="Show it again whenever it changes, until interrupted.")
@cache_option
@json_option
@click.pass_obj
def view_cmd(call: Call, name: str, where: str | None, follow: bool, no_cache: bool, as_json: bool) -> None:
    """Show a view of the log, now or in its past.

    VIEW is session (the default), another name that `ar schema --views` lists, or FILE.py:REDUCER, a reducer
    of your own. With --follow and --json, one JSON document a line.
    """
    reducer = reducer_named(name)
    log = call.log()
    cache = call.cache(name, no_cache)
    if not follow:
        at = place_of(log, parse_where(where)) if where is not None else None
        if as_json and not is_terminal() and can_stream(reducer):
            damaged: list[int] = []
            emit_pieces(pieces(log, reducer, at, damaged))
            tell_damage(damaged)
            return
        look = read_view(log, reducer, at=at, cache=cache)
        show(look, as_json)
        tell_damage(look.damaged)
        return
    if where is not None:
        raise BadInputError("--follow looks at the head, --at at the past", "one of them")
    _follow(log, reducer, cache, as_json)


def show(look: Look, as_json: bool) -> bool:
    """Puts a look on the screen; False when nobody reads it any more."""
    return emit_json(look.document()) if as_json else draw(blocks_of(look.name, look.view))


def _follow(log: Any, reducer: Any, cache: Any, as_json: bool) -> None:
    """Shows the view whenever the log has grown, or was replaced, until nobody reads it any more."""
    shown: Look | None = None
    told: tuple[int, ...] = ()
    drawn_at = 0.0
    stale = True

    def catch_up() -> bool:
        """Called when all that the log holds was read; whether to go on."""
        nonlocal shown, stale, told, drawn_at
        aged = getattr(reducer, "timed", True) and time.monotonic() - drawn_at >= REDRAW_SECONDS
        if stale or aged:
            stale = False
            drawn_at = time.monotonic()
            look = read_view(log, reducer, cache=cache)
            if shown is None or look.view != shown.view:
                if not (_clear(as_json, shown) and show(look, as_json)):
                    return False
                shown = look
            if look.damaged != told:
                tell_damage(look.damaged)
                told = look.damaged
        time.sleep(POLL_SECONDS)
        return True

    for news in log.follow(kinds=(), wait=catch_up):
        stale = True
        if isinstance(news, Reset):
            shown = None


def _clear(as_json: bool, shown: Look | None) -> bool:
    """Makes room for the next drawing: a clear screen on a terminal, an empty line elsewhere."""
    if as_json:
        return True
    if is_terminal() and color_on():
        return emit("\x1b[H\x1b[2J\x1b[3J" if shown is None else "\x1b[H\x1b[J")
    return shown is None or emit("\n")

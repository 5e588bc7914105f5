"""`ar debrief`: what a session came to, and what to do next."""

from __future__ import annotations

import click

from commands.context import Call
from commands.damage import tell_damage
from commands.effects.views import Look, place_of, read_view
from commands.errors import BadInputError
from commands.options import at_option, cache_option, examples, json_option
from commands.output import emit, emit_json, near
from commands.verb import Verb
from commands.where import parse_where
from reducers.debrief import DebriefView, debrief
from reducers.policies.debrief_text import advice, markdown, reason_words, text

__all__ = ["debrief_cmd", "debriefing"]


@click.command(
    "debrief",
    cls=Verb,
    epilog=examples("ar debrief", "ar debrief --at run:40", "ar debrief --markdown > summary.md"),
)
@at_option
@click.option("--markdown", "as_markdown", is_flag=True, help="Markdown, for a pull request or a page.")
@cache_option
@json_option
@click.pass_obj
def debrief_cmd(call: Call, where: str | None, as_markdown: bool, no_cache: bool, as_json: bool) -> None:
    """Sum up the current segment: gain, counts, kept changes, why it stopped, what to do next.

    For an earlier segment, look at its last run with --at. With --json the view `debrief`, with
    `stop_reason_words`, `advice` and `results_log` added.
    """
    if as_markdown and as_json:
        raise BadInputError("--markdown and --json are two forms of the same", "one of them")
    look, view = debriefing(call, where, no_cache)
    results = near(call.log().path)
    if as_json:
        said = {"stop_reason_words": reason_words(view), "advice": advice(view), "results_log": results}
        emit_json({**look.document(), **said})
    else:
        emit(markdown(view, results) if as_markdown else text(view, results))
    tell_damage(look.damaged)


def debriefing(call: Call, where: str | None = None, no_cache: bool = False) -> tuple[Look, DebriefView]:
    """The view `debrief` at a WHERE, None for the end: as it was looked at, and as its type."""
    import msgspec

    log = call.log()
    at = None if where is None else place_of(log, parse_where(where))
    look = read_view(log, debrief, at=at, cache=call.cache("debrief", no_cache))
    return look, msgspec.convert(look.view, DebriefView)

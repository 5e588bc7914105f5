"""`ar strategies`: what usually helps with a kind of target, and what of it this session has not tried."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from commands.context import Call
from commands.damage import tell_damage
from commands.effects.situations import situation_at
from commands.errors import BadInputError, nearest
from commands.options import examples, json_option
from commands.output import emit, emit_json, paint
from commands.verb import Verb
from reducers.policies.approaches import KINDS, Kind, kind_named, known, tried
from reducers.policies.brief_history import kind_of, texts_of

__all__ = ["strategies_cmd"]

_STYLES = {"high": "green", "medium": "yellow", "low": "dim"}


@click.command(
    "strategies",
    cls=Verb,
    epilog=examples("ar strategies", "ar strategies test-time", "ar strategies --list"),
)
@click.argument("name", metavar="[KIND]", required=False)
@click.option("--list", "listing", is_flag=True, help="Name the kinds of target and nothing else.")
@json_option
@click.pass_obj
def strategies_cmd(call: Call, name: str | None, listing: bool, as_json: bool) -> None:
    """Approaches by kind of target, the greatest expected impact first.

    Without KIND, those for this session's target, which is guessed from its metric, its measuring command and
    its goal. What the session's runs and directions speak of already is marked as tried.
    """
    if listing:
        _list_kinds(as_json)
        return
    texts: list[str] = []
    damaged: Sequence[int] = ()
    if name is None:
        found = situation_at(call.log())
        kind, texts, damaged = kind_of(found.sight), texts_of(found.sight), found.damaged
    else:
        kind = _named(name)
    done = {strategy.name for strategy in tried(kind.strategies, texts)}
    if as_json:
        emit_json({**_document(kind, done, guessed=name is None), "damaged_lines": damaged})
    else:
        emit(_text(kind, done))
    tell_damage(damaged)


def _named(name: str) -> Kind:
    kind = kind_named(name)
    if kind is None:
        near = nearest(name, list(KINDS))
        raise BadInputError(f"there is no kind of target {name!r}", f"ar strategies {near or '--list'}")
    return kind


def _list_kinds(as_json: bool) -> None:
    kinds = known().values()
    if as_json:
        emit_json({"kinds": [{"kind": kind.name, "about": kind.about} for kind in kinds]})
        return
    widest = max(map(len, KINDS))
    emit("".join(f"{kind.name.ljust(widest)}  {kind.about}\n" for kind in kinds))


def _document(kind: Kind, done: set[str], *, guessed: bool) -> dict[str, Any]:
    return {
        "kind": kind.name,
        "about": kind.about,
        "guessed": guessed,
        "strategies": [
            {"name": s.name, "impact": s.impact, "what": s.what, "why": s.why, "tried": s.name in done}
            for s in kind.strategies
        ],
    }


def _text(kind: Kind, done: set[str]) -> str:
    lines = [f"{kind.name}: {kind.about}"]
    for strategy in kind.strategies:
        mark = " (tried)" if strategy.name in done else ""
        impact = paint(strategy.impact, _STYLES[strategy.impact])
        heading = f"{paint(strategy.name, 'bold')}  {impact}{mark}"
        lines += ["", heading, f"  {strategy.what}", f"  {strategy.why}"]
    return "\n".join(lines) + "\n"

"""What `ar init` asks a person at a terminal; it is the only place where anything is ever asked."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click
from msgspec.structs import replace

from commands.configuring import Wanted
from commands.effects.git import describe, run
from commands.effects.preconditions import Survey
from commands.output import is_terminal

__all__ = ["ask_about_dirt", "ask_for_missing", "can_ask"]


def can_ask() -> bool:
    """Whether somebody sits at a terminal."""
    return is_terminal("stdin") and is_terminal("stderr")


def ask_for_missing(wanted: Wanted, root: Path) -> Wanted:
    """What a first `ar init` of a session in `root` wants, what is missing asked for.

    Raises click.Abort at Ctrl-C or the end.
    """
    name = wanted.name if wanted.name is not None else _ask("Goal, in words")
    if wanted.no_metric:
        return replace(wanted, name=name)
    metric = wanted.metric or _ask("Metric, its name")
    unit = wanted.unit if wanted.unit is not None else _ask("Its unit (empty for none)", "")
    direction = wanted.direction or _ask("Which way is better", kind=click.Choice(["lower", "higher"]))
    measure = wanted.measure
    if measure is None:
        measure = _ask("Command that prints it (empty: you measure, and use ar log)", "") or None
    constraint, assets = wanted.constraint, wanted.assets
    if measure and constraint is None:
        constraint = _ask("Command that must succeed for a change to be kept (empty for none)", "") or None
    if measure and not assets:
        assets = _ask_for_assets(root)
    return replace(
        wanted,
        name=name,
        metric=metric,
        unit=unit,
        direction=direction,
        measure=measure,
        constraint=constraint,
        assets=assets,
    )


def ask_about_dirt(found: Survey) -> bool:
    """What to do about changes outside the assets: stash them, allow them, or abort; False for the last."""
    click.echo(f"changed outside the assets: {describe(found.dirty)}", err=True)
    choice = _ask("Stash them, allow them, or abort", "abort", click.Choice(["stash", "allow", "abort"]))
    if choice == "stash" and found.repo is not None:
        run(found.repo, "stash", "push", "-q", "-m", "before ar init", "--", *found.dirty)
        click.echo("stashed; `git stash pop` brings them back", err=True)
    return choice != "abort"


def _ask(question: str, default: str | None = None, kind: Any = None) -> str:
    answer: str = click.prompt(question, default=default, show_default=bool(default), type=kind, err=True)
    return answer.strip()


def _ask_for_assets(root: Path) -> tuple[str, ...]:
    """The assets; asked again while one is not there, lest a slip costs all the answers before."""
    while True:
        assets = _words(_ask("Files or directories that may be changed"))
        missing = [path for path in assets if not os.path.lexists(root / path)]
        if assets and not missing:
            return assets
        click.echo(f"{describe(missing)} does not exist here" if missing else "name at least one", err=True)


def _words(text: str) -> tuple[str, ...]:
    """Paths as a person types them: quoted where they hold spaces, commas between them or not."""
    import shlex

    try:
        return tuple(word.rstrip(",") for word in shlex.split(text) if word != ",")
    except ValueError:
        return tuple(text.split())

"""The options that set limits, shared by the verbs that begin or drive a loop (design, section 5)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import click

from commands.errors import BadInputError
from reducers.policies.limits import NO_LIMIT, parse_limit

__all__ = ["limit_options", "limits_of_options"]

F = TypeVar("F", bound=Callable[..., Any])

_OPTIONS = {
    "max_cycles": ("--max-cycles", "cycles of a segment."),
    "time_limit_minutes": ("--time-limit", "minutes of active loop time in a segment; 90s, 2h, 3d."),
    "target": ("--target", "the metric to reach."),
    "max_iterations": ("--max-iterations", "runs of a segment."),
    "discards": ("--discards", "judged runs in a row without a keep."),
    "failures": ("--failures", "runs in a row without a keep."),
    "no_change": ("--no-change", "turns in a row that change nothing."),
}
"""The option of each limit, and what it counts."""


def limit_options(command: F) -> F:
    """Adds an option a limit to a verb; what is given is found by its name in `settings.limits`."""
    for name, (option, counts) in reversed(_OPTIONS.items()):
        command = click.option(option, name, metavar="N|none", help=f"Limit: {counts}")(command)
    return command


def limits_of_options(given: Mapping[str, str | None]) -> dict[str, int | float | str | None]:
    """The limits that options gave, as in a `settings` event; those not given are left out.

    Raises BadInputError for what is neither a limit nor `none`: it never reads as no limit.
    """
    limits: dict[str, int | float | str | None] = {}
    for name, text in given.items():
        if text is not None:
            try:
                limit = parse_limit(name, text)
            except ValueError as error:
                raise BadInputError(str(error), f"{_OPTIONS[name][0]} 20, or none for no limit") from None
            limits[name] = NO_LIMIT if limit is None else _plain(limit)
    return limits


def _plain(limit: float) -> int | float:
    """A whole number as it is written: 120 minutes, not 120.0."""
    return int(limit) if limit == int(limit) else limit

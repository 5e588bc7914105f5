"""The built-in views by name; each is imported only when it is asked for.

Reducers of a user's own are loaded by the commands, since finding them touches the world.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from eventstore.errors import LedgerError
from reducers.core import Projection

__all__ = ["UnknownViewError", "load", "names", "unknown"]

_NAMES = (
    "session",
    "runs",
    "stall",
    "directions",
    "progress",
    "findings",
    "iterations",
    "liveness",
    "flags",
    "budget",
    "cycle",
    "debrief",
    "hooks",
    "errors",
)


class UnknownViewError(LedgerError):
    """There is no view of this name."""

    exit_code = 2


def names() -> tuple[str, ...]:
    """The names of the built-in views, in the order of the reference (design, section 4)."""
    return _NAMES


def load(name: str) -> Projection[Any, Any]:
    """The built-in view of this name: `reducers.NAME.NAME`.

    Raises UnknownViewError, naming the nearest, when there is none.
    """
    from importlib import import_module

    if name not in _NAMES:
        raise unknown(name)
    reducer: Projection[Any, Any] = getattr(import_module(f"reducers.{name}"), name)
    return reducer


def unknown(name: str, others: Iterable[str] = ()) -> UnknownViewError:
    """The error for a name that is neither a built-in view nor one of the `others`; it names the nearest."""
    from difflib import get_close_matches

    known = [*_NAMES, *others]
    nearest = get_close_matches(name, known, n=1, cutoff=0.6)
    return UnknownViewError(
        f"there is no view {name!r}", f"use {nearest[0]}" if nearest else f"use one of {', '.join(known)}"
    )

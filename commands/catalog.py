"""Finding the reducer that a view's name means."""

from __future__ import annotations

from typing import Any

from reducers import registry
from reducers.core import Reducer

__all__ = ["reducer_named", "view_names"]


def reducer_named(name: str) -> Reducer[Any, Any]:
    """The reducer of a built-in view, of an entry point, or of `path/to/file.py:reducer`.

    Raises a LedgerError with exit code 2 when there is none of that name.
    """
    if name in registry.names():
        return registry.load(name)
    from commands.effects.own_reducers import load

    return load(name)


def view_names() -> list[str]:
    """The names of the built-in views, then those of installed entry points."""
    from commands.effects.own_reducers import names

    return [*registry.names(), *names()]

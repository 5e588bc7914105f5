"""Pure folds of the log: one view a module, each a state, its handlers and what is shown of it.

`registry` knows the views by name, `policies` holds the decisions, `laws` and `strategies` test a reducer.
Nothing here touches the world. What is handed on from here is imported when it is first asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from reducers.core import (
        Handlers,
        Projection,
        Reducer,
        decode_state,
        encode_state,
        fold,
        handlers,
        to_plain,
    )
    from reducers.history import History
    from reducers.probing import NotAReducerError, probe
    from reducers.registry import UnknownViewError, load, names
    from reducers.rows import Rows
    from reducers.table import Table

__all__ = [
    "Handlers",
    "History",
    "NotAReducerError",
    "Projection",
    "Reducer",
    "Rows",
    "Table",
    "UnknownViewError",
    "decode_state",
    "encode_state",
    "fold",
    "handlers",
    "load",
    "names",
    "probe",
    "to_plain",
]

_HOME = {
    "History": "history",
    "NotAReducerError": "probing",
    "Rows": "rows",
    "Table": "table",
    "UnknownViewError": "registry",
    "load": "registry",
    "names": "registry",
    "probe": "probing",
}
"""The module of each name that is not in `core`."""


def __getattr__(name: str) -> object:
    if name not in __all__:
        raise AttributeError(f"module 'reducers' has no attribute {name!r}")
    from importlib import import_module

    value: object = getattr(import_module(f"reducers.{_HOME.get(name, 'core')}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})

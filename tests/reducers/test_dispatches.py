"""Which sub-agents were sent, and what they came back with."""

from __future__ import annotations

from eventstore.events import Dispatch, Dispatched
from reducers import laws
from reducers.core import fold
from reducers.dispatches import dispatches


def test_one_is_open_until_it_comes_back() -> None:
    """One that nobody sent is left out."""
    log = [
        Dispatch(dispatch="d1", pattern="A", about="x"),
        Dispatch(dispatch="d2", pattern="C"),
        Dispatched(dispatch="d1", ok=False, summary="no"),
        Dispatched(dispatch="gone", ok=True),
    ]
    view = dispatches.view(fold(dispatches, log), None)

    assert view.open == 1
    assert [(row.dispatch, row.state, row.summary) for row in view.dispatches] == [
        ("d1", "failed", "no"),
        ("d2", "open", ""),
    ]


def test_the_laws_hold() -> None:
    """As for every view."""
    laws.check(dispatches)

"""Where a session stands for a measured cycle: all that its steps are decided from. Pure."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from commands.configuring import KINDS as CONFIGURING
from commands.configuring import Configured, follow_up
from eventstore.events import Event, Measured, Record, Reverted
from eventstore.store import START, Position
from reducers.budget import BudgetState, budget
from reducers.core import fold
from reducers.cycle import CycleState, cycle
from reducers.intent import Intent, intent
from reducers.session import SessionState, session

__all__ = ["KINDS", "Standing", "stand"]

KINDS: frozenset[type[Event]] = frozenset(
    (*session.handlers, *cycle.handlers, *intent.handlers, *budget.handlers, *CONFIGURING)
)
"""The event types that a standing looks at."""


class Standing(msgspec.Struct, frozen=True):
    """What a cycle is decided from: the folds of a log up to a place in it.

    session, cycle, intent, budget: the states of these reducers. configured: how the session is configured.
    measured, reverted: the last measurement and the last rollback; None if there is none.
    after: the place.
    """

    session: SessionState = session.initial
    cycle: CycleState = cycle.initial
    intent: Intent = intent.initial
    budget: BudgetState = budget.initial
    configured: Configured = Configured()
    measured: Measured | None = None
    reverted: Reverted | None = None
    after: Position = START

    @property
    def stopped(self) -> str | None:
        """The recorded reason of a stop that still holds."""
        return self.budget.stopped


def stand(state: Standing, records: Iterable[Record]) -> Standing:
    """The standing after these lines too; where that is, is not known."""
    known = list(records)
    return Standing(
        fold(session, known, state.session),
        fold(cycle, known, state.cycle),
        fold(intent, known, state.intent),
        fold(budget, known, state.budget),
        follow_up(state.configured, known),
        next((r for r in reversed(known) if isinstance(r, Measured)), state.measured),
        next((r for r in reversed(known) if isinstance(r, Reverted)), state.reverted),
        state.after,
    )

"""What a loop is given, who looks on, and how it ended: the terms in which others speak with it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import msgspec

from commands.effects.agents import Agent
from commands.effects.cycling import Outcome
from eventstore.events import Event
from reducers.policies.looping import Course, Stop

if TYPE_CHECKING:
    from commands.effects.measuring import Step
    from hooks.runner import Fired

__all__ = ["Ended", "Plan", "Watch", "Wish"]


class Plan(msgspec.Struct, frozen=True):
    """What a loop is to do.

    agent: what is started each turn. seconds: how long a turn may take. by: who the agent is.
    turns: how many turns at most, from 1; None leaves it to the stop rules.
    pivot: a direction to take from now on, in words; None for none.
    root: the folder whose guard and patrol it looks after in every turn; None for none.
    leave_open: whether the session is to stay open once the turns are used up, for another call goes on.
    limits: to set first, as in a `settings` event. strict: whether an iteration beyond the protocol's
        engineering limits is refused, and none begins while the last one is unverified. register: the
        command that restarts it, as arguments; empty where none is to be recorded.
    """

    agent: Agent
    seconds: float
    by: str = "worker"
    turns: int | None = None
    pivot: str | None = None
    root: Path | None = None
    limits: dict[str, int | float | str | None] = {}
    strict: bool = False
    leave_open: bool = False
    register: tuple[str, ...] = ()


class Ended(msgspec.Struct, frozen=True):
    """How a loop ended. stop: why. turns: how many there were in this call."""

    stop: Stop
    turns: int


class Watch(Protocol):
    """Who looks on."""

    def doing(self, what: str) -> None:
        """Something begins that takes a while."""

    def measuring(self, step: Step) -> None:
        """A step of a measurement begins or has its value."""

    def stands(self, course: Course) -> None:
        """Where the session stands now."""

    def happened(self, thing: Event | Outcome | Fired) -> None:
        """A cycle ended, a hook fired, or something was recorded in between."""


class Wish(Protocol):
    """Whether somebody wants the loop to end."""

    @property
    def asked(self) -> bool:
        """Whether it is to end after the step it is at."""

    def wait(self, seconds: float) -> bool:
        """Waits, until it is asked to end at most; whether it was."""

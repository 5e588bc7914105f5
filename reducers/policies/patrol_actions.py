"""What a patrol may do, as values: restart, nudge, pivot, flag, and nothing else (design, section 6.3)."""

from __future__ import annotations

import msgspec

from eventstore.events import Event, Flag, Nudge, Pivot, Restart

__all__ = ["Action", "FlagTask", "NudgeLoop", "PivotTask", "RestartLoop", "event_of"]


class Action(msgspec.Struct, frozen=True, kw_only=True, tag_field="action", omit_defaults=True):
    """Something to do. task: the key of its view. loop: whom it is about. reason: what was seen, in words."""

    task: str
    loop: str
    reason: str


class RestartLoop(Action, frozen=True, kw_only=True, tag="restart", omit_defaults=True):
    """Start the loop's registered command.

    argv, cwd: as registered; never through a shell. end: pid and start stamp of its old process, which still
    lives and has to be ended first; None if there is none.
    """

    argv: tuple[str, ...]
    cwd: str | None = None
    end: tuple[int, str] | None = None


class NudgeLoop(Action, frozen=True, kw_only=True, tag="nudge", omit_defaults=True):
    """Push the loop: it waits for an answer that nobody will give."""


class PivotTask(Action, frozen=True, kw_only=True, tag="pivot", omit_defaults=True):
    """Lead the task elsewhere. left: the direction it is stuck in. perturbation: the impulse, in words."""

    left: str | None = None
    perturbation: str


class FlagTask(Action, frozen=True, kw_only=True, tag="flag", omit_defaults=True):
    """Raise a flag of this kind, or take it down."""

    kind: str
    cleared: bool = False


def event_of(action: Action) -> Event:
    """The event that records an action. Raises TypeError for what is none of ours."""
    if isinstance(action, RestartLoop):
        return Restart(target=action.loop, reason=action.reason)
    if isinstance(action, NudgeLoop):
        return Nudge(target=action.loop, reason=action.reason)
    if isinstance(action, PivotTask):
        return Pivot(
            level="inject", reason=action.reason, from_=action.left, perturbation=action.perturbation
        )
    if isinstance(action, FlagTask):
        return Flag(kind=action.kind, detail=action.reason, cleared=action.cleared)
    raise TypeError(f"{type(action).__name__} is no action of a patrol")

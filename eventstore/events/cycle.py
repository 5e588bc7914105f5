"""Events of the measured cycle: propose, start, commit, measure, roll back (design, section 6.1)."""

from __future__ import annotations

from typing import Any

from eventstore.events.base import Count, Number, Tagged

__all__ = ["Committed", "Measured", "Proposal", "Reverted", "Started"]


class Proposal(Tagged, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """An agent says what it is about to try.

    description: the change, in words. hypothesis: why it should help. direction: the direction it belongs to.
    asi: what else its successors should know.
    """

    description: str
    hypothesis: str | None = None
    direction: str | None = None
    asi: dict[str, Any] = {}


class Started(Tagged, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """A cycle began; written before it touches git.

    cycle: its number in the segment; 0 is the baseline. parent: the commit it starts from.
    files: the changed paths inside the assets. pid: the process that runs it, with pid_started, an opaque
    stamp that tells a reused pid apart.
    """

    cycle: Count
    parent: str | None = None
    files: tuple[str, ...] = ()
    pid: int | None = None
    pid_started: str | None = None


class Committed(Tagged, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """A cycle's change was committed, before measuring.

    cycle: the cycle's number. commit: the new commit. parent: the commit before it. files: what it holds.
    """

    cycle: Count
    commit: str
    parent: str | None = None
    files: tuple[str, ...] = ()


class Measured(Tagged, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """A measurement ended, well or not.

    cycle: the cycle's number. commit: what was measured. command: how.
    samples: the values, in order. median: their median; null when the measurement failed.
    metrics: secondary metrics by name. exit_code: the failing or last command's; negative for a signal.
    duration_ms: of all samples, milliseconds. timed_out: whether a limit ended it.
    constraint_exit: the constraint's exit code, null if none ran.
    output_tail: the output's last 20 lines, at most 4 KiB. error: what went wrong, in words.
    """

    cycle: Count
    commit: str | None = None
    command: str | None = None
    samples: tuple[Number, ...] = ()
    median: int | float | None = None
    metrics: dict[str, Any] = {}
    exit_code: int | None = None
    duration_ms: int | float | None = None
    timed_out: bool = False
    constraint_exit: int | None = None
    output_tail: str | None = None
    error: str | None = None


class Reverted(Tagged, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """A rollback was done and checked, or failed.

    cycle: the cycle's number. commit: what was rolled back. revert_commit: the commit that did it.
    verified: whether tree and files were found as before. detail: what was found, in words.
    """

    cycle: Count
    commit: str | None = None
    revert_commit: str | None = None
    verified: bool
    detail: str = ""

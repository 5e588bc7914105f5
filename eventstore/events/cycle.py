"""Events of the measured cycle: propose, start, commit, measure, roll back (design, section 6.1)."""

from __future__ import annotations

from typing import Any

from eventstore.events.base import Count, Number, Tagged

__all__ = ["Committed", "Measured", "Proposal", "Reverted", "Started"]


class Proposal(Tagged, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """An agent says what it is about to try. Written by agents, before they change anything.

    description: the change, in words.
    hypothesis: why it should help, in words.
    direction: the direction of the search that it belongs to, in words.
    asi: what else its successors should know, by name.
    """

    description: str
    hypothesis: str | None = None
    direction: str | None = None
    asi: dict[str, Any] = {}


class Started(Tagged, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """A cycle began. Written by `ar cycle`, before it touches git.

    cycle: its number in the segment, from 0, which is the baseline.
    parent: the commit it starts from.
    files: the changed paths inside the assets, relative to the repository's top.
    pid: number of the process that runs it, from 1.
    pid_started: an opaque stamp that tells a reused pid apart.
    """

    cycle: Count
    parent: str | None = None
    files: tuple[str, ...] = ()
    pid: int | None = None
    pid_started: str | None = None


class Committed(Tagged, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """A cycle's change was committed. Written by `ar cycle`, before measuring.

    cycle: the cycle's number in the segment, from 0.
    commit: the new commit.
    parent: the commit before it.
    files: the paths it holds, relative to the repository's top.
    """

    cycle: Count
    commit: str
    parent: str | None = None
    files: tuple[str, ...] = ()


class Measured(Tagged, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """A measurement ended, well or not. Written by `ar cycle` and `ar init`.

    cycle: the cycle's number in the segment, from 0.
    commit: the commit that was measured.
    command: how it was measured, as a shell reads it.
    samples: the values, in order, in the metric's unit.
    median: their median, in the metric's unit; null when the measurement failed.
    metrics: secondary metrics by name.
    exit_code: the failing or last command's exit code, from 0; negative for a signal.
    duration_ms: how long all samples took, milliseconds.
    timed_out: whether a limit ended it.
    constraint_exit: the constraint's exit code, from 0, negative for a signal; null if none ran.
    output_tail: the output's last 20 lines, at most 4 KiB.
    error: what went wrong, in words.
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
    """A rollback was done and checked, or failed. Written by `ar cycle`.

    cycle: the cycle's number in the segment, from 0.
    commit: the commit that was rolled back.
    revert_commit: the commit that did it.
    verified: whether tree and files were found as before.
    detail: what was found, in words.
    """

    cycle: Count
    commit: str | None = None
    revert_commit: str | None = None
    verified: bool
    detail: str = ""

"""When a search that does not advance must go elsewhere, and how far (design, section 5)."""

from __future__ import annotations

from collections.abc import Mapping

__all__ = ["LEVELS", "THRESHOLDS", "level_due", "pivot_due", "rank", "threshold"]

LEVELS = ("structure", "inject", "human")
"""The pivots, mildest first: change a structural constraint; bring in a new direction with a perturbation;
raise a flag for a person (work goes on)."""

THRESHOLDS: Mapping[str, int] = {"structure": 2, "inject": 3, "human": 4}
"""The stale counts from which each is due, unless a `settings` event says otherwise."""


def rank(level: str | None) -> int:
    """How far a pivot of this level goes: 1 to 3; 0 for none and for levels nobody knows."""
    return LEVELS.index(level) + 1 if level in LEVELS else 0


def threshold(value: object) -> int | None:
    """A threshold as a whole number from 1; None for what cannot be one, which then changes nothing."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return int(value) if 1 <= value < float("inf") and value == int(value) else None


def level_due(stale_count: int, thresholds: Mapping[str, int]) -> str | None:
    """The farthest level whose threshold the count has reached, or None; `thresholds` before `THRESHOLDS`."""
    reached = [level for level in LEVELS if stale_count >= thresholds.get(level, THRESHOLDS[level])]
    return reached[-1] if reached else None


def pivot_due(stale_count: int, thresholds: Mapping[str, int], pivoted: str | None) -> str | None:
    """The pivot that is due, or None.

    pivoted: the farthest pivot since the stale count last grew; one of at least the due level answers it.
    """
    due = level_due(stale_count, thresholds)
    return due if rank(due) > rank(pivoted) else None

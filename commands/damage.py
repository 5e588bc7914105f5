"""Damaged lines are never passed over in silence (design, section 2.4)."""

from __future__ import annotations

from collections.abc import Sequence

from commands.output import warn

__all__ = ["tell_damage"]

_NAMED = 10


def tell_damage(lines: Sequence[int]) -> None:
    """Names damaged lines on stderr; says nothing where there are none."""
    if not lines:
        return
    named = ", ".join(map(str, lines[:_NAMED])) + (
        f" and {len(lines) - _NAMED} more" if len(lines) > _NAMED else ""
    )
    what = f"line {named} is" if len(lines) == 1 else f"lines {named} are"
    warn(f"{what} damaged and not part of what is shown; `ar verify` says more")

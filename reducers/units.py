"""Units of metrics by the endings of their names (design, section 5)."""

from __future__ import annotations

__all__ = ["unit_of"]

_ENDINGS = (
    ("µs", "µs"),
    ("μs", "µs"),
    ("_ms", "ms"),
    ("_sec", "s"),
    ("_s", "s"),
    ("_kb", "kb"),
    ("_mb", "mb"),
)


def unit_of(name: str) -> str:
    """The unit that a metric's name tells: `µs`, `ms`, `s`, `kb` or `mb`; empty when it tells none."""
    lower = name.lower()
    return next((unit for ending, unit in _ENDINGS if lower.endswith(ending)), "")

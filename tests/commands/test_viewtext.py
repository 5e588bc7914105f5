"""Views as text for people."""

from __future__ import annotations

from typing import Any

import pytest

from commands.viewtext import field


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("timestamp", 1_764_517_599_123, "2025-11-30 15:46:39Z"),
        ("started_at", 1_764_517_599_123, "2025-11-30 15:46:39Z"),
        ("until", None, "-"),
        ("delta_pct", -12.44, "-12.4%"),
        ("duration_ms", 1500, "1.5 s"),
        ("run_count", 1_764_517_599_123, "1764517599123"),
    ],
)
def test_a_field_is_told_by_its_name(name: str, value: Any, told: str) -> None:
    """Times as such, percentages and durations with their units, all else as it is."""
    assert field(name, value) == told

"""The table of error patterns and exclusions: every row is proven by its own lines."""

from __future__ import annotations

import re
from typing import Any

import pytest

from hooks import error_capture
from hooks.error_capture import error_in
from hooks.error_exclusions import EXCLUSIONS, HARMLESS
from hooks.error_patterns import BLANKS, FIRES, PATTERNS, SKIPS, Row

SILENT = (*EXCLUSIONS, *HARMLESS)
TABLE = (*PATTERNS, *SILENT)


def cases(rows: tuple[Row, ...]) -> list[Any]:
    return [
        pytest.param(row, line, id=f"{row.name}-{at}") for row in rows for at, line in enumerate(row.lines)
    ]


@pytest.mark.parametrize(("row", "line"), cases(PATTERNS))
def test_a_line_of_a_pattern_fires_by_that_pattern(row: Row, line: str) -> None:
    """Every line of a pattern's row is an error, and is reported under that row's name."""

    assert error_in(line) == row.name


@pytest.mark.parametrize(("row", "line"), cases(SILENT))
def test_a_line_of_an_exclusion_is_silent_because_of_it(
    row: Row, line: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every line of an exclusion or harmless phrase is silent, and an error without the row."""

    assert error_in(line) is None

    name = "EXCLUSIONS" if row.kind == SKIPS else "HARMLESS"
    monkeypatch.setattr(
        error_capture, name, tuple(other for other in getattr(error_capture, name) if other is not row)
    )
    assert error_in(line) is not None


def test_every_row_has_a_name_a_reason_a_pattern_and_a_proof() -> None:
    """Names are unique; each row says why, compiles, has lines, and needles in lower case."""
    names = [row.name for row in TABLE]

    assert sorted(set(names)) == sorted(names)
    for row in TABLE:
        re.compile(row.pattern, re.ASCII)
        assert row.why
        assert row.lines
        assert all(needle and needle == needle.lower() for needle in row.needles), row
        assert row.name in repr(row)


def test_the_kinds_are_in_their_places() -> None:
    """Patterns fire, exclusions skip, harmless phrases are blanked."""

    assert {row.kind for row in PATTERNS} == {FIRES}
    assert {row.kind for row in EXCLUSIONS} == {SKIPS}
    assert {row.kind for row in HARMLESS} == {BLANKS}


@pytest.mark.parametrize("row", TABLE, ids=lambda row: row.name)
def test_patterns_are_harmless_on_long_lines(row: Row) -> None:
    """No pattern backtracks without end: 4,096 characters of its own making take it well under a second."""
    pattern = re.compile(row.pattern, re.ASCII)
    seeds = (
        *row.lines,
        "a.",
        "a::",
        "A",
        "Error",
        "error ",
        "1 a ",
        " ",
        "- ",
        "[",
        "0",
        "warn",
        "=",
        "INFO ",
    )

    for seed in seeds:
        pattern.search((seed * 4096)[:4095] + "\x00")

"""The results table: rows as the first skill's script writes them."""

from __future__ import annotations

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reducers.policies.results_tsv import CONSTRAINT_FAIL, HEADER, VERDICTS, cell, header_fits, row

NOW = 1_764_517_599_999


def test_the_rows_of_a_session() -> None:
    """Baseline with nothing before it, kept, discarded, and a failed constraint in place of a metric."""
    rows = [
        row(NOW, 0, "baseline", None, 12.5, "BASELINE"),
        row(NOW, 1, "unroll", 12.5, 11.0, "KEPT"),
        row(NOW, 2, "two\tcells\nand lines", 11.0, 11.0, "DISCARDED"),
        row(NOW, 3, "break it", 11.0, CONSTRAINT_FAIL, "DISCARDED"),
    ]

    assert HEADER == "timestamp\tcycle\tchange\tmetric_before\tmetric_after\tverdict\n"
    assert rows == [
        "2025-11-30T15:46:39+00:00\t0\tbaseline\t\t12.5\tBASELINE\n",
        "2025-11-30T15:46:39+00:00\t1\tunroll\t12.5\t11.0\tKEPT\n",
        "2025-11-30T15:46:39+00:00\t2\ttwo cells and lines\t11.0\t11.0\tDISCARDED\n",
        "2025-11-30T15:46:39+00:00\t3\tbreak it\t11.0\tCONSTRAINT_FAIL\tDISCARDED\n",
    ]


def test_only_the_three_verdicts() -> None:
    """Another word is a mistake of the caller's."""
    with pytest.raises(ValueError, match="no verdict is called 'keep'; there are BASELINE, KEPT, DISCARDED"):
        row(NOW, 1, "x", 1.0, 2.0, "keep")


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (HEADER, True),
        (HEADER + "row\n", True),
        (HEADER.rstrip(), True),
        (HEADER.replace("\n", "\r\n"), True),
        ("commit\tval_bpb\n", False),
        ("", False),
        ("\n" + HEADER, False),
    ],
)
def test_a_foreign_header_does_not_fit(content: str, expected: bool) -> None:
    """Rows are only added below our header."""
    assert header_fits(content) is expected


@given(st.text(), st.floats(allow_nan=False), st.sampled_from(VERDICTS))
def test_every_row_has_six_cells_on_one_line(change: str, value: float, verdict: str) -> None:
    """Law: whatever the description holds, the row is one line of six cells and the numbers come back."""
    line = row(NOW, 7, change, value, value, verdict)

    assert len(line.splitlines()) == 1
    cells = line.removesuffix("\n").split("\t")
    assert (len(cells), float(cells[3]), float(cells[4]), cells[5]) == (6, value, value, verdict)
    assert cells[2] == cell(change)


def test_a_reader_of_tables_reads_it() -> None:
    """Quotes are text like any other."""
    table = HEADER + row(NOW, 1, 'say "x"', 1.0, 0.5, "KEPT")

    [read] = csv.DictReader(io.StringIO(table), delimiter="\t", quoting=csv.QUOTE_NONE)
    assert (read["change"], read["metric_after"]) == ('say "x"', "0.5")

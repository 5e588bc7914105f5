"""Formats are told by content."""

from __future__ import annotations

import pytest

from eventstore.formats.recognise import recognise
from tests.eventstore.formats.test_tsv import ITERATION, KARPATHY, V1


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ('{"type":"config","name":"g"}\n', "pi"),
        ('\n\n# a remark\n{"run":1}\n', "pi"),
        ('{\n "run": 1\n}\n', "pi"),
        (KARPATHY, "tsv"),
        (ITERATION, "tsv"),
        (V1, "tsv"),
        ("1\tx\t0.5\tkeep\n2\ty\t0.4\tkeep\n", "tsv"),
        ("run,metric,status\n1,2,keep\n", "csv"),
        (KARPATHY.replace("\t", "\\t"), "tsv"),
        ("Dear diary, today I optimised.\nIt was fun, really.\n", None),
        ("", None),
        ("\n \n", None),
        ("\x00\x01\x02", None),
        ("<html><body>404</body></html>", None),
    ],
)
def test_formats(text: str, form: str | None) -> None:
    """JSON lines, tables by their delimiter, and nothing that is neither."""
    assert recognise(text.encode()) == form

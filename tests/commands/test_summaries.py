"""An event in a line, for `ar tail` and its like."""

from __future__ import annotations

import pytest

from commands.summaries import summary
from eventstore.events import Imported


@pytest.mark.parametrize(
    ("event", "told"),
    [
        (Imported(source="a.tsv", format="karpathy", events=1), "1 event from a.tsv (karpathy)"),
        (
            Imported(source="a", format="pi", events=2, skipped=({"line": 3},)),
            "2 events from a (pi), 1 line skipped",
        ),
        (
            Imported(source="a", format="pi", skipped=({"line": 3}, {"line": 4})),
            "0 events from a (pi), 2 lines skipped",
        ),
    ],
)
def test_what_was_imported_is_counted(event: Imported, told: str) -> None:
    """One of a thing is not several."""
    assert summary(event) == told

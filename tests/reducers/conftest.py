"""`log`: the log that a test's own docstring holds."""

from __future__ import annotations

import pytest

from eventstore.events import Record
from tests.reducers.given import records


@pytest.fixture
def log(request: pytest.FixtureRequest) -> list[Record]:
    """The JSON lines in the docstring of the test that asks, as records."""
    found = records(request.function.__doc__ or "")
    assert found, "the docstring holds no log"
    return found

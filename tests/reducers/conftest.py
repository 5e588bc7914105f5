"""`log`: the log that a test's own docstring holds. Property tests may take their time on a busy machine."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, settings

from eventstore.events import Record
from tests.reducers.given import records

settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("patient")


@pytest.fixture
def log(request: pytest.FixtureRequest) -> list[Record]:
    """The JSON lines in the docstring of the test that asks, as records."""
    found = records(request.function.__doc__ or "")
    assert found, "the docstring holds no log"
    return found

"""What the tests of this folder share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from .marked import Marked


@pytest.fixture
def marked(tmp_path: Path) -> Iterator[Marked]:
    """Runs marked commands; afterwards nothing of them may be left."""
    commands = Marked(tmp_path)
    yield commands
    commands.assert_nothing_left()

"""`docs/formats.md` says what the parsers know, and shows what `ar` prints."""

from __future__ import annotations

import re
from pathlib import Path

from tests.docs_console import run_steps, steps_of
from tests.eventstore.formats.formats_page import PAGE, fresh, sections


def test_every_word_is_listed() -> None:
    """Run `python -m tests.eventstore.formats.formats_page` when this fails."""
    page = PAGE.read_text(encoding="utf-8")

    assert page == fresh(page)
    assert set(re.findall(r"<!-- words: (\S+) -->", page)) == set(sections())


def test_its_consoles_are_real(tmp_path: Path) -> None:
    """Run `python -m tests.docs_console docs/formats.md` when this fails."""
    steps = steps_of(PAGE.read_text(encoding="utf-8"))

    assert len(steps) > 10
    assert [step.output for step in steps] == run_steps(steps, tmp_path)

"""`ar verified`: how an independent check ended."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.commands.conftest import Ar
from tests.commands.protocol import begin, lines, refused


@pytest.fixture(autouse=True)
def log(ar: Ar, tmp_path: Path) -> Path:
    """A session's log."""
    return begin(ar, tmp_path)


def test_a_check_is_recorded_with_how_it_ended(ar: Ar, log: Path) -> None:
    """A failed one is recorded just as well, and that is success."""
    assert ar("verified", "test", "pytest", "--ok", "--by", "verifier") == (0, "test ok, line 2\n", "")
    failed = ar("verified", "compile", "make", "--failed", "--detail", "undefined f")

    assert failed == (0, "compile failed, line 3\n", "")
    assert lines(log) == [
        {"type": "verified", "by": "verifier", "kind": "test", "target": "pytest", "ok": True},
        {"type": "verified", "kind": "compile", "target": "make", "ok": False, "detail": "undefined f"},
    ]


def test_a_check_of_citations_says_what_is_left(ar: Ar) -> None:
    """In the document too."""
    for source in ("arXiv:1", "arXiv:2"):
        assert ar("finding", "x", "--source", source).code == 0

    assert ar("verified", "citation", "arXiv:1", "--ok").out == (
        "citation ok, line 4; 1 of 2 citations are unverified\n"
    )
    document = json.loads(ar("verified", "citation", "all", "--ok", "--json").out)
    assert (document["citations"], document["citations_unverified"]) == (2, 0)
    assert document["event"]["ok"] is True


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("test", "x"), "ar: how the check ended is missing\ntry: --ok or --failed\n"),
        (("vibes", "x", "--ok"), "invalid value for 'KIND': 'vibes' is not one of"),
        (("test", "", "--ok"), "TARGET is empty"),
        (("test", "--ok"), "missing argument 'TARGET'"),
    ],
)
def test_half_a_check_is_refused(ar: Ar, log: Path, words: tuple[str, ...], message: str) -> None:
    """Exit 2, nothing written."""
    assert message in refused(ar, log, "verified", *words)

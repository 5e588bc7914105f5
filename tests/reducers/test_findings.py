from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given

from eventstore.events import Finding, Verified
from reducers.findings import findings
from reducers.strategies import logs
from tests.reducers.given import shown


def cited(source: str | None) -> Finding:
    return Finding(text="t", source=source)


def checked(target: str | None = None, ok: bool = True, kind: str = "citation") -> Verified:
    return Verified(kind=kind, target=target, ok=ok)


def test_findings_are_shown_as_recorded(log: list[Any]) -> None:
    """Numbered in the order of the log.

    {"type":"finding","text":"the cache is cold","evidence":"perf stat","iteration":3,
     "by":"worker:a","timestamp":1764517600000}
    {"type":"finding","text":"B-trees win","source":"paper"}
    """
    view = shown(findings, log)

    assert view["findings"][0] == {
        "finding": 1,
        "text": "the cache is cold",
        "evidence": "perf stat",
        "source": None,
        "citation": None,
        "iteration": 3,
        "timestamp": 1_764_517_600_000,
        "by": "worker:a",
    }
    assert (view["total"], view["citations"], view["citations_unverified"]) == (2, 1, 1)
    assert view["findings"][1]["citation"] == "unverified"


@pytest.mark.parametrize(
    ("log", "citations"),
    [
        ([cited("a"), checked()], ["ok"]),
        ([checked(), cited("a")], ["unverified"]),
        ([cited("a"), cited(None), checked(), cited("b")], ["ok", None, "unverified"]),
        ([cited("a"), cited("b"), checked("a")], ["ok", "unverified"]),
        ([cited("a"), cited("b"), checked("a", ok=False)], ["failed", "unverified"]),
        ([cited("a"), cited("b"), checked("findings 1-2")], ["ok", "ok"]),
        ([cited("a"), checked("b"), cited("b")], ["ok", "unverified"]),
        ([cited("a"), checked(ok=False)], ["unverified"]),
        ([cited("a"), checked(kind="test")], ["unverified"]),
        ([cited("a"), checked("a", ok=False), checked("a")], ["ok"]),
        ([cited("a"), checked("a"), checked("a", ok=False)], ["failed"]),
        ([cited("a"), checked("a", ok=False), checked()], ["ok"]),
        ([cited("a"), checked("a"), cited("a"), checked("a", ok=False)], ["failed", "failed"]),
        ([cited("a"), checked("a"), cited("a")], ["ok", "unverified"]),
        ([cited(""), checked("")], [None]),
    ],
)
def test_the_last_check_that_covers_a_citation_decides(log: list[Any], citations: list[str | None]) -> None:
    """One of its source, or an ok one of all that was cited before."""
    view = shown(findings, log)

    assert [row["citation"] for row in view["findings"]] == citations
    assert view["citations_unverified"] == sum(citation in ("unverified", "failed") for citation in citations)


@given(logs())
def test_counts_agree_with_the_rows(log: list[Any]) -> None:
    """Whatever the log."""
    view = shown(findings, log)

    assert view["total"] == len(view["findings"]) == sum(type(record) is Finding for record in log)
    assert view["citations_unverified"] <= view["citations"] <= view["total"]
    assert [row["finding"] for row in view["findings"]] == list(range(1, view["total"] + 1))

"""`ar iteration`: numbered and counted from the log, and what it demands next."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.commands.conftest import Ar, environment
from tests.commands.protocol import begin, lines, refused


@pytest.fixture(autouse=True)
def log(ar: Ar, tmp_path: Path) -> Path:
    """A session's log."""
    return begin(ar, tmp_path)


def test_an_iteration_takes_its_number_and_its_findings_from_the_log(ar: Ar, log: Path) -> None:
    """Findings since the iteration before; the first is number 1."""
    for text in ("a", "b"):
        assert ar("finding", text).code == 0
    first = ar("iteration", "-m", "read the parser", "--duration", "25m", "--rounds", "12", "--metric", "3.5")
    assert ar("verified", "test", "pytest", "--ok").code == 0
    second = ar("iteration", "-m", "nothing", "--direction", "SIMD")

    assert first == (0, "iteration 1 is line 4: 2 findings, stale count 0\n", "")
    assert second == (0, "iteration 2 is line 6: 0 findings, stale count 1\n", "")
    assert lines(log)[2] == {
        "type": "iteration",
        "iteration": 1,
        "summary": "read the parser",
        "findings": 2,
        "metric": 3.5,
        "rounds": 12,
        "duration_seconds": 1500,
    }
    assert lines(log)[4] == {"type": "iteration", "iteration": 2, "summary": "nothing", "direction": "SIMD"}
    assert json.loads(ar("view", "progress", "--json").out)["iteration"] == 2


def test_it_says_which_pivot_is_due_and_what_was_not_verified(ar: Ar) -> None:
    """Stale iterations count where there are no runs."""
    assert ar("iteration", "-m", "a").code == 0
    ran = ar("iteration", "-m", "b")
    document = json.loads(ar("iteration", "-m", "c", "--json").out)

    assert ran.out.endswith("stale count 2; pivot due: structure (ar pivot)\n")
    assert ran.err == "ar: no ok check followed iteration 1: `ar verified` records one\n"
    assert (document["stale_count"], document["pivot_due"], document["unverified"]) == (3, "inject", 2)


def test_a_failed_check_verifies_nothing(ar: Ar) -> None:
    """Only an ok one does."""
    assert ar("iteration", "-m", "a").code == 0
    assert ar("verified", "test", "pytest", "--failed").code == 0
    assert "no ok check followed iteration 1" in ar("iteration", "-m", "b").err


def test_a_number_may_be_given_if_it_comes_after_the_last(ar: Ar, log: Path) -> None:
    """0 for the first, too; what is given is believed, findings as well."""
    assert ar("iteration", "-m", "a", "--iteration", "0", "--findings", "3").code == 0
    told = refused(ar, log, "iteration", "-m", "b", "--iteration", "0", code=3)

    assert told == "ar: iteration 0 is recorded already\ntry: --iteration 1, or leave it out\n"
    assert ar("iteration", "-m", "b").out.startswith("iteration 1 ")
    assert lines(log)[0]["findings"] == 3


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "missing option '-m'"),
        (("-m", ""), "-m is empty"),
        (("-m", "a", "--direction", " "), "--direction is empty"),
        (("-m", "a", "--metric", "inf"), "no finite number"),
        (("-m", "a", "--duration", "soon"), "no length of time"),
        (("-m", "a", "--findings", "-1"), "invalid value for '--findings'"),
        (("-m", "a", "--iteration", "x"), "invalid value for '--iteration'"),
    ],
)
def test_what_makes_no_sense_is_refused(ar: Ar, log: Path, words: tuple[str, ...], message: str) -> None:
    """Exit 2, nothing written."""
    assert message in refused(ar, log, "iteration", *words)


def test_of_many_at_once_each_gets_a_number_of_its_own(log: Path) -> None:
    """It is decided under the log's lock."""
    writers = [
        subprocess.Popen(
            [sys.executable, "-m", "autoresearch_ledger", "iteration", "-m", "a"],
            cwd=log.parent,
            env=environment(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for _ in range(3)
    ]

    assert [writer.wait(60) for writer in writers] == [0, 0, 0]
    assert [line["iteration"] for line in lines(log)] == [1, 2, 3]

"""`ar propose`: what an agent is about to try, and that it differs from what was tried."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.commands.conftest import Ar, environment


@pytest.fixture(autouse=True)
def log(ar: Ar, tmp_path: Path) -> Path:
    """A session in which caches were tried."""
    assert ar("init", "faster", "--metric", "total", "--unit", "ms", "--direction", "lower").code == 0
    assert ar("log", "--status", "keep", "--metric", "44.4", "-m", "baseline").code == 0
    tried = ("--direction", "caches of many sizes")
    assert ar("log", "--status", "discard", "--metric", "45", "-m", "b", *tried).code == 0
    return tmp_path / ".auto" / "log.jsonl"


def lines(log: Path) -> list[dict[str, object]]:
    """The log's lines after the three of the session, without what only the envelope holds."""
    found = [json.loads(line) for line in log.read_text().splitlines()][3:]
    return [{k: v for k, v in line.items() if k not in ("seq", "timestamp", "prev")} for line in found]


def test_a_proposal_is_recorded_and_its_direction_claimed(ar: Ar, log: Path) -> None:
    """With all that was said; by whom it was."""
    ran = ar(
        *("propose", "-m", "arena", "--hypothesis", "malloc dominates", "--direction", "memory"),
        *("--asi", "next_focus=strings", "--by", "worker:a"),
    )

    assert ran == (0, "proposed, line 4; the direction is yours for 15 minutes\n", "")
    assert lines(log) == [
        {
            "type": "proposal",
            "by": "worker:a",
            "description": "arena",
            "hypothesis": "malloc dominates",
            "direction": "memory",
            "asi": {"next_focus": "strings"},
        },
        {"type": "direction", "by": "worker:a", "text": "memory", "state": "claimed"},
    ]


def test_a_proposal_without_a_direction_claims_none(ar: Ar, log: Path) -> None:
    """Nothing but the proposal."""
    assert ar("propose", "-m", "arena").out == "proposed, line 4\n"
    assert lines(log) == [{"type": "proposal", "description": "arena"}]


def test_a_direction_that_was_tried_is_refused_with_its_outcome(ar: Ar, log: Path) -> None:
    """Exit 3, nothing written; the earlier one and what came of it are named."""
    ran = ar("propose", "-m", "b", "--direction", "Caches, of many sizes!")

    assert ran.code == 3
    assert ran.err == (
        'ar: direction "caches of many sizes" was tried, outcome "discard", run 2\n'
        "try: another direction, or --reason 'why this one again'\n"
    )
    assert lines(log) == []


def test_a_reason_overrides_and_is_recorded(ar: Ar, log: Path) -> None:
    """On the claim."""
    ran = ar("propose", "-m", "b", "--direction", "caches of many sizes", "--reason", "another machine")

    assert ran.code == 0
    assert lines(log)[1]["reason"] == "another machine"


def test_a_direction_much_like_another_is_warned_about(ar: Ar) -> None:
    """It goes through; the neighbour is named, in the JSON too."""
    ran = ar("propose", "-m", "b", "--direction", "caches of many size", "--json")

    assert ran.code == 0
    assert 'much like a direction of before (97 of 100): "caches of many sizes" was tried' in ran.err
    document = json.loads(ran.out)
    assert document["neighbour"] == {"text": "caches of many sizes", "outcome": "discard", "similarity": 97.4}
    assert document["event"]["type"] == "proposal"
    assert (document["seq"], document["claimed"]) == (4, "caches of many size")


def test_another_workers_claim_is_respected_ones_own_renewed(ar: Ar, log: Path) -> None:
    """Until it ends."""
    assert ar("propose", "-m", "a", "--direction", "SIMD", "--by", "worker:a").code == 0
    refused = ar("propose", "-m", "b", "--direction", "simd", "--by", "worker:b")
    again = ar("propose", "-m", "c", "--direction", "SIMD", "--by", "worker:a")
    reasoned = ar("propose", "-m", "b", "--direction", "simd", "--reason", "x", "--by", "worker:b")

    assert refused.code == reasoned.code == 3
    assert 'direction "SIMD" is claimed by "worker:a"' in refused.err
    assert again.code == 0
    assert [line["type"] for line in lines(log)] == ["proposal", "direction"] * 2


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("-m", " "), "-m is empty"),
        (("-m", "a", "--direction", ""), "--direction is empty"),
        (("-m", "a", "--direction", "b", "--reason", ""), "--reason is empty"),
        (("-m", "a", "--reason", "b"), "--reason is about a direction"),
        (("-m", "a", "--asi", "b"), "'b' is no field"),
        ((), "missing option '-m'"),
    ],
)
def test_what_says_nothing_is_refused(ar: Ar, log: Path, words: tuple[str, ...], message: str) -> None:
    """Exit 2, one line, nothing written."""
    ran = ar("propose", *words)

    assert ran.code == 2
    assert message in ran.err
    assert lines(log) == []


def test_of_many_at_once_one_gets_the_direction(log: Path) -> None:
    """It is decided under the log's lock: the others are told whose it is."""
    workers = [
        subprocess.Popen(
            [sys.executable, "-m", "autoresearch_ledger", "propose", "-m", "a", "--direction", "SIMD"],
            cwd=log.parent,
            env=environment(AR_BY=f"worker:{number}"),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for number in range(4)
    ]

    assert sorted(worker.wait(60) for worker in workers) == [0, 3, 3, 3]
    assert [line["type"] for line in lines(log)] == ["proposal", "direction"]

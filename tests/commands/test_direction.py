"""`ar direction`: who goes where, so that no two workers go the same way and none goes twice."""

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
    """A session in which SIMD was tried."""
    log = begin(ar, tmp_path)
    assert ar("iteration", "-m", "no gain", "--direction", "SIMD").code == 0
    return log


A, B = ("--by", "worker:a"), ("--by", "worker:b")


def test_the_first_claim_wins_and_is_renewed_by_who_holds_it(ar: Ar, log: Path) -> None:
    """For 15 minutes, or as long as is said."""
    first = ar("direction", "claim", "arena", "--kind", "structural", *A)
    told = refused(ar, log, "direction", "claim", "Arena!", *B, code=3)
    again = ar("direction", "claim", "arena", "--for", "1h", *A, "--json")
    events = [json.loads(line) for line in log.read_text().splitlines()][2:]

    assert first.out.startswith("arena is yours until 20")
    assert told.startswith('ar: direction "arena" is claimed by "worker:a" until 20')
    assert told.endswith("\ntry: another direction, or wait for the claim to end\n")
    assert (events[0]["kind"], events[0]["state"], events[0]["by"]) == ("structural", "claimed", "worker:a")
    assert [event["until"] - event["timestamp"] for event in events] == [900_000, 3_600_000]
    assert json.loads(again.out)["event"]["until"] == events[1]["until"]


def test_no_reason_takes_anothers_claim_away(ar: Ar, log: Path) -> None:
    """But a user may, or an orchestrator, by dropping it with one."""
    assert ar("direction", "claim", "arena", *A).code == 0

    for argv in (("claim",), ("add",), ("drop",)):
        assert "is claimed by" in refused(ar, log, "direction", *argv, "arena", "--reason", "x", *B, code=3)
    assert "is claimed by" in refused(ar, log, "direction", "drop", "arena", code=3)
    assert ar("direction", "drop", "arena", "--reason", "it died").out == "arena is given up, line 4\n"
    assert ar("direction", "claim", "arena", *B).code == 0


def test_a_direction_is_dropped_by_who_holds_it(ar: Ar, log: Path) -> None:
    """Then it is free, for nobody tried it."""
    assert ar("direction", "claim", "arena", *A).code == 0
    assert ar("direction", "drop", "arena", "--reason", "no such unit", *A).code == 0
    assert lines(log, 3) == [
        {
            "type": "direction",
            "by": "worker:a",
            "text": "arena",
            "state": "abandoned",
            "reason": "no such unit",
        }
    ]
    assert ar("direction", "check", "arena").code == 0


def test_a_direction_that_never_came_up_cannot_be_dropped(ar: Ar, log: Path) -> None:
    """The nearest is named."""
    assert ar("direction", "claim", "caches of many sizes").code == 0
    assert refused(ar, log, "direction", "drop", "caches of many size").endswith(
        "try: ar direction drop 'caches of many sizes'\n"
    )
    assert refused(ar, log, "direction", "drop", "other").endswith("try: ar direction list\n")


def test_what_was_tried_is_refused_unless_there_is_a_reason(ar: Ar, log: Path) -> None:
    """With what came of it; the reason is recorded."""
    for verb in ("claim", "add"):
        assert refused(ar, log, "direction", verb, "simd", code=3) == (
            'ar: direction "SIMD" was tried, outcome "nothing"\n'
            "try: another direction, or --reason 'why this one again'\n"
        )
    assert ar("direction", "add", "simd", "--reason", "another machine").out == "simd is tried, line 3\n"
    assert lines(log)[-1]["reason"] == "another machine"


def test_adding_ends_ones_own_claim(ar: Ar) -> None:
    """It is tried then, for everybody."""
    assert ar("direction", "claim", "arena", *A).code == 0
    assert ar("direction", "add", "arena", *A).code == 0
    assert '"arena" was tried' in ar("direction", "claim", "arena", *B).err


def test_check_answers_without_writing(ar: Ar, log: Path) -> None:
    """Exit 1 where it repeats one; a close one is free, with a warning."""
    assert ar("direction", "claim", "caches of many sizes", *A).code == 0
    before = log.read_bytes()

    assert ar("direction", "check", "Simd") == (1, '"SIMD" was tried, outcome "nothing"\n', "")
    assert ar("direction", "check", "caches of many sizes", *B)[:2] == (
        1,
        '"caches of many sizes" is claimed by "worker:a"\n',
    )
    assert ar("direction", "check", "caches of many sizes", *A) == (0, "caches of many sizes is free\n", "")
    close = ar("direction", "check", "caches of many size", "--json")
    assert close.code == 0
    assert "much like a direction of before (97 of 100)" in close.err
    document = json.loads(close.out)
    assert (document["free"], document["earlier"]) == (True, None)
    assert document["neighbour"] == {"text": "caches of many sizes", "outcome": None, "similarity": 97.4}
    assert json.loads(ar("direction", "check", "simd", "--json").out)["earlier"]["outcome"] == "nothing"
    assert log.read_bytes() == before


def test_a_close_one_is_claimed_with_a_warning(ar: Ar) -> None:
    """Never a numeral apart: 0.01 is not 0.001, and both are free."""
    assert ar("direction", "claim", "learning rate 0.01 for the head", *A).err == ""
    ran = ar("direction", "claim", "learning rate 0.001 for the head", *B, "--json")

    assert ran.code == 0
    assert "much like a direction of before" in ran.err
    assert json.loads(ran.out)["neighbour"]["text"] == "learning rate 0.01 for the head"


def test_the_list_says_who_holds_what_now(ar: Ar, log: Path) -> None:
    """A claim that is over is held by nobody; agents' text is escaped."""
    assert ar("direction", "claim", "arena\x1b[2J", *A).code == 0
    old = {
        "type": "direction",
        "by": "worker:b",
        "text": "old",
        "state": "claimed",
        "timestamp": 1_700_000_000_000,
    }
    with log.open("a") as file:
        file.write(json.dumps(old) + "\n")
    out = ar("direction", "list").out.splitlines()
    document = json.loads(ar("direction", "list", "--json").out)

    assert out[1].split() == ["SIMD", "-", "tried", "nothing", "-", "-", "-"]
    assert out[2].startswith("arena\\x1b[2J  -     claimed     -        -     worker:a  20")
    assert out[3].split() == ["old", "-", "claim", "over", "-", "-", "-", "-"]
    assert [row["held_by"] for row in document["directions"]] == [None, "worker:a", None]
    assert len(ar("direction", "list", "--state", "claimed").out.splitlines()) == 3
    assert ar("direction", "list", "--state", "abandoned").out == "none is abandoned\n"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("claim", ""), "TEXT is empty"),
        (("claim", "a", "--reason", ""), "--reason is empty"),
        (("claim", "a", "--for", "2d"), "not above 0 and at most 1 day"),
        (("claim", "a", "--for", "0"), "not above 0"),
        (("claim", "a", "--kind", "odd"), "invalid value for '--kind'"),
        (("clam", "a"), "ar: there is no command 'direction clam'\ntry: ar direction claim\n"),
        (("zzz",), "try: ar direction --help"),
    ],
)
def test_what_makes_no_sense_is_refused(ar: Ar, log: Path, words: tuple[str, ...], message: str) -> None:
    """Exit 2, nothing written."""
    assert message in refused(ar, log, "direction", *words)


def test_of_many_claimers_at_once_one_gets_it(log: Path) -> None:
    """It is decided under the log's lock: the others are told whose it is."""
    claimers = [
        subprocess.Popen(
            [sys.executable, "-m", "autoresearch_ledger", "direction", "claim", "arena"],
            cwd=log.parent,
            env=environment(AR_BY=f"worker:{number}"),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        for number in range(4)
    ]
    said = [claimer.communicate(timeout=60) for claimer in claimers]

    assert sorted(claimer.returncode for claimer in claimers) == [0, 3, 3, 3]
    winner = lines(log, 2)[0]["by"]
    assert len(lines(log, 2)) == 1
    assert all(f'claimed by "{winner}"'.encode() in err for _, err in said if err)

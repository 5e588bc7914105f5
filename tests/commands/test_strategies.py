"""`ar strategies`: what usually helps."""

from __future__ import annotations

import json
from pathlib import Path

from reducers.policies.approaches import KINDS
from tests.commands.conftest import Ar


def test_a_kind_needs_no_session(ar: Ar) -> None:
    """Its strategies, the greatest expected impact first, each with what and why."""
    ran = ar("strategies", "test-time")

    assert ran.code == 0
    assert ran.out.startswith(
        "test_time: how long a test suite takes\n\nparallel workers  high\n  Run the tests"
    )
    document = json.loads(ar("strategies", "memory", "--json").out)
    assert document["kind"] == "memory"
    assert document["guessed"] is False
    assert document["strategies"][0]["impact"] == "high"
    assert set(document["strategies"][0]) == {"name", "impact", "what", "why", "tried"}


def test_the_sessions_kind_is_guessed_and_what_was_tried_marked(ar: Ar) -> None:
    """From metric, command and goal; runs and directions tell what was tried."""
    ar("init", "faster tests", "--metric", "seconds", "--unit", "s", "--direction", "lower")
    ar("log", "--status", "keep", "--metric", "44.4", "-m", "baseline")
    ar("log", "--status", "discard", "--metric", "45", "-m", "run with xdist")

    document = json.loads(ar("strategies", "--json").out)

    assert (document["kind"], document["guessed"]) == ("test_time", True)
    assert [s["name"] for s in document["strategies"] if s["tried"]] == ["parallel workers"]
    assert "parallel workers  high (tried)\n" in ar("strategies").out


def test_damage_is_told(ar: Ar, tmp_path: Path) -> None:
    """A line that could not be read may have told of more that was tried."""
    ar("init", "faster tests", "--metric", "seconds", "--unit", "s", "--direction", "lower")
    with (tmp_path / ".auto" / "log.jsonl").open("a") as log:
        log.write("damaged\n")

    ran = ar("strategies", "--json")

    assert json.loads(ran.out)["damaged_lines"] == [2]
    assert ran.err.startswith("ar: line 2 is damaged")


def test_the_kinds_are_listed(ar: Ar) -> None:
    """By name, with what they are about."""
    assert [line.split()[0] for line in ar("strategies", "--list").out.splitlines()] == list(KINDS)
    assert [kind["kind"] for kind in json.loads(ar("strategies", "--list", "--json").out)["kinds"]] == list(
        KINDS
    )


def test_an_unknown_kind_is_refused_and_the_nearest_named(ar: Ar) -> None:
    """Exit code 2."""
    ran = ar("strategies", "memori")

    assert ran.code == 2
    assert ran.err == "ar: there is no kind of target 'memori'\ntry: ar strategies memory\n"
    assert "try: ar strategies --list" in ar("strategies", "zzz").err

"""`ar cycle`: what a change comes to, told and recorded."""

from __future__ import annotations

import json

import pytest

from tests.commands.bench import Bench, bench
from tests.commands.sandbox import prepared, sandbox

__all__ = ["bench", "prepared", "sandbox"]

UNDISTURBED = ["proposal", "started", "committed", "measured", "run"]


class TestVerdicts:
    def test_better_is_kept(self, bench: Bench) -> None:
        """The change is a commit of exactly its files, with the trailers that tie it to the log."""
        bench.value(8)
        bench.box.write("src/new file", "x")

        ran = bench.ar("cycle", "-m", "smaller value")

        assert (ran.code, ran.out) == (0, "Cycle 1: KEPT -- smaller value (10 -> 8 ms, -20.0%)\n")
        assert bench.kinds() == UNDISTURBED
        assert bench.box.files("HEAD") == ["src/new file", "src/value"]
        message = bench.box.git("log", "-1", "--format=%B")
        assert message.startswith("autoresearch cycle 1: smaller value\n")
        assert "Ar-Cycle: 1\nAr-Head: 6:" in message
        assert bench.run()["commit"] == bench.box.head[:7]

    @pytest.mark.parametrize(
        ("value", "status", "reason", "told"),
        [
            (12, "discard", "worse", "DISCARDED -- a try (10 -> 12 ms, +20.0%)"),
            (10.0, "discard", "equal", "DISCARDED -- a try (10 -> 10 ms, +0.0%)"),
            ("nothing", "crash", "no_metric", "CRASHED -- a try [no_metric]"),
            ("NaN", "crash", "not_finite", "CRASHED -- a try [not_finite]"),
        ],
    )
    def test_anything_else_is_taken_back(
        self, bench: Bench, value: object, status: str, reason: str, told: str
    ) -> None:
        """By a commit on top whose tree is the parent's; the run is on the log before that."""
        before = bench.box.git("rev-parse", "HEAD^{tree}")
        bench.value(value)

        ran = bench.ar("cycle", "-m", "a try")

        assert (ran.code, ran.out) == (0, f"Cycle 1: {told}\n")
        assert bench.kinds() == [*UNDISTURBED, "reverted"]
        assert (bench.run()["status"], bench.run()["reason"]) == (status, reason)
        assert bench.lines("reverted")[0]["verified"] is True
        assert bench.box.git("rev-parse", "HEAD^{tree}") == before
        assert bench.box.status("src") == ""

    def test_a_failing_constraint_spares_the_measurement(self, bench: Bench) -> None:
        """The run is `checks_failed` and has no metric."""
        bench.value(3)
        bench.box.write("src/bad", "")

        ran = bench.ar("cycle", "-m", "cheat")

        assert ran.out == "Cycle 1: CHECKS FAILED -- cheat [constraint_failed]\n"
        assert (bench.run()["status"], bench.run().get("metric")) == ("checks_failed", None)
        assert bench.lines("measured")[-1]["constraint_exit"] == 1
        assert not (bench.box.top / "src/bad").exists()

    def test_a_discarded_change_can_still_be_looked_at(self, bench: Bench) -> None:
        """Its commit stays in the history."""
        bench.value(12)
        bench.ar("cycle", "-m", "worse")

        commit = bench.lines("committed")[0]["commit"]

        assert bench.box.git("show", f"{commit}:src/value") == "12"

    def test_an_empty_description_is_none(self, bench: Bench) -> None:
        """It is refused, unless a proposal says what is tried."""
        bench.value(9)

        empty = bench.ar("cycle", "-m", " ")
        bench.ar("propose", "-m", "proposed")
        bench.ar("cycle", "-m", "")

        assert (empty.code, "what was changed is not said" in empty.err) == (2, True)
        assert bench.run()["description"] == "proposed"

    def test_a_description_leaves_the_rest_as_its_author_proposed_it(self, bench: Bench) -> None:
        """So that its direction is tried by it; another author's proposal is about something else."""
        bench.ar("propose", "-m", "short runs", "--hypothesis", "most are short", "--direction", "insertion")
        bench.value(9)
        bench.ar("cycle", "-m", "insertion sort below 16")
        mine = bench.run()
        refused = bench.ar("propose", "-m", "again", "--direction", "Insertion!")
        bench.ar("propose", "-m", "pages", "--direction", "pages", "--by", "worker:other")
        bench.value(8)
        bench.ar("cycle", "-m", "unrolled")

        assert (mine["description"], mine["direction"], mine["asi"]) == (
            "insertion sort below 16",
            "insertion",
            {"hypothesis": "most are short"},
        )
        assert (refused.code, 'was tried, outcome "keep", run 2' in refused.err) == (3, True)
        assert "direction" not in bench.run()

    def test_json_is_one_document(self, bench: Bench) -> None:
        """With the run, what it was compared with, and the rollback."""
        bench.value(12)

        found = json.loads(bench.ar("cycle", "-m", "x", "--json").out)

        assert (found["cycle"], found["run"], found["status"], found["before"]) == (1, 2, "discard", 10)
        assert found["reverted"]["verified"] is True
        assert found["stop_reason"] is None

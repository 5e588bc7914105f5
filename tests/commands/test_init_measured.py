"""`ar init` with a metric command: preconditions, baseline, summary (design, section 6.1)."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from typing import Any

import pytest

from tests.commands.conftest import Ar, Ran
from tests.commands.sandbox import Sandbox, prepared, sandbox

__all__ = ["prepared", "sandbox"]

GOAL = ("smaller", "--metric", "value", "--unit", "ms", "--direction", "lower")
SET_UP = (*GOAL, "--measure", "bash .auto/measure.sh", "--asset", "src", "--allow-dirty")

Init = Callable[..., Ran]


@pytest.fixture
def init(sandbox: Sandbox, ar: Ar) -> Init:
    """Calls `ar init` in a repository with a metric command."""
    sandbox.write("src/value", "10\n")
    sandbox.commit("src/value")
    sandbox.write(".auto/measure.sh", "cat src/value\n")

    def call(*argv: str) -> Ran:
        return ar("-C", str(sandbox.top), "init", *argv)

    return call


def lines(sandbox: Sandbox) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (sandbox.top / ".auto/log.jsonl").read_text().splitlines()]


def test_a_measured_session_begins(init: Init, sandbox: Sandbox) -> None:
    """Checks, then config, settings and the baseline as run 1 of cycle 0, then the summary."""
    ran = init(*SET_UP, "--constraint", "true", "--max-cycles", "8", "--target", "3")

    assert ran.code == 0, ran.err
    assert [line.split()[:2] for line in ran.out.splitlines()[:10]] == [
        ["ok", name]
        for name in (
            *("repository", "assets", "harness", "inside", "outside"),
            *("constraint", "metric", "time", "spread"),
        )
    ] + [["baseline", "10"]]
    assert ran.out.splitlines()[9:] == [
        f"baseline    10 ms, lower is better (run 1, commit {sandbox.head[:7]})",
        "metric      value: bash .auto/measure.sh",
        "constraint  true",
        "assets      src",
        "cycles      8 at most",
        "time limit  120 minutes",
        "target      3 ms",
        f"log         {(sandbox.top / '.auto/log.jsonl').relative_to(sandbox.top)}, line 5",
    ]
    config, settings, started, measured, run = lines(sandbox)
    assert (config["samples"], list(config["harness"])) == (3, [".auto/measure.sh"])
    assert settings["limits"] == {"max_cycles": 8, "target": 3}
    assert (started["cycle"], started["parent"]) == (0, sandbox.head)
    assert (measured["cycle"], measured["samples"], measured["constraint_exit"]) == (0, [10, 10, 10], 0)
    assert (run["run"], run["status"], run["metric"], run["commit"]) == (1, "keep", 10, sandbox.head[:7])


def test_again_is_a_new_segment_with_a_baseline_of_its_own(init: Init, sandbox: Sandbox) -> None:
    """Settings alone begin none and measure nothing."""
    init(*SET_UP)
    settings = init("--max-cycles", "9")
    sandbox.write("src/value", "7\n")
    sandbox.commit("src/value")
    again = init("--samples", "1", "--allow-dirty")

    assert settings.out.startswith("settings")
    assert "segment     1 begins" in again.out
    assert [line["type"] for line in lines(sandbox)[4:]] == [
        *("settings", "config", "started", "measured", "run")
    ]
    assert lines(sandbox)[-1]["metric"] == 7


@pytest.mark.parametrize(
    ("argv", "told"),
    [
        (("--asset", "nowhere"), "assets: nowhere does not exist"),
        (("--asset", "../up"), "assets: an asset lies outside of the working tree"),
        (("--asset", ".auto"), "assets: .auto belongs to the session"),
        (("--asset", ".env"), "assets: .env is ignored by git"),
        (("--measure", "sh src/run.sh"), "harness: what measures lies inside the assets: src/run.sh"),
        (("--harness", "nothing"), "harness: there is no nothing"),
        (("--constraint", "echo no >&2; exit 3"), "constraint: the constraint exited 3; it said: no"),
        (("--measure", "echo none"), "metric: sample 1 of 3 printed no number"),
        (("--measure", "exit 4"), "metric: sample 1 of 3 exited 4"),
        (("--measure", "echo x > src/left; echo 3"), "tidy: measuring leaves files in the assets: src/left"),
    ],
)
def test_a_failed_check_starts_nothing(
    init: Init, sandbox: Sandbox, argv: tuple[str, ...], told: str
) -> None:
    """One clear line; the list shows how far it got."""
    kept = [word for word in SET_UP if argv[0] != "--asset" or word not in ("--asset", "src")]

    ran = init(*kept, *argv)

    assert ran.code == 2
    assert told in ran.err.splitlines()[0]
    assert "nothing was started" in ran.err
    failed = [line.split()[1] for line in ran.out.splitlines() if line.startswith("failed")]
    assert failed[0] == told.partition(":")[0]
    assert sorted(file.name for file in (sandbox.top / ".auto").iterdir()) == ["measure.sh"]


def test_what_lies_there_is_not_swept_in(init: Init, sandbox: Sandbox) -> None:
    """Changes inside the assets are never let be, those outside have to be allowed."""
    strict = init(*SET_UP[:-1])
    sandbox.write("src/untracked", "")
    dirty = init(*SET_UP)

    assert "outside: changed outside the assets: elsewhere/both.txt" in strict.err
    assert "try: commit or stash it, or let it be: --allow-dirty" in strict.err
    assert "inside: changed inside the assets: src/untracked" in dirty.err


def test_a_metric_command_needs_assets(init: Init) -> None:
    """Refused by name where nobody can be asked."""
    ran = init(*GOAL, "--measure", "echo 3")

    assert (ran.code, ran.err.splitlines()[0]) == (2, "ar: ar init needs --asset: what may be changed")


def test_not_in_a_repository(ar: Ar) -> None:
    """Nothing is made."""
    ran = ar("init", *SET_UP)

    assert ran.code == 2
    assert "not in a working tree of a git repository" in ran.err


def test_below_the_top(init: Init, ar: Ar, sandbox: Sandbox) -> None:
    """A session's assets and commands are those of its directory."""
    sandbox.write("src/deep/value", "4\n")
    sandbox.commit("src/deep/value")

    ran = ar(
        *("-C", str(sandbox.top / "src"), "init"),
        *GOAL,
        "--measure",
        "cat value",
        "--asset",
        "deep",
        "--allow-dirty",
    )

    assert ran.code == 0, ran.err
    assert "deep" in ran.out
    sandbox.write("src/deep/value", "2\n")
    cycle = ar("-C", str(sandbox.top / "src" / "deep"), "cycle", "-m", "x")
    assert "DISCARDED" in cycle.out
    assert sandbox.files("HEAD~1") == ["src/deep/value"]


class TestAsking:
    """At a terminal what is missing is asked for."""

    @pytest.fixture(autouse=True)
    def terminal(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("commands.init.can_ask", lambda: True)

    def answer(self, monkeypatch: pytest.MonkeyPatch, *answers: str) -> None:
        monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{line}\n" for line in answers)))

    def test_everything(self, init: Init, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
        """Goal, metric, unit, direction, measure, constraint, assets; then what to do about dirt."""
        self.answer(monkeypatch, "smaller", "value", "", "lower", "echo 5", "", "src, README.md", "allow")

        ran = init()

        assert ran.code == 0, ran.err
        config = lines(sandbox)[0]
        assert (config["name"], config["metricUnit"], config["measure"]) == ("smaller", "", "echo 5")
        assert config["assets"] == ["src", "README.md"]

    def test_a_slip_does_not_cost_the_answers_before(
        self, init: Init, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Assets that are not there are asked for again."""
        given = ("smaller", "value", "", "lower", "echo 5", "", "scr", ",", "src", "allow")
        self.answer(monkeypatch, *given)

        ran = init()

        assert ran.code == 0, ran.err
        assert "scr does not exist here" in ran.err
        assert lines(sandbox)[0]["assets"] == ["src"]

    def test_an_answer_may_be_no(self, init: Init, sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
        """Aborting is the default, and changes nothing."""
        self.answer(monkeypatch, "", "")

        ran = init(*SET_UP[:-1])

        assert ran.code == 2
        assert not (sandbox.top / ".auto/log.jsonl").exists()


def test_the_legacy_layout_has_cycles_too(init: Init, ar: Ar, sandbox: Sandbox) -> None:
    """Its log lies where it lay; locks and what is rejected are kept out of git's way."""
    (sandbox.top / ".auto/measure.sh").rename(sandbox.top / "autoresearch.sh")
    (sandbox.top / ".auto").rmdir()

    ran = init(*GOAL, "--measure", "bash autoresearch.sh", "--asset", "src", "--allow-dirty")
    sandbox.write("src/value", "12\n")
    cycle = ar("-C", str(sandbox.top), "cycle", "-m", "x")

    assert (ran.code, cycle.code) == (0, 0), ran.err + cycle.err
    assert (sandbox.top / "autoresearch.jsonl").exists()
    assert sandbox.status(".auto", "autoresearch.jsonl", "autoresearch.jsonl.lock") == ""

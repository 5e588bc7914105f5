"""`ar orchestrate`: many tasks, real workers, and what one does to the others: nothing."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from eventstore.events import Finding, Run, Stopped
from eventstore.filelog import FileLog
from hooks.process import is_alive
from tests.commands.bench import Bench
from tests.commands.conftest import Ar, environment
from tests.commands.looped import Looped, looped, until
from tests.commands.protocol import lines
from tests.commands.sandbox import Sandbox, plain_git, prepared, sandbox

__all__ = ["looped", "plain_git", "prepared", "sandbox"]

OFF = dict.fromkeys(("max_cycles", "time_limit_minutes", "discards", "failures"), "none")

FINDS = 'cat >"got.$$"; "$AR" finding "seen $$" >/dev/null; echo "looked around"'


@pytest.fixture(autouse=True)
def own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Workers call `ar` as `$AR`, by its place."""
    script = tmp_path / "own-ar"
    root = Path(__file__).resolve().parents[2]
    script.write_text(f'#!/bin/sh\nPYTHONPATH={root} exec {sys.executable} -m autoresearch_ledger "$@"\n')
    script.chmod(0o755)
    monkeypatch.setenv("AR", str(script))


def task(ar: Ar, folder: Path) -> Path:
    """Begins a task without a metric; its log."""
    folder.mkdir(parents=True)
    (folder / ".git").mkdir()
    assert ar("-C", str(folder), "init", "a goal", "--no-metric").code == 0
    return folder / ".auto" / "log.jsonl"


def once(ar: Ar, root: Path, agent: str, *more: str) -> dict[str, tuple[str, str]]:
    """One round; state and detail by task."""
    ran = ar("orchestrate", str(root), "--agent", agent, "--once", "--json", *more)
    assert ran.code == 0, ran
    return {each["task"]: (each["state"], each["detail"]) for each in json.loads(ran.out)["tasks"]}


def of(log: Path, kind: str) -> list[dict[str, Any]]:
    return [line for line in lines(log) if line["type"] == kind]


def test_each_task_gets_a_fresh_worker_with_its_brief(ar: Ar, tmp_path: Path) -> None:
    """The result is recorded by the orchestrator, and verified; limits that nobody set are none."""
    logs = [task(ar, tmp_path / "w" / name) for name in ("a", "b")]
    came = once(ar, tmp_path / "w", FINDS, "--verify", "test -e got.*", "--parallel", "2")

    assert came == dict.fromkeys(("a", "b"), ("worked", "looked around"))
    for log in logs:
        (brief,) = log.parent.parent.glob("got.*")
        assert "# Brief for iteration 1" in brief.read_text()
        assert of(log, "settings")[0]["limits"] == OFF
        (iteration,) = of(log, "iteration")
        assert (iteration["by"], iteration["summary"], iteration["findings"]) == (
            "orchestrator",
            "looked around",
            1,
        )
        assert [(each["ok"], each["by"]) for each in of(log, "verified")] == [(True, "orchestrator")]
        assert of(log, "finding")[0]["by"] == "worker"
    assert once(ar, tmp_path / "w", FINDS, "--verify", "true")["a"][0] == "worked"
    assert [each["iteration"] for each in of(logs[0], "iteration")] == [1, 2]
    assert len(of(logs[0], "settings")) == 1


def test_the_direction_that_a_worker_claimed_is_tried_then(ar: Ar, tmp_path: Path) -> None:
    """The iteration names it, so that no later one goes there without a reason."""
    log = task(ar, tmp_path / "w" / "a")
    claims = '"$AR" direction claim SIMD >/dev/null && echo "went there"'

    assert once(ar, tmp_path / "w", claims, "--verify", "true") == {"a": ("worked", "went there")}
    (iteration,) = of(log, "iteration")
    assert iteration["direction"] == "SIMD"
    (row,) = json.loads(ar("-C", str(log.parent.parent), "view", "directions", "--json").out)["directions"]
    assert (row["state"], row["by"], row["iterations"]) == ("tried", None, [1])
    came = once(ar, tmp_path / "w", claims, "--verify", "true")["a"]
    assert came[0] == "failed"
    assert "try: another direction, or --reason" in came[1]


def test_no_iteration_begins_before_the_last_is_verified(ar: Ar, tmp_path: Path) -> None:
    """It waits, flagged once, round after round, until a check held."""
    log = task(ar, tmp_path / "w" / "a")
    assert once(ar, tmp_path / "w", FINDS) == {"a": ("worked", "looked around (not verified yet)")}
    for more in ((), ("--verify", "false"), ()):
        assert once(ar, tmp_path / "w", FINDS, *more) == {"a": ("waiting", "iteration 1 is not verified")}
    assert len(of(log, "iteration")) == 1
    assert [each["kind"] for each in of(log, "flag")] == ["unverified"]

    assert once(ar, tmp_path / "w", FINDS, "--verify", "true")["a"][0] == "worked"
    assert of(log, "flag")[-1] == {
        "type": "flag",
        "by": "orchestrator",
        "kind": "unverified",
        "cleared": True,
    }
    assert ar("-C", str(log.parent.parent), "verified", "test", "x", "--ok", "--by", "verifier").code == 0
    assert once(ar, tmp_path / "w", FINDS)["a"][0] == "worked"


def test_what_goes_wrong_with_one_touches_no_other(ar: Ar, tmp_path: Path) -> None:
    """A worker that crashes or hangs, a log that is none, a stopped task: the others work on."""
    names = ("broken", "crash", "hang", "stopped", "well")
    logs = {name: task(ar, tmp_path / "w" / name) for name in names}
    logs["broken"].unlink()
    logs["broken"].mkdir()
    assert ar("-C", str(tmp_path / "w" / "stopped"), "append", "stopped", "reason=user").code == 0
    agent = "case $PWD in */crash) echo no; exit 3;; */hang) sleep 60;; esac; echo done"
    came = once(ar, tmp_path / "w", agent, "--timeout", "1s", "--verify", "true", "--parallel", "2")

    assert came["broken"][0] == "failed"
    assert came["crash"] == ("failed", "exited 3: no")
    assert came["hang"] == ("failed", "was ended after 1 s")
    assert came["stopped"] == ("stopped", "user")
    assert came["well"] == ("worked", "done")
    assert of(logs["crash"], "note")[0]["event"] == "worker_failed"
    assert not of(logs["crash"], "iteration")


def test_a_worker_that_fails_is_sent_again_and_flagged_the_second_time(ar: Ar, tmp_path: Path) -> None:
    """Once is chance; the flag comes down when one has ended well."""
    log = task(ar, tmp_path / "w" / "a")
    for _ in range(3):
        assert once(ar, tmp_path / "w", "echo 'no quota'; exit 1")["a"] == ("failed", "exited 1: no quota")
    assert [note["event"] for note in of(log, "note")] == ["worker_failed"] * 3
    (flag,) = of(log, "flag")
    assert (flag["kind"], flag["detail"]) == ("worker_failed", "exited 1: no quota")

    for _ in range(2):
        assert once(ar, tmp_path / "w", "echo done", "--verify", "true")["a"] == ("worked", "done")
    assert [flag.get("cleared", False) for flag in of(log, "flag")] == [False, True]


def test_an_agent_that_was_cut_off_is_tried_again_in_the_next_round(
    ar: Ar, looped: Looped, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its loop gave up; the task goes on all the same."""
    looped.bench.add(Stopped(reason="agent_failed", detail="4 attempts; the last exited 7"))
    looped.values(9)
    top = looped.bench.box.top

    assert once(ar, top.parent, looped.command)[top.name][0] == "worked"
    assert looped.bench.run()["metric"] == 9


def test_a_task_that_circles_is_led_elsewhere(ar: Ar, tmp_path: Path) -> None:
    """After two iterations without a finding a pivot is demanded, and the next brief says so."""
    log = task(ar, tmp_path / "w" / "a")
    for _ in range(3):
        assert once(ar, tmp_path / "w", "cat >got; echo nothing", "--verify", "true")["a"][0] == "worked"

    (pivot,) = of(log, "pivot")
    assert (pivot["level"], pivot["by"]) == ("structure", "orchestrator")
    assert pivot["reason"] == "2 iterations in a row that found nothing new"
    assert pivot["perturbation"] in (log.parent.parent / "got").read_text()


def test_a_measured_task_gets_a_turn_of_its_loop(ar: Ar, looped: Looped) -> None:
    """Measured, kept or taken back, and again in the next round; its constraint verifies."""
    looped.values(8, 9)
    top = looped.bench.box.top
    for _ in range(2):
        came = once(ar, top.parent, looped.command)
        assert came[top.name][0] == "worked", came

    assert [run["status"] for run in looped.bench.lines("run")] == ["keep", "keep", "discard"]
    assert len(looped.bench.lines("iteration")) == 2
    assert all(check["ok"] for check in looped.bench.lines("verified"))


def test_a_measured_task_without_a_constraint_is_verified_by_its_loop(
    ar: Ar, sandbox: Sandbox, tmp_path: Path
) -> None:
    """That measures and judges; nobody has to come by for the next turn to begin."""
    bench = Bench(sandbox, ar)
    bench.configure(constraint=None)
    for value in (9, 8):
        came = once(ar, sandbox.top.parent, f"echo {value} >src/value; echo now {value}")
        assert came[sandbox.top.name][0] == "worked", came

    assert [run["metric"] for run in bench.lines("run")] == [10, 9, 8]
    assert {(check["target"], check["ok"], check["by"]) for check in bench.lines("verified")} == {
        ("cat src/value", True, "orchestrator")
    }


def test_a_measured_task_runs_on_without_a_keep(ar: Ar, looped: Looped) -> None:
    """Neither 20 runs without one nor 5 discards stop it here; a limit that somebody set does."""
    bench = looped.bench
    bench.add(*(Run(run=2 + n, status="discard", metric=20) for n in range(25)))
    looped.values(20, 20, 20)
    top = bench.box.top
    for _ in range(2):
        came = once(ar, top.parent, looped.command)
        assert came[top.name][0] == "worked", came
    assert bench.lines("settings")[0]["limits"] == OFF
    assert (len(bench.lines("run")), looped.turns) == (28, 2)

    assert bench.ar("init", "--failures", "27").code == 0
    assert once(ar, top.parent, looped.command) == {top.name: ("stopped", "failures")}
    assert once(ar, top.parent, looped.command) == {top.name: ("stopped", "failures")}
    assert looped.turns == 2
    assert [stop["reason"] for stop in bench.lines("stopped")] == ["failures"]


def test_a_strict_one_refuses_what_is_too_much(ar: Ar, sandbox: Sandbox) -> None:
    """Its own check does not make it good: somebody else looks at it first, and then it goes on."""
    top = sandbox.top
    assert ar("-C", str(top), "init", "a goal", "--no-metric").code == 0
    log = top / ".auto" / "log.jsonl"
    agent = "seq 301 >src/long.c; git add src/long.c; git commit -qm long -- src/long.c; echo wrote"
    strict = ("--verify", "true", "--strict")
    ran = ar("orchestrate", str(top.parent), "--agent", agent, "--once", *strict)

    much = "long_file: src/long.c has 301 lines, at most 300 may be"
    assert (ran.code, ran.out) == (1, f"{top.name}: refused: wrote ({much})\n")
    (check,) = of(log, "verified")
    assert (check["ok"], check["target"], check["detail"]) == (False, "the limits of an iteration", much)
    for _ in range(2):
        assert once(ar, top.parent, "echo no", *strict) == {
            top.name: ("waiting", f"iteration 1 is not verified: {much}")
        }
    assert [flag["kind"] for flag in of(log, "flag")] == ["limits"]

    assert ar("-C", str(top), "verified", "check", "long.c", "--ok", "--by", "verifier").code == 0
    assert once(ar, top.parent, "echo more", *strict)[top.name] == ("worked", "more")
    assert of(log, "flag")[-1]["cleared"] is True


def test_a_strict_one_waits_for_citations(ar: Ar, tmp_path: Path) -> None:
    """More than 20 that nobody verified are one heap too many."""
    log = task(ar, tmp_path / "w" / "a")
    FileLog(log).append([Finding(text="x", source=f"arXiv:{number}") for number in range(21)])
    waits = "citations: 21 cited items are unverified, at most 20 may be"

    assert once(ar, tmp_path / "w", "echo no", "--strict", "--verify", "true") == {"a": ("waiting", waits)}
    assert [flag["kind"] for flag in of(log, "flag")] == ["limits"]
    assert ar("-C", str(log.parent.parent), "verified", "citation", "all", "--ok").code == 0
    assert once(ar, tmp_path / "w", "echo yes", "--strict", "--verify", "true") == {"a": ("worked", "yes")}
    assert [flag.get("cleared", False) for flag in of(log, "flag")] == [False, True]


def test_one_that_was_killed_goes_on_from_the_logs(ar: Ar, tmp_path: Path) -> None:
    """What its worker left is ended first; the root's session shows that it lives."""
    log = task(ar, tmp_path / "w" / "a")
    assert ar("-C", str(tmp_path / "w"), "init", "the root", "--no-metric").code == 0
    root = str(tmp_path / "w")
    own = (
        sys.executable,
        "-m",
        "autoresearch_ledger",
        "orchestrate",
        root,
        "--agent",
        "echo $$ >pid; sleep 99",
    )
    with subprocess.Popen(own, env=environment(), stdout=subprocess.DEVNULL) as orchestrator:
        pid = log.parent.parent / "pid"
        until(lambda: pid.exists() and pid.read_text().strip() != "")
        until((log.parent / "cache" / "orchestrate.running").exists)
        orchestrator.send_signal(signal.SIGKILL)
    left = int(pid.read_text())
    assert is_alive(left, None)

    assert once(ar, tmp_path / "w", "echo done", "--verify", "true") == {"a": ("worked", "done")}
    assert not is_alive(left, None)
    beats = of(tmp_path / "w" / ".auto" / "log.jsonl", "heartbeat")
    assert {beat["by"] for beat in beats} == {"orchestrator"}
    assert [beat.get("state", "working") for beat in beats] == ["working", "working", "stopped"]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--agent", " "), "--agent names no command"),
        (("--agent", "x", "--by", "worker"), "worker cannot orchestrate"),
        (("--agent", "x", "--every", "0"), "--every"),
    ],
)
def test_what_says_nothing_is_refused(ar: Ar, words: tuple[str, ...], message: str) -> None:
    """Exit 2."""
    ran = ar("orchestrate", ".", "--once", *words)

    assert ran.code == 2
    assert message in ran.err

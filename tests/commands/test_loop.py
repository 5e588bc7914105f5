"""`ar loop`: turns, stop rules, stall rules, and what becomes of an agent that does not behave."""

from __future__ import annotations

import json
import os
import sys
from hashlib import sha256
from pathlib import Path

import pytest

from commands.effects import looping
from commands.effects.tree_lock import tree_locked
from eventstore.events import (
    Config,
    Finding,
    Heartbeat,
    Iteration,
    Pivot,
    Registered,
    Restart,
    Settings,
    Stopped,
)
from eventstore.filelog import FileLog
from eventstore.store import now_ms
from tests.commands.looped import Looped, looped, until
from tests.commands.sandbox import plain_git, prepared, sandbox

__all__ = ["looped", "plain_git", "prepared", "sandbox"]

FAR = {"structure": 90, "inject": 91, "human": 92}
"""Thresholds that no test reaches."""


def test_thirty_cycles_and_every_limit(looped: Looped) -> None:
    """Each stop rule that counts is hit once on the way; raising a limit, or another direction, goes on."""
    bench = looped.bench

    def limit(**limits: float | str) -> None:
        bench.add(Settings(limits=limits))

    def stops(reason: str, *argv: str, code: int = 0) -> None:
        ran = looped.loop(*argv)
        assert (ran.code, looped.last("stopped")["reason"]) == (code, reason), ran.err
        assert ran.out.splitlines()[-1].startswith(f"stopped: {reason} -- ")
        assert looped.is_clean()

    bench.add(Settings(thresholds=FAR))
    limit(max_cycles=3)
    looped.values(9, 12, 8)
    stops("max_cycles")
    again = looped.loop()
    assert (again.code, looped.turns) == (3, 3)
    assert "ar loop --max-cycles N" in again.err

    looped.values(12, 12, 12, 12, 7.5, 12, 7)
    stops("target", "--max-cycles", "none", "--target", "7")
    assert looped.loop("--max-cycles", "0").code == looped.loop("--discards", "never").code == 2
    assert [line["limits"] for line in bench.lines("settings")[2:]] == [{"max_cycles": "none", "target": 7}]

    limit(target="none")
    looped.steps(*["echo 'no idea'"] * 3)
    stops("no_change")
    assert bench.lines("note")[-1]["detail"] == "the agent changed nothing: no idea"

    looped.steps(*["echo 'cannot log in' >&2; exit 7"] * 3)
    stops("agent_failed", code=4)
    assert looped.last("stopped")["detail"] == "3 attempts; the last exited 7"

    looped.values(*range(20, 25))
    stops("discards")
    refused = looped.loop()
    assert (refused.code, "5 judged runs in a row without a keep" in refused.err) == (3, True)

    looped.values(*["oops"] * 15)
    stops("failures", "--pivot", "another layout")
    pivot = looped.last("pivot")
    assert (pivot["to"], pivot["level"], pivot["reason"]) == ("another layout", "structure", "asked for")
    assert "another layout" in looped.told(looped.turns - 14)

    assert len(bench.lines("run")) == 31
    assert [line["run"] for line in bench.lines("run")] == list(range(1, 32))
    log = bench.box.git("log", "--format=%s").splitlines()
    assert len(log) == 2 + 30 + sum(line["status"] != "keep" for line in bench.lines("run"))
    assert bench.box.read("src/value") == b"7\n"


def test_time_limit_counts_over_restarts(looped: Looped) -> None:
    """The active time of the segment is the log's, whoever spent it."""
    looped.bench.add(Settings(limits={"time_limit_minutes": 0.001}))
    looped.values(9)
    looped.steps("sleep 0.1")

    assert looped.loop().code == 0
    assert looped.last("stopped")["reason"] == "time_limit"
    assert looped.loop().code == 3


def test_agent_gets_the_brief(looped: Looped) -> None:
    """On stdin and in AR_BRIEF, as `ar brief --turn` tells it; no other variable of ours but who it is."""
    bench = looped.bench
    told = bench.ar("brief", "--turn").out
    looped.steps("test -d .auto && echo 9 >src/value; printf '\\033[31mfaster\\033[0m \\a\\n\\n'")

    assert looped.loop("--iterations", "1").code == 0

    assert looped.told(1) == told == (looped.home / "stdin.1").read_text()
    own = [line for line in (looped.home / "env.1").read_text().splitlines() if line.startswith("AR_")]
    assert sorted(own) == sorted(["AR_BY=worker", f"AR_BRIEF={bench.box.top}/.auto/cache/brief.md"])
    assert bench.run()["description"] == "faster \\x07"
    assert (looped.last("stopped")["reason"], looped.last("stopped")["detail"]) == (
        "user",
        "1 turn, as asked for",
    )


def test_preset_that_uses_up_its_turns(looped: Looped, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is run with its options, gets the brief on stdin, and what it left by then is measured."""
    stub = looped.home / "bin" / "claude"
    stub.parent.mkdir()
    stub.write_text(
        f'#!/bin/sh\ncat >"{looped.home}/stdin"; echo "$@" >"{looped.home}/argv"\n'
        "echo 9 >src/value; echo 'Error: Reached max turns (4)'; exit 1\n"
    )
    stub.chmod(0o755)
    monkeypatch.setenv("PATH", str(stub.parent), prepend=os.pathsep)

    ran = looped.bench.ar("loop", "--agent", "claude", "--max-turns", "4", "--iterations", "1")

    assert ran.code == 0, ran.err
    assert (looped.home / "argv").read_text().endswith("--max-turns 4\n")
    assert "# Brief for run 2" in (looped.home / "stdin").read_text()
    assert (looped.bench.run()["metric"], looped.notes()) == (9, [])


def test_agent_says_what_it_tries(looped: Looped) -> None:
    """Its proposal describes the run; one of a turn that came to nothing describes no later one."""
    own = f"'{sys.executable}' -m autoresearch_ledger"
    looped.steps(
        f"{own} propose -m 'idle' --direction other",
        f"{own} propose -m 'arena' --hypothesis 'fewer mallocs' --direction memory; echo 9 >src/value",
        "echo 8 >src/value; echo 'smaller still'",
    )

    assert looped.loop("--iterations", "3").code == 0

    runs = looped.bench.lines("run")[1:]
    assert [run["description"] for run in runs] == ["arena", "smaller still"]
    assert [run.get("direction") for run in runs] == ["memory", None]
    assert runs[0]["asi"] == {"hypothesis": "fewer mallocs"}
    assert {line["by"] for line in looped.bench.lines("proposal")[:2]} == {"worker"}


def test_changes_elsewhere_are_put_back(looped: Looped) -> None:
    """Nothing of such a turn is measured; all of it is saved. Three in a row: the agent does not behave."""
    box = looped.bench.box
    looped.steps(*["echo 5 >src/value; echo mine >>README.md; echo new >stray.txt; rm notes.txt"] * 3)

    ran = looped.loop()

    assert (ran.code, looped.last("stopped")["reason"]) == (4, "agent_failed")
    assert looped.notes() == ["cycle_refused"] * 3
    detail = looped.bench.lines("note")[0]["detail"]
    assert detail.startswith("changed outside the assets: README.md, notes.txt, stray.txt; saved in ")
    saved = box.top / ".auto" / "rejected"
    assert (saved / "run-2" / "stray.txt").read_text() == "new\n"
    assert "+mine" in (saved / "run-2" / "changes.patch").read_text()
    assert "+5" in (saved / "run-2.1" / "changes.patch").read_text()
    assert box.read("README.md") == b"read me\n"
    assert not (box.top / "stray.txt").exists()
    assert looped.is_clean()
    assert len(looped.bench.lines("run")) == 1


def test_strict_loop_refuses_what_is_too_much(looped: Looped) -> None:
    """Before anything is committed or measured; it is saved, and the next brief says why."""
    long, large = "seq 301 >src/long.c", "for n in 1 2 3 4 5 6; do seq 101 >src/$n.c; done"
    looped.steps(f"echo 5 >src/value; {long}", f"echo 4 >src/value; {large}", "echo 9 >src/value")

    ran = looped.loop("--strict", "--iterations", "3")

    assert ran.code == 0, ran.err
    first, second = looped.bench.lines("note")
    assert looped.notes() == ["cycle_refused"] * 2
    assert first["detail"] == (
        "more than an iteration may: long_file: src/long.c has 301 lines, at most 300 may be; "
        "saved in .auto/rejected/run-2"
    )
    assert "large_files: 6 large files were changed, at most 5 may be" in second["detail"]
    assert (looped.bench.box.top / ".auto/rejected/run-2/src/long.c").exists()
    told = looped.told(2)
    assert '## Why the last turn was refused\n\nNothing of it was measured: "more than an' in told
    assert (looped.bench.run()["metric"], looped.is_clean()) == (9, True)
    assert "Why the last turn was refused" not in looped.bench.ar("brief").out


def test_strict_loop_waits_for_verification(looped: Looped) -> None:
    """No turn begins after an iteration that no ok check followed, nor with too many unverified citations."""
    bench = looped.bench
    looped.values(9, 8)
    bench.add(Iteration(iteration=1, summary="looked around"))

    for _ in range(2):
        ran = looped.loop("--strict", "--iterations", "1")
        assert (ran.code, looped.turns) == (1, 0)
        assert ran.out.endswith("stopped: limits -- unverified: no ok check followed iteration 1\n")
    assert bench.ar("verified", "test", "pytest", "--ok", "--by", "verifier").code == 0
    assert looped.loop("--strict", "--iterations", "1").code == 0
    bench.add(*(Finding(text="x", source=f"arXiv:{number}") for number in range(21)))
    assert looped.loop("--strict").code == 1
    assert looped.last("stopped")["detail"] == ("citations: 21 cited items are unverified, at most 20 may be")
    assert looped.loop("--iterations", "1").code == 0
    assert [run["metric"] for run in bench.lines("run")] == [10, 9, 8]


def test_agent_that_leaves_a_merge(looped: Looped) -> None:
    """What only a person can end, ends the loop: recorded, told, nothing lost; then it goes on."""
    box = looped.bench.box
    looped.steps("echo 9 >src/value; git rev-parse HEAD >.git/MERGE_HEAD")

    ran = looped.loop()

    assert (ran.code, "a merge is in progress" in ran.err) == (4, True)
    assert looped.last("stopped")["detail"].startswith("git cannot go on: a merge is in progress")
    (box.top / ".git" / "MERGE_HEAD").unlink()
    looped.values(8)
    assert looped.loop("--iterations", "1").code == 0
    assert looped.bench.run()["metric"] == 8
    assert looped.notes() == ["turn_interrupted"]


@pytest.mark.parametrize(
    "step",
    [
        "git rm -rq --cached src",
        "git checkout -q --orphan other; git rm -rq --cached src",
        "echo x >src/first; git add src/first; git checkout -q HEAD -- src; rm -f src/first; git add -u",
        "git rm -rq --cached src; echo mine >>README.md",
    ],
)
def test_agent_that_stages_what_is_no_change(looped: Looped, step: str) -> None:
    """The index is as it was, for the user's next commit would take that along."""
    box = looped.bench.box
    staged = box.git("diff", "--cached", "--raw")
    looped.steps(step)

    looped.loop("--iterations", "1")

    assert box.git("diff", "--cached", "--raw") == staged
    assert (box.git("symbolic-ref", "HEAD"), looped.is_clean()) == ("refs/heads/main", True)
    assert looped.bench.lines("run")[1:] == []


@pytest.mark.parametrize(
    ("step", "fate", "kept"),
    [
        ("rm -r .auto", "deleted", False),
        ("sed -i s/10/99/ .auto/log.jsonl", "rewritten", True),
        (": >.auto/log.jsonl", "rewritten", True),
        ("rm .auto/log.jsonl; mkdir .auto/log.jsonl", "rewritten", True),
    ],
)
def test_agent_that_takes_the_log_away(looped: Looped, step: str, fate: str, kept: bool) -> None:
    """It is put back as it was before the turn, nothing of which counts; the loop ends, and can go on."""
    looped.values(9)
    looped.steps(f"echo 5 >src/value; {step}", "echo 8 >src/value")
    looped.loop("--iterations", "1")
    before = looped.bench.lines()

    ran = looped.loop()

    assert (ran.code, f"the session's log was {fate}" in ran.out) == (4, True)
    assert looped.bench.lines()[: len(before)] == before
    assert (looped.last("stopped")["reason"], looped.is_clean()) == ("agent_failed", True)
    assert (looped.bench.box.top / ".auto/rejected/run-3/log.jsonl").exists() == kept
    assert looped.loop("--iterations", "1").code == 0
    assert looped.bench.run()["metric"] == 8
    assert looped.bench.ar("verify").code == 0


@pytest.mark.parametrize(
    "step",
    ["git commit -qam mine", "git checkout -q -b other && git commit -qam mine", "git add src; git stash -q"],
)
def test_agent_that_uses_git_itself(looped: Looped, step: str) -> None:
    """Its commits are no way round the measurement: HEAD and branch are put back, and the change is taken."""
    box = looped.bench.box
    box.git("stash", "push", "-q", "-u")  # the user's work would be committed by `-a`
    start = box.head
    looped.steps(f"echo 9 >src/value; {step}")

    assert looped.loop("--iterations", "1").code == 0

    taken = "stash" not in step
    assert box.git("symbolic-ref", "HEAD") == "refs/heads/main"
    assert len(looped.bench.lines("run")) == 1 + taken
    assert box.git("rev-parse", "HEAD~1" if taken else "HEAD") == start
    assert box.git("log", "-1", "--format=%s").startswith("autoresearch cycle 1" if taken else "value")
    assert looped.is_clean()
    box.git("stash", "pop", "-q", "--index", "stash@{0}" if taken else "stash@{1}")


def test_failed_agent_is_tried_again_from_a_clean_tree(looped: Looped) -> None:
    """What it left half done is saved first."""
    looped.steps("echo half >src/value; exit 3", "cat src/value; echo 9 >src/value; echo done")

    assert looped.loop("--iterations", "1").code == 0

    note = looped.last("note")
    assert (note["event"], note["level"]) == ("agent_failed", "error")
    assert note["detail"] == "exited 3; saved in .auto/rejected/run-2"
    assert looped.bench.run()["metric"] == 9
    assert "+half" in (looped.bench.box.top / ".auto/rejected/run-2/changes.patch").read_text()


def test_agent_that_floods_hangs_and_ignores_term(looped: Looped, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its time ends it, with all it started; what it printed is bounded."""
    monkeypatch.setattr(looping, "BACKOFF", ())
    looped.steps("trap '' TERM; echo $$ >pid.tmp; mv pid.tmp ../agent/pid; yes | head -c 3000000; sleep 99")

    ran = looped.loop("--agent-timeout", "1s")

    assert ran.code == 4
    assert looped.last("note")["detail"] == "was ended after 1 s: y"
    assert looped.last("settings")["timeouts"] == {"agent": 1}
    pid = int((looped.home / "pid").read_text())
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)
    assert (looped.bench.box.top / ".auto/cache/agent.out").stat().st_size <= 1 << 16


def test_stall_rules(looped: Looped) -> None:
    """Two pivots force the search elsewhere, then a person is asked for, once; work goes on."""
    looped.bench.add(Settings(thresholds={"structure": 1, "inject": 2, "human": 3}))
    looped.values(20, 21, 22, 23, 24)

    assert looped.loop("--iterations", "5").code == 0

    steps = [(line["type"], line.get("level")) for line in looped.bench.lines("run", "pivot", "flag")]
    run = ("run", None)
    expected = [run, ("pivot", "structure"), run, ("pivot", "inject"), run, ("flag", None), run, run]
    assert steps[1:] == expected
    assert "Change a structural constraint" in looped.told(2)
    assert f'Let this be the impulse: "{looped.bench.lines("pivot")[0]["perturbation"]}' in looped.told(2)
    assert "Bring in a new direction" in looped.told(3)
    assert "This is a matter for a person" in looped.told(4)
    assert "This is a matter for a person" in looped.told(5)


def test_hooks(looped: Looped) -> None:
    """`before` ahead of each turn, `after` for each run; what they say opens the next brief."""
    bench = looped.bench
    bench.hook("before", "echo look at the caches")
    bench.hook("after", "echo well measured")
    looped.values(9, 8)

    ran = looped.loop("--iterations", "2")

    assert [line["stage"] for line in bench.lines("hook")] == ["before", "after", "before", "after"]
    assert ran.out.count("[hook before.sh]\nlook at the caches") == 2
    assert looped.told(1).startswith("[hook before.sh]\n")
    assert "well measured" in looped.told(2).partition("# Brief")[0]


def test_changed_harness_ends_it(looped: Looped) -> None:
    """What measures must not change: nothing is kept, and starting again is no answer."""
    bench = looped.bench
    script = bench.box.write(".auto/measure.sh", "cat src/value\n", 0o755)
    bench.add(
        Config(
            name="smaller",
            metricName="value",
            metricUnit="",
            bestDirection="lower",
            measure="bash .auto/measure.sh",
            assets=("src",),
            samples=1,
            harness={".auto/measure.sh": sha256(script.read_bytes()).hexdigest()},
        )
    )
    looped.steps("echo 9 >src/value; echo 'echo 1' >.auto/measure.sh")

    ran = looped.loop()
    assert ran.code == 4

    assert looped.last("stopped")["reason"] == "harness"
    assert ran.out.count("stopped: harness") == 1
    assert bench.run()["status"] != "keep"
    again = looped.loop()
    assert (again.code, looped.turns) == (3, 1)
    assert "ar init --new-segment" in again.err


def test_stop_that_somebody_recorded(looped: Looped) -> None:
    """It ends the loop after the turn, and the next start goes on."""
    bench = looped.bench
    line = json.dumps({"type": "stopped", "reason": "user", "detail": "enough"})
    looped.steps(f"echo 9 >src/value; echo '{line}' >>.auto/log.jsonl")
    looped.values(8)

    assert looped.loop().code == 0
    assert (looped.turns, bench.run()["metric"]) == (1, 9)

    assert looped.loop("--iterations", "1").code == 0
    assert looped.last("resumed")["detail"] == "it had stopped: user"
    assert bench.run()["metric"] == 8


def test_refusals(looped: Looped) -> None:
    """Nothing is started where it cannot go well."""
    bench = looped.bench
    bench.value(3)
    dirty = looped.loop()
    assert (dirty.code, "uncommitted changes inside the assets: src/value" in dirty.err) == (2, True)
    bench.value(10)
    for argv in (
        ["--agent-timeout", "0"],
        ["--agent-timeout", "soon"],
        ["--pivot", " "],
        ["--iterations", "0"],
    ):
        assert looped.loop(*argv).code == 2
    assert bench.ar("loop", "--agent", " ").code == 2
    assert looped.loop("--by", "guardian:l1").code == 2
    with tree_locked(bench.box.top / ".auto" / "tree.lock"):
        held = looped.loop()
    assert (held.code, "is at work on this working tree" in held.err) == (3, True)
    assert looped.turns == 0


def test_json(looped: Looped) -> None:
    """One document: why it ended, how it stands, and all that happened."""
    looped.values(9)
    looped.steps("true")

    ran = looped.loop("--iterations", "2", "--json")

    document = json.loads(ran.out)
    assert document["stop_reason"] == "user"
    assert (document["iterations"], document["run_count"], document["best_metric"]) == (2, 2, 9)
    assert [thing["kind"] for thing in document["happened"]] == ["cycle", "note", "stopped"]
    assert document["happened"][0]["run"]["status"] == "keep"


def test_last_stop_of_another_kind(looped: Looped) -> None:
    """A reason that is none of ours is answered by starting again, like the user's."""
    looped.bench.add(Stopped(reason="lunch"), Pivot(level="structure"))
    looped.values(9)

    assert looped.loop("--iterations", "1").code == 0
    assert looped.bench.run()["metric"] == 9


def test_in_every_turn_it_looks_after_guard_and_patrol(looped: Looped, tmp_path: Path) -> None:
    """A heartbeat of its own process first thing; a dead patrol is started again, and that is noted."""
    root = tmp_path / "root"
    (root / ".auto").mkdir(parents=True)
    above = FileLog(root / ".auto" / "log.jsonl")
    hour_ago = now_ms() - 3_600_000
    back = root / "back"
    above.append(
        [
            Registered(by="user:patrol", argv=("touch", str(back)), interval_seconds=60, level="L1"),
            Heartbeat(by="guardian:patrol", timestamp=hour_ago),
        ]
    )
    looped.values(9, 8)

    assert looped.loop("--root", str(root), "--by", "worker:gpu0", "--iterations", "2").code == 0

    beats = looped.bench.lines("heartbeat")
    assert [beat.get("state", "working") for beat in beats] == ["working", "working", "stopped"]
    assert {(beat["by"], beat["pid"]) for beat in beats} == {("worker:gpu0", os.getpid())}
    assert len([note for note in looped.bench.lines("note") if note["event"] == "guardian"]) == 1
    restarts = [record for batch in above.read() for record in batch.records if isinstance(record, Restart)]
    assert [(each.by, each.target) for each in restarts] == [("guardian:gpu0", "patrol")]
    until(back.exists)


def test_a_heartbeat_comes_first_in_every_attempt_of_a_turn(looped: Looped) -> None:
    """Without any guardian too, with how often such are to be expected; at its end it says so."""
    looped.steps("exit 3", "echo 9 >src/value", "echo 8 >src/value")

    assert looped.loop("--iterations", "2", "--agent-timeout", "20m").code == 0

    told = [
        line.get("state", "working") if line["type"] == "heartbeat" else line["type"]
        for line in looped.bench.lines("heartbeat", "registered", "note", "run", "stopped")[1:]
    ]
    assert told == [
        *("registered", "working", "note", "working", "run", "working", "run", "stopped", "stopped")
    ]
    (registered,) = looped.bench.lines("registered")
    assert (registered["interval_seconds"], registered["level"], registered["argv"]) == (1200, "L2", [])
    assert looped.loop("--iterations", "1").code == 0
    assert len(looped.bench.lines("registered")) == 1


def test_what_somebody_registered_for_a_loop_stands(looped: Looped) -> None:
    """Its interval, and how it is restarted."""
    looped.bench.add(Registered(by="user:gpu0", argv=("ar", "loop"), interval_seconds=600, level="L2"))
    looped.values(9)

    assert looped.loop("--by", "worker:gpu0", "--iterations", "1").code == 0
    assert len(looped.bench.lines("registered")) == 1


def test_a_loop_registers_itself(looped: Looped, tmp_path: Path) -> None:
    """By the command as it was given, but for what is done once; as the user's, as long as it stands."""
    root = tmp_path / "root"
    (root / ".auto").mkdir(parents=True)
    FileLog(root / ".auto" / "log.jsonl").append([Config(name="look after it")])
    given = ("--by", "worker:gpu0", "--root", str(root), "--agent-timeout", "20m", "--iterations", "1")
    looped.values(9, 8)
    for pivot in (("--pivot", "elsewhere"), ()):
        assert looped.loop(*given, "--strict", "--register", "--max-cycles", "9", *pivot).code == 0

    (registered,) = looped.bench.lines("registered")
    assert (registered["by"], registered["interval_seconds"]) == ("user:gpu0", 1200)
    argv = registered["argv"]
    assert argv[argv.index("-C") :] == [
        *("-C", str(looped.bench.box.top), "loop", "--agent", looped.command, "--by", "worker:gpu0"),
        *("--iterations", "1", "--agent-timeout", "20m", "--max-turns", "15", "--root", str(root)),
        "--strict",
    ]


def test_a_loop_that_is_left_open_records_no_stop(looped: Looped) -> None:
    """Its turns are used up, and another call goes on where it was; any other end is one all the same."""
    bench = looped.bench
    bench.add(Settings(limits={"max_cycles": 2}))
    looped.values(9, 8)

    ran = looped.loop("--iterations", "1", "--leave-open")

    assert (ran.code, bench.lines("stopped"), looped.last("heartbeat")["state"]) == (0, [], "stopped")
    assert looped.loop("--iterations", "1", "--leave-open").code == 0
    assert (bench.lines("resumed"), looped.last("stopped")["reason"]) == ([], "max_cycles")


def test_what_is_wrong_above_keeps_no_loop_from_its_work(looped: Looped, tmp_path: Path) -> None:
    """A ROOT whose log went away in the meantime is noted; one that never had one is a slip."""
    root = tmp_path / "root"
    (root / ".auto").mkdir(parents=True)
    assert looped.loop("--root", str(root)).code == 2
    (root / ".auto" / "log.jsonl").mkdir()
    looped.values(9)

    assert looped.loop("--root", str(root), "--iterations", "1").code == 0
    assert looped.bench.run()["metric"] == 9
    assert looped.notes() == ["guardian"]

"""The life of an orchestrator: rounds, heartbeats in each task, and what its end leaves. Real processes."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from commands.effects.tree_lock import tree_locked
from eventstore.events import Config, Resumed, Stopped
from eventstore.filelog import FileLog
from hooks.pids import is_alive
from tests.commands.conftest import Ar, environment, process
from tests.commands.looped import Looped, looped
from tests.commands.sandbox import plain_git, prepared, sandbox
from tests.commands.watchdog import HOUR, beat, dead, until

__all__ = ["looped", "plain_git", "prepared", "sandbox"]


class Works:
    """A ROOT with a session and tasks of their own; what was started is ended afterwards."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.started: list[subprocess.Popen[bytes]] = []
        for folder in (root, *(root / name for name in ("a", "b"))):
            (folder / ".auto").mkdir(parents=True)
            FileLog(folder / ".auto" / "log.jsonl").append([Config(name="a goal")])

    def log(self, name: str = "a") -> FileLog:
        return FileLog(self.root / name / ".auto" / "log.jsonl")

    def of(self, kind: str, name: str = "a") -> list[dict[str, Any]]:
        text = self.log(name).path.read_text()
        return [line for line in map(json.loads, text.splitlines()) if line["type"] == kind]

    def beats(self, name: str = "a") -> list[str]:
        """The states that the orchestrator's heartbeats told, in order."""
        lines = self.of("heartbeat", name)
        return [line.get("state", "working") for line in lines if line["by"] == "orchestrator"]

    def start(self, agent: str, *argv: str) -> subprocess.Popen[bytes]:
        own = (sys.executable, "-m", "autoresearch_ledger", "orchestrate", str(self.root), "--agent", agent)
        ran = subprocess.Popen(
            [*own, *argv],
            cwd=self.root,
            env=environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
        self.started.append(ran)
        return ran

    def state(self, name: str = "a") -> str:
        """What `ar tasks` says of a task."""
        tasks = json.loads(process("tasks", str(self.root), "--json").out)["tasks"]
        found: str = next(task["state"] for task in tasks if task["task"] == name)
        return found

    def pids(self, name: str) -> list[int]:
        """The processes that workers wrote down in a task."""
        files = list((self.root / name).glob("pid.*"))
        return [int(file.name.partition(".")[2]) for file in files]


@pytest.fixture
def works(tmp_path: Path) -> Iterator[Works]:
    """Two tasks."""
    made = Works(tmp_path / "w")
    yield made
    for each in made.started:
        each.kill()
        each.communicate()


HANGS = "touch pid.$$; setsid sleep 98 & touch pid.$!; sleep 99"
"""A worker that hangs, with a child that has left its group."""


def asked_to_end(ran: subprocess.Popen[bytes], number: signal.Signals) -> tuple[int, str]:
    """The exit code after a signal, and what was said on stderr."""
    ran.send_signal(number)
    _, err = ran.communicate(timeout=60)
    assert b"Traceback" not in err, err
    return ran.returncode, err.decode()


@pytest.mark.parametrize(
    ("number", "code", "state"), [(signal.SIGINT, 130, "stopped"), (signal.SIGTERM, 143, "waiting")]
)
def test_its_end_leaves_nothing_running_and_every_log_whole(
    works: Works, number: signal.Signals, code: int, state: str
) -> None:
    """Workers at work, daemons of theirs included, end with it; started again, it goes on from the logs.

    Ctrl-C is a person's, and it is left alone then; after TERM, as a shutdown sends it, it is missed.
    """
    ran = works.start(HANGS, "--parallel", "2")
    until(lambda: len(works.pids("a")) == len(works.pids("b")) == 2, "the workers never began")

    assert asked_to_end(ran, number)[0] == code
    for name in ("a", "b"):
        assert [pid for pid in works.pids(name) if is_alive(pid, None)] == []
        assert process("-C", str(works.root / name), "verify").code == 0
        assert (works.beats(name)[-1], works.of("iteration", name)) == (state, [])
        assert [note["event"] for note in works.of("note", name)] == ["interrupted"]
    assert works.beats(".")[-1] == ("stopped" if state == "stopped" else "working")

    again = process("orchestrate", str(works.root), "--agent", "echo done", "--verify", "true", "--once")
    assert (again.code, again.out) == (0, "a: worked: done\nb: worked: done\n")
    assert [each["iteration"] for each in works.of("iteration")] == [1]


def test_its_end_says_nothing_of_the_work_that_it_ends(works: Works) -> None:
    """Ended time and again, it has no failing workers and no failed checks: it goes on as if nothing was."""
    for _ in range(2):
        for name in ("a", "b"):
            for file in (works.root / name).glob("pid.*"):
                file.unlink()
        ran = works.start("echo done", "--verify", HANGS)
        until(lambda: len(works.pids("a")) == 2, "the check never began")
        asked_to_end(ran, signal.SIGTERM)

    assert (works.of("verified"), works.of("flag"), works.of("note")) == ([], [], [])
    process("orchestrate", str(works.root), "--agent", "echo done", "--verify", "true", "--once")
    assert [each["ok"] for each in works.of("verified")] == [True, True]
    assert [each["iteration"] for each in works.of("iteration")] == [1, 2]


def test_its_end_takes_a_measured_turn_along(looped: Looped) -> None:
    """Its loop, the agent, and what that has started; the turn is made good by the next round."""
    home, top = looped.home, looped.bench.box.top
    looped.steps(
        f"echo 5 >src/value; echo $$ >{home}/a; setsid sleep 98 & echo $! >{home}/b; sleep 99",
        "echo 9 >src/value",
    )
    own = (sys.executable, "-m", "autoresearch_ledger", "orchestrate", str(top.parent), "--agent")
    ran = subprocess.Popen(
        [*own, looped.command, "--every", "1h"],
        env=environment(HOME=os.environ["HOME"], GIT_CONFIG_NOSYSTEM="1"),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    until(lambda: (home / "b").exists() and (home / "b").read_text().strip(), "the agent never began")
    pids = [int((home / name).read_text()) for name in ("a", "b")]

    assert asked_to_end(ran, signal.SIGINT)[0] == 130
    until(lambda: not any(is_alive(pid, None) for pid in pids), "something is left running")
    again = process("orchestrate", str(top.parent), "--agent", looped.command, "--once")
    assert again.out.startswith(f"{top.name}: worked: "), again
    assert [run["metric"] for run in looped.bench.lines("run")] == [10, 9]
    assert process("-C", str(top), "verify").code == 0


def test_between_two_rounds_it_ends_at_once(works: Works) -> None:
    """It waits for the next round, and says so in each task until then."""
    ran = works.start("echo done", "--verify", "true", "--every", "1h")
    until(lambda: works.beats("b") == ["working", "waiting"], "the round never ended")
    (registered,) = works.of("registered")
    assert (registered["by"], registered["interval_seconds"], registered["level"], registered["argv"]) == (
        *("orchestrator", 3600, "L2"),
        [],
    )
    (beat, _) = works.of("heartbeat")
    assert (beat["pid"], beat["host"]) == (ran.pid, socket.gethostname())
    assert works.state() == "alive"

    assert asked_to_end(ran, signal.SIGINT)[0] == 130
    assert works.beats("b") == ["working", "waiting", "stopped"]
    assert works.state() == "stopped"


def test_while_root_is_switched_off_no_round_begins(works: Works) -> None:
    """It rests, and goes on when it is switched on again."""
    call = ("orchestrate", str(works.root), "--agent", "echo done", "--verify", "true", "--once")
    assert process("-C", str(works.root), "off").code == 0
    before = works.log().path.read_bytes()
    ran = process(*call)

    assert (ran.code, ran.out.partition(":")[0]) == (0, f"{works.root} has stopped")
    assert json.loads(process(*call, "--json").out) == {"root": str(works.root), "off": True, "tasks": []}
    assert works.log().path.read_bytes() == before
    assert process("-C", str(works.root), "on").code == 0
    assert process(*call).out == "a: worked: done\nb: worked: done\n"


def test_rounds_follow_each_other(works: Works) -> None:
    """Each with a fresh worker, from the logs as they then stand."""
    ran = works.start('echo "in $$"', "--verify", "true", "--every", "0.2")
    until(lambda: len(works.of("iteration", "b")) >= 3, "no third round")

    asked_to_end(ran, signal.SIGTERM)
    told = [line["summary"] for line in works.of("iteration")]
    assert len(set(told)) == len(told) >= 3
    assert works.beats()[:6] == ["working", "waiting"] * 3


def test_as_many_at_a_time_as_was_asked_for(works: Works) -> None:
    """Two wait for each other and meet; one at a time they never would."""
    meets = "touch ../met.$$; while [ $(ls ../met.* | wc -l) -lt 2 ]; do sleep 0.05; done; echo met"
    ran = process("orchestrate", str(works.root), "--agent", meets, "--parallel", "2", "--once")
    assert ran.out == "a: worked: met (not verified yet)\nb: worked: met (not verified yet)\n"

    for met in works.root.glob("met.*"):
        met.unlink()
    alone = "test -e ../busy && exit 9; touch ../busy; sleep 0.2; rm ../busy; echo alone"
    ran = process("orchestrate", str(works.root), "--agent", alone, "--verify", "true", "--once")
    assert ran.out == "a: worked: alone\nb: worked: alone\n"


def test_once_expects_no_other_round_unless_it_is_said_when(works: Works) -> None:
    """For cron there is one to come; of one by hand nobody misses the next."""
    call = ("orchestrate", str(works.root), "--agent", "echo done", "--verify", "true", "--once")
    assert process(*call).code == 0
    assert [works.beats(name) for name in ("a", ".")] == [["working", "stopped"]] * 2
    assert process(*call, "--every", "2h").code == 0
    assert works.beats()[2:] == ["working", "waiting"]
    assert works.beats(".")[2:] == ["working"]


def test_a_stopped_task_is_not_written_to(works: Works) -> None:
    """But once, where it had worked on it: a patrol misses nobody there then, also when it is resumed."""
    call = ("orchestrate", str(works.root), "--agent", "echo done", "--verify", "true", "--once")
    works.log("b").append([Stopped(by="user", reason="user")])
    before = works.log("b").path.read_bytes()
    assert process(*call, "--every", "1h").out == "a: worked: done\nb: stopped: user\n"
    assert works.log("b").path.read_bytes() == before

    works.log().append([Stopped(by="user", reason="user")])
    for _ in range(2):
        assert process(*call, "--every", "1h").out == "a: stopped: user\nb: stopped: user\n"
    assert works.beats() == ["working", "waiting", "stopped"]
    works.log().append([Resumed(by="user")])
    assert process("patrol", str(works.root), "--once").out == "nothing to do in 3 sessions\n"


def test_a_killed_orchestrator_is_back_within_one_patrol(works: Works) -> None:
    """By the command that was registered, once; a task where it is missed meanwhile is flagged till then."""
    ran = works.start("echo done", "--verify", "true", "--every", "10m", "--register")
    until(lambda: works.beats("b")[-1:] == ["waiting"], "the round never ended")
    command = works.of("registered", ".")[-1]["argv"]
    assert command[command.index("orchestrate") :] == [
        *("orchestrate", str(works.root), "--agent", "echo done", "--every", "10m", "--parallel", "1"),
        *("--timeout", "30m", "--verify", "true", "--by", "orchestrator"),
    ]
    ran.send_signal(signal.SIGKILL)
    ran.wait()
    for name in (".", "a", "b"):
        works.log(name).append([beat(HOUR, by="orchestrator", **dead())])

    told = process("patrol", str(works.root), "--once").out.splitlines()
    assert [line.partition(": no sign")[0] for line in told] == [
        ".: restart orchestrator",
        "a: flag overdue:orchestrator up",
        "b: flag overdue:orchestrator up",
    ]
    until(lambda: works.beats("b")[-2:] == ["working", "waiting"], "it did not come back")
    back = works.of("heartbeat", ".")[-1]
    assert back["pid"] == works.of("heartbeat", "b")[-1]["pid"] != ran.pid
    told = process("patrol", str(works.root), "--once").out.splitlines()
    assert [line.rpartition(":")[0] for line in told] == [
        f"{name}: flag overdue:orchestrator down" for name in ("a", "b")
    ]
    os.kill(back["pid"], signal.SIGTERM)
    until(lambda: not is_alive(back["pid"], None), "it did not end")
    assert len(works.of("restart", ".")) == 1


def test_a_task_whose_own_loop_is_at_work_is_let_be(ar: Ar, looped: Looped) -> None:
    """Nothing is written there: its limits stay its own, and nobody gets in its way."""
    top = looped.bench.box.top
    before = looped.bench.ground.log.path.read_bytes()
    with tree_locked(looped.bench.ground.session.tree_lock):
        ran = ar("orchestrate", str(top.parent), "--agent", looped.command, "--once", "--json")

    (came,) = json.loads(ran.out)["tasks"]
    assert (ran.code, came["task"], came["state"]) == (0, top.name, "busy")
    assert came["detail"].endswith("is at work on this working tree")
    assert looped.bench.ground.log.path.read_bytes() == before


def test_two_orchestrators_at_once_send_one_worker(works: Works) -> None:
    """The other finds the task busy, and writes nothing there."""
    first = works.start("touch ../a/begun; while ! test -e ../go; do sleep 0.05; done; echo done", "--once")
    until((works.root / "a" / "begun").exists, "the worker never began")
    second = process("orchestrate", str(works.root), "--agent", "echo second", "--once")
    assert second.out.splitlines()[0].startswith("a: busy: ")
    assert second.out.splitlines()[1] == "b: worked: second (not verified yet)"

    (works.root / "go").touch()
    assert first.wait(60) == 0
    assert [line["summary"] for line in works.of("iteration")] == ["done"]
    assert [line["summary"] for line in works.of("iteration", "b")] == ["second"]


def test_to_be_registered_it_needs_a_session(ar: Ar, tmp_path: Path) -> None:
    """Of ROOT itself."""
    ran = ar("orchestrate", str(tmp_path), "--agent", "true", "--once", "--register")

    assert (ran.code, "has no session" in ran.err, "try: ar -C " in ran.err) == (2, True, True)


def test_a_measured_task_is_not_stopped_between_its_turns(ar: Ar, looped: Looped) -> None:
    """Its loop says that it is over, and the session goes on: time without progress is counted on."""
    bench = looped.bench
    looped.values(20, 21)
    top = bench.box.top
    for _ in range(2):
        ran = ar("orchestrate", str(top.parent), "--agent", looped.command, "--once", "--every", "1h")
        assert ran.code == 0, ran

    assert (bench.lines("stopped", "resumed"), len(bench.lines("run"))) == ([], 3)
    told = [(line["by"], line.get("state", "working")) for line in bench.lines("heartbeat")]
    turn = [("orchestrator", "working"), ("worker", "working"), ("worker", "stopped")]
    assert told == [*turn, ("orchestrator", "waiting")] * 2
    loops = json.loads(bench.ar("view", "liveness", "--json").out)["loops"]
    rows = {row["loop"]: row for row in loops}
    assert (rows["orchestrator"]["verdict"], rows["worker"]["verdict"]) == ("alive", "stopped")

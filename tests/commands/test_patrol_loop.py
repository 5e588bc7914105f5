"""A real `ar loop` that is really killed, and the patrol that brings it back."""

from __future__ import annotations

import sys
from pathlib import Path

from eventstore.events import Config, Heartbeat, Registered
from eventstore.filelog import FileLog
from eventstore.store import now_ms
from hooks.pids import is_alive
from tests.commands.conftest import process
from tests.commands.looped import Looped, looped
from tests.commands.sandbox import plain_git, prepared, sandbox
from tests.commands.watchdog import HOUR, until

__all__ = ["looped", "plain_git", "prepared", "sandbox"]


def root_of(looped: Looped) -> Path:
    """The folder above the session, with a session of its own for the guardians."""
    root = looped.bench.box.top.parent
    (root / ".auto").mkdir()
    FileLog(root / ".auto" / "log.jsonl").append([Config(name="look after them")])
    return root


def test_a_loop_killed_in_the_midst_of_a_turn_is_back_and_goes_on(looped: Looped) -> None:
    """What it left is ended and put back first; then it works on, by the command that was registered."""
    bench, root = looped.bench, root_of(looped)
    looped.steps("echo 5 >src/value; echo $$ >../agent/pid; sleep 99", "echo 9 >src/value")
    own = (sys.executable, "-m", "autoresearch_ledger", "-C", str(bench.box.top))
    argv = (*own, "loop", "--agent", looped.command, "--by", "worker:gpu0", "--root", str(root))
    bench.add(Registered(by="user:gpu0", argv=argv, interval_seconds=600, level="L2"))
    killed = looped.start("--by", "worker:gpu0", "--root", str(root))
    until(lambda: (looped.home / "pid").exists() and (looped.home / "pid").read_text(), "no turn began")
    until((bench.box.top / ".auto/cache/running.json").exists, "the agent was not written down")
    killed.kill()
    killed.communicate()
    first = looped.last("heartbeat")
    assert (first["by"], first["pid"]) == ("worker:gpu0", killed.pid)
    left = int((looped.home / "pid").read_text())
    assert is_alive(left, None)
    assert process("patrol", str(root), "--dry-run").out == "nothing to do in 2 sessions\n"

    was = {"pid": first["pid"], "pid_started": first["pid_started"], "host": first["host"]}
    bench.add(Heartbeat(by="worker:gpu0", timestamp=now_ms() - HOUR, **was))
    ran = process("patrol", str(root), "--once")

    assert ran.code == 0, ran
    name = bench.box.top.name
    assert ran.out.startswith(f"{name}: restart gpu0: no sign of life for 1 h 00 min"), ran.out
    until(lambda: bench.lines("stopped"), "it did not come back")
    assert not is_alive(left, None)
    assert [run["metric"] for run in bench.lines("run")] == [10, 9]
    assert bench.lines("note")[0]["event"] == "turn_interrupted"
    assert looped.last("stopped")["reason"] == "no_change"
    until(lambda: looped.last("heartbeat").get("state") == "stopped", "it did not say that it ended")
    assert process("patrol", str(root), "--once").out == "nothing to do in 2 sessions\n"
    assert process("-C", str(bench.box.top), "verify").code == 0
    assert len(bench.lines("restart")) == 1

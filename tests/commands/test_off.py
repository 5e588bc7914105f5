"""`ar off` and `ar on`: a session rests, through restarts, until it is switched on."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.commands.bench import Bench, bench
from tests.commands.conftest import Ar, environment
from tests.commands.hooked import Hooked, hooked
from tests.commands.looped import Looped, looped
from tests.commands.sandbox import plain_git, prepared, sandbox

__all__ = ["bench", "hooked", "looped", "plain_git", "prepared", "sandbox"]

REFUSED = "ar: the session is switched off\ntry: ar on switches it on again\n"


def test_off_and_on_again(hooked: Hooked) -> None:
    """Each is recorded once, with why; saying it again writes nothing and is no error."""
    off = [hooked.ar("off", "--detail", "the host is down").out, hooked.ar("off").out]
    on = [hooked.ar("on").out, hooked.ar("on").out]

    assert off[0].startswith("off, line ")
    assert off[1] == "off already\n"
    assert on[0].startswith("on, line ")
    assert on[1] == "on already\n"
    assert [(line["reason"], line.get("detail")) for line in hooked.lines("stopped")] == [
        ("off", "the host is down")
    ]
    assert [line["reason"] for line in hooked.lines("resumed")] == ["on"]


def test_as_json(hooked: Hooked) -> None:
    """The event and its line; `on` also what its hook said."""
    hooked.hook("before", "echo welcome back\n")
    off = json.loads(hooked.ar("off", "--json").out)
    again = json.loads(hooked.ar("off", "--json").out)
    on = json.loads(hooked.ar("on", "--json").out)

    assert (off["event"]["type"], off["event"]["reason"], off["written"]) == ("stopped", "off", 1)
    assert (again["event"], again["seq"], again["written"]) == (None, None, 0)
    assert on["event"]["reason"] == "on"
    assert [each["steer"] for each in on["hooks"]] == ["welcome back"]


def test_no_hook_fires_while_it_is_off(hooked: Hooked) -> None:
    """Neither by hand; being switched on fires `before`, and the steer is shown."""
    hooked.hook("before", "echo look here\n")
    hooked.ar("off")
    by_hand = hooked.ar("hook", "fire", "before")
    assert (by_hand.code, by_hand.out, by_hand.err) == (3, "", REFUSED)
    assert hooked.lines("hook") == []

    assert hooked.ar("on").out.endswith("[hook before.sh]\nlook here\n")
    assert len(hooked.lines("hook")) == 1


@pytest.mark.parametrize(
    "words",
    [
        ("cycle", "-m", "x"),
        ("log", "--status", "keep", "--metric", "1", "-m", "x"),
        ("init", "--new-segment"),
        ("init", "another goal"),
        ("loop", "--agent", "true"),
        ("loop", "--agent", "true", "--pivot", "elsewhere"),
    ],
)
def test_nothing_is_begun_while_it_is_off(bench: Bench, words: tuple[str, ...]) -> None:
    """One clear line and exit code 3; the log and the tree stay as they are."""
    bench.box.write("src/value", "9\n")
    bench.ar("off")
    before = (bench.ground.log.path.read_bytes(), bench.box.git("status", "--porcelain"))
    ran = bench.ar(*words)

    assert (ran.code, ran.out, ran.err) == (3, "", REFUSED)
    assert (bench.ground.log.path.read_bytes(), bench.box.git("status", "--porcelain")) == before


def test_looking_and_noting_go_on(bench: Bench) -> None:
    """Views say that it is off, findings and limits are recorded, an open cycle can be finished."""
    bench.ar("off")

    assert json.loads(bench.ar("view", "budget", "--json").out)["stop_reason"] == "off"
    assert bench.ar("finding", "the host was down").code == 0
    assert bench.ar("init", "--max-cycles", "7").code == 0
    assert bench.ar("cycle", "--resume").code == 0
    assert "# This session is switched off" in bench.ar("brief").out
    assert bench.ar("on").code == 0
    assert "switched off" not in bench.ar("brief").out


def test_a_loop_that_is_at_work_ends_after_its_turn(looped: Looped) -> None:
    """The turn in which it is switched off is measured; then it is refused until it is switched on."""
    own = f"'{sys.executable}' -m autoresearch_ledger"
    looped.steps(f"{own} off >/dev/null; echo 9 >src/value; echo nine")
    ran = looped.loop()

    assert ran.code == 0
    assert ran.out.splitlines()[-1] == "stopped: off -- as the log has it"
    assert looped.turns == 1
    assert looped.bench.box.read("src/value") == b"9\n"
    assert looped.loop().code == 3
    assert looped.bench.ar("on").code == 0
    looped.values(8)
    assert looped.loop("--iterations", "1").code == 0
    assert looped.bench.box.read("src/value") == b"8\n"


def test_error_capture_is_silent_while_it_is_off(hooked: Hooked) -> None:
    """By its quick way and by the command's; nothing is recorded either. Switched on, it speaks again."""
    answer = json.dumps(
        {
            "tool_name": "Bash",
            "tool_input": {"command": "make"},
            "tool_response": {"stderr": "Traceback (most recent call last):"},
        }
    )

    def capture(*before: str) -> str:
        return subprocess.run(
            [sys.executable, "-m", "autoresearch_ledger", *before, "hook", "error-capture"],
            input=answer,
            cwd=hooked.root,
            env=environment(),
            capture_output=True,
            text=True,
            check=True,
        ).stdout

    hooked.ar("off")
    assert (capture(), capture("-C", ".")) == ("", "")
    assert hooked.lines("error_seen") == []
    hooked.ar("on")
    assert "additionalContext" in capture()


def test_guardians_and_orchestrators_leave_it_alone(ar: Ar, tmp_path: Path) -> None:
    """It is no loop that died, and no worker is sent; a beat of the loop changes nothing of that."""
    task = tmp_path / "task"
    (task / ".git").mkdir(parents=True)
    own = ("-C", str(task))
    assert ar(*own, "init", "a goal", "--no-metric").code == 0
    assert ar(*own, "beat", "--by", "worker:a").code == 0
    assert ar(*own, "off").code == 0
    assert ar(*own, "append", "resumed", "--by", "worker:a").code == 0
    round_ = json.loads(ar("orchestrate", str(tmp_path), "--agent", "false", "--once", "--json").out)
    shown = json.loads(ar("tasks", str(tmp_path), "--json").out)["tasks"]

    assert [(each["task"], each["state"], each["detail"]) for each in round_["tasks"]] == [
        ("task", "stopped", "off")
    ]
    assert [(each["state"], each["stop_reason"]) for each in shown] == [("stopped", "off")]
    assert json.loads(ar(*own, "view", "liveness", "--json").out)["loops"][0]["verdict"] == "stopped"


def test_only_the_session_of_the_directory_is_meant(ar: Ar, tmp_path: Path) -> None:
    """Not one above it, nor below."""
    inner = tmp_path / "inner"
    for place in (tmp_path, inner):
        (place / ".git").mkdir(parents=True)
        assert (
            ar(
                "-C", str(place), "init", "a goal", "--metric", "t", "--unit", "s", "--direction", "lower"
            ).code
            == 0
        )
    (inner / "deep").mkdir()
    assert ar("-C", str(inner / "deep"), "off").code == 0

    def log(place: Path) -> int:
        return ar("-C", str(place), "log", "--status", "keep", "--metric", "1", "-m", "x").code

    assert (log(tmp_path), log(inner)) == (0, 3)


def test_a_worker_switches_off_but_not_on(hooked: Hooked) -> None:
    """What a person switched off is no agent's to switch on."""
    assert hooked.ar("off", "--by", "worker:a").code == 0
    ran = hooked.ar("on", "--by", "worker:a")

    assert (ran.code, ran.out) == (2, "")
    assert "a worker may not switch a session on" in ran.err
    assert hooked.ar("on", "--by", "orchestrator").code == 0


def test_a_changed_harness_is_not_answered_by_off_and_on(bench: Bench) -> None:
    """It holds until a new segment."""
    bench.ar("append", "stopped", "reason=harness")
    bench.ar("off")
    bench.ar("on")

    assert json.loads(bench.ar("view", "budget", "--json").out)["stop_reason"] == "harness"

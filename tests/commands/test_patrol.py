"""`ar patrol`: what is decided is recorded, and done once; with real loops that are really killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from eventstore.events import Stopped
from hooks.pids import is_alive
from reducers.core import fold
from reducers.liveness import liveness
from tests.commands.conftest import Ar, environment, process
from tests.commands.watchdog import HOUR, MINUTE, Site, beat, dead, here, registered, until


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    """A ROOT with one task."""
    made = Site(tmp_path / "root")
    yield made
    made.end_all()


def last_seen(site: Site) -> int | None:
    """When the task's loop was last seen."""
    state = liveness.initial
    for batch in site.log().read():
        state = fold(liveness, batch.records, state)
    return next(row.last_seen for row in liveness.view(state).loops if row.loop == "gpu0")


def touched(site: Site) -> list[str]:
    """The lines of a file to which a restart command appends, once it has at least one."""
    file = site.task / "touched"
    until(file.exists, "the command never ran")
    return file.read_text().splitlines()


TOUCH = (sys.executable, "-c", "open('touched', 'a').write('once\\n')")


def test_a_killed_loop_is_back_within_one_patrol(site: Site) -> None:
    """Its registered command runs again, in its folder, and its output goes to a file."""
    argv = site.loop_argv()
    first = subprocess.Popen(argv, cwd=site.task, env=environment(), stdout=subprocess.DEVNULL)
    site.started.append(first)
    until(site.lives, "the loop never began")
    site.say(registered(argv, seconds=0.1))
    first.send_signal(signal.SIGKILL)
    first.wait()
    before = last_seen(site)
    until(
        lambda: json.loads(process("patrol", str(site.root), "--dry-run", "--json").out)["actions"], "alive?"
    )

    ran = process("patrol", str(site.root), "--once")

    assert ran.code == 0, ran
    assert ran.out.startswith("a: restart gpu0: no sign of life for ")
    until(lambda: len(site.lives()) == 2, "it did not come back")
    reborn = site.lives()[-1]
    assert is_alive(reborn, None)
    assert site.lines("heartbeat")[-1]["pid"] == reborn
    assert [line["by"] for line in site.lines("restart")] == ["guardian:patrol"]
    until(lambda: "at work" in (site.task / ".auto/cache/started-gpu0.log").read_text(), "no output")
    assert last_seen(site) != before


def test_many_patrols_at_once_start_nothing_twice(site: Site) -> None:
    """One line, one start; and what guardians say is no sign of the loop's life."""
    site.say(registered(TOUCH), beat(HOUR, **dead()))
    before = last_seen(site)

    for ran in [site.start("patrol", str(site.root), "--once") for _ in range(4)]:
        assert ran.wait(60) == 0
    assert touched(site) == ["once"]
    assert process("patrol", str(site.root), "--once").out == "nothing to do in 2 sessions\n"
    assert len(site.lines("restart")) == 1
    assert touched(site) == ["once"]
    assert last_seen(site) == before


def test_a_dry_run_does_nothing(ar: Ar, site: Site) -> None:
    """It shows what would be done; no byte changes, no file comes up."""
    site.say(registered(TOUCH), beat(HOUR, **dead()))
    before = {path: path.stat() for path in site.root.rglob("*")}

    ran = ar("patrol", str(site.root), "--dry-run", "--json")

    document = json.loads(ran.out)
    assert (ran.code, document["dry_run"], document["tasks"], document["failed"]) == (0, True, [".", "a"], {})
    action = document["actions"][0]
    assert (action["action"], action["task"], action["loop"]) == ("restart", "a", "gpu0")
    assert {path: path.stat().st_mtime_ns for path in site.root.rglob("*")} == {
        path: stat.st_mtime_ns for path, stat in before.items()
    }


def test_a_hanging_process_is_ended_first(ar: Ar, site: Site) -> None:
    """It still lives, gives no sign and has no child; then its command runs again."""
    hangs = site.sleeper()
    site.say(registered(TOUCH), beat(HOUR, **here(hangs)))

    assert ar("patrol", str(site.root), "--once").code == 0
    assert hangs.wait(30) < 0
    assert touched(site) == ["once"]


def test_one_that_cannot_be_ended_is_not_started_again(ar: Ar, site: Site) -> None:
    """Here it is an ancestor of the patrol itself; never are there two."""
    site.say(registered(TOUCH), beat(HOUR, **dead()))
    me = {"pid": os.getpid(), "host": here_host(), "pid_started": stamp()}
    site.say(beat(HOUR, **me))

    ran = ar("patrol", str(site.root), "--once")

    assert (ran.code, "could not be ended" in ran.out) == (4, True)
    assert not (site.task / "touched").exists()
    assert "could not be ended" in site.lines("note")[0]["detail"]


def here_host() -> str:
    """This machine's name."""
    import socket

    return socket.gethostname()


def stamp() -> str | None:
    """This process's start stamp."""
    from hooks.pids import process_started

    return process_started(os.getpid())


def test_a_command_that_is_not_there_is_told(ar: Ar, site: Site) -> None:
    """In the output, on the log, and by the exit code."""
    site.say(registered(("no-such-program-here",)), beat(HOUR, **dead()))

    ran = ar("patrol", str(site.root), "--once")

    assert ran.code == 4
    assert "not restarted: no-such-program-here: No such file or directory" in ran.out
    assert [(note["level"], note["by"]) for note in site.lines("note")] == [("error", "guardian:patrol")]


def test_what_a_worker_registers_is_never_run(ar: Ar, site: Site) -> None:
    """The loop is flagged, for a person."""
    site.say(registered(TOUCH, by="worker:gpu0"), beat(HOUR, **dead()))

    assert ar("patrol", str(site.root), "--once").code == 0
    assert [flag["kind"] for flag in site.lines("flag")] == ["overdue:gpu0"]
    assert not site.lines("restart")
    assert not (site.task / "touched").exists()


SOON = ("--nudge-after", "60")
"""No more than a machine is up that just booted: time before that is not counted."""


def asking(site: Site) -> None:
    """A loop that lives, and has waited for an answer for three hours."""
    site.say(registered(TOUCH, seconds=3600), beat(3 * HOUR, **dead()))
    site.say(beat(MINUTE, last_output="Shall I go on?", **dead()))


def test_a_loop_that_waits_is_nudged_once(ar: Ar, site: Site) -> None:
    """The command is told whom, and gets words on stdin; an interval has to pass before the next."""
    asking(site)
    command = 'cat > "$AR_TASK/nudged"; echo "$AR_LOOP" >> "$AR_TASK/nudged"'

    assert ar("patrol", str(site.root), "--once", *SOON, "--nudge", command).code == 0
    told = (site.task / "nudged").read_text().splitlines()
    assert told[0].startswith("it asks, and made no progress for ")
    assert told[1:] == ["gpu0"]
    assert [line["target"] for line in site.lines("nudge")] == ["gpu0"]
    assert (
        ar("patrol", str(site.root), "--once", *SOON, "--nudge", command).out
        == "nothing to do in 2 sessions\n"
    )


def test_without_a_command_nobody_is_said_to_be_nudged(ar: Ar, site: Site) -> None:
    """Else three nudges that never were would lead to a pivot."""
    asking(site)

    assert ar("patrol", str(site.root), "--once", *SOON).out == "nothing to do in 2 sessions\n"
    assert not site.lines("nudge")


def test_a_nudge_that_fails_is_told(ar: Ar, site: Site) -> None:
    """By the exit code too."""
    asking(site)

    ran = ar("patrol", str(site.root), "--once", *SOON, "--nudge", "exit 3")

    assert (ran.code, ran.out.endswith("; not nudged: the command ended with 3\n")) == (4, True)


def test_a_stopped_session_is_left_alone(ar: Ar, site: Site) -> None:
    """A person ended it."""
    site.say(registered(TOUCH), beat(HOUR, **dead()), Stopped(reason="user"))

    assert ar("patrol", str(site.root), "--once").out == "nothing to do in 2 sessions\n"


def test_a_task_that_cannot_be_read_keeps_nobody_from_the_others(ar: Ar, site: Site) -> None:
    """It is told, and the exit code says so."""
    site.say(registered(TOUCH), beat(HOUR, **dead()))
    broken = site.root / "Broken" / ".auto"
    (broken / "log.jsonl").mkdir(parents=True)

    ran = ar("patrol", str(site.root), "--once")

    assert (ran.code, "ar: Broken: " in ran.err) == (4, True)
    assert touched(site) == ["once"]


def test_its_own_heartbeat_comes_first_and_says_its_layer_once(ar: Ar, site: Site) -> None:
    """With --register the command that restarts it is the user's, and as it was given."""
    root = str(site.root)
    for _ in range(2):
        assert ar("patrol", root, "--once", "--every", "30m", "--register").code == 0

    kinds = [json.loads(line)["type"] for line in site.log(site.root).path.read_text().splitlines()]
    assert kinds == ["heartbeat", "registered", "registered", "heartbeat"]
    own, users = site.lines("registered", site.root)
    assert (own["by"], own["level"], own["interval_seconds"]) == ("guardian:patrol", "L1", 1800)
    assert own["argv"] == users["argv"]
    assert users["by"] == "user:patrol"
    assert users["argv"][-11:] == [
        *("patrol", root, "--every", "30m", "--nudge-after", "2h", "--stuck-after", "4h", "--nudges", "3"),
        "--once",
    ]


def test_what_cannot_be(ar: Ar, site: Site) -> None:
    """Said in one line, with what to do; nothing is written."""
    root = str(site.root)
    late = ar("patrol", root, "--once", "--nudge-after", "4h")
    assert (late.code, late.err.splitlines()[0]) == (
        2,
        "ar: the nudge time (4 h 00 min) must be above 0 and below the stuck time (4 h 00 min)",
    )
    nowhere = ar("patrol", str(site.root / "nowhere"), "--once")
    assert (nowhere.code, nowhere.err.splitlines()[0].endswith("is no directory")) == (2, True)
    without = ar("patrol", str(site.task / ".auto"), "--once")
    assert (without.code, "has no session" in without.err, "try: ar -C " in without.err) == (2, True, True)
    assert not site.lines("heartbeat", site.root)

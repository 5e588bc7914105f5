"""`ar guard`: it and the patrol bring each other back, help is sent for once, TERM ends it."""

from __future__ import annotations

import json
import os
import plistlib
import shlex
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from commands.effects.guarding import look_after
from commands.guard_units import units
from eventstore.filelog import FileLog
from hooks.pids import is_alive
from tests.commands.conftest import Ar
from tests.commands.watchdog import HOUR, Site, beat, dead, registered, until


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    """A ROOT with one task."""
    made = Site(tmp_path / "root")
    yield made
    made.end_all()


SOON = ("--emergency-after", "60")
"""No more than a machine is up that just booted: time before that is not counted."""


def pids(site: Site, name: str) -> list[int]:
    """The processes that gave heartbeats under a guardian's name, in order."""
    beats = site.lines("heartbeat", site.root)
    return list(
        dict.fromkeys(beat["pid"] for beat in beats if beat["by"] == f"guardian:{name}" and "pid" in beat)
    )


def test_guard_and_patrol_bring_each_other_back(site: Site) -> None:
    """Killed with KILL, the one, then the other: each time the survivor starts the registered command."""
    often = ("--every", "1", "--register")
    guard = site.start("guard", str(site.root), *often)
    patrol = site.start("patrol", str(site.root), *often)
    until(lambda: pids(site, "guard") and pids(site, "patrol"), "they never began")

    for name, killed in (("patrol", patrol), ("guard", guard)):
        killed.send_signal(signal.SIGKILL)
        killed.wait()
        until(lambda name=name: is_alive(pids(site, name)[-1], None), f"no new {name}")
        assert pids(site, name)[-1] != killed.pid
        assert name in [line["target"] for line in site.lines("restart", site.root)]


def guardian(site: Site, name: str, age: int) -> None:
    """A guardian that a user registered, and that was last seen so many milliseconds ago."""
    argv = ("touch", str(site.root / f"{name}-back"))
    layer = {"guard": "L0", "patrol": "L1"}[name]
    site.say(registered(argv, by=f"user:{name}", level=layer), where=site.root)
    site.say(beat(age, by=f"guardian:{name}", **dead()), where=site.root)


def test_a_loop_looks_after_both(site: Site) -> None:
    """As guardian, under its own name; of what is no guardian in ROOT's session it takes no notice."""
    guardian(site, "guard", HOUR)
    guardian(site, "patrol", HOUR)
    site.say(registered(("false",), by="user:other"), beat(HOUR, by="worker:other"), where=site.root)

    assert [(each.action.loop, each.error) for each in look_after(site.root, "gpu0")] == [
        ("guard", None),
        ("patrol", None),
    ]
    assert {line["by"] for line in site.lines("restart", site.root)} == {"guardian:gpu0"}
    for name in ("guard", "patrol"):
        until((site.root / f"{name}-back").exists, name)
    assert look_after(site.root, "gpu0") == []
    assert look_after(site.task / ".auto", "gpu0") == []


def test_help_is_sent_for_once(site: Site) -> None:
    """When the patrol has been silent for too long; by however many guards, once in that time."""
    site.say(beat(3 * HOUR, by="guardian:patrol"), where=site.root)
    call = ("guard", str(site.root), "--once", *SOON, "--emergency", "echo help >> helped")

    for ran in [site.start(*call) for _ in range(3)]:
        assert ran.wait(60) == 0
    until((site.root / "helped").exists, "no help came")
    assert site.start(*call).wait(60) == 0

    assert (site.root / "helped").read_text() == "help\n"
    notes = site.lines("note", site.root)
    assert [(note["by"], note["event"]) for note in notes] == [("guardian:guard", "emergency")]
    assert notes[0]["detail"].startswith("the patrol gave no sign for ")


def test_help_that_cannot_come_is_told(ar: Ar, site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the exit code and in the document."""
    site.say(beat(3 * HOUR, by="guardian:patrol"), where=site.root)
    monkeypatch.setattr("commands.guard.shell_argv", lambda command: [command])

    ran = ar("guard", str(site.root), "--once", *SOON, "--emergency", "no-such-shell", "--json")

    document = json.loads(ran.out)
    assert (ran.code, document["emergency"][:27]) == (4, "the patrol gave no sign for")
    assert document["error"].startswith("no-such-shell: ")


def test_term_ends_it_and_it_is_left_alone(ar: Ar, site: Site) -> None:
    """Its last heartbeat says that it stopped, so that no patrol brings back what a person ended."""
    guard = site.start("guard", str(site.root), "--register", "--every", "0.1")
    until(lambda: pids(site, "guard"), "it never began")
    guard.send_signal(signal.SIGTERM)

    assert guard.wait(30) == 0
    assert site.lines("heartbeat", site.root)[-1]["state"] == "stopped"
    assert ar("patrol", str(site.root), "--once").out == "nothing to do in 2 sessions\n"


def test_without_a_session_it_has_a_log_of_its_own(ar: Ar, tmp_path: Path) -> None:
    """It needs none; what would have to be registered in one is refused."""
    root = tmp_path / "bare"
    root.mkdir()

    assert ar("guard", str(root), "--once", "--emergency", "true") == (0, "", "")
    lines = (root / ".auto" / "guard.jsonl").read_text().splitlines()
    assert [json.loads(line)["type"] for line in lines] == ["heartbeat", "registered"]
    assert ar("guard", str(root), "--once", "--register").code == 2
    assert [os.path.basename(path) for path in (root / ".auto").iterdir() if "log.jsonl" in path.name] == []


def test_without_a_session_help_is_sent_for_too(ar: Ar, tmp_path: Path) -> None:
    """A patrol that never gave a sign is waited for from the guard's first heartbeat on."""
    (tmp_path / ".auto").mkdir()
    FileLog(tmp_path / ".auto" / "guard.jsonl").append([beat(3 * HOUR, by="guardian:guard")])

    ran = ar("guard", str(tmp_path), "--once", *SOON, "--emergency", "touch helped")

    assert ran.out.startswith("emergency: the patrol never gave a sign of life, and was waited for ")
    until((tmp_path / "helped").exists, "no help came")


GUARD = ["/opt/a b/ar", "guard", "/srv/50% $x", "--emergency", 'say "no"\\']
PATROL = ["/opt/a b/ar", "patrol", "/srv/50% $x"]


def printed(kind: str) -> str:
    """The units of a kind."""
    return units(kind, "/srv/50% $x", guard=GUARD, patrol=PATROL, path="/usr/bin:/bin")


def test_systemd_units_quote_what_systemd_expands() -> None:
    """Percent signs, dollars, quotes and backslashes; what is started outlives its starter."""
    text = printed("systemd")
    lines = [line.removeprefix("ExecStart=") for line in text.splitlines() if line.startswith("ExecStart=")]
    plain = [shlex.split(line.replace("%%", "%").replace("$$", "$")) for line in lines]

    assert lines[0] == r'"/opt/a b/ar" "guard" "/srv/50%% $$x" "--emergency" "say \"no\"\\"'
    assert plain == [[each.replace("$$", "$") for each in GUARD], [*PATROL, "--once"]]
    assert text.count("KillMode=process") == 2
    assert "WantedBy=timers.target" in text


def test_cron_lines_escape_percent_signs() -> None:
    """Cron ends a command at one."""
    lines = printed("cron").splitlines()

    assert lines[1] == "PATH=/usr/bin:/bin"
    for line, start, argv in ((lines[2], "@reboot ", GUARD), (lines[3], "0 * * * * ", [*PATROL, "--once"])):
        assert line.startswith(start)
        command = line.removeprefix(start).removesuffix(" >/dev/null 2>&1")
        assert shlex.split(command.replace("\\%", "%")) == argv


def test_launchd_lists_can_be_read() -> None:
    """Two property lists; what they start is not ended with them."""
    first, second = (
        plistlib.loads(part.encode())
        for part in printed("launchd").split("-->\n")
        if "<plist" in part
        for part in [part.partition("\n<!--")[0]]
    )

    assert first["ProgramArguments"] == GUARD
    assert second["ProgramArguments"] == [*PATROL, "--once"]
    assert first["AbandonProcessGroup"] is second["AbandonProcessGroup"] is True
    assert (first["KeepAlive"], second["StartInterval"]) == (True, 3600)


def test_units_are_printed_for_what_runs_here(ar: Ar, site: Site) -> None:
    """With absolute commands, which register themselves; nothing is recorded by printing."""
    ran = ar("guard", str(site.root), "--print", "cron", "--emergency", "true")

    guard, patrol = (line.partition("/")[2] for line in ran.out.splitlines()[2:])
    assert f"guard {site.root} --every 10m --emergency-after 2h --emergency true --register" in guard
    assert f"patrol {site.root} --register --once" in patrol
    assert not site.lines("heartbeat", site.root)
    assert ar("guard", str(site.root), "--print", "cron", "--emergency", "a\nb").code == 2

"""Hooks are fired, recorded, and harm nobody, whatever their scripts do."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from eventstore.errors import RoleError, StorageError
from eventstore.events import Config, Event, Hook, Resumed, Run, Settings, Stopped
from eventstore.filelog import FileLog
from hooks.payload import NoRunError
from hooks.prefix import payload_at
from hooks.runner import Fired, fire, fire_activation, fire_after_run
from tests.hooks.marked import DAEMON, Marked, linux_only

RECORDER = """#!/bin/bash
earlier=$(ls | wc -l)
cat >"received-$((earlier + 1))"
"""
"""A script that keeps every payload it gets in a file of its own."""


class Scene:
    """A session's directory with a log, a run in it, and hooks."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.hooks = root / ".auto" / "hooks"
        self.hooks.mkdir(parents=True)
        self.cwd = root / "work dir"
        self.cwd.mkdir()
        self.log = FileLog(root / ".auto" / "log.jsonl", clock=lambda: 1_764_517_599_123)
        self.log.append(
            [Config(name="faster", metricName="total", metricUnit="s", bestDirection="lower"), self.run(1)]
        )

    def run(self, number: int, **fields: Any) -> Run:
        """A run, kept unless `fields` say otherwise."""
        return Run(**{"run": number, "status": "keep", "metric": 40 - number, "description": "d", **fields})

    def hook(self, stage: str, text: str, mode: int = 0o755) -> Path:
        """A hook of that stage."""
        path = self.hooks / f"{stage}.sh"
        path.write_text(text)
        path.chmod(mode)
        return path

    def fire(self, stage: Any = "before", **options: Any) -> Fired | None:
        """Fires the hook of that stage."""
        return fire(stage, log=self.log, hooks=self.hooks, cwd=self.cwd, **options)

    def steer(self, text: str, *, seconds: float | None = None) -> Hook:
        """The event of a `before` hook with this script, fired with this time limit."""
        if seconds is not None:
            self.log.append([Settings(timeouts={"hook": seconds})])
        self.hook("before", text)
        fired = self.fire()
        assert fired is not None
        return fired.event

    def events(self) -> list[Event]:
        """The events of the log."""
        return [record for batch in self.log.read() for record in batch.records if isinstance(record, Event)]


@pytest.fixture
def scene(tmp_path: Path, marked: Marked, monkeypatch: pytest.MonkeyPatch) -> Iterator[Scene]:
    """A session in which nothing of a hook may be left, and which goes on: the next hook fires as ever."""
    monkeypatch.setenv(marked.mark, "1")
    (tmp_path / "scene").mkdir()
    scene = Scene(tmp_path / "scene")
    yield scene
    if os.path.isfile(scene.hooks / "before.sh"):
        assert scene.steer("echo next\n", seconds=60).steer == "next"


def test_a_fire_is_recorded_with_all_that_it_was(scene: Scene) -> None:
    """Exit code, times, bytes, steer, the script's digest and the place of its payload are on the event."""
    script = scene.hook("before", "#!/bin/bash\necho look at the cache\n")
    fired = scene.fire()

    assert fired is not None
    event = scene.events()[-1]
    assert fired.event == event
    assert isinstance(event, Hook)
    assert (event.stage, event.exit_code, event.timed_out, event.truncated) == ("before", 0, False, False)
    assert (event.steer, event.stdout_bytes) == ("look at the cache", len("look at the cache\n"))
    assert event.script_sha256 == hashlib.sha256(script.read_bytes()).hexdigest()
    assert (event.at, event.seq) == (2, 3)
    assert isinstance(event.duration_ms, int)
    assert fired.steer == "[hook before.sh]\nlook at the cache"


def test_a_silent_hook_is_recorded_without_a_steer(scene: Scene) -> None:
    """Nothing said is nothing shown; that it fired is on the log all the same."""
    scene.hook("after", "#!/bin/bash\nexit 0\n")
    fired = scene.fire("after")

    assert fired is not None
    assert (fired.steer, fired.event.steer, fired.event.stdout_bytes) == ("", None, 0)


@pytest.mark.parametrize(
    "kind", ["nothing", "no execute bit", "directory", "dangling link", "no reach", "fifo"]
)
def test_what_is_no_executable_file_is_absent(scene: Scene, kind: str) -> None:
    """No such hook is no error: nothing runs and nothing is recorded."""
    path = scene.hooks / "before.sh"
    if kind == "no execute bit":
        scene.hook("before", "#!/bin/bash\necho never\n", mode=0o644)
    elif kind == "directory":
        path.mkdir()
    elif kind == "dangling link":
        path.symlink_to("nowhere")
    elif kind == "no reach":
        path.symlink_to("x" * 300)  # no file has so long a name, so that looking at it fails
    elif kind == "fifo":
        os.mkfifo(path, 0o755)
    before = scene.log.path.read_bytes()

    assert scene.fire() is None
    assert scene.log.path.read_bytes() == before


def test_a_link_to_a_script_is_the_script(scene: Scene) -> None:
    """Hooks may be kept elsewhere and linked."""
    target = scene.root / "mine.sh"
    shutil.copy(scene.hook("after", "#!/bin/bash\necho linked\n"), target)
    (scene.hooks / "before.sh").symlink_to(target)
    fired = scene.fire()

    assert fired is not None
    assert fired.event.steer == "linked"


@pytest.mark.parametrize(
    ("text", "steer"),
    [
        ("echo ${BASH_VERSION:+bash} without a shebang\n", "bash without a shebang"),
        (f"#!{sys.executable}\nimport json, sys\nprint(json.load(sys.stdin)['event'])\n", "before"),
        ("#!/usr/bin/env -S python3 -I\nprint('python')\n", "python"),
        pytest.param(
            "#!/usr/bin/env node\nprocess.stdin.on('data', d => console.log(JSON.parse(d).event))\n",
            "before",
            marks=pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed"),
        ),
    ],
    ids=["none", "python", "env python", "node"],
)
def test_shebangs_are_honoured(scene: Scene, text: str, steer: str) -> None:
    """A hook is written in any language; without a shebang it is bash."""
    assert scene.steer(text).steer == steer


def test_a_hook_runs_in_the_session_without_our_variables(
    scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The working directory is the session's; all that we have to say comes on stdin."""
    monkeypatch.setenv("AR_DIR", "/elsewhere")
    monkeypatch.setenv("AR_BY", "worker:gpu0")
    monkeypatch.setenv("USERS_OWN", "stays")
    event = scene.steer("#!/bin/bash\npwd\nenv | grep -E '^(AR_|USERS_OWN)'\n")

    assert event.steer == f"{scene.cwd}\nUSERS_OWN=stays"


def test_a_hook_that_reads_nothing(scene: Scene) -> None:
    """A payload that nobody reads blocks nobody, however large it is."""
    scene.log.append([scene.run(2, description="x" * 500_000)])
    event = scene.steer("#!/bin/bash\nexec 0<&-\necho done\n")

    assert (event.exit_code, event.steer) == (0, "done")


def test_a_flood_is_cut_and_counted(scene: Scene) -> None:
    """50 MB on each of stdout and stderr: the first lines reach the agent, with a marker."""
    event = scene.steer(
        "#!/bin/bash\nyes 'a line of text' | head -c 50000000 >&2 & "
        "yes 'a line of text' | head -c 50000000\nwait\n"
    )

    assert (event.exit_code, event.stdout_bytes, event.truncated) == (0, 50_000_000, True)
    assert event.steer is not None
    kept, _, marker = event.steer.rpartition("\n")
    assert kept == "\n".join(["a line of text"] * (8192 // 15))
    assert marker == f"[truncated: the first {len(kept)} of 50000000 bytes]"


def test_half_a_character_at_the_cap(scene: Scene) -> None:
    """Without a newline the cut falls before the character that crosses 8,192 bytes, not inside it."""
    event = scene.steer("#!/bin/bash\nprintf 'x%.0s' {1..8191}; printf 'é and more'\n")

    assert event.steer is not None
    assert event.steer.splitlines() == ["x" * 8191, f"[truncated: the first 8191 of {8191 + 11} bytes]"]


@pytest.mark.parametrize("size", [8192, 8193])
def test_the_cap_is_byte_exact(scene: Scene, size: int) -> None:
    """8,192 bytes pass whole; one more is cut."""
    event = scene.steer(f"#!/bin/bash\nprintf 'x%.0s' {{1..{size}}}\n")

    assert event.truncated is (size > 8192)
    assert event.steer is not None
    assert event.steer.partition("\n")[0] == "x" * 8192


@pytest.mark.parametrize(
    ("script", "steer"),
    [
        ("exit 1", "[before hook exited 1]"),
        ("echo why >&2; exit 1", "[before hook exited 1]\nwhy"),
        ("echo out; echo why >&2; exit 3", "[before hook exited 3]\nwhy\nout"),
        ("kill -KILL $$", "[before hook exited -9 (SIGKILL)]"),
    ],
)
def test_a_failing_hook_says_so_and_stops_nothing(scene: Scene, script: str, steer: str) -> None:
    """A non-zero exit becomes the steer, with stderr and then stdout."""
    assert scene.steer(f"#!/bin/bash\n{script}\n").steer == steer


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("#!/nowhere/interpreter\n", "names an interpreter that does not exist"),
        ("#!/bin/bash\r\necho hi\r\n", "Windows line endings"),
    ],
)
def test_a_hook_that_cannot_be_started_says_why(scene: Scene, text: str, reason: str) -> None:
    """An interpreter that is not there and the like are told to the agent, not raised."""
    event = scene.steer(text)

    assert event.exit_code is None
    assert event.steer is not None
    assert event.steer.startswith("[before hook could not be run: ")
    assert reason in event.steer


@pytest.mark.parametrize("script", ["sleep 60", "trap '' TERM; while :; do sleep 60; done"])
def test_a_hook_that_overstays_is_ended(scene: Scene, script: str) -> None:
    """At its limit the whole group is ended, even one that ignores TERM."""
    event = scene.steer(f"#!/bin/bash\nsleep 50 &\n{script}\n", seconds=0.5)

    assert (event.timed_out, event.exit_code) == (True, None)
    assert event.steer == "[before hook timed out after 0.5s]"


@pytest.mark.parametrize("script", ["sleep 60 &\necho said\n", "(trap '' TERM; sleep 60) &\necho said\n"])
def test_a_background_child_that_holds_stdout_holds_nobody(scene: Scene, script: str) -> None:
    """The hook has ended when its script has; what it leaves behind is ended too."""
    event = scene.steer(f"#!/bin/bash\n{script}", seconds=20)

    assert (event.exit_code, event.timed_out, event.steer) == (0, False, "said")
    assert event.duration_ms is not None
    assert event.duration_ms < 20_000


@linux_only
def test_a_daemon_is_ended_too(scene: Scene) -> None:
    """What got away by setsid and a double fork is found."""
    event = scene.steer(f"#!{sys.executable}\n{DAEMON}print('away', flush=True)\n")

    assert (event.exit_code, event.steer) == (0, "away")


def test_secrets_that_a_hook_prints_are_kept_out(scene: Scene) -> None:
    """What is stored, and what the agent is told, holds no token."""
    event = scene.steer(f"#!/bin/bash\necho 'key {'ghp_' + 'Ab1' * 12}'\n")

    assert event.steer is not None
    assert event.steer.startswith("key [redacted:")


def test_after_then_before(scene: Scene) -> None:
    """A closed run fires after with that run, then before with the next number, the after among its past."""
    for stage in ("before", "after"):
        scene.hook(stage, RECORDER)
    seq = scene.log.append([scene.run(2)]).seqs[0]
    fired = fire_after_run(log=scene.log, hooks=scene.hooks, cwd=scene.cwd, run_seq=seq)
    after, before = (json.loads((scene.cwd / f"received-{n}").read_bytes()) for n in (1, 2))

    assert [(f.event.stage, f.event.at, f.event.seq) for f in fired] == [("after", 3, 4), ("before", 4, 5)]
    assert (after["event"], after["run_entry"]["run"], after["session"]["run_count"]) == ("after", 2, 2)
    assert (before["event"], before["last_run"]["run"], before["next_run"]) == ("before", 2, 3)


def test_after_is_told_of_its_own_run(scene: Scene) -> None:
    """If another writer's run came in meanwhile, after still gets the run that was closed."""
    scene.hook("after", RECORDER)
    seq = scene.log.append([scene.run(2), scene.run(3)]).seqs[0]
    fire_after_run(log=scene.log, hooks=scene.hooks, cwd=scene.cwd, run_seq=seq)
    payload = json.loads((scene.cwd / "received-1").read_bytes())

    assert (payload["run_entry"]["run"], payload["session"]["run_count"]) == (2, 2)


def test_no_before_once_the_session_has_stopped(scene: Scene) -> None:
    """The last run still fires after; before waits for the session to go on."""
    for stage in ("before", "after"):
        scene.hook(stage, "#!/bin/bash\necho x\n")
    appended = scene.log.append([scene.run(2), Stopped(reason="user")])
    place: dict[str, Any] = {"log": scene.log, "hooks": scene.hooks, "cwd": scene.cwd}

    assert [f.event.stage for f in fire_after_run(**place, run_seq=appended.seqs[0])] == ["after"]
    assert fire_activation(**place) == []

    scene.log.append([Resumed()])
    assert [f.event.stage for f in fire_activation(**place)] == ["before"]
    seq = scene.log.append([scene.run(3)]).seqs[0]
    assert [f.event.stage for f in fire_after_run(**place, run_seq=seq)] == ["after", "before"]


def test_who_may_record_no_hook_fires_none(scene: Scene) -> None:
    """A guardian and a verifier are refused before the script runs, not after."""
    scene.hook("before", "touch ran\n")
    for by in ("guardian:g", "verifier"):
        with pytest.raises(RoleError):
            fire("before", log=FileLog(scene.log.path, by=by), hooks=scene.hooks, cwd=scene.cwd)
    assert list(scene.cwd.iterdir()) == []


def test_after_needs_a_run(tmp_path: Path, scene: Scene) -> None:
    """Before the first run there is nothing to tell an after-hook."""
    scene.hook("after", RECORDER)
    empty = FileLog(tmp_path / "empty.jsonl")

    with pytest.raises(NoRunError):
        fire("after", log=empty, hooks=scene.hooks, cwd=scene.cwd)
    assert not empty.path.exists()


def test_a_log_that_cannot_be_written_is_reported(scene: Scene, tmp_path: Path) -> None:
    """That a fire could not be recorded is an error, the store's own."""
    scene.hook("before", "#!/bin/bash\necho x\n")

    with pytest.raises(StorageError):
        fire("before", log=FileLog(tmp_path), hooks=scene.hooks, cwd=scene.cwd)


def test_every_past_fire_can_be_told_again(scene: Scene) -> None:
    """For each hook event, the payload at its `at` is byte for byte what the script then received.

    Over several segments, crashes, foreign lines, damage, changed settings, and lines that came in between.
    """
    for stage in ("before", "after"):
        scene.hook(stage, RECORDER)
    place: dict[str, Any] = {"log": scene.log, "hooks": scene.hooks, "cwd": scene.cwd}
    fire_activation(**place)
    steps: list[Event | bytes] = [
        scene.run(2, status="crash", metric=None),
        b'{"run":9,"metric":"slow","status":"discard","description":"pi \\ud83d","extra":[1]}\n',
        scene.run(4, metric=1e-05, asi={"next_focus": 'a "quoted" $(thing)\n😀'}),
        b"torn {\n",
        Config(name="smaller", metricName="size", metricUnit="kb", bestDirection="higher"),
        scene.run(5, status="checks_failed"),
        b"\n",
        Settings(timeouts={"hook": 20}),
        scene.run(6),
        b'{"type":"config","name":"pi again"}\n',
        scene.run(7, status="discard", metric=3),
    ]
    for step in steps:
        if isinstance(step, bytes):
            with scene.log.path.open("ab") as file:
                file.write(step)
            continue
        seq = scene.log.append([step]).seqs[0]
        if isinstance(step, Run):
            fire_after_run(**place, run_seq=seq)
        else:
            fire_activation(**place)
    fired = [event for event in scene.events() if isinstance(event, Hook)]
    received = sorted(scene.cwd.iterdir(), key=lambda path: int(path.name.rpartition("-")[2]))

    assert len(fired) == len(received) == 1 + 2 * 5 + 2
    for event, path in zip(fired, received, strict=True):
        stage: Any = event.stage
        assert payload_at(scene.log, stage, str(scene.cwd), event.at) == path.read_bytes()

"""Which commands fire hooks, which never do, and what is shown of it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from commands.verbs import VERBS
from tests.commands.conftest import Ar, environment
from tests.commands.hooked import RECORDER, Hooked, hooked

__all__ = ["hooked"]


def test_a_hook_is_fired_and_its_steer_shown(hooked: Hooked) -> None:
    """The steer stands under the script's name; the fire is on the log."""
    hooked.hook("before", "echo look at the cache\n")
    ran = hooked.ar("hook", "fire", "before")

    assert (ran.code, ran.out, ran.err) == (0, "[hook before.sh]\nlook at the cache\n", "")
    assert [(line["stage"], line["steer"]) for line in hooked.lines("hook")] == [
        ("before", "look at the cache")
    ]


def test_a_silent_hook_says_nothing(hooked: Hooked) -> None:
    """Nothing reaches the agent, and a person sees that it fired."""
    hooked.hook("before", "exit 0\n")

    assert hooked.ar("hook", "fire", "before").out.startswith("before.sh said nothing; it took ")


def test_where_there_is_no_hook_nothing_happens(hooked: Hooked) -> None:
    """An absent hook is no error, and leaves no event; neither is one without its bit."""
    for _ in range(2):
        ran = hooked.ar("hook", "fire", "before")
        assert (ran.code, ran.err) == (0, "")
        assert ran.out == "nothing fired: .auto/hooks/before.sh is no executable file\n"
        assert json.loads(hooked.ar("hook", "fire", "before", "--json").out) == {"fired": None}
        hooked.hook("before", "echo never\n", mode=0o644)
    assert hooked.lines("hook") == []


def test_after_needs_a_run(hooked: Hooked) -> None:
    """Before the first run there is nothing to tell it: bad usage, nothing recorded."""
    hooked.hook("after", "echo x\n")
    ran = hooked.ar("hook", "fire", "after")

    assert (ran.code, ran.out) == (2, "")
    assert "there is none yet" in ran.err
    assert hooked.lines("hook") == []


def test_a_fire_as_json(hooked: Hooked) -> None:
    """One document, with where it is recorded and who fired."""
    hooked.hook("before", "echo no >&2; exit 3\n")
    fired = json.loads(hooked.ar("hook", "fire", "before", "--json", "--by", "worker:a").out)["fired"]
    (event,) = hooked.lines("hook")

    assert event["by"] == "worker:a"
    assert fired == {
        "seq": event["seq"],
        "stage": "before",
        "exit_code": 3,
        "timed_out": False,
        "duration_ms": event["duration_ms"],
        "truncated": False,
        "steer": "[before hook exited 3]\nno",
    }


def test_agents_text_is_drawn_escaped(hooked: Hooked) -> None:
    """What a hook prints cannot steer a terminal; for programs it is the text itself."""
    hooked.hook("before", "printf '\\033[2J\\033]0;title\\007\\rline\\n\\ttwo\\n'\n")

    assert hooked.ar("hook", "fire", "before").out == (
        "[hook before.sh]\n\\x1b[2J\\x1b]0;title\\x07\\rline\n\ttwo\n"
    )
    fired = json.loads(hooked.ar("hook", "fire", "before", "--json").out)["fired"]
    assert fired["steer"] == "\x1b[2J\x1b]0;title\x07\rline\n\ttwo"


def test_log_fires_after_then_before(hooked: Hooked) -> None:
    """A run that is recorded is closed: after.sh gets it, then before.sh gets it as the last one."""
    hooked.hook("after", f"{RECORDER}echo after said\n")
    hooked.hook("before", f"{RECORDER}echo before said\n")
    ran = hooked.log()
    after, before = (json.loads(payload) for payload in hooked.received())

    assert ran.out.splitlines()[-4:] == ["[hook after.sh]", "after said", "[hook before.sh]", "before said"]
    assert (after["event"], after["run_entry"]["run"]) == ("after", 1)
    assert (before["event"], before["next_run"], before["last_run"]["run"]) == ("before", 2, 1)
    assert [line["type"] for line in hooked.lines()] == ["config", "run", "hook", "hook"]


def test_log_as_json_tells_the_fires(hooked: Hooked) -> None:
    """The one document holds the steers too."""
    hooked.hook("after", "echo after said\n")
    document = json.loads(hooked.log("keep", 40, "--json").out)

    assert [(fire["stage"], fire["steer"]) for fire in document["hooks"]] == [("after", "after said")]


def test_a_run_that_is_logged_again_fires_nothing(hooked: Hooked) -> None:
    """The same id is no second run, and closes nothing."""
    hooked.hook("after", RECORDER)
    for _ in range(2):
        assert hooked.log("keep", 40, "--id", "k").code == 0

    assert len(hooked.received()) == 1


def test_init_fires_before(ar: Ar, tmp_path: Path) -> None:
    """A new session is run 1's occasion; a new segment is one too; a limit alone is none."""
    hooks = tmp_path / ".auto" / "hooks"
    hooks.mkdir(parents=True)
    (hooks / "before.sh").write_text(f"{RECORDER}echo hello\n")
    (hooks / "before.sh").chmod(0o755)
    ran = ar("init", "faster", "--metric", "total", "--unit", "s", "--direction", "lower")
    ar("init", "--max-cycles", "9")
    document = json.loads(ar("init", "smaller", "--json").out)
    payloads = [json.loads(path.read_bytes()) for path in sorted((tmp_path / ".received").iterdir())]

    assert ran.out.endswith("[hook before.sh]\nhello\n")
    assert [fire["steer"] for fire in document["hooks"]] == ["hello"]
    assert [(p["next_run"], p["last_run"], p["session"]["goal"]) for p in payloads] == [
        (1, None, "faster"),
        (1, None, "smaller"),
    ]


def test_before_waits_while_the_session_has_stopped(hooked: Hooked) -> None:
    """A session that was switched off fires after for a run that is still logged, not before."""
    hooked.hook("after", RECORDER)
    hooked.hook("before", RECORDER)
    hooked.ar("append", "stopped", "reason=user")
    hooked.log()
    assert [json.loads(payload)["event"] for payload in hooked.received()] == ["after"]

    hooked.ar("append", "resumed")
    hooked.log()
    assert [json.loads(payload)["event"] for payload in hooked.received()] == ["after", "after", "before"]


@pytest.mark.parametrize(
    "script",
    ["exit 1\n", "echo why >&2; exit 1\n", "#!/nowhere/at/all\n", "sleep 60\n", "kill -9 $$\n"],
    ids=["fails", "fails and says why", "cannot be started", "overstays", "is killed"],
)
def test_log_goes_on_whatever_a_hook_does(hooked: Hooked, script: str) -> None:
    """The run is recorded, the exit code is 0, and the next run is recorded too."""
    hooked.ar("init", "--timeout", "hook=0.5")
    for stage in ("before", "after"):
        hooked.hook(stage, script)
    first, second = hooked.log(), hooked.log("discard", 41)

    assert (first.code, second.code, second.err) == (0, 0, "")
    assert [line["run"] for line in hooked.lines("run")] == [1, 2]
    assert len(hooked.lines("hook")) == 4
    assert "[hook after.sh]" in second.out
    assert "[hook before.sh]" in second.out


def test_a_fire_that_cannot_be_recorded_does_not_undo_the_run(hooked: Hooked) -> None:
    """The run stands and is reported; that the hook is missing on the log is a warning."""
    hooked.hook("after", "rm .auto/log.jsonl && mkdir .auto/log.jsonl\n")
    ran = hooked.log()

    assert ran.code == 0
    assert ran.out.startswith("Run 1: KEPT")
    assert ran.err.startswith("ar: a hook could not be fired or recorded: ")


def test_the_legacy_layout_has_its_own_folder(ar: Ar, tmp_path: Path) -> None:
    """A session with the old flat names fires from autoresearch.hooks, in place."""
    (tmp_path / "autoresearch.jsonl").write_text(
        '{"type":"config","name":"old","metricName":"s","bestDirection":"lower"}\n'
    )
    hooks = tmp_path / "autoresearch.hooks"
    hooks.mkdir()
    (hooks / "after.sh").write_text("jq -r .session.goal\n")
    (hooks / "after.sh").chmod(0o755)
    ran = ar("log", "--status", "keep", "--metric", "1", "-m", "x")

    assert ran.out.endswith("[hook after.sh]\nold\n")
    assert not (tmp_path / ".auto" / "log.jsonl").exists()


def test_a_log_that_was_named_is_used_by_itself(hooked: Hooked, tmp_path: Path) -> None:
    """Recording into a copy elsewhere is not this session's iteration: no hook fires."""
    for stage in ("before", "after"):
        hooked.hook(stage, RECORDER)
    (tmp_path / "copy.jsonl").write_bytes(hooked.path.read_bytes())
    ran = hooked.ar("--log", "copy.jsonl", "log", "--status", "keep", "--metric", "1", "-m", "x")

    assert ran.code == 0
    assert hooked.received() == []


LOOKING = (
    ("view",),
    ("view", "hooks"),
    ("show", "run:1"),
    ("tail",),
    ("replay",),
    ("replay", "--all", "--json"),
    ("diff", "1", "head"),
    ("why", "best_metric"),
    ("export", "jsonl"),
    ("schema",),
    ("verify",),
    ("check",),
    ("audit",),
    ("doctor",),
    ("brief",),
    ("debrief",),
    ("append", "note", "detail=x"),
    ("import", "other.jsonl"),
    ("hook", "payload", "after"),
    ("hook", "list"),
    ("hook", "add"),
)


@pytest.mark.parametrize("argv", [argv for argv in LOOKING if argv[0] in VERBS], ids=" ".join)
def test_looking_and_importing_fire_nothing(hooked: Hooked, argv: tuple[str, ...]) -> None:
    """Replay, audit and import, and whatever else looks at a log or appends to it, run no script."""
    hooked.log()
    (hooked.root / "other.jsonl").write_text(
        '{"type":"config","name":"other","metricName":"s","bestDirection":"lower"}\n'
        '{"run":1,"metric":3,"status":"keep","description":"theirs"}\n'
    )
    for stage in ("before", "after"):
        hooked.hook(stage, RECORDER)
    hooked.ar(*argv)

    assert hooked.received() == []
    assert hooked.lines("hook") == []


@pytest.mark.parametrize("stage", ["before", "after"])
def test_a_reader_that_went_away_does_not_stop_a_hook(hooked: Hooked, stage: str) -> None:
    """With the other end of stdout closed, the hook still fires and is recorded."""
    hooked.hook(stage, "echo said\n")
    command = "log --status keep --metric 1 -m x" if stage == "after" else "hook fire before"
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "wb") as stdout:
        done = subprocess.run(
            [sys.executable, "-m", "autoresearch_ledger", *command.split()],
            cwd=hooked.root,
            env=environment(),
            stdout=stdout,
            stderr=subprocess.PIPE,
        )

    assert (done.returncode, done.stderr) == (0, b"")
    assert [line["stage"] for line in hooked.lines("hook")] == [stage]


def test_a_hook_cannot_see_who_called(hooked: Hooked, monkeypatch: pytest.MonkeyPatch) -> None:
    """None of our variables reaches it, though the command saw them."""
    hooked.hook("before", "env | grep '^AR_' || echo none\n")
    monkeypatch.setenv("AR_BY", "worker:a")
    monkeypatch.setenv("AR_DIR", os.fspath(hooked.root))

    assert hooked.ar("hook", "fire", "before").out == "[hook before.sh]\nnone\n"
    assert hooked.lines("hook")[0]["by"] == "worker:a"

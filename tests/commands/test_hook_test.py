"""`ar hook test`: a script is tried the way it would be fired, and nothing is recorded."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.commands.conftest import Ar, Ran
from tests.commands.hooked import Hooked, hooked

__all__ = ["hooked"]


def script(path: Path, text: str, mode: int = 0o755) -> Path:
    """A script at that place."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(mode)
    return path


def document(ran: Ran) -> Any:
    """The JSON document of a call."""
    return json.loads(ran.out)


def test_what_is_shown_of_a_try(hooked: Hooked) -> None:
    """Stage, payload, exit, time and limit, bytes, and the steer as the agent would see it."""
    hooked.log()
    before = hooked.path.read_bytes()
    path = script(hooked.hooks / "after.sh", 'printf "\\033[1m"; jq -r .run_entry.description\n')
    ran = hooked.ar("hook", "test", str(path))

    assert (ran.code, ran.err) == (0, "")
    assert re.sub(r"[\d.]+ s of", "T s of", ran.out) == (
        "stage    after\n"
        "payload  of the log up to line 2\n"
        "exit     0\n"
        "time     T s of 30 s\n"
        "stdout   13 bytes\n"
        "stderr   0 bytes\n"
        "\n"
        "[hook after.sh]\n"
        "\\x1b[1ma change\n"
    )
    assert hooked.path.read_bytes() == before


def test_a_silent_script_is_said_to_be_silent(hooked: Hooked) -> None:
    """Silence is what most hooks are for, and is told apart from a failure."""
    path = script(hooked.root / "before.sh", "exit 0\n")

    assert hooked.ar("hook", "test", str(path)).out.endswith("\nsilent: nothing would reach the agent\n")


def test_the_mocks(hooked: Hooked) -> None:
    """before: no run, no baseline, no best; after: one kept run; whatever the log holds."""
    hooked.log("discard", 41)
    path = script(hooked.root / "try.sh", "cat\n")
    before = document(hooked.ar("hook", "test", str(path), "--stage", "before", "--mock", "--json"))
    after = document(hooked.ar("hook", "test", str(path), "--stage", "after", "--mock", "--json"))

    told = json.loads(before["steer"])
    assert (told["next_run"], told["last_run"], told["session"]["run_count"]) == (1, None, 0)
    assert (told["session"]["baseline_metric"], told["session"]["best_metric"]) == (None, None)
    told = json.loads(after["steer"])
    assert (told["run_entry"]["run"], told["run_entry"]["status"]) == (1, "keep")
    assert told["session"]["run_count"] == 1
    assert (before["at"], after["at"]) == (None, None)


def test_a_mock_needs_no_session(ar: Ar, tmp_path: Path) -> None:
    """A script can be tried before there is anything; then it runs here."""
    path = script(tmp_path / "before.sh", "pwd\n")

    assert document(ar("hook", "test", str(path), "--mock", "--json"))["steer"] == str(tmp_path)
    ran = ar("hook", "test", str(path))
    assert ran.code == 2
    assert "no session" in ran.err


def test_a_place_in_the_past(hooked: Hooked) -> None:
    """--at takes the payload from there, which is what the hook was told then."""
    for metric in (40, 39, 38):
        hooked.log("keep", metric)
    path = script(hooked.root / "after.sh", "jq .run_entry.metric\n")
    ran = hooked.ar("hook", "test", str(path), "--at", "run:2", "--json")

    assert (document(ran)["at"], document(ran)["steer"]) == (3, "39")


@pytest.mark.parametrize(
    ("name", "stage"),
    [
        ("before.sh", "before"),
        ("after.sh", "after"),
        ("after.py", "after"),
        ("before-ideas.sh", "before"),
        ("after.d/20-journal.sh", "after"),
        ("anywhere/anti-thrash.sh", "before"),
        ("anywhere/notify.sh", "after"),
    ],
)
def test_the_name_tells_the_stage(hooked: Hooked, name: str, stage: str) -> None:
    """The file's, its folder's, or a shipped example's."""
    path = script(hooked.root / name, "jq -r .event\n")
    hooked.log()

    assert document(hooked.ar("hook", "test", str(path), "--json"))["stage"] == stage


def test_a_name_that_tells_nothing(hooked: Hooked) -> None:
    """The stage is asked for, not guessed."""
    path = script(hooked.root / "beforehand.sh", "true\n")
    ran = hooked.ar("hook", "test", str(path))

    assert ran.code == 2
    assert "--stage" in ran.err


def test_a_script_without_its_bit_would_not_fire(hooked: Hooked) -> None:
    """It is not run; it is said that it would be absent in silence, and what to do; exit code 1."""
    path = script(hooked.root / "before.sh", "touch ran\n", mode=0o644)
    ran = hooked.ar("hook", "test", str(path))

    assert ran.code == 1
    assert f"{path} is not executable: as a hook it would not fire" in ran.out
    assert f"chmod +x {path}" in ran.out
    assert document(hooked.ar("hook", "test", str(path), "--json"))["executable"] is False
    assert not (hooked.root / "ran").exists()


@pytest.mark.parametrize(
    ("text", "ended", "steer"),
    [
        ("echo why >&2; exit 3\n", "3", "[before hook exited 3]\nwhy"),
        ("sleep 60\n", "ended when its time was up", "[before hook timed out after 0.5s]"),
        ("#!/nowhere/at/all\n", "could not be started", "[before hook could not be run: "),
    ],
)
def test_a_script_that_fails(hooked: Hooked, text: str, ended: str, steer: str) -> None:
    """Exit code 1, how it ended, and the steer that the agent would get; the session's own limit holds."""
    hooked.ar("init", "--timeout", "hook=0.5" if "sleep" in text else "hook=60")
    path = script(hooked.root / "before.sh", text)
    ran = hooked.ar("hook", "test", str(path))

    assert ran.code == 1
    assert re.search(rf"^exit +{ended}$", ran.out, re.MULTILINE)
    assert f"[hook before.sh]\n{steer}" in ran.out
    assert hooked.lines("hook") == []


def test_secrets_are_shown_as_they_would_be_stored(hooked: Hooked) -> None:
    """The steer is the one that would reach the agent: a token in it is redacted."""
    path = script(hooked.root / "before.sh", f"echo key {'ghp_' + 'Ab1' * 12}\n")

    assert document(hooked.ar("hook", "test", str(path), "--json"))["steer"].startswith("key [redacted:")


def test_what_is_cut_and_what_is_left_running_is_told(hooked: Hooked) -> None:
    """A hook that says too much, or leaves a process behind, learns it here."""
    path = script(hooked.root / "before.sh", "yes | head -c 20000\nsleep 60 &\n")
    ran = hooked.ar("hook", "test", str(path))

    assert "\nstdout        20,000 bytes, cut at 8,192\n" in ran.out
    assert "\nleft running  1, ended\n" in ran.out
    assert "[truncated: the first 8191 of 20000 bytes]" in ran.out


@pytest.mark.parametrize(
    ("argv", "hint"),
    [
        (("nowhere.sh",), "there is no file nowhere.sh"),
        (("anti-thrash",), "ar hook add anti-thrash"),
        ((".",), "is no regular file"),
        (("before.sh", "--mock", "--at", "1"), "one of them"),
        (("after.sh",), "--mock makes one up"),
    ],
)
def test_bad_usage(hooked: Hooked, argv: tuple[str, ...], hint: str) -> None:
    """Exit code 2, nothing run, and what to do."""
    for name in ("before.sh", "after.sh"):
        script(hooked.root / name, "touch ran\n")
    ran = hooked.ar("hook", "test", *argv)

    assert ran.code == 2
    assert hint in ran.err
    assert not (hooked.root / "ran").exists()

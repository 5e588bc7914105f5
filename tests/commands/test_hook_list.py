"""`ar hook list`: what is there, what would fire, and how it fared."""

from __future__ import annotations

import json
import os
from typing import Any

import pytest

from tests.commands.hooked import Hooked, hooked

__all__ = ["hooked"]


def listed(hooked: Hooked) -> list[dict[str, Any]]:
    """The hooks, as JSON tells them."""
    found: list[dict[str, Any]] = json.loads(hooked.ar("hook", "list", "--json").out)["hooks"]
    return found


def test_nothing_there(hooked: Hooked) -> None:
    """Both stages are listed, absent."""
    assert [(each["stage"], each["present"], each["fires"], each["last"]) for each in listed(hooked)] == [
        ("before", False, False, None),
        ("after", False, False, None),
    ]


def test_what_would_fire_and_how_it_fared(hooked: Hooked) -> None:
    """A table for people: the state in words, the last fire with exit and silence."""
    hooked.hook("before", "exit 0\n")
    hooked.hook("after", "echo no >&2; exit 3\n")
    hooked.log()
    before, after = hooked.ar("hook", "list").out.splitlines()[1:]

    assert before.startswith("before  .auto/hooks/before.sh  fires  2")
    assert ": exit 0 after " in before
    assert before.endswith(", silent")
    assert ": exit 3 after " in after
    assert not after.endswith("silent")


@pytest.mark.parametrize(
    ("script", "told"), [("sleep 60\n", "timed out after"), ("#!/nowhere/at/all\n", "could not be run")]
)
def test_other_ends(hooked: Hooked, script: str, told: str) -> None:
    """A fire without an exit code says how it ended."""
    hooked.ar("init", "--timeout", "hook=0.3")
    hooked.hook("before", script)
    hooked.ar("hook", "fire", "before")

    assert told in hooked.ar("hook", "list").out


@pytest.mark.parametrize(
    ("kind", "state"),
    [
        ("no bit", "not executable (chmod +x), so it would not fire"),
        ("directory", "no regular file"),
        ("dangling", "a link to nothing"),
    ],
)
def test_what_is_there_and_would_not_fire(hooked: Hooked, kind: str, state: str) -> None:
    """A hook that is silently absent is explained."""
    path = hooked.hook("before", "true\n", mode=0o644)
    if kind != "no bit":
        path.unlink()
        path.mkdir() if kind == "directory" else path.symlink_to("nowhere")
    before = listed(hooked)[0]

    assert (before["present"], before["fires"], before["state"]) == (True, False, state)


def test_a_script_that_changed_since(hooked: Hooked) -> None:
    """How it fared last says little of a script that is another one now."""
    hooked.hook("before", "echo a\n")
    hooked.ar("hook", "fire", "before")
    assert listed(hooked)[0]["changed"] is False

    hooked.hook("before", "echo b\n")
    assert listed(hooked)[0]["changed"] is True
    assert "fires, changed since" in hooked.ar("hook", "list").out


def test_parts_are_listed_in_their_order(hooked: Hooked) -> None:
    """Below run-parts, the scripts it runs; not hidden files, and not below any other hook."""
    parts = hooked.hooks / "before.d"
    parts.mkdir(parents=True)
    for name, mode in (("20-b.sh", 0o755), ("10-a.sh", 0o644), (".hidden.sh", 0o755), ("note.txt", 0o755)):
        (parts / name).write_text("true\n")
        (parts / name).chmod(mode)
    hooked.hook("before", "true\n")
    assert len(listed(hooked)) == 2

    hooked.ar("hook", "add", "run-parts", "--force")
    shown = [(os.path.basename(each["path"]), each["fires"]) for each in listed(hooked)]
    assert shown == [("before.sh", True), ("10-a.sh", False), ("20-b.sh", True), ("after.sh", False)]


def test_damage_is_told(hooked: Hooked) -> None:
    """A damaged line may have been a fire: it is named on stderr and in the document."""
    with hooked.path.open("ab") as log:
        log.write(b"torn {\n")
    ran = hooked.ar("hook", "list", "--json")

    assert json.loads(ran.out)["damaged_lines"] == [2]
    assert "line 2 is damaged" in ran.err


def test_a_folder_out_of_reach(hooked: Hooked) -> None:
    """What cannot be looked at fires nothing and stops nothing, and is told as what it is."""
    hooked.hooks.symlink_to("x" * 300)  # no file has so long a name, so that any look at it fails
    ran = hooked.log()

    assert (ran.code, ran.err) == (0, "")
    assert "Run 1: KEPT" in ran.out
    assert [(each["fires"], each["state"]) for each in listed(hooked)] == [
        (False, "out of reach: file name too long")
    ] * 2
    assert hooked.ar("hook", "fire", "before").code == 0

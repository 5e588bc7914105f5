"""`ar hook add`: a shipped example becomes the session's own hook."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from hooks.examples import EXAMPLES, read
from tests.commands.conftest import Ar
from tests.commands.hooked import Hooked, hooked

__all__ = ["hooked"]


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)
def test_every_example_can_be_added_and_tried(hooked: Hooked, example: object) -> None:
    """It lies at its stage, byte for byte and executable, and a try with the mock does no harm."""
    name, stage = example.name, example.stage  # type: ignore[attr-defined]
    ran = hooked.ar("hook", "add", name)
    path = hooked.hooks / f"{stage}.sh"

    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith(f".auto/hooks/{stage}.sh is now {name}\nneeds: ")
    assert path.read_bytes() == read(name)
    assert os.access(path, os.X_OK)
    assert os.listdir(hooked.hooks) == [f"{stage}.sh"]


def test_a_hook_that_is_there_is_not_replaced(hooked: Hooked) -> None:
    """A conflict, exit code 3; with --force it is replaced."""
    path = hooked.hook("before", "mine\n")
    ran = hooked.ar("hook", "add", "anti-thrash")

    assert (ran.code, ran.out) == (3, "")
    assert "--force" in ran.err
    assert path.read_text() == "mine\n"
    assert hooked.ar("hook", "add", "anti-thrash", "--force").code == 0
    assert path.read_bytes() == read("anti-thrash")


def test_a_link_is_replaced_and_not_followed(hooked: Hooked) -> None:
    """What a link leads to is somebody's; --force replaces the link."""
    target = hooked.root / "shared.sh"
    target.write_text("shared\n")
    hooked.hooks.mkdir()
    (hooked.hooks / "before.sh").symlink_to(target)

    assert hooked.ar("hook", "add", "anti-thrash").code == 3
    assert hooked.ar("hook", "add", "anti-thrash", "--force").code == 0
    assert target.read_text() == "shared\n"
    assert not (hooked.hooks / "before.sh").is_symlink()


def test_adding_twice_is_adding_once(hooked: Hooked) -> None:
    """The same example in its place is no conflict; a lost execute bit is set again with --force."""
    hooked.ar("hook", "add", "anti-thrash")
    ran = hooked.ar("hook", "add", "anti-thrash", "--json")
    assert (ran.code, json.loads(ran.out)["added"]) == (0, False)

    (hooked.hooks / "before.sh").chmod(0o644)
    assert json.loads(hooked.ar("hook", "add", "anti-thrash", "--force", "--json").out)["added"] is True
    assert os.access(hooked.hooks / "before.sh", os.X_OK)


def test_another_stage(hooked: Hooked) -> None:
    """--as puts it where it was not made for."""
    hooked.ar("hook", "add", "run-parts", "--as", "after")

    assert os.listdir(hooked.hooks) == ["after.sh"]


def test_below_run_parts_it_becomes_a_part(hooked: Hooked) -> None:
    """Once the stage's hook is run-parts, what is added joins it, and all of them speak."""
    hooked.ar("hook", "add", "run-parts")
    assert hooked.ar("hook", "add", "idea-rotator.sh").code == 0
    part = hooked.hooks / "before.d" / "own.sh"
    part.write_text("#!/bin/bash\necho my own\n")
    part.chmod(0o755)
    (hooked.root / ".auto" / "ideas.md").write_text("- [ ] a sorted index\n")
    ran = hooked.ar("hook", "fire", "before")

    assert (hooked.hooks / "before.d" / "idea-rotator.sh").read_bytes() == read("idea-rotator")
    assert ran.out.splitlines()[1] == "Next idea in .auto/ideas.md: a sorted index"
    assert ran.out.splitlines()[-1] == "my own"


def test_a_changed_part_is_not_replaced(hooked: Hooked) -> None:
    """A part has but one place, so the way out is another name, not a folder of parts of its own."""
    hooked.ar("hook", "add", "run-parts")
    hooked.ar("hook", "add", "idea-rotator")
    part = hooked.hooks / "before.d" / "idea-rotator.sh"
    part.write_text("mine\n")
    ran = hooked.ar("hook", "add", "idea-rotator")

    assert (ran.code, part.read_text()) == (3, "mine\n")
    assert ran.err.endswith("try: --force replaces it; to keep it, rename it\n")


def test_before_there_is_a_session(ar: Ar, tmp_path: Path) -> None:
    """Hooks can be put in place first, so that the first one fires as the session begins."""
    assert ar("hook", "add", "idea-rotator").code == 0
    (tmp_path / ".auto" / "ideas.md").write_text("- [ ] a sorted index\n")
    ran = ar("init", "faster", "--metric", "total", "--unit", "s", "--direction", "lower")

    assert "[hook before.sh]\nNext idea in .auto/ideas.md: a sorted index\n" in ran.out


def test_the_legacy_layout(ar: Ar, tmp_path: Path) -> None:
    """Where the session has the old flat names, so has the folder of its hooks."""
    (tmp_path / "autoresearch.jsonl").write_text('{"type":"config","name":"old"}\n')
    ar("hook", "add", "journal")

    assert (tmp_path / "autoresearch.hooks" / "after.sh").read_bytes() == read("journal")


def test_an_unknown_name(hooked: Hooked) -> None:
    """The nearest one is named, and all of them."""
    ran = hooked.ar("hook", "add", "anti-trash")

    assert ran.code == 2
    assert ran.err.endswith("try: ar hook add anti-thrash\n")
    assert all(example.name in ran.err for example in EXAMPLES)


def test_without_a_name_the_examples_are_listed(ar: Ar, tmp_path: Path) -> None:
    """With what each does; no session is needed, and nothing is written."""
    shown = ar("hook", "add").out

    assert all(f"{example.name} " in shown and example.summary in shown for example in EXAMPLES)
    assert len(json.loads(ar("hook", "add", "--json").out)["examples"]) == len(EXAMPLES)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_that_cannot_be_made(hooked: Hooked) -> None:
    """A file in the folder's place: exit code 4, one line."""
    hooked.hooks.write_text("")
    ran = hooked.ar("hook", "add", "anti-thrash")

    assert ran.code == 4
    assert ran.err.startswith("ar: cannot write ")

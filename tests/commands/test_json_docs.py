"""docs/json.md says which keys the documents have, and the commands print those."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import msgspec
import pytest

from reducers import registry
from tests.commands.conftest import ROOT, Ar
from tests.commands.test_app import COMMANDS

PAGE = (ROOT / "docs" / "json.md").read_text(encoding="utf-8")


def rows() -> dict[str, tuple[set[str], list[set[str]]]]:
    """By command: the keys that are always there, and those of the other cases."""
    found = {}
    for names, keys in re.findall(r"^\| (`ar .*?`) \| (.*) \|$", PAGE, re.MULTILINE):
        first, *others = keys.split("; ")
        for name in re.findall(r"`ar ([^`]+)`", names):
            found[name] = (
                set(re.findall(r"`(\w+)`", first)),
                [set(re.findall(r"`(\w+)`", o)) for o in others],
            )
    return found


ROWS = rows()


def test_every_command_that_prints_json_is_there() -> None:
    """And no other but `measure`, which always does."""
    offered = {name for name, command in COMMANDS if any("--json" in param.opts for param in command.params)}

    assert set(ROWS) - {"measure"} == offered


@pytest.mark.parametrize(
    "call",
    [
        "init --max-cycles 5",
        "append note detail=x",
        "append run status=keep metric:=3",
        "log --status keep --metric 3 -m x",
        "propose -m x",
        "import pi.jsonl",
        "import pi.jsonl --dry-run",
        "show 1",
        "tail -n 1",
        "replay",
        "diff 1 head",
        "why best_metric",
        "export csv -o x.csv",
        "verify",
        "audit",
        "brief",
        "strategies",
        "hook fire before",
        "hook list",
        "hook add anti-thrash",
        "beat",
        "iteration -m x",
        "finding x",
        "decide x",
        "status running",
        "pivot structure --to x",
        "direction add x",
        "direction claim x",
        "direction check x",
        "direction list",
        "flag k d",
        "off",
        "on",
        "dispatch list",
        "tasks",
        "doctor",
        "setup claude --dry-run",
    ],
)
def test_its_document_has_these_keys(ar: Ar, call: str) -> None:
    """No more, no less."""
    Path("pi.jsonl").write_text('{"type":"config","name":"n"}\n{"run":1,"metric":3,"status":"keep"}\n')
    assert ar("init", "g", "--metric", "m", "--unit", "", "--direction", "lower").code == 0
    assert ar("log", "--status", "keep", "--metric", "4", "-m", "baseline").code == 0

    ran = ar(*shlex.split(call), "--json")

    keys, _ = next(ROWS[name] for name in sorted(ROWS, key=len, reverse=True) if call.startswith(name))
    assert ran.err == ""
    assert set(json.loads(ran.out.splitlines()[0])) == keys


@pytest.mark.parametrize(
    ("call", "case"),
    [
        ("export state out", {"format", "directory", "written", "unchanged", "backups"}),
        ("flag", {"view", "seq", "head", "up", "flags", "damaged_lines"}),
        ("strategies --list", {"kinds"}),
        ("hook add", {"examples"}),
    ],
)
def test_its_other_document_has_these_keys(ar: Ar, call: str, case: set[str]) -> None:
    """Of the same command asked otherwise."""
    ar("init", "g", "--metric", "m", "--unit", "", "--direction", "lower")

    ran = ar(*shlex.split(call), "--json")

    name = next(name for name in sorted(ROWS, key=len, reverse=True) if call.startswith(name))
    assert set(json.loads(ran.out)) == case
    assert case in ROWS[name][1]


@pytest.mark.parametrize("view", ["session", "runs", "stall", "debrief"])
def test_a_view_has_its_fields_and_those_around_them(ar: Ar, view: str) -> None:
    """As docs/views.md lists them."""
    ar("init", "g", "--metric", "m", "--unit", "", "--direction", "lower")
    fields = {field.encode_name for field in msgspec.structs.fields(registry.load(view).view_type)}

    found = set(json.loads(ar("view", view, "--json").out))

    assert found == fields | ROWS["view"][0] - {"fields"}

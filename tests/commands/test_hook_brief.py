"""`ar hook brief`: what an agent is told when its context was renewed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.commands.conftest import Ar


def begin(ar: Ar) -> None:
    """A session with a run."""
    assert ar("init", "parse faster", "--metric", "ms", "--unit", "ms", "--direction", "lower").code == 0
    assert ar("log", "--status", "keep", "--metric", "44", "-m", "baseline").code == 0


def test_the_brief_is_handed_over_as_context(ar: Ar) -> None:
    """What `ar brief` says, in the document that agents' hooks answer with."""
    begin(ar)
    brief = ar("brief").out

    ran = ar("hook", "brief")
    answer = json.loads(ran.out)["hookSpecificOutput"]
    assert (ran.code, ran.err) == (0, "")
    assert answer["hookEventName"] == "SessionStart"
    assert answer["additionalContext"].startswith("Your context was renewed")
    assert answer["additionalContext"].endswith(brief)
    named = json.loads(ar("hook", "brief", "--event", "BeforeAgent").out)["hookSpecificOutput"]
    assert named["hookEventName"] == "BeforeAgent"


@pytest.mark.parametrize("call", [("off",), ("append", "stopped", "reason=target")], ids=["off", "stopped"])
def test_it_is_silent_where_nothing_goes_on(ar: Ar, call: tuple[str, ...]) -> None:
    """Not a word on either stream, and exit code 0: an agent would have to mend a hook that fails."""
    begin(ar)
    assert ar(*call).code == 0

    assert ar("hook", "brief") == (0, "", "")


def test_it_is_silent_where_nothing_has_begun(ar: Ar) -> None:
    """There is no session, or none with a goal."""
    assert ar("hook", "brief") == (0, "", "")

    Path(".auto").mkdir()
    Path(".auto/log.jsonl").touch()
    assert ar("append", "note", "detail=x").code == 0
    assert ar("hook", "brief") == (0, "", "")


def test_it_is_silent_where_the_log_cannot_be_read(ar: Ar) -> None:
    """It is a folder, say."""
    Path(".auto/log.jsonl").mkdir(parents=True)

    assert ar("hook", "brief") == (0, "", "")

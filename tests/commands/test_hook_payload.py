"""`ar hook payload`: what a hook is told now, or was told then."""

from __future__ import annotations

import json

import pytest

from tests.commands.hooked import RECORDER, Hooked, hooked

__all__ = ["hooked"]


def test_every_past_fire_can_be_asked_for(hooked: Hooked) -> None:
    """--at with a hook event's `at` prints, byte for byte, what the script received then.

    Over two segments, a crash, a run of pi's with fields of its own, damage, and what came after.
    """
    for stage in ("before", "after"):
        hooked.hook(stage, RECORDER)
    hooked.log("keep", 40, "--asi", "next_focus=the $(cache) “quoted”")
    hooked.log("crash", None)
    with hooked.path.open("ab") as log:
        log.write(b'{"run":9,"metric":"slow","status":"discard","description":"pi","cost":[0.1]}\ntorn {\n')
    hooked.ar("hook", "fire", "before")
    hooked.ar("hook", "fire", "after")
    hooked.ar("init", "smaller", "--metric", "size", "--unit", "kb", "--direction", "higher")
    hooked.log("discard", 1e-05)
    events, received = hooked.lines("hook"), hooked.received()

    assert len(events) == len(received) == 2 + 2 + 2 + 1 + 2
    for event, payload in zip(events, received, strict=True):
        ran = hooked.ar("hook", "payload", event["stage"], "--at", str(event["at"]))
        told = "ar: line 9 is damaged and not part of what is shown; `ar verify` says more\n"
        assert (ran.code, ran.out.encode(), ran.err) == (0, payload, told if event["at"] >= 9 else "")


@pytest.mark.parametrize(
    ("where", "run"), [("2", 1), ("3", 1), ("run:1", 1), ("run:2", 2), ("head", 2), ("9999-01-01", 2)]
)
def test_any_place_will_do(hooked: Hooked, where: str, run: int) -> None:
    """What a hook would have been told at a line, a run, a time, or now, whether one fired or not."""
    hooked.log()
    hooked.ar("append", "note", "detail=x")
    hooked.log("discard", 41)

    payload = json.loads(hooked.ar("hook", "payload", "after", "--at", where).out)
    assert payload["run_entry"]["run"] == run
    assert payload["cwd"] == str(hooked.root)
    assert json.loads(hooked.ar("hook", "payload", "before", "--at", where).out)["next_run"] == run + 1


def test_there_is_no_after_before_the_first_run(hooked: Hooked) -> None:
    """run_entry is never null: bad usage, with a way to make one up."""
    ran = hooked.ar("hook", "payload", "after")

    assert (ran.code, ran.out) == (2, "")
    assert "--mock" in ran.err


def test_damage_is_told_beside_the_payload(hooked: Hooked) -> None:
    """On stderr, for what is before the place; the payload is a hook's and has no more keys than that."""
    hooked.log()
    end = len((hooked.root / ".auto/log.jsonl").read_bytes().splitlines())
    with (hooked.root / ".auto/log.jsonl").open("a") as log:
        log.write("damaged\n")

    ran = hooked.ar("hook", "payload", "after")

    assert set(json.loads(ran.out)) == {"event", "cwd", "run_entry", "session"}
    assert ran.err.startswith(f"ar: line {end + 1} is damaged")
    assert hooked.ar("hook", "payload", "after", "--at", str(end)).err == ""


def test_a_place_beyond_the_log(hooked: Hooked) -> None:
    """A line that is not there yet is bad usage."""
    assert hooked.ar("hook", "payload", "before", "--at", "99").code == 2


def test_payloads_are_told_from_any_folder(hooked: Hooked, monkeypatch: pytest.MonkeyPatch) -> None:
    """The working directory in it is the session's, not the caller's."""
    below = hooked.root / "src"
    below.mkdir()
    monkeypatch.chdir(below)

    assert json.loads(hooked.ar("hook", "payload", "before").out)["cwd"] == str(hooked.root)

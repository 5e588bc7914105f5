"""`ar hook error-capture` records what it spotted, if there is a session."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from commands.effects.error_seen import record_error_seen
from tests.commands.conftest import process

OUTPUT = b"Traceback (most recent call last):\nModuleNotFoundError: No module named 'numpy'\n"


def test_it_is_appended_to_the_session_of_the_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Signed by AR_BY; from a directory below, and by AR_DIR."""
    (tmp_path / ".auto").mkdir()
    (tmp_path / ".git").mkdir()
    log = tmp_path / ".auto" / "log.jsonl"
    log.touch()
    (tmp_path / "src").mkdir()
    monkeypatch.setenv("AR_BY", "worker:a")
    monkeypatch.delenv("AR_DIR", raising=False)
    monkeypatch.chdir(tmp_path / "src")
    record_error_seen({"pattern": "not found", "context": "x: not found"})
    monkeypatch.chdir("/")
    monkeypatch.setenv("AR_DIR", str(tmp_path))
    record_error_seen({"pattern": "fatal"})

    first, second = map(json.loads, log.read_text().splitlines())
    assert (first["type"], first["by"], first["context"]) == ("error_seen", "worker:a", "x: not found")
    assert second["pattern"] == "fatal"


def test_without_a_session_nothing_is_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The reminder is enough then."""
    monkeypatch.delenv("AR_DIR", raising=False)
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)

    record_error_seen({"pattern": "fatal"})

    assert [path.name for path in tmp_path.iterdir()] == [".git"]


def test_the_launcher_hands_it_on(tmp_path: Path) -> None:
    """As a process: the answer on stdout, the event in the log, exit code 0."""
    (tmp_path / ".auto").mkdir()
    log = tmp_path / ".auto" / "log.jsonl"
    log.touch()

    ran = process("hook", "error-capture", "--text", cwd=tmp_path, stdin=OUTPUT)

    assert (ran.code, ran.err) == (0, "")
    assert "hookSpecificOutput" in json.loads(ran.out)
    (line,) = map(json.loads, log.read_text().splitlines())
    assert line["type"] == "error_seen"
    assert line["context"] == "Traceback (most recent call last):"


@pytest.mark.parametrize("options", [("-C", "there"), ("--log", "there/.auto/log.jsonl")])
def test_a_session_that_is_named_is_the_one(tmp_path: Path, options: tuple[str, str]) -> None:
    """Whatever AR_DIR says."""
    for name in ("here", "there"):
        (tmp_path / name / ".auto").mkdir(parents=True)
        (tmp_path / name / ".auto" / "log.jsonl").touch()

    ran = process(
        *options,
        *("hook", "error-capture", "--text"),
        cwd=tmp_path,
        stdin=OUTPUT,
        AR_DIR=str(tmp_path / "here"),
    )

    assert (ran.code, ran.err) == (0, "")
    assert not (tmp_path / "here" / ".auto" / "log.jsonl").read_bytes()
    assert b"error_seen" in (tmp_path / "there" / ".auto" / "log.jsonl").read_bytes()


def test_a_log_that_is_named_is_not_begun(tmp_path: Path) -> None:
    """There is no session then; the reminder is enough."""
    ran = process("--log", "no.jsonl", "hook", "error-capture", "--text", cwd=tmp_path, stdin=OUTPUT)

    assert (ran.code, ran.err, list(tmp_path.iterdir())) == (0, "", [])


def test_silence_stays_silent(tmp_path: Path) -> None:
    """Nothing is written, nothing recorded."""
    (tmp_path / ".auto").mkdir()
    log = tmp_path / ".auto" / "log.jsonl"
    log.touch()

    ran = process("hook", "error-capture", "--text", cwd=tmp_path, stdin=b"all is well\n")

    assert (ran.code, ran.out, ran.err, log.read_bytes()) == (0, "", "", b"")

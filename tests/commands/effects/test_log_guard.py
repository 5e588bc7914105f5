"""A log that others are at work beside: it may be appended to, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from commands.effects.log_guard import guarded

LINES = b'{"type":"note","detail":"a"}\n'


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / ".auto" / "log.jsonl"
    path.parent.mkdir()
    path.write_bytes(LINES)
    return path


def test_what_is_appended_stays(log: Path, tmp_path: Path) -> None:
    """Nothing had happened to it."""
    with guarded(log, tmp_path / "into") as guard, log.open("ab") as file:
        file.write(LINES)

    assert (guard.fate, log.read_bytes()) == (None, LINES + LINES)
    assert not (tmp_path / "into").exists()


def test_what_was_deleted_or_rewritten_is_put_back(log: Path, tmp_path: Path) -> None:
    """What stands there instead is moved, each under a name of its own."""
    with guarded(log, tmp_path / "into") as guard:
        log.unlink()
        log.parent.rmdir()
    assert (guard.fate, log.read_bytes()) == ("deleted", LINES)

    for text in (b"{}\n", b""):
        with guarded(log, tmp_path / "into") as guard:
            log.write_bytes(text)
        assert (guard.fate, log.read_bytes()) == ("rewritten", LINES)
    assert (tmp_path / "into" / "log.jsonl").read_bytes() == b"{}\n"
    assert (tmp_path / "into" / "log.jsonl.1").read_bytes() == b""


@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError])
def test_it_is_put_back_however_the_work_ends(log: Path, tmp_path: Path, error: type[BaseException]) -> None:
    """Ctrl-C and a failing disk are no way to lose it."""

    def work() -> None:
        with guarded(log, tmp_path / "into"):
            log.unlink()
            raise error

    with pytest.raises(error):
        work()

    assert log.read_bytes() == LINES

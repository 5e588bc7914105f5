"""Files that an export writes: whole or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from commands.effects import exporting
from commands.effects.exporting import MANIFEST, log_lines, to_file, write_state
from eventstore.errors import ConflictError
from eventstore.events import Note
from eventstore.memory import MemoryLog

FILES = {"progress.json": b"{}\n", "logs/work.jsonl": b"", "findings.jsonl": b"a\n"}


def test_a_write_that_fails_leaves_what_was_there(tmp_path: Path) -> None:
    """Nothing half written, nothing left lying about."""
    target = tmp_path / "out"
    target.write_text("before")

    def broken() -> Iterator[bytes]:
        yield b"half"
        raise OSError("no")

    with pytest.raises(OSError, match="no"):
        to_file(str(target), broken(), tmp_path / "log", force=True)
    assert target.read_text() == "before"
    assert list(tmp_path.iterdir()) == [target]


def test_permissions_stay(tmp_path: Path) -> None:
    """A file that is replaced keeps its permissions; folders are made as needed."""
    target = tmp_path / "out"
    target.write_text("before")
    target.chmod(0o640)
    to_file(str(target), [b"after"], tmp_path / "log", force=True)
    to_file(str(tmp_path / "a" / "b"), [b"x"], tmp_path / "log", force=False)

    assert target.stat().st_mode & 0o777 == 0o640
    assert (tmp_path / "a" / "b").read_bytes() == b"x"


def test_an_export_killed_in_between_is_carried_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files that were written before the kill are known for ours at the next export, whatever it writes."""
    write_state(str(tmp_path), FILES, force=False)
    written: list[str] = []
    replace = exporting._replace

    def until_the_second(target: Path, chunks: list[bytes]) -> int:
        if target.name != MANIFEST and len(written) == 1:
            raise KeyboardInterrupt
        written.extend([target.name] if target.name != MANIFEST else [])
        return replace(target, chunks)

    newer = {path: data + b"more\n" for path, data in FILES.items()}
    monkeypatch.setattr(exporting, "_replace", until_the_second)
    with pytest.raises(KeyboardInterrupt):
        write_state(str(tmp_path), newer, force=False)
    monkeypatch.undo()

    newest = {path: data + b"and more\n" for path, data in newer.items()}
    done = write_state(str(tmp_path), newest, force=False)
    assert set(done.written) == set(FILES)
    assert done.backups == ()


def test_a_pipe_is_none_of_ours(tmp_path: Path) -> None:
    """Nobody waits for its other end."""
    os.mkfifo(tmp_path / "a")

    with pytest.raises(ConflictError, match="a was written"):
        write_state(str(tmp_path), {"a": b"ours"}, force=False)


def test_nothing_is_written_where_one_file_is_not_ours(tmp_path: Path) -> None:
    """All or none: the files that are ours stay as they are too."""
    write_state(str(tmp_path), FILES, force=False)
    (tmp_path / "findings.jsonl").write_bytes(b"b\n")

    with pytest.raises(ConflictError, match=r"findings\.jsonl was"):
        write_state(str(tmp_path), dict.fromkeys(FILES, b"new\n"), force=False)
    assert (tmp_path / "progress.json").read_bytes() == b"{}\n"


def test_a_file_that_was_deleted_is_written_again(tmp_path: Path) -> None:
    """A missing file is nobody's."""
    write_state(str(tmp_path), FILES, force=False)
    (tmp_path / "findings.jsonl").unlink()

    assert write_state(str(tmp_path), FILES, force=False).written == ("findings.jsonl",)


def test_the_logs_bytes(tmp_path: Path) -> None:
    """A torn tail is left out; a last line that is whole but has no newline gets one."""
    log = MemoryLog()
    log.append([Note(detail="in /home/ada")])
    content = log.content

    assert b"".join(log_lines([(0, content + b'{"torn')])) == content
    assert b"".join(log_lines([(0, content), (len(content), b'{"type":"note","detail":"x"}')])) == (
        content + b'{"type":"note","detail":"x"}\n'
    )
    masked = b"".join(
        log_lines([(0, content + b"oops /home/ada\n\n")], lambda text: text.replace("ada", "?"))
    )
    assert masked.count(b"\n") == 3
    assert b"ada" not in masked
    assert b'"prev"' not in masked

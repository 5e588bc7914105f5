"""The ids of a log: where each was first used, without reading the log again and again."""

from __future__ import annotations

import os
from pathlib import Path

from eventstore.disk import Disk
from eventstore.events import Note
from eventstore.filelog import FileLog
from eventstore.ids import Ids


class CountingDisk(Disk):
    """Counts the bytes that are read."""

    taken = 0

    def read(self, fd: int, size: int, offset: int) -> bytes:
        found = super().read(fd, size, offset)
        self.taken += len(found)
        return found


def test_the_first_use_of_an_id_counts(tmp_path: Path) -> None:
    """Also where a foreign writer used it twice, or where the word `id` stands in a text."""
    path = tmp_path / "log.jsonl"
    path.write_text(
        '{"type":"note","detail":"the \\"id\\" of it"}\n'
        '{"type":"note","detail":"one","id":"a"}\n'
        '{"type":"note","detail":"two","id":"a"}\n'
        "{'id': damaged\n"
        '{"type":"note","detail":"three","id":"b"}'
    )
    fd = os.open(path, os.O_RDONLY)

    known = Ids(Disk()).known(fd)
    os.close(fd)

    assert {name: seq for name, (seq, _, _) in known.items()} == {"a": 2, "b": 5}


def test_only_what_is_new_is_read(tmp_path: Path) -> None:
    """While the last line that was read still stands; else all of it."""
    path = tmp_path / "log.jsonl"
    log = FileLog(path)
    log.append([Note(detail="x" * 50_000, id=f"i{n}") for n in range(10)])
    disk = CountingDisk()
    ids = Ids(disk)
    fd = os.open(path, os.O_RDONLY)
    ids.known(fd)
    disk.taken = 0
    log.append([Note(detail="next", id="next")])

    assert ids.known(fd)["next"][0] == 11
    assert disk.taken < 120_000

    path.write_text('{"type":"note","detail":"one","id":"other"}\n')
    assert set(ids.known(fd)) == {"other"}
    os.close(fd)

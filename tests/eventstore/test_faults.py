"""What must never happen to a log, tried with real files and processes (design, section 9)."""

from __future__ import annotations

import errno
import os
import random
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from eventstore import chain
from eventstore.disk import Disk
from eventstore.errors import LockTimeoutError, StorageError
from eventstore.events import Damaged, Finding, Note, Recovered, Relinked
from eventstore.filelog import FileLog
from eventstore.reading import stretches
from eventstore.store import Position

ROOT = Path(__file__).parents[2]


def details(path: Path) -> list[str]:
    """The notes of a log, in order."""
    return [r.detail for batch in FileLog(path).read() for r in batch.records if isinstance(r, Note)]


def verify(path: Path) -> chain.Report:
    disk = Disk()
    fd = disk.open_read(path)
    try:
        return chain.verify(stretches(disk, fd, 0))
    finally:
        disk.close(fd)


def serious(path: Path) -> list[str]:
    return [fault.kind for fault in verify(path).faults if fault.serious]


def start(*arguments: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.eventstore.writer", *arguments]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)


def test_a_log_cut_at_any_byte_is_mended_by_the_next_append(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whole lines before the cut survive, the torn one is a single damaged line, and nothing glues to it."""
    monkeypatch.setattr("eventstore.ending.SETTLE_SECONDS", 0.001)
    path = tmp_path / "log.jsonl"
    log = FileLog(path, clock=lambda: 1)
    log.append([Note(detail="kept")])
    for detail in ("ünï", "cödé 🙂", "end"):
        log.append([Note(detail=detail)])
    whole = path.read_bytes()
    first = whole.index(b"\n") + 1
    for cut in range(first, len(whole) + 1):
        path.write_bytes(whole[:cut])
        lines = whole[:cut].split(b"\n")
        rest = lines.pop()
        survivors = ["kept", "ünï", "cödé 🙂", "end"][
            : len(lines) + (rest != b"" and rest in whole.split(b"\n"))
        ]
        assert details(path) == survivors
        assert not any(b.damaged for b in FileLog(path).read())

        outcome = FileLog(path, clock=lambda: 1).append([Note(detail="new")])

        torn = rest != b"" and len(survivors) == len(lines)
        assert details(path) == [*survivors, "new"]
        assert [type(m) for m in outcome.mended] == [Recovered] * torn
        assert [d.size for b in FileLog(path).read() for d in b.damaged] == [len(rest)] * torn
        assert serious(path) == ["damaged"] * torn
        assert path.read_bytes().startswith(whole[:cut])


@pytest.mark.parametrize("end", ["   ", "\n\n", " \n", "\r\n", "\t"])
def test_white_space_at_the_end_is_no_damage(tmp_path: Path, end: str) -> None:
    """Blank lines count as lines, and nothing glues to them."""
    path = tmp_path / "log.jsonl"
    FileLog(path).append([Note(detail="one")])
    with path.open("a", newline="") as file:
        file.write(end)

    outcome = FileLog(path).append([Note(detail="two")])

    assert details(path) == ["one", "two"]
    assert verify(path).faults == ()
    assert outcome.seqs == (verify(path).lines,)


def test_eight_writers_lose_and_glue_nothing(tmp_path: Path) -> None:
    """Eight processes, 200 appends each, every tenth line over 100 kB."""
    path = tmp_path / "log.jsonl"
    writers = [start(str(path), f"w{n}", "200", "110000") for n in range(8)]
    for writer in writers:
        assert writer.communicate(timeout=240) is not None
        assert writer.returncode == 0

    seen = details(path)

    assert len(seen) == 1600
    for n in range(8):
        assert [d for d in seen if d.startswith(f"w{n}:")] == [f"w{n}:{i}" for i in range(200)]
    assert verify(path).faults == ()


def test_killed_writers_lose_nothing_that_was_acknowledged(tmp_path: Path) -> None:
    """30 s of appends by processes that are killed at random: what was acknowledged is there afterwards."""
    path = tmp_path / "log.jsonl"
    rng = random.Random(7)
    acknowledged: list[str] = []
    deadline = time.monotonic() + 30
    turn = 0
    while time.monotonic() < deadline:
        writers = [start(str(path), f"t{turn}w{n}", "0", "30000") for n in range(2)]
        time.sleep(0.25 + rng.random() / 2)
        for writer in writers:
            writer.send_signal(signal.SIGKILL)
        for writer in writers:
            output, _ = writer.communicate(timeout=30)
            acknowledged += [line for line in output.split("\n")[:-1] if line]
        turn += 1
    FileLog(path).append([Note(detail="last")])

    seen = details(path)

    assert len(acknowledged) > 100
    assert set(acknowledged) <= set(seen)
    assert len(seen) == len(set(seen))
    assert set(serious(path)) <= {"damaged"}


class FailingDisk(Disk):
    """Fails one call, the nth of its kind; writes nothing or a part before that."""

    def __init__(self, call: str, nth: int = 1, partial: int | None = None, undo_fails: bool = False) -> None:
        self.call, self.nth, self.partial, self.undo_fails = call, nth, partial, undo_fails
        self.count = 0

    def _maybe(self, call: str) -> bool:
        self.count += call == self.call
        return call == self.call and self.count == self.nth

    def write(self, fd: int, data: bytes) -> int:
        if self._maybe("write"):
            if self.partial is None:
                raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
            taken, self.partial = self.partial, None
            self.nth += 1
            return super().write(fd, data[:taken])
        return super().write(fd, data)

    def sync(self, fd: int) -> None:
        if self._maybe("sync"):
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        super().sync(fd)

    def truncate(self, fd: int, size: int) -> None:
        if self.undo_fails:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        super().truncate(fd, size)

    def sync_directory(self, path: Path) -> None:
        if self._maybe("sync_directory"):
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        super().sync_directory(path)

    def find(self, path: str) -> os.stat_result:
        if self._maybe("find"):
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return super().find(path)

    def stat(self, fd: int) -> os.stat_result:
        if self._maybe("stat"):
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return super().stat(fd)

    def read(self, fd: int, size: int, offset: int) -> bytes:
        if self._maybe("read"):
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return super().read(fd, size, offset)


@pytest.mark.parametrize(
    "make",
    [
        lambda: FailingDisk("write"),
        lambda: FailingDisk("write", partial=10),
        lambda: FailingDisk("write", partial=70),
        lambda: FailingDisk("sync"),
        lambda: FailingDisk("find"),
        *[lambda n=n: FailingDisk("stat", nth=n) for n in range(1, 3)],
        *[lambda n=n: FailingDisk("read", nth=n) for n in range(1, 3)],
    ],
)
def test_a_failing_call_writes_nothing_and_says_so(tmp_path: Path, make: Callable[[], FailingDisk]) -> None:
    """One line of error; the bytes are as before, and the next append goes on."""
    path = tmp_path / "log.jsonl"
    FileLog(path).append([Note(detail="before")])
    bytes_before = path.read_bytes()

    with pytest.raises(StorageError, match=r"^cannot [a-z ]+ .*log\.jsonl: "):
        FileLog(path, disk=make()).append([Note(detail="lost"), Note(detail="lost too")])

    assert path.read_bytes() == bytes_before
    FileLog(path).append([Note(detail="after")])
    assert details(path) == ["before", "after"]
    assert verify(path).faults == ()


def test_a_new_log_whose_directory_cannot_be_synced_is_no_success(tmp_path: Path) -> None:
    """The file's name might be lost with the power."""
    path = tmp_path / "log.jsonl"

    with pytest.raises(StorageError):
        FileLog(path, disk=FailingDisk("sync_directory")).append([Note(detail="x")])

    assert details(path) == []


@pytest.mark.parametrize("call", ["find", "write", "sync", "stat"])
def test_a_failing_call_of_a_later_append_of_the_same_log_writes_nothing(tmp_path: Path, call: str) -> None:
    """What is kept from one append to the next is good for the one after the failure as well."""
    path = tmp_path / "log.jsonl"
    disk = FailingDisk(call, nth=0)
    log = FileLog(path, disk=disk)
    log.append([Note(detail="before")])
    bytes_before = path.read_bytes()
    disk.nth = disk.count + 1

    with pytest.raises(StorageError):
        log.append([Note(detail="lost")])

    assert path.read_bytes() == bytes_before
    log.append([Note(detail="after")])
    assert details(path) == ["before", "after"]
    assert verify(path).faults == ()


@pytest.mark.parametrize("partial", [1, 30, 140])
def test_a_write_that_cannot_be_undone_is_mended_later(tmp_path: Path, partial: int) -> None:
    """The error says that a part may stand; what is torn becomes one damaged line."""
    path = tmp_path / "log.jsonl"
    FileLog(path).append([Note(detail="before")])

    with pytest.raises(StorageError, match="a part may stand"):
        FileLog(path, disk=FailingDisk("write", partial=partial, undo_fails=True)).append(
            [Note(detail="one"), Note(detail="two")]
        )

    FileLog(path).append([Note(detail="after")])
    assert [d for d in details(path) if d in ("before", "after")] == ["before", "after"]
    assert set(serious(path)) <= {"damaged"}


def test_a_file_size_limit_is_an_error_and_no_loss(tmp_path: Path) -> None:
    """A real limit, in a process of its own: what fits is acknowledged, the rest refused whole."""
    path = tmp_path / "log.jsonl"
    script = (
        "import sys\n"
        "from eventstore.filelog import FileLog\n"
        "from eventstore.events import Note\n"
        "from eventstore.errors import StorageError\n"
        "log = FileLog(sys.argv[1])\n"
        "for n in range(100):\n"
        "    try:\n"
        "        log.append([Note(detail=f'{n}' + 'x' * 200)])\n"
        "    except StorageError as error:\n"
        "        print(n, error.message)\n"
        "        break\n"
    )
    limited = subprocess.run(
        [sys.executable, "-c", script, str(path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (5000, 5000)),
    )

    count, _, message = limited.stdout.partition(" ")
    assert "nothing was written" in message, limited.stderr
    assert len(details(path)) == int(count) > 5
    assert verify(path).faults == ()
    assert path.read_bytes().endswith(b"\n")


class MeddlingDisk(Disk):
    """A foreign writer, which takes no lock, appends just before the nth of our system calls."""

    def __init__(self, path: Path, nth: int, text: bytes, fail_write: bool = False) -> None:
        self.path, self.nth, self.text, self.fail_write = path, nth, text, fail_write
        self.count = 0
        self.calls: list[str] = []

    def _meddle(self, call: str) -> None:
        self.count += 1
        self.calls.append(call)
        if self.count == self.nth:
            with self.path.open("ab") as file:
                file.write(self.text)

    def find(self, path: str) -> os.stat_result:
        self._meddle("find")
        return super().find(path)

    def stat(self, fd: int) -> os.stat_result:
        self._meddle("stat")
        return super().stat(fd)

    def read(self, fd: int, size: int, offset: int) -> bytes:
        self._meddle("read")
        return super().read(fd, size, offset)

    def write(self, fd: int, data: bytes) -> int:
        self._meddle("write")
        return super().write(fd, data)

    def sync(self, fd: int) -> None:
        self._meddle("sync")
        if self.fail_write and "truncate" not in self.calls and self.calls.count("sync") == 1:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        super().sync(fd)

    def truncate(self, fd: int, size: int) -> None:
        self._meddle("truncate")
        super().truncate(fd, size)

    def close(self, fd: int) -> None:
        self._meddle("close")
        super().close(fd)


FOREIGN = b'{"type":"note","detail":"foreign"}\n'


@pytest.mark.parametrize("again", [False, True], ids=["first append", "later append"])
@pytest.mark.parametrize("text", [FOREIGN, FOREIGN * 3, FOREIGN.rstrip(b"\n"), b'{"type":"no', b"\n"])
def test_a_foreign_writer_between_any_two_of_our_calls(tmp_path: Path, text: bytes, again: bool) -> None:
    """Ours and their whole lines are found; reported numbers are the true ones; wrong claims are mended."""
    for nth in range(1, 40):
        path = tmp_path / f"{nth}.jsonl"
        disk = MeddlingDisk(path, 0, text)
        log = FileLog(path, disk=disk)
        (log if again else FileLog(path)).append([Note(detail="before")])
        disk.count, disk.nth = 0, nth

        outcome = log.append([Note(detail="one"), Note(detail="two")])

        FileLog(path).append([Note(detail="after")])
        seen = details(path)
        assert sorted(d for d in seen if d != "foreign") == ["after", "before", "one", "two"], (
            nth,
            disk.calls,
        )
        if text.endswith(b"\n"):
            assert seen.count("foreign") == (text.count(b"foreign") if disk.count >= nth else 0)
        numbers = {r.detail: n for b in FileLog(path).read() for n, r in b.numbered() if isinstance(r, Note)}
        assert outcome.seqs == (numbers["one"], numbers["two"]), (nth, disk.calls)
        if text.endswith(b"}\n"):
            assert serious(path) == [], (nth, disk.calls, path.read_text())
        else:
            assert set(serious(path)) <= {"damaged", "altered"}
        if disk.count < nth:
            return
    pytest.fail("an append takes more calls than were tried")


def test_a_foreign_writer_while_a_write_of_ours_fails(tmp_path: Path) -> None:
    """Their line survives wherever it comes, but for the one gap that POSIX leaves (docs/concurrency.md)."""
    for nth in range(1, 40):
        path = tmp_path / f"{nth}.jsonl"
        FileLog(path).append([Note(detail="before")])
        disk = MeddlingDisk(path, nth, FOREIGN, fail_write=True)

        with pytest.raises(StorageError):
            FileLog(path, disk=disk).append([Note(detail="failed")])

        if disk.count < nth:
            return
        FileLog(path).append([Note(detail="after")])
        seen = details(path)
        if disk.calls[nth - 1] != "truncate":
            assert seen.count("foreign") == 1, (nth, disk.calls)
        assert [d for d in seen if d in ("before", "after")] == ["before", "after"]
        assert set(serious(path)) == set()
    pytest.fail("an append takes more calls than were tried")


def test_relinked_names_what_was_claimed_wrongly(tmp_path: Path) -> None:
    """The note holds the true number and the true digest before it, and verify calls it interleaved."""
    path = tmp_path / "log.jsonl"
    FileLog(path).append([Note(detail="before")])
    nth_write = 1 + [*_calls_of_an_append(tmp_path)].index("write")

    outcome = FileLog(path, disk=MeddlingDisk(path, nth_write, FOREIGN)).append([Note(detail="ours")])

    (note,) = outcome.mended
    assert isinstance(note, Relinked)
    assert (note.seq, note.line, note.lines, outcome.seqs) == (4, 3, 1, (3,))
    assert [(f.line, f.kind, f.serious) for f in verify(path).faults] == [(3, "interleaved", False)]


def _calls_of_an_append(tmp_path: Path) -> Iterator[str]:
    path = tmp_path / "calls.jsonl"
    FileLog(path).append([Note(detail="before")])
    disk = MeddlingDisk(path, 0, b"")
    FileLog(path, disk=disk).append([Note(detail="ours")])
    yield from disk.calls


def test_a_reader_never_sees_false_damage(tmp_path: Path) -> None:
    """10,000 looks while lines of up to 1 MB are being appended."""
    path = tmp_path / "log.jsonl"
    FileLog(path).append([Note(detail="first")])
    writer = start(str(path), "w", "0", "900000")
    try:
        log, position, looks = FileLog(path), Position(), 0
        while looks < 10_000:
            for batch in log.read(position):
                assert batch.damaged == []
                assert batch.unknown == []
                if not batch.end or path.stat().st_size < batch.end:
                    pytest.fail("read beyond the end")
                position = Position(batch.last, batch.end)
            looks += 1
    finally:
        writer.kill()
        writer.communicate()
    assert position.seq > 10


def test_a_killed_holder_blocks_nobody(tmp_path: Path) -> None:
    """The kernel drops the lock of the dead."""
    path = tmp_path / "log.jsonl"
    holder = _hold(path)
    holder.kill()
    holder.communicate()

    assert FileLog(path, lock_timeout=5).append([Note(detail="x")]).seqs == (1,)


def test_a_lock_held_too_long_is_an_error_that_names_the_holder(tmp_path: Path) -> None:
    """Nothing is written; the message says who holds it, where that can be known."""
    path = tmp_path / "log.jsonl"
    holder = _hold(path)
    try:
        with pytest.raises(LockTimeoutError) as refusal:
            FileLog(path, lock_timeout=0.2).append([Note(detail="x")])
    finally:
        holder.kill()
        holder.communicate()

    assert not path.exists()
    if Path("/proc/locks").exists():
        assert f"process {holder.pid}" in refusal.value.message


def _hold(path: Path) -> subprocess.Popen[str]:
    script = (
        "import sys, time\nfrom pathlib import Path\nfrom eventstore.lock import locked\n"
        "with locked(Path(sys.argv[1]), 5):\n    print('held', flush=True)\n    time.sleep(60)\n"
    )
    holder = subprocess.Popen(
        [sys.executable, "-c", script, f"{path}.lock"], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"
    return holder


def test_a_lock_file_that_was_removed_still_excludes(tmp_path: Path) -> None:
    """A lock on a file that nobody else can open any more is not taken for one."""
    path = tmp_path / "log.jsonl"
    log = FileLog(path)
    log.append([Note(detail="one")])
    log.lock_path.unlink()

    assert log.append([Note(detail="two")]).seqs == (2,)
    assert log.lock_path.exists()


def test_an_empty_file_is_an_empty_log(tmp_path: Path) -> None:
    """Its first line is line 1 and has no prev."""
    path = tmp_path / "log.jsonl"
    path.touch()

    outcome = FileLog(path).append([Note(detail="x")])

    assert (outcome.seqs, outcome.events[0].prev) == ((1,), None)


def test_what_is_no_file_is_refused_without_waiting(tmp_path: Path) -> None:
    """A directory, a FIFO, a device, read and appended to, give one line each; no lock is left there."""
    directory, fifo, device = tmp_path / "d", tmp_path / "f", tmp_path / "n"
    directory.mkdir()
    os.mkfifo(fifo)
    device.symlink_to("/dev/zero")
    for path, word in ((directory, "a directory"), (fifo, "a FIFO"), (device, "no regular file")):
        with pytest.raises(StorageError, match=f"is {word}"):
            FileLog(path).append([Note(detail="x")])
        with pytest.raises(StorageError, match=f"is {word}"):
            list(FileLog(path).read())
        with pytest.raises(StorageError, match=f"is {word}"):
            FileLog(path).head()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["d", "f", "n"]
    assert not Path("/dev/zero.lock").exists()


def test_a_log_that_turned_into_something_else_is_refused(tmp_path: Path) -> None:
    """Also by who has appended to it before."""
    path = tmp_path / "log.jsonl"
    log = FileLog(path)
    log.append([Note(detail="x")])
    path.unlink()
    os.mkfifo(path)

    with pytest.raises(StorageError, match="is a FIFO"):
        log.append([Note(detail="x")])


def test_a_symbolic_link_is_followed(tmp_path: Path) -> None:
    """Also through two names the lines go to one file; a loop is an error."""
    real, link, loop = tmp_path / "real.jsonl", tmp_path / "link.jsonl", tmp_path / "loop"
    FileLog(real).append([Note(detail="one")])
    link.symlink_to(real)
    loop.symlink_to(loop)

    assert FileLog(link).append([Note(detail="two")]).seqs == (2,)
    assert details(real) == ["one", "two"]
    assert FileLog(link).lock_path == FileLog(real).lock_path
    with pytest.raises(StorageError):
        FileLog(loop).append([Note(detail="x")])
    assert not FileLog(loop).lock_path.exists()


def test_a_missing_directory_is_an_error_that_names_the_file(tmp_path: Path) -> None:
    """Nothing is made on the way."""
    with pytest.raises(StorageError, match=r"nowhere") as caught:
        FileLog(tmp_path / "nowhere" / "log.jsonl").append([Note(detail="x")])
    assert "directory" in caught.value.remedy

    assert not (tmp_path / "nowhere").exists()


def test_a_clock_that_runs_backwards_changes_no_order(tmp_path: Path) -> None:
    """Order is the file's; times are only claims."""
    path = tmp_path / "log.jsonl"
    times = iter([2_000_000_000_000, 1_000_000_000_000])
    log = FileLog(path, clock=lambda: next(times))

    log.append([Note(detail="one")])
    log.append([Note(detail="two")])

    assert details(path) == ["one", "two"]
    assert verify(path).faults == ()


@pytest.mark.parametrize(
    "junk",
    [
        b"\x00" * 5000,
        b"garbage\ngarbage",
        b"[" * 10_000 + b"]" * 10_000,
        b'{"run":1,"metric":NaN,"status":"keep"}',
        b"\xff\xfe\x00",
        b'{"type":"note","detail":"' + b"x" * 50_000_000,
    ],
    ids=["nul", "text", "nested", "nan", "bytes", "50MB"],
)
def test_damage_is_told_and_the_rest_is_read(tmp_path: Path, junk: bytes) -> None:
    """The lines before and after it are as they were."""
    path = tmp_path / "log.jsonl"
    FileLog(path).append([Note(detail="one")])
    with path.open("ab") as file:
        file.write(junk + b"\n")

    FileLog(path).append([Finding(text="x"), Note(detail="two")])

    damaged = [r for b in FileLog(path).read() for r in b.records if isinstance(r, Damaged)]
    assert [d.line for d in damaged] == list(range(2, 2 + len(junk.splitlines())))
    assert details(path) == ["one", "two"]
    assert serious(path) == ["damaged"] * len(damaged)


def test_a_whole_line_of_50_mb_is_read(tmp_path: Path) -> None:
    """We would refuse to write it; somebody else did."""
    path = tmp_path / "log.jsonl"
    path.write_bytes(b'{"type":"note","detail":"' + b"x" * 50_000_000 + b'"}\n')

    assert FileLog(path).append([Note(detail="two")]).seqs == (2,)
    assert [len(d) for d in details(path)] == [50_000_000, 3]
    assert serious(path) == []


def test_an_interrupt_in_the_midst_of_a_write_leaves_nothing(tmp_path: Path) -> None:
    """Ctrl-C before the sync has returned: not acknowledged, taken back."""

    class Interrupted(Disk):
        def sync(self, fd: int) -> None:
            raise KeyboardInterrupt

    path = tmp_path / "log.jsonl"
    FileLog(path).append([Note(detail="one")])

    with pytest.raises(KeyboardInterrupt):
        FileLog(path, disk=Interrupted()).append([Note(detail="two")])

    assert details(path) == ["one"]


def test_a_rewritten_log_is_counted_anew(tmp_path: Path) -> None:
    """A handle that was open while lines were taken out of the log writes the true number."""
    path = tmp_path / "log.jsonl"
    log = FileLog(path, cache_dir=tmp_path / "cache")
    log.append([Note(detail="x" * 300_000) for _ in range(8)])
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[:3] + lines[5:]))

    again, fresh = (
        log.append([Note(detail="y")]),
        FileLog(path, cache_dir=tmp_path / "cache").append([Note(detail="z")]),
    )

    assert (again.seqs, fresh.seqs) == ((7,), (8,))
    assert "altered" in serious(path)

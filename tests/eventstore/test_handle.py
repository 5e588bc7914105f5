"""What an appender keeps open: which file it writes to, and what its lock is good for."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from threading import Thread

import pytest

from eventstore import chain
from eventstore.errors import LockTimeoutError
from eventstore.events import Note
from eventstore.filelog import FileLog
from eventstore.lock import acquire
from tests.eventstore.test_faults import ROOT, details, start, verify


def opened(path: Path) -> int:
    """How many descriptors of this process lead to a file of this name, or to its lock."""
    found = 0
    for number in os.listdir("/proc/self/fd"):
        with suppress(OSError):
            found += os.readlink(f"/proc/self/fd/{number}") in (str(path), f"{path}.lock")
    return found


@pytest.fixture
def log(tmp_path: Path) -> FileLog:
    """A log that was appended to."""
    log = FileLog(tmp_path / "s" / "log.jsonl")
    log.path.parent.mkdir()
    log.append([Note(detail="one")])
    return log


def test_a_log_that_was_replaced_gets_the_next_line(log: FileLog, tmp_path: Path) -> None:
    """By a copy of the same bytes: a descriptor of the old file would write where nobody reads."""
    copy = tmp_path / "copy"
    copy.write_bytes(log.path.read_bytes())
    os.replace(copy, log.path)

    assert log.append([Note(detail="two")]).seqs == (2,)
    assert details(log.path) == ["one", "two"]
    assert verify(log.path).faults == ()


def test_a_log_that_was_moved_away_is_begun_anew(log: FileLog) -> None:
    """The old one gets nothing more."""
    old = log.path.with_name("old.jsonl")
    log.path.rename(old)

    assert log.append([Note(detail="two")]).seqs == (1,)
    assert (details(old), details(log.path)) == (["one"], ["two"])


def test_a_session_whose_folder_was_replaced_is_locked_by_its_own_lock(log: FileLog, tmp_path: Path) -> None:
    """`mv .auto old; mkdir .auto`: who begins there anew and who was here before exclude each other."""
    folder = log.path.parent
    folder.rename(tmp_path / "old")
    folder.mkdir()
    late = FileLog(log.path, lock_timeout=0.05)
    release = acquire(late.lock_path, 1)
    log._handle._lock._timeout = 0.05

    with pytest.raises(LockTimeoutError):
        log.append([Note(detail="two")])
    release()

    assert log.append([Note(detail="two")]).seqs == (1,)
    assert details(tmp_path / "old" / "log.jsonl") == ["one"]


def test_a_log_whose_line_was_altered_in_place_is_not_believed(log: FileLog) -> None:
    """What was altered after we wrote it does not become the chain's: verify finds it."""
    before = log.path.read_bytes()
    os.utime(log.path, ns=(1, 1))  # a clock that ticks coarsely would hide a change within its tick
    log.path.write_bytes(before.replace(b"one", b"two"))

    log.append([Note(detail="next")])

    assert verify(log.path).lines == 2
    assert [record.detail for batch in log.read() for record in batch.records] == ["two", "next"]  # type: ignore[union-attr]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_fork_shares_no_lock(log: FileLog) -> None:
    """A child that holds the lock excludes its parent, though both come from one open file."""
    release, wait = os.pipe(), os.pipe()
    child = os.fork()
    if child == 0:  # pragma: no cover
        try:
            log._handle.take()
            os.write(wait[1], b"x")
            os.read(release[0], 1)
            log._handle.give_back()
            log.append([Note(detail="child")])
        finally:
            os._exit(0)
    os.read(wait[0], 1)
    log._handle._lock._timeout = 0.05
    with pytest.raises(LockTimeoutError):
        log.append([Note(detail="parent")])
    os.write(release[1], b"x")
    os.waitpid(child, 0)

    log.append([Note(detail="parent")])

    assert details(log.path) == ["one", "child", "parent"]
    assert verify(log.path).faults == ()
    for end in (*release, *wait):
        os.close(end)


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="what is open cannot be seen here")
def test_nothing_is_left_open(log: FileLog) -> None:
    """After `close`, after the end of the object, and in children that run another program."""
    assert opened(log.path) == 2
    listing = "import os; print([os.path.realpath(f'/proc/self/fd/{n}') for n in range(99)])"
    child = subprocess.run([sys.executable, "-c", listing], capture_output=True, text=True, close_fds=False)
    assert log.path.name not in child.stdout

    log.close()

    assert opened(log.path) == 0
    FileLog(log.path).append([Note(detail="two")])
    assert opened(log.path) == 0
    log.append([Note(detail="three")])
    assert details(log.path) == ["one", "two", "three"]


def test_two_hard_links_have_one_order(tmp_path: Path) -> None:
    """Four processes by two names, with two locks and the file's own: nothing is lost, glued or misplaced."""
    one, other = tmp_path / "a.jsonl", tmp_path / "sub" / "b.jsonl"
    other.parent.mkdir()
    one.touch()
    os.link(one, other)
    writers = [start(str(path), f"w{n}", "150", "2000") for n, path in enumerate((one, other, one, other))]
    for writer in writers:
        writer.communicate(timeout=120)
        assert writer.returncode == 0

    report: chain.Report = verify(one)

    assert report.faults == ()
    assert len(details(one)) == 600


def test_a_hard_link_waits_for_who_appends_by_the_other_name(log: FileLog) -> None:
    """And names the holder, where that can be known."""
    other = log.path.with_name("other.jsonl")
    os.link(log.path, other)
    script = (
        "import sys, time\nfrom eventstore.filelog import FileLog\nlog = FileLog(sys.argv[1])\n"
        "log._handle.take()\nprint('held', flush=True)\ntime.sleep(60)\n"
    )
    holder = subprocess.Popen(
        [sys.executable, "-c", script, str(other)], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"
    try:
        with pytest.raises(LockTimeoutError) as refusal:
            FileLog(log.path, lock_timeout=0.1).append([Note(detail="two")])
    finally:
        holder.kill()
        holder.communicate()

    if Path("/proc/locks").exists():
        assert f"process {holder.pid}" in refusal.value.message
    assert FileLog(log.path, lock_timeout=5).append([Note(detail="two")]).seqs == (2,)


def test_a_refused_append_begins_no_log(tmp_path: Path) -> None:
    """Nothing is written, not even an empty file."""
    from eventstore.errors import ConflictError

    path = tmp_path / "log.jsonl"
    with pytest.raises(ConflictError):
        FileLog(path).append([Note(detail="x")], expect=5)

    def refuse(_: None) -> list[Note]:
        raise ConflictError("not now")

    with pytest.raises(ConflictError):
        FileLog(path).transact(refuse, fold=lambda state, _: state, state=None)

    assert not path.exists()
    assert FileLog(path).append([]).seqs == ()
    assert not path.exists()


def test_threads_of_one_object_take_turns(log: FileLog) -> None:
    """They have one file, one lock and one place to append to: each line is whole, numbered and chained."""
    threads = [
        Thread(target=lambda name=name: [log.append([Note(detail=f"{name}{n}")]) for n in range(50)])
        for name in "abcd"
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert verify(log.path).faults == ()
    assert sorted(details(log.path)) == sorted(["one", *(f"{name}{n}" for name in "abcd" for n in range(50))])


def test_an_append_within_an_append_is_an_error_and_no_deadlock(tmp_path: Path) -> None:
    """What is decided under the lock decides, and writes nothing by itself."""
    log = FileLog(tmp_path / "log.jsonl", lock_timeout=0.05)

    def decide(_: None) -> list[Note]:
        log.append([Note(detail="within")])
        return [Note(detail="x")]

    with pytest.raises(LockTimeoutError):
        log.transact(decide, fold=lambda state, _: state, state=None)

    assert log.append([Note(detail="after")]).seqs == (1,)

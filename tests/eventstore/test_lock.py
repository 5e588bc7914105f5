"""The lock: what excludes whom, how long one waits, and what waiting brings into memory."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from eventstore import lock
from eventstore.errors import LockTimeoutError, StorageError
from eventstore.lock import acquire, holder_of, locked

ROOT = Path(__file__).parents[2]


def release_later(path: Path, seconds: float) -> threading.Thread:
    """Holds the lock now and gives it back after a while."""
    release = acquire(path, 1)
    thread = threading.Timer(seconds, release)
    thread.start()
    return thread


def test_the_lock_excludes_and_is_given_back(tmp_path: Path) -> None:
    """Its file is made, and stays."""
    path = tmp_path / "log.lock"
    with locked(path, 1), pytest.raises(LockTimeoutError, match=r"over 0\.01 s"):
        acquire(path, 0.01)

    acquire(path, 0.01)()
    assert path.exists()


@pytest.mark.parametrize("patience", [0.0, 5.0])
def test_who_waits_gets_it_when_it_is_given_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, patience: float
) -> None:
    """By trying again or, where that takes long, by the library."""
    monkeypatch.setattr(lock, "PATIENCE_SECONDS", patience)
    path = tmp_path / "log.lock"
    holder = release_later(path, 0.05)

    with locked(path, 10):
        told = holder_of(path)
        assert told is None or told.startswith(f"process {os.getpid()} (")

    holder.join()


def test_a_lock_by_the_library_excludes_ours_and_ours_its(tmp_path: Path) -> None:
    """Both lock the same file in the same way."""
    from filelock import FileLock, Timeout

    path = tmp_path / "log.lock"
    with FileLock(str(path)), pytest.raises(LockTimeoutError):
        acquire(path, 0.01)
    with locked(path, 1), pytest.raises(Timeout):
        FileLock(str(path), timeout=0.01).acquire()


def test_without_flock_the_library_does_it_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a platform that has none."""
    monkeypatch.setattr(lock, "HAS_FLOCK", False)
    path = tmp_path / "log.lock"
    with locked(path, 1), pytest.raises(LockTimeoutError):
        acquire(path, 0.01)

    acquire(path, 1)()


def test_a_short_wait_brings_no_library_in(tmp_path: Path) -> None:
    """Its import takes longer than a hundred appends."""
    script = (
        "import sys, threading\n"
        "from pathlib import Path\n"
        "from eventstore.lock import acquire\n"
        "path = Path(sys.argv[1])\n"
        "threading.Timer(0.02, acquire(path, 1)).start()\n"
        "acquire(path, 10)()\n"
        "print('filelock' in sys.modules)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path / "l")], cwd=ROOT, capture_output=True, text=True
    )

    assert (done.stdout, done.stderr) == ("False\n", "")


def test_what_is_raised_inside_gives_the_lock_back(tmp_path: Path) -> None:
    """Also an interruption."""
    path = tmp_path / "log.lock"
    with pytest.raises(KeyboardInterrupt), locked(path, 1):
        raise KeyboardInterrupt

    acquire(path, 0.01)()


@pytest.mark.parametrize("place", ["missing/log.lock", "."])
def test_a_lock_that_cannot_be_opened_is_an_error(tmp_path: Path, place: str) -> None:
    """In a directory that does not exist, or where a directory stands; at once."""
    start = time.monotonic()
    with pytest.raises(StorageError, match="cannot open the lock"):
        acquire(tmp_path / place, 5)

    assert time.monotonic() - start < 4


def test_nobody_holds_what_is_free(tmp_path: Path) -> None:
    """Nor what does not exist."""
    path = tmp_path / "log.lock"
    assert holder_of(path) is None

    acquire(path, 1)()

    assert holder_of(path) is None

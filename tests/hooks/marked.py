"""Commands under test carry a mark in their environment, by which the last of their processes is found."""

from __future__ import annotations

import os
import sys
import uuid
from pathlib import Path
from typing import Any

import pytest

from hooks.pids import process_table
from hooks.process import Finished, run, subreaper_available

PYTHON = [sys.executable, "-I", "-S"]

DAEMON = """
import os, signal, sys, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        for fd in range(3):
            os.close(fd)
        time.sleep(60)
    os._exit(0)
os.wait()
"""
"""A script that leaves a process which got away by setsid and a double fork, and ignores TERM."""

linux_only = pytest.mark.skipif(not subreaper_available(), reason="daemons are found on Linux only")


class Marked:
    """Runs commands in `folder`, with easy defaults, and tells what is left of them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.mark = f"MARK_{uuid.uuid4().hex}"
        self.env = {**os.environ, self.mark: "1"}
        self._fds = open_fds()

    def run(self, *argv: str, **options: Any) -> Finished:
        """`run` with a long time limit, no caps and the mark, unless `options` say otherwise."""
        defaults = {"cwd": self.folder, "timeout": 60, "stdout_cap": None, "stderr_cap": None, "keep": "head"}
        return run(argv, **{**defaults, "env": self.env, **options})

    def bash(self, script: str, **options: Any) -> Finished:
        """`run` of a bash script given as text."""
        return self.run("bash", "-c", script, **options)

    def python(self, script: str, **options: Any) -> Finished:
        """`run` of a Python script given as text."""
        return self.run(*PYTHON, "-c", script, **options)

    def script(self, name: str, text: str, mode: int = 0o755) -> Path:
        """A file of that name, text and mode in the folder."""
        path = self.folder / name
        path.write_text(text, newline="")
        path.chmod(mode)
        return path

    def running(self) -> list[int]:
        """The pids of the marked processes that still run."""
        mark = f"{self.mark}=1".encode()
        return [pid for pid, entry in process_table().items() if entry.alive and mark in _environ(pid)]

    def assert_nothing_left(self) -> None:
        """Fails if a process, a zombie or a file descriptor of a command is left."""
        zombies = [e for e in process_table().values() if e.parent == os.getpid() and not e.alive]

        assert self.running() == []
        assert zombies == []
        assert open_fds() == self._fds


def open_fds() -> set[str]:
    """Our open file descriptors, but for the one that looks, and those that an appender keeps of its log."""
    kept = (".jsonl", ".jsonl.lock")
    found = {fd: os.path.realpath(f"/dev/fd/{fd}") for fd in os.listdir("/dev/fd")}
    return {fd for fd, path in found.items() if os.path.exists(f"/dev/fd/{fd}") and not path.endswith(kept)}


def _environ(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/environ").read_bytes()
    except OSError:
        return b""

"""What the tests of the watchdog share: logs whose beats are old, and processes that surely end."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from eventstore.events import Event, Heartbeat, Registered
from eventstore.filelog import FileLog
from eventstore.store import now_ms
from hooks.pids import is_alive, process_started
from tests.commands.conftest import environment

MINUTE, HOUR = 60_000, 3_600_000
PATIENCE = 30.0


class Site:
    """A ROOT with a session and a task `a`; `end_all` ends every process that its logs and files name."""

    def __init__(self, root: Path) -> None:
        self.root, self.task = root, root / "a"
        for folder in (self.task, root):
            (folder / ".auto").mkdir(parents=True)
            (folder / ".auto" / "log.jsonl").touch()
        self.started: list[subprocess.Popen[bytes]] = []

    def log(self, where: Path | None = None) -> FileLog:
        """The task's log, or that of another folder."""
        return FileLog((where or self.task) / ".auto" / "log.jsonl")

    def say(self, *events: Event, where: Path | None = None) -> None:
        """Appends to the task's log, or to that of another folder."""
        self.log(where).append(events)

    def lines(self, kind: str, where: Path | None = None) -> list[dict[str, Any]]:
        """The lines of a type."""
        text = self.log(where).path.read_text()
        return [line for line in map(json.loads, text.splitlines()) if line["type"] == kind]

    def start(self, *argv: str) -> subprocess.Popen[bytes]:
        """Starts `ar` as a process of its own session."""
        ran = subprocess.Popen(
            [sys.executable, "-m", "autoresearch_ledger", *argv],
            cwd=self.root,
            env=environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        self.started.append(ran)
        return ran

    def sleeper(self) -> subprocess.Popen[bytes]:
        """A process that does nothing, and has no child."""
        ran = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(120)"])
        self.started.append(ran)
        return ran

    def loop_argv(self) -> tuple[str, ...]:
        """A loop that beats once, writes its pid to `lives`, and works on."""
        script = (
            "import os, socket, sys, time\n"
            "from pathlib import Path\n"
            "from eventstore.events import Heartbeat\n"
            "from eventstore.filelog import FileLog\n"
            "from hooks.pids import process_started\n"
            "me = os.getpid()\n"
            "beat = Heartbeat(pid=me, pid_started=process_started(me), host=socket.gethostname())\n"
            "FileLog(Path('.auto/log.jsonl'), by='worker:gpu0').append([beat])\n"
            "with open('lives', 'a') as file: file.write(f'{me}\\n')\n"
            "print('at work', flush=True)\n"
            "time.sleep(120)\n"
        )
        return (sys.executable, "-c", script)

    def lives(self) -> list[int]:
        """The processes that the loop had, in order."""
        file = self.task / "lives"
        return [int(line) for line in file.read_text().split()] if file.exists() else []

    def end_all(self) -> None:
        """Ends what was started here, by its number and stamp; nobody brings it back meanwhile."""
        from eventstore.events import Stopped

        self.say(Stopped(reason="user"), where=self.root)
        deadline = time.monotonic() + 10
        while self._end_those_that_beat() and time.monotonic() < deadline:
            time.sleep(0.1)
        for each in self.started:
            each.kill()
            each.wait()

    def _end_those_that_beat(self) -> bool:
        """Ends who gave a heartbeat; whether one that was started anew has not given its first one yet."""
        awaited = False
        for where in (self.root, self.task):
            beats = [said for said in self.lines("heartbeat", where) if said.get("pid_started")]
            for said in beats:
                if said["pid"] != os.getpid() and is_alive(said["pid"], said["pid_started"]):
                    with suppress(ProcessLookupError):
                        os.kill(said["pid"], signal.SIGKILL)
            resident = {f"guardian:{line['target']}" for line in self.lines("restart", where)}
            for by in resident & {each["by"] for each in self.lines("registered", where)}:
                count = sum(f"guardian:{line['target']}" == by for line in self.lines("restart", where))
                awaited |= len({said["pid"] for said in beats if said["by"] == by}) <= count
        return awaited


def here(process: subprocess.Popen[bytes]) -> dict[str, Any]:
    """The fields of a heartbeat that name this process."""
    return {"pid": process.pid, "pid_started": process_started(process.pid), "host": socket.gethostname()}


def dead() -> dict[str, Any]:
    """The fields of a heartbeat that name a process which has ended."""
    gone = subprocess.Popen([sys.executable, "-c", "pass"])
    gone.wait()
    return {"pid": gone.pid, "pid_started": "before", "host": socket.gethostname()}


def beat(age: int, by: str = "worker:gpu0", **fields: Any) -> Heartbeat:
    """A heartbeat of so many milliseconds ago."""
    return Heartbeat(by=by, timestamp=now_ms() - age, **fields)


def registered(argv: tuple[str, ...], by: str = "user:gpu0", seconds: float = 600, **more: Any) -> Registered:
    """How a loop is restarted, said a day ago."""
    at = now_ms() - 24 * HOUR
    return Registered(by=by, timestamp=at, argv=argv, interval_seconds=seconds, **more)


def until(holds: Callable[[], object], what: str) -> None:
    """Waits for something to hold."""
    deadline = time.monotonic() + PATIENCE
    while not holds():
        assert time.monotonic() < deadline, what
        time.sleep(0.02)

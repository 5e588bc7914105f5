"""Running programs of others: streams, limits, and nothing left behind."""

from __future__ import annotations

import math
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from hooks import adoption, pids, process, reaper
from hooks.process import is_alive, process_started, run, script_argv

from .marked import DAEMON, Marked, linux_only


@pytest.fixture
def bare_system(monkeypatch: pytest.MonkeyPatch) -> None:
    """A system with neither `/proc` nor subreapers, but with `ps`."""
    if shutil.which("ps") is None:
        pytest.skip("no ps")
    monkeypatch.setattr(pids, "has_proc", lambda: False)
    monkeypatch.setattr(adoption, "_subreaper_flag", lambda: None)


def test_a_command_gets_its_input_and_gives_its_output(marked: Marked) -> None:
    """All of stdin arrives, though it is larger than a pipe, while output comes back."""
    data = os.urandom(1_000_000)

    finished = marked.run("cat", stdin=data)

    assert (finished.exit_code, finished.stdout, finished.stderr) == (0, data, b"")
    assert (finished.stdout_bytes, finished.stdout_truncated) == (1_000_000, False)


@pytest.mark.parametrize(
    "script",
    ["exit 0", "sleep 0.1", "exec 0<&-; sleep 0.1", "head -c 10 >/dev/null"],
    ids=["reads nothing", "reads nothing for a while", "closes stdin at once", "reads a little"],
)
def test_unread_input_harms_nobody(marked: Marked, script: str) -> None:
    """A megabyte of stdin that the command does not read neither blocks nor fails."""
    finished = marked.bash(script, stdin=b"x" * 1_000_000)

    assert (finished.exit_code, finished.error) == (0, None)


@pytest.mark.parametrize("stdin", [None, b""])
def test_no_input_is_an_end_of_file(marked: Marked, stdin: bytes | None) -> None:
    """A command that reads its stdin without there being any does not wait."""
    finished = marked.run("cat", stdin=stdin, timeout=20)

    assert (finished.exit_code, finished.stdout) == (0, b"")


@pytest.mark.parametrize(("keep", "kept"), [("head", b"first"), ("tail", b"last!")])
def test_a_flood_is_counted_but_not_kept(marked: Marked, keep: str, kept: bytes) -> None:
    """50 MB on each of stdout and stderr cost no memory, and do not block each other."""
    script = """
import sys
for stream in sys.stdout, sys.stderr: stream.write("first")
for _ in range(800):
    for stream in sys.stdout, sys.stderr: stream.write("x" * 65536)
for stream in sys.stdout, sys.stderr: stream.write("last!")
"""
    tracemalloc.start()
    try:
        finished = marked.python(script, stdout_cap=5, stderr_cap=5, keep=keep)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()

    assert (finished.stdout, finished.stderr) == (kept, kept)
    assert finished.stdout_bytes == finished.stderr_bytes == 800 * 65536 + 10
    assert finished.stdout_truncated
    assert finished.stderr_truncated
    assert peak < 2_000_000


@pytest.mark.parametrize("stderr", [b"", b"why\n"])
def test_a_failure_keeps_its_code_and_its_words(marked: Marked, stderr: bytes) -> None:
    """A non-zero exit is reported with what was said, if anything was."""
    finished = marked.bash("printf %s out; cat >&2; exit 1", stdin=stderr)

    assert (finished.exit_code, finished.stdout, finished.stderr) == (1, b"out", stderr)
    assert (finished.timed_out, finished.error) == (False, None)


@pytest.mark.parametrize("signum", [signal.SIGKILL, signal.SIGSEGV])
def test_an_end_by_signal_is_a_negative_code(marked: Marked, signum: int) -> None:
    """A command that a signal ended has minus its number as the exit code."""
    assert marked.bash(f"ulimit -c 0; kill -{int(signum)} $$").exit_code == -signum


def test_streams_closed_early_do_not_end_a_command(marked: Marked) -> None:
    """A command that closes stdout and stderr and goes on is waited for."""
    finished = marked.bash("echo said; exec >&- 2>&-; sleep 0.3; exit 7")

    assert (finished.exit_code, finished.stdout) == (7, b"said\n")
    assert finished.duration_ms >= 300


def test_a_command_that_ignores_term_is_killed(marked: Marked) -> None:
    """When its time is up a command gets TERM and then KILL, its children too."""
    started = time.monotonic()
    finished = marked.bash(
        "trap '' TERM; sleep 60 & echo ready; while :; do sleep 60; done", timeout=1, term_grace=0.3
    )

    assert (finished.timed_out, finished.exit_code, finished.stdout) == (True, None, b"ready\n")
    assert finished.leftover_killed >= 2
    assert finished.survivors == 0
    assert finished.duration_ms >= 1000
    assert time.monotonic() - started >= 1.3


def test_last_words_after_term_are_heard(marked: Marked) -> None:
    """A command that tidies up on TERM has the time to, even if it was stopped; what it says is kept."""
    script = "trap 'head -c 200000 /dev/zero; exit 0' TERM; kill -STOP $$; sleep 60"

    finished = marked.bash(script, timeout=1, term_grace=20)

    assert (finished.timed_out, finished.exit_code, finished.stdout_bytes) == (True, None, 200_000)


def test_a_child_that_holds_stdout_holds_nobody(marked: Marked) -> None:
    """What stays in the background with our pipes open is ended once the command itself has ended."""
    started = time.monotonic()
    finished = marked.bash("sleep 60 & yes & echo said; exit 3", stdout_cap=5, stderr_cap=5)

    assert (finished.exit_code, finished.timed_out, finished.leftover_killed) == (3, False, 2)
    assert finished.duration_ms < 5000
    assert time.monotonic() - started < 20


def test_a_late_line_is_not_lost(marked: Marked, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a background child says right after the command's end, as a `tee` does, still counts."""
    monkeypatch.setattr(process, "_SETTLE", 20)
    finished = marked.bash("(sleep 0.05; echo late) & echo soon")

    assert (finished.stdout, finished.leftover_killed) == (b"soon\nlate\n", 0)


@linux_only
@pytest.mark.parametrize("after", ["", "time.sleep(60)"], ids=["on a normal end", "on a timeout"])
def test_a_daemon_dies_with_its_command(marked: Marked, after: str) -> None:
    """A child that got away by setsid and a double fork, and ignores TERM, is found and ended."""
    finished = marked.python(DAEMON + after, timeout=1.5 if after else 60, term_grace=0.2)

    assert finished.timed_out is bool(after)
    assert finished.leftover_killed == 1
    assert marked.running() == []


@pytest.mark.usefixtures("bare_system")
def test_without_proc_and_subreaper_the_session_is_ended(marked: Marked) -> None:
    """On other systems `ps` shows what is in the command's session, in whatever group, and it is ended."""
    leaving = marked.bash("set -m; sleep 60 & sleep 60 & exit 0", timeout=60)
    overdue = marked.bash("set -m; sleep 60 & trap '' TERM; sleep 60; :", timeout=1, term_grace=0.3)

    assert (leaving.exit_code, leaving.leftover_killed) == (0, 2)
    assert (overdue.timed_out, overdue.leftover_killed) == (True, 2)


@pytest.mark.usefixtures("bare_system")
def test_without_any_process_table_the_group_is_ended(
    marked: Marked, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where not even `ps` answers, the command's group is still ended as a whole."""
    monkeypatch.setattr(reaper, "process_table", dict)
    monkeypatch.setattr(os, "pidfd_open", None, raising=False)

    finished = marked.bash("trap '' TERM; sleep 60 & sleep 60", timeout=0.3, term_grace=0.2)
    monkeypatch.undo()

    assert (finished.exit_code, finished.timed_out) == (None, True)
    assert marked.running() == []


def test_shebangs_are_honoured(marked: Marked) -> None:
    """A script is run by the interpreter its first line names, and by bash if it names none."""
    scripts = {
        "a.py": f"#!{sys.executable} -IS\nprint('py')\n",
        "b": "[[ -n $BASH_VERSION ]] && echo bash\n",
        "c.sh": "#!/bin/sh\necho sh\n",
        "empty": "",
    }
    said = {
        name: marked.run(*script_argv(marked.script(name, text))).stdout for name, text in scripts.items()
    }

    assert said == {"a.py": b"py\n", "b": b"bash\n", "c.sh": b"sh\n", "empty": b""}


@pytest.mark.skipif(shutil.which("node") is None, reason="no node")
def test_a_node_hook_reads_its_input(marked: Marked) -> None:
    """A script with a node shebang reads stdin and answers."""
    text = "#!/usr/bin/env node\nprocess.stdin.on('data', d => process.stdout.write('got ' + d));\n"

    finished = marked.run(*script_argv(marked.script("hook.js", text)), stdin=b"it")

    assert (finished.exit_code, finished.stdout) == (0, b"got it")


def test_what_cannot_be_started_says_why(marked: Marked) -> None:
    """A program that cannot be started is one clear sentence, not an exception."""
    marked.script("plain", "#!/bin/bash\n", mode=0o644)
    marked.script("lost", "#!/no/such/interpreter -x\n")
    marked.script("windows", "#!/usr/bin/env bash\r\necho hi\r\n")
    marked.script("nothing", "echo hi\n")
    marked.script("closed", "#!./plain\n")
    (marked.folder / "folder").mkdir()
    (marked.folder / "dangling").symlink_to("nowhere")
    reasons = {
        "./plain": "./plain is not executable; make it so with: chmod +x ./plain",
        "./lost": "./lost names an interpreter that does not exist: /no/such/interpreter -x",
        "./windows": "./windows has Windows line endings (CRLF), so that its interpreter reads "
        "'/usr/bin/env bash\\r'; convert it with: sed -i.bak 's/\\r$//'",
        "./nothing": "./nothing is no program, and has no shebang line (such as #!/bin/bash) to say what "
        "runs it",
        "./closed": "./closed names an interpreter that may not be run: ./plain",
        "./folder": "./folder is a directory, not a program",
        "./dangling": "./dangling is a symbolic link to nothing",
        "./absent": "./absent does not exist",
        "no-such-program": "no-such-program is not found on PATH",
        "a\0b": "'a\\x00b' cannot be started: its arguments or environment hold a NUL byte or no valid text",
        "./plain/x": "./plain/x cannot be started: Not a directory",
    }

    finished = {name: marked.run(name) for name in reasons}

    assert {name: f.error for name, f in finished.items()} == reasons
    assert all(f.exit_code is None and not f.timed_out for f in finished.values())


def test_other_causes_of_a_failed_start(marked: Marked) -> None:
    """A missing working directory and arguments beyond the system's limit are named too."""
    nowhere = marked.run("true", cwd=marked.folder / "gone")
    too_long = marked.run("true", "x" * 3_000_000)

    assert nowhere.error is not None
    assert nowhere.error.endswith("gone does not exist or is no directory")
    assert too_long.error == "true cannot be started: Argument list too long"


@pytest.mark.parametrize("timeout", [0, -1, math.nan, math.inf])
def test_an_impossible_limit_is_refused(tmp_path: Path, timeout: float) -> None:
    """A limit that would mean no limit, or no time at all, is an error."""
    with pytest.raises(ValueError, match="positive number of seconds"):
        run(["true"], cwd=tmp_path, timeout=timeout, stdout_cap=1, stderr_cap=1, keep="head")


def test_an_empty_command_is_refused(tmp_path: Path) -> None:
    """There must be something to run."""
    with pytest.raises(ValueError, match="no command"):
        run([], cwd=tmp_path, timeout=1, stdout_cap=1, stderr_cap=1, keep="head")


def test_start_and_output_are_told_as_they_come(marked: Marked) -> None:
    """The pid with its stamp is told while the command runs, and every chunk before the command ends."""
    told: list[Any] = []

    def on_start(pid: int, started: str) -> None:
        told.append((is_alive(pid, started), process_started(pid) == started, os.getpgid(pid) == pid))

    def on_output(chunk: bytes) -> None:
        told.append(chunk)
        (marked.folder / "heard").touch()

    script = "echo one; while [[ ! -e heard ]]; do sleep 0.01; done; sleep 0.05; echo two >&2"
    marked.bash(script, on_start=on_start, on_output=on_output, timeout=20)

    assert told == [(True, True, True), b"one\n", b"two\n"]


@pytest.mark.parametrize("when", ["on_start", "on_output"])
def test_a_callback_that_raises_ends_the_command(marked: Marked, when: str) -> None:
    """An exception of a callback goes on to the caller, and nothing is left of the command."""

    def fail(*_: object) -> None:
        raise RuntimeError("no more")

    with pytest.raises(RuntimeError, match="no more"):
        marked.bash("sleep 60 & echo hi; sleep 60", **{when: fail})

    assert marked.running() == []


def test_many_runs_leave_nothing(marked: Marked) -> None:
    """Neither descriptors nor zombies add up over many runs, failed starts among them."""
    for _ in range(60):
        assert marked.run("true", stdin=b"x" * 100_000).exit_code == 0
        assert marked.run("no-such-program").error is not None


DRIVER = """
import pathlib, signal, sys
sys.path.insert(0, {root!r})
from hooks.process import run
{prelude}
try:
    finished = run(["bash", "-c", {script!r}], cwd={folder!r}, timeout=50, stdout_cap=0, stderr_cap=0,
        keep="head", term_grace={grace}, on_start=lambda pid, started: print(pid, started, flush=True))
    print("finished", finished.exit_code)
finally:
    print("tidied", flush=True)
"""


class Driver:
    """A process of its own that runs a command, to be sent signals."""

    def __init__(self, marked: Marked, script: str, *, grace: float = 5.0, prelude: str = "") -> None:
        root = str(Path(__file__).parents[2])
        text = DRIVER.format(
            root=root, folder=str(marked.folder), script=script, grace=grace, prelude=prelude
        )
        self.process = subprocess.Popen(
            [sys.executable, "-c", text], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=marked.env
        )
        assert self.process.stdout is not None
        pid, self.started = self.process.stdout.readline().decode().split()
        self.pid = int(pid)
        wait_for((marked.folder / "ready").exists)

    def end(self) -> tuple[int, list[str]]:
        """Waits for it; its exit code and the rest of what it printed."""
        output, _ = self.process.communicate(timeout=40)
        return self.process.returncode, output.decode().splitlines()


def wait_for(condition: Any) -> None:
    """Waits until the condition holds; fails after 20 s."""
    deadline = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.01)


@pytest.mark.parametrize(
    ("signum", "code"), [(signal.SIGINT, -signal.SIGINT), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]
)
def test_a_signal_to_us_ends_the_command_first(marked: Marked, signum: int, code: int) -> None:
    """Ctrl-C, SIGTERM and a closed terminal leave nothing running, and let `finally` have its turn."""
    driver = Driver(marked, "sleep 60 & touch ready; sleep 60")

    driver.process.send_signal(signum)

    assert driver.end() == (code, ["tidied"])
    assert marked.running() == []


def test_a_second_ctrl_c_kills_without_grace(marked: Marked) -> None:
    """A command that ignores TERM is waited for after the first Ctrl-C, not after the second."""
    driver = Driver(marked, "trap 'touch told' TERM; touch ready; while :; do sleep 0.1; done", grace=45)

    driver.process.send_signal(signal.SIGINT)
    wait_for((marked.folder / "told").exists)
    driver.process.send_signal(signal.SIGINT)

    assert driver.end() == (-signal.SIGINT, ["tidied"])
    assert marked.running() == []


def test_handlers_of_the_program_are_heard(marked: Marked) -> None:
    """A program that handles SIGTERM and ignores SIGHUP itself goes on as it says."""
    prelude = (
        "signal.signal(signal.SIGHUP, signal.SIG_IGN)\n"
        f"signal.signal(signal.SIGTERM, lambda *_: pathlib.Path({str(marked.folder)!r}, 'heard').touch())"
    )
    driver = Driver(
        marked, "touch ready; while [[ ! -e heard ]]; do sleep 0.05; done; exit 5", prelude=prelude
    )

    driver.process.send_signal(signal.SIGHUP)
    driver.process.send_signal(signal.SIGTERM)

    assert driver.end() == (0, ["finished 5", "tidied"])


def test_a_run_outside_the_main_thread_touches_no_signal(marked: Marked) -> None:
    """Only the main thread can change handlers; elsewhere a command runs all the same."""
    codes: list[int | None] = []
    thread = threading.Thread(target=lambda: codes.append(marked.bash("exit 6").exit_code))
    thread.start()
    thread.join()

    assert codes == [6]


def test_what_a_crash_of_ours_left_is_ended_on_resume(marked: Marked) -> None:
    """After a SIGKILL of ours the recorded pid and stamp are enough to end what still runs."""
    driver = Driver(marked, "trap '' TERM; sleep 60 & touch ready; wait; sleep 60")
    driver.process.kill()
    driver.end()
    orphans = marked.running()

    other_stamp = reaper.end_group(driver.pid, "1" + driver.started, term_grace=0.2)
    untouched = marked.running()
    ended = reaper.end_group(driver.pid, driver.started, term_grace=0.2)

    assert len(orphans) == 2
    assert (other_stamp, untouched) == (0, orphans)
    assert ended == 2
    assert marked.running() == []
    assert reaper.end_group(driver.pid, driver.started) == 0

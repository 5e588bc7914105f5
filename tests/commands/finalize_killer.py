"""Stops `ar finalize apply` at every step, in every way, and tells what was left and how the next call ended.

Run as `python -m tests.commands.finalize_killer TEMPLATE WORK HOW`: TEMPLATE is a session with kept runs to
copy for every attempt, WORK an empty directory. In a forked child the call is stopped at its first step, in
the next copy at its second, and so on until it ends undisturbed; then it is called again. A step is a git
call that writes, or the append to the log. HOW: `before` kills before the step, `during` right after git was
started, which then goes on by itself; `fails` has git fail, `ctrl-c` has the step done and then interrupted.
Printed is a JSON list of end states, the undisturbed one last.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

from commands.app import run
from eventstore.filelog import FileLog
from tests.commands.sandbox import Sandbox

WRITING = {"commit-tree", "read-tree", "update-index", "update-ref", "write-tree"}


def state(box: Sandbox) -> dict[str, Any]:
    """All that is to be told of a repository and its log."""
    lines = (box.top / ".auto/log.jsonl").read_text().splitlines()
    refs = dict(
        line.split(" ") for line in box.git("for-each-ref", "--format=%(refname) %(tree)").splitlines()
    )
    return {
        "made": {name: tree for name, tree in refs.items() if name.startswith("refs/heads/finalized")},
        "refs": {name: tree for name, tree in refs.items() if not name.startswith("refs/heads/finalized")},
        "head": box.git("symbolic-ref", "HEAD"),
        "index": box.git("ls-files", "-s"),
        "files": {path: [kind, mode, data.hex()] for path, (kind, mode, data) in box.snapshot(".").items()},
        "notes": sum(json.loads(line)["type"] == "note" for line in lines),
        "left": sorted(n for n in os.listdir(box.top / ".git") if n.startswith("ar-") or n.endswith(".lock")),
    }


def arm(step: int, how: str, held: int) -> None:
    """Makes this process stop itself at the given step. held: a descriptor that git keeps open as well."""
    seen = [0]

    def due() -> bool:
        seen[0] += 1
        return seen[0] == step

    def die() -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    popen = subprocess.Popen

    def starting(command: list[str], **options: Any) -> Any:
        if not (WRITING & set(command) and due()):
            return popen(command, **options)
        if how == "before":
            die()
        if how == "fails":
            return popen([*command, "--no-such-option"], **options)
        process = popen(command, pass_fds=(held,), **options)
        if how == "during":
            die()
        process.communicate, whole = _interrupted, process.communicate
        process.communicate = lambda *given, **named: _interrupted(whole(*given, **named))
        return process

    subprocess.Popen = starting  # type: ignore[assignment,misc]
    append = FileLog.append

    def appending(self: FileLog, *given: Any, **named: Any) -> Any:
        if not due():
            return append(self, *given, **named)
        if how in ("before", "during"):
            die()
        raise OSError(28, "No space left on device") if how == "fails" else KeyboardInterrupt

    FileLog.append = appending  # type: ignore[method-assign]


def _interrupted(_: object) -> Any:
    raise KeyboardInterrupt


def apply(box: Sandbox) -> int:
    """The exit code of the call; nobody wants its words."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    out, err = os.dup(1), os.dup(2)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    try:
        return run(["-C", str(box.top), "finalize", "apply"])
    finally:
        os.dup2(out, 1)
        os.dup2(err, 2)


def main(template: Path, work: Path, how: str) -> None:
    ends = []
    stopped, step = True, 0
    while stopped:
        step += 1
        box = Sandbox(work / str(step))
        shutil.copytree(template, box.top, symlinks=True)
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reader)
            arm(step, how, writer)
            os._exit(apply(box))
        os.close(writer)
        ended = os.waitpid(child, 0)[1]
        os.read(reader, 1)  # until the git that went on by itself has ended, too
        os.close(reader)
        stopped = ended != 0
        ends.append({"end": ended, "before": state(box), "again": apply(box), **state(box)})
    print(json.dumps(ends))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3])

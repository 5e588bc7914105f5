"""Kills an operation at every step, runs it again, and tells where that ended.

Run as `python -m tests.commands.effects.kill_driver TEMPLATE WORK OPERATION MODE`: TEMPLATE is a repository
to copy for every attempt, WORK an empty directory. In a forked child the operation is killed by SIGKILL at
its first step, in the next copy at its second, and so on until it ends undisturbed; after each kill it is run
again to the end. A step is a git call that writes, or a rename or link. MODE `before` kills before the step,
`during` right after git was started, which then goes on by itself. Printed is a JSON list of end states, the
undisturbed one last.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from commands.effects.git_commit import commit_paths, cycle_message
from commands.effects.rollback import Phase, rollback, state_of_cycle
from commands.effects.salvage import salvage
from commands.effects.worktree import changed_within
from tests.commands.sandbox import Sandbox

WRITING = {"checkout-index", "commit", "commit-tree", "read-tree", "update-index", "update-ref", "write-tree"}
SALVAGED = ["src/data.bin", "src/kernel.c", "src/moved.bin", "src/new.c", "src/run.sh"]


def commit(box: Sandbox) -> None:
    """What a cycle does at first and when it is resumed: commit, unless it is committed."""
    if state_of_cycle(box.repo, start(box), 1).phase is Phase.AT_PARENT:
        paths = changed_within(box.repo, ["src"]).inside
        commit_paths(box.repo, paths, cycle_message(1, "a change", "1:a"))


def take_back(box: Sandbox) -> None:
    """A rollback, with a place for what is found on the way."""
    made = box.git("rev-list", "--reverse", f"{start(box)}..HEAD").split()[0]
    assert rollback(box.repo, made, start(box), rescue=box.top / ".auto/rejected/run-1").verified


def save(box: Sandbox) -> None:
    salvage(box.repo, SALVAGED, box.top / ".auto/rejected/run-1")


def start(box: Sandbox) -> str:
    return box.git("rev-parse", "v1")


OPERATIONS: dict[str, Callable[[Sandbox], None]] = {"commit": commit, "rollback": take_back, "salvage": save}


def state(box: Sandbox) -> dict[str, Any]:
    """All that has to be the same whether it was killed or not."""
    return {
        "trees": box.git("log", "--format=%T %s").splitlines(),
        "index": box.git("ls-files", "-s"),
        "status": box.status("src"),
        "files": {path: [kind, mode, data.hex()] for path, (kind, mode, data) in box.snapshot(".").items()},
        "left": sorted(n for n in os.listdir(box.top / ".git") if n.startswith("ar-") or n.endswith(".lock")),
        "saved": sorted({f.read_bytes().hex() for f in (box.top / ".auto").rglob("*") if f.is_file()}),
    }


def arm(step: int, mode: str) -> None:
    """Make this process kill itself at the given step."""
    seen = [0]

    def due() -> bool:
        seen[0] += 1
        return seen[0] == step

    def die() -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    popen = subprocess.Popen

    def starting(command: list[str], **options: Any) -> Any:
        ours = options.get("start_new_session", False) and WRITING & set(command) and due()
        if ours and mode == "before":
            die()
        process = popen(command, **options)
        if ours:
            die()
        return process

    subprocess.Popen = starting  # type: ignore[assignment,misc]

    def deadly(real: Callable[..., None]) -> Callable[..., None]:
        def moving(*arguments: Any, **options: Any) -> None:
            if due():
                die()
            real(*arguments, **options)

        return moving

    for name in ("rename", "link"):
        setattr(os, name, deadly(getattr(os, name)))


def main(template: Path, work: Path, operation: str, mode: str) -> None:
    act = OPERATIONS[operation]
    ends = []
    killed, step = True, 0
    while killed:
        step += 1
        box = Sandbox(work / str(step))
        shutil.copytree(template, box.top, symlinks=True)
        child = os.fork()
        if child == 0:
            arm(step, mode)
            act(box)
            os._exit(0)
        killed = os.WIFSIGNALED(os.waitpid(child, 0)[1])
        act(box)
        ends.append(state(box))
    print(json.dumps(ends))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3], sys.argv[4])

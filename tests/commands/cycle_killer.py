"""Kills a measured cycle at every step, resumes it, and tells where that ended.

Run as `python -m tests.commands.cycle_killer TEMPLATE WORK`: TEMPLATE is a measured session with a change in
its working tree, to copy for every attempt; WORK an empty directory. In a forked child `ar cycle` is killed
by SIGKILL at its first step, in the next copy at its second, and so on until it ends undisturbed; after each
kill `ar cycle --resume` finishes it. Steps are: before and after each append, before each git call that makes
a commit or moves HEAD, and in the middle of the metric command. Printed is a JSON list of end states, the
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

from commands.app import run
from eventstore.filelog import FileLog
from tests.commands.sandbox import Sandbox

DEADLY = {"commit-tree", "update-ref"}
METRIC = "echo x >> ../measured; test ! -e ../kill || kill -9 $PPID; cat src/value"
"""Counts how often it runs, and kills `ar` when told to."""


def state(box: Sandbox) -> dict[str, Any]:
    """All that has to be the same whether it was killed or not; and how often it was measured."""
    lines = [json.loads(line) for line in (box.top / ".auto/log.jsonl").read_text().splitlines()]
    runs = [
        [line["run"], line["status"], line["metric"], line["reason"]]
        for line in lines
        if line["type"] == "run"
    ]
    return {
        "kinds": [line["type"] for line in lines],
        "runs": runs,
        "verified": [line["verified"] for line in lines if line["type"] == "reverted"],
        "trees": box.git("log", "--format=%T %s").splitlines(),
        "index": box.git("ls-files", "-s"),
        "status": box.status("src"),
        "files": {path: [kind, mode, data.hex()] for path, (kind, mode, data) in box.snapshot(".").items()},
        "left": sorted(n for n in os.listdir(box.top / ".git") if n.startswith("ar-") or n.endswith(".lock")),
        "hooked": (box.top.parent / "hooked").read_text().count("x"),
        "cache": sorted(os.listdir(box.top / ".auto/cache")),
    }


def measured(box: Sandbox) -> int:
    """How often the metric command ran."""
    file = box.top.parent / "measured"
    return len(file.read_text().split()) if file.exists() else 0


def arm(step: int) -> None:
    """Make this process kill itself at the given step."""
    seen = [0]

    def here(at: Callable[[], None]) -> None:
        seen[0] += 1
        if seen[0] == step:
            at()

    def die() -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    def wrap(name: str) -> None:
        real = getattr(FileLog, name)

        def appending(self: FileLog, *arguments: Any, **options: Any) -> Any:
            here(die)
            done = real(self, *arguments, **options)
            here(die)
            return done

        setattr(FileLog, name, appending)

    wrap("append")
    wrap("transact")
    popen = subprocess.Popen

    def starting(command: list[str], **options: Any) -> Any:
        if command[0] == "git" and DEADLY & set(command):
            here(die)
        elif METRIC in command:
            here((Path(options["cwd"]).parent / "kill").touch)
        return popen(command, **options)

    subprocess.Popen = starting  # type: ignore[assignment,misc]


def main(template: Path, work: Path) -> None:
    ends = []
    killed, step = True, 0
    while killed:
        step += 1
        box = Sandbox(work / str(step) / "repo")
        shutil.copytree(template, box.top, symlinks=True)
        child = os.fork()
        if child == 0:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            arm(step)
            os._exit(run(["-C", str(box.top), "cycle", "-m", "a change"]))
        killed = os.WIFSIGNALED(os.waitpid(child, 0)[1])
        (box.top.parent / "kill").unlink(missing_ok=True)
        before = measured(box)
        recorded = '"type":"measured","seq":8' in (box.top / ".auto/log.jsonl").read_text()
        if killed:
            resume(box)
        ends.append({**state(box), "again": measured(box) - before if recorded else 0})
    print(json.dumps(ends))


def resume(box: Sandbox) -> None:
    """What a person does after a kill; where nothing was begun, the cycle itself."""
    quiet, out = os.dup(1), os.open(os.devnull, os.O_WRONLY)
    os.dup2(out, 1)
    os.close(out)
    begun = '"type":"started","seq":6' in (box.top / ".auto/log.jsonl").read_text()
    code = run(["-C", str(box.top), "cycle", *(["--resume"] if begun else ["-m", "a change"])])
    os.dup2(quiet, 1)
    os.close(quiet)
    assert code == 0, f"{box.top}: resume exited {code}"


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))

"""Whatever is tried, killed and resumed: the tree is the last kept one, log and git tell one story.

Which an audit finds, too.
"""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from commands.app import run
from tests.commands.bench import BASELINE, Bench
from tests.commands.conftest import Ar
from tests.commands.cycle_killer import METRIC, arm
from tests.commands.sandbox import Sandbox, prepared, sandbox

__all__ = ["prepared", "sandbox"]

VALUES = st.one_of(st.integers(1, 12), st.just("junk"), st.just("bad"))
EDITS = st.sampled_from(["", "new", "delete", "rename", "mode"])
KILLS = st.one_of(st.none(), st.integers(1, 14))
TRIES = st.lists(st.tuples(VALUES, EDITS, KILLS), min_size=2, max_size=5)


def edit(box: Sandbox, kind: str, number: int) -> None:
    """A change beside the value's."""
    files = sorted(file for file in (box.top / "src").iterdir() if file.name not in ("value", "bad"))
    if kind == "new" or not files:
        box.write(f"src/new {number}", f"{number}\n")
    elif kind == "delete":
        files[0].unlink()
    elif kind == "rename":
        files[0].rename(files[0].with_name(f"renamed {number}"))
    elif kind == "mode":
        files[0].chmod(files[0].stat().st_mode ^ 0o111)


def cycle(box: Sandbox, kill: int | None) -> None:
    """A cycle in a process of its own, killed at a step or not, then resumed until it has ended."""
    for argv, step in ((("-m", "a try"), kill), (("--resume",), None)):
        child = os.fork()
        if child == 0:
            for stream in (1, 2):
                os.dup2(os.open(os.devnull, os.O_WRONLY), stream)
            if step is not None:
                arm(step)
            os._exit(run(["-C", str(box.top), "cycle", *argv]))
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        (box.top.parent / "kill").unlink(missing_ok=True)
        assert code in (0, -9)
        if code == 0:
            return


def test_the_tree_is_the_last_kept_one(sandbox: Sandbox, ar: Ar, tmp_path: Path) -> None:
    """Against a model that only knows: strictly better is kept, everything else never happened."""
    template = Bench(sandbox, ar)
    template.configure(measure=METRIC)
    count = 0

    @settings(
        max_examples=8,
        deadline=None,
        derandomize=True,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(tries=TRIES)
    def check(tries: list[tuple[int | str, str, int | None]]) -> None:
        nonlocal count
        count += 1
        box = Sandbox(tmp_path / f"try {count}" / "repo")
        shutil.copytree(sandbox.top, box.top, symlinks=True)
        bench = Bench(box, ar)
        work, best, tree = box.work(), BASELINE, box.snapshot("src")
        expected = []
        for number, (value, kind, kill) in enumerate(tries):
            before = box.snapshot("src")
            box.write("src/bad", "") if value == "bad" else bench.value(value)
            edit(box, kind, number)
            if box.snapshot("src") == before:
                continue
            changed = box.snapshot("src")
            seen = len(bench.lines("started"))
            cycle(box, kill)
            if len(bench.lines("started")) == seen:  # killed before it had begun
                cycle(box, None)
            if isinstance(value, int) and value < best:
                best, tree = value, changed
                expected.append("keep")
            elif value == "bad":
                expected.append("checks_failed")
            else:
                expected.append("discard" if isinstance(value, int) else "crash")
            assert box.snapshot("src") == tree
        assert [line["status"] for line in bench.lines("run")[1:]] == expected
        assert bench.lines("run")[0]["metric"] == BASELINE
        assert box.work() == work
        assert story_of_git(box) == story_of_log(bench)
        audited = bench.ar("audit", "--json")
        assert (audited.code, json.loads(audited.out)["errors"]) == (0, 0), audited.out

    check()


def story_of_git(box: Sandbox) -> list[tuple[str, bool]]:
    """The cycles' commits in order, and whether each was taken back by the next commit."""
    log = box.git("log", "--reverse", "--format=%H%x00%T%x00%P%x00%s%x01").split("\x01")
    commits = [line.strip().split("\0") for line in log if line.strip()]
    trees = {commit[0]: commit[1] for commit in commits}
    story = []
    for index, (name, _, parent, subject) in enumerate(commits):
        if subject.startswith("autoresearch cycle"):
            after = commits[index + 1] if index + 1 < len(commits) else None
            story.append((name, after is not None and after[1] == trees[parent]))
    return story


def story_of_log(bench: Bench) -> list[tuple[str, bool]]:
    lines = [json.loads(line) for line in bench.ground.log.path.read_text().splitlines()]
    reverted = {line["commit"] for line in lines if line["type"] == "reverted" and line["verified"]}
    return [(line["commit"], line["commit"] in reverted) for line in lines if line["type"] == "committed"]

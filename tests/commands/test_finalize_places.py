"""`ar finalize` whatever the repository and its files are like."""

from __future__ import annotations

import json
import os
import subprocess

from tests.commands.sandbox import AWKWARD, prepared, sandbox
from tests.commands.trail import Trail, planned, trail

__all__ = ["prepared", "sandbox", "trail"]


class TestPlaces:
    """Whatever the repository and its files are like."""

    def check(self, trail: Trail) -> None:
        """Applied and merged the branches are the tip."""
        ran = trail.ar("finalize", "apply")
        assert (ran.code, ran.err) == (0, "")
        box = trail.box
        side = box.top.parent / "side"
        box.git("worktree", "add", "-q", "--detach", str(side), trail.base)
        merge = ["git", "-C", str(side), "merge", "-q", "--no-edit", *trail.made()]
        done = subprocess.run(merge, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        merged = subprocess.run(
            ["git", "-C", str(side), "rev-parse", "HEAD^{tree}"], capture_output=True, text=True
        )
        assert merged.stdout.strip() == box.git("rev-parse", "HEAD^{tree}")

    def test_awkward_names(self, trail: Trail) -> None:
        """Paths that a shell, a line or a pathspec would trip over, and that JSON has no way to hold."""
        for number, name in enumerate(AWKWARD):
            trail.keep(9 - number / 10, name.encode("utf-8", "replace").decode(), {f"src/{name}": "x\n"})
        plan = trail.box.top.parent / "plan.json"
        assert trail.ar("finalize", "plan", "-o", str(plan)).code == 0

        assert trail.ar("finalize", "apply", str(plan), "--json").code == 0
        assert len(trail.made()) == len(AWKWARD)
        union = {path for commit in trail.made().values() for path in trail.box.files(commit)}
        assert union == {f"src/{name}" for name in AWKWARD}

    def test_modes_links_and_kinds(self, trail: Trail) -> None:
        """An execute bit, a symbolic link, a file that becomes a directory."""
        box = trail.box
        (box.top / "src/run.sh").chmod(0o755)
        trail.keep(9, "mode", {"src/run.sh": "#!/bin/sh\n"})
        (box.top / "src/kernel.c").unlink()
        (box.top / "src/kernel.c").symlink_to("data.bin")
        box.git("add", "src/kernel.c")
        trail.cycles += 1
        commit = box.commit("src/kernel.c")
        trail.foreign(commit, 8, "link")
        (box.top / "src/data.bin").unlink()
        trail.keep(7, "kind", {"src/data.bin/part": "x\n"})

        self.check(trail)

        assert trail.tree("finalized/1-mode")["src/run.sh"].startswith("100755")
        assert trail.tree("finalized/2-link")["src/kernel.c"].startswith("120000")

    def test_a_submodule_goes_like_a_file(self, trail: Trail) -> None:
        """The commit it is at is taken over; it is never looked into."""
        box = trail.box
        box.git("read-tree", f"--index-output={box.top}/.git/side", "HEAD")
        with_module = {"GIT_INDEX_FILE": str(box.top / ".git/side")}
        for call in (
            ["update-index", "--add", "--cacheinfo", f"160000,{'a1' * 20},src/module"],
            [
                "update-index",
                "--add",
                "--cacheinfo",
                f"100644,{box.git('hash-object', '-w', '.env')},.gitmodules",
            ],
        ):
            subprocess.run(["git", *call], cwd=box.top, check=True, env={**os.environ, **with_module})
        tree = subprocess.run(
            ["git", "write-tree"],
            cwd=box.top,
            check=True,
            env={**os.environ, **with_module},
            capture_output=True,
        ).stdout.decode()
        (box.top / ".git/side").unlink()
        commit = box.git("commit-tree", tree.strip(), "-p", box.head, "-m", "a module")
        box.git("update-ref", "HEAD", commit)
        trail.foreign(commit, 9, "module")

        assert planned(trail)["groups"][0]["files"] == [".gitmodules", "src/module"]
        self.check(trail)
        assert trail.tree("finalized/1-module")["src/module"].startswith("160000")

    def test_a_directory_that_moves(self, trail: Trail) -> None:
        """Another run's new file in the old place goes with it; git would move it, or refuse."""
        for name in "ab":
            trail.box.write(f"src/old/{name}", f"{name}\n" * 20)
        trail.base = trail.box.commit("src/old")
        trail.box.git("branch", "-f", "main")
        moved = {f"src/new/{name}": f"{name}\n" * 20 for name in "ab"}
        trail.keep(9, "move", {"src/old/a": None, "src/old/b": None, **moved})
        trail.keep(8, "add", {"src/old/c": "c\n"})
        trail.keep(7, "apart", {"src/kernel.c": "7\n"})

        assert [g["runs"] for g in planned(trail)["groups"]] == [[2, 3], [4]]
        self.check(trail)

    def test_a_detached_head(self, trail: Trail) -> None:
        """There need be no branch."""
        trail.keep(9, "one", {"src/kernel.c": "2\n"})
        trail.box.git("checkout", "-q", "--detach")

        assert planned(trail)["tip_name"] == "HEAD, detached"
        self.check(trail)

    def test_a_linked_worktree(self, trail: Trail) -> None:
        """The session lives in it; the branches are everybody's."""
        trail.keep(9, "one", {"src/kernel.c": "2\n"})
        box = trail.box
        linked = box.top.parent / "linked"
        box.git("worktree", "add", "-q", "-b", "linked", str(linked), "speed")
        (linked / ".auto").mkdir()
        (linked / ".auto/log.jsonl").write_bytes((box.top / ".auto/log.jsonl").read_bytes())

        ran = trail.ar("-C", str(linked), "finalize", "apply")

        assert (ran.code, ran.err) == (0, "")
        assert list(trail.made()) == ["finalized/1-one"]

    def test_a_session_in_a_subdirectory(self, trail: Trail) -> None:
        """Paths are told from the repository's top."""
        box = trail.box
        trail.keep(9, "one", {"src/kernel.c": "2\n"})
        (box.top / "src/.auto").mkdir()
        (box.top / ".auto/log.jsonl").rename(box.top / "src/.auto/log.jsonl")

        ran = trail.ar("-C", str(box.top / "src"), "finalize", "plan", "--json")

        assert json.loads(ran.out)["groups"][0]["files"] == ["src/kernel.c"]
        (box.top / "src/.auto/log.jsonl").rename(box.top / ".auto/log.jsonl")

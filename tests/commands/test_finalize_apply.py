"""`ar finalize apply`: one branch a group, all or none, and nothing else changes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from commands.effects import making_branches as module
from commands.effects.git_queries import read_commit
from eventstore.errors import StorageError
from tests.commands.sandbox import prepared, sandbox
from tests.commands.trail import Trail, planned, trail

__all__ = ["prepared", "sandbox", "trail"]


def planned_head(trail: Trail) -> str:
    """The head of the log as it was before the note."""
    from hashlib import sha256

    lines = (trail.box.top / ".auto/log.jsonl").read_bytes().splitlines()[:-1]
    return f"{len(lines)}:{sha256(lines[-1]).hexdigest()[:32]}"


class TestApply:
    def test_each_group_becomes_a_branch_from_the_base(self, trail: Trail) -> None:
        """With its files as they are at the tip, the gain in its message, by whom git knows."""
        box = trail.box
        trail.keep(9, "cache the parser", {"src/kernel.c": None, "src/core.c": "2\n"})
        trail.discard(12, "no", {"src/core.c": "3\n"})
        trail.keep(8, "data", {"src/data.bin": bytes(reversed(range(256)))})
        before, theirs = trail.refs(), box.snapshot(".")
        index = box.git("ls-files", "-s")

        ran = trail.ar("finalize", "apply")

        assert (ran.code, ran.err) == (0, "")
        made = trail.made()
        assert list(made) == ["finalized/1-cache-the-parser", "finalized/2-data"]
        first, second = (read_commit(box.repo, commit) for commit in made.values())
        assert first.parents == second.parents == (trail.base,)
        assert first.message.startswith("cache the parser\n\nvalue: 10 -> 9 ms (-10.0%)\n")
        assert first.trailers["Ar-Runs"] == "2"
        assert first.trailers["Ar-Head"] == planned_head(trail)
        assert box.git("log", "-1", "--format=%an %ae %cn", first.id) == "A User user@example.com A User"
        assert box.files(first.id) == ["src/core.c", "src/kernel.c"]
        assert box.files(second.id) == ["src/data.bin"]
        assert {**trail.refs(), **dict.fromkeys(f"refs/heads/{name}" for name in made)} == {
            **before,
            **dict.fromkeys(f"refs/heads/{name}" for name in made),
        }
        assert (box.snapshot("."), box.git("ls-files", "-s")) == (theirs, index)
        assert ran.out.splitlines()[-1] == f"together they are speed at {box.head[:12]}"

    def test_it_is_recorded(self, trail: Trail) -> None:
        """As a note that names the branches; the document names them too."""
        trail.keep(9, "x", {"src/kernel.c": "2\n"})

        document = json.loads(trail.ar("finalize", "apply", "--json", "--by", "worker:w").out)

        (note,) = trail.bench.lines("note")
        ((name, commit),) = trail.made().items()
        assert (note["event"], note["by"], note["seq"]) == ("finalized", "worker:w", document["seq"])
        assert note["detail"].startswith(f"{name} ({commit[:12]}); tip {trail.box.head[:12]}, base")
        assert document["branches"] == [
            {"branch": name, "commit": commit, "runs": [2], "files": ["src/kernel.c"]}
        ]

    def test_an_edited_plan_is_carried_out(self, trail: Trail) -> None:
        """Groups merged, renamed, split by file, reworded; what is left out is left out."""
        box = trail.box
        trail.keep(9, "one", {"src/kernel.c": "2\n", "src/extra.c": "2\n"})
        trail.keep(8, "two", {"src/run.sh": "2\n"})
        trail.keep(7, "three", {"src/data.bin": b"3"})
        trail.commit({"docs/a.md": "a\n", "docs/b.md": "b\n"})
        plan = box.top.parent / "plan.json"
        assert trail.ar("finalize", "plan", "--output", str(plan)).code == 1
        document = json.loads(plan.read_text())
        document["groups"] = [
            {"branch": "clean/fast", "message": "Mine\n", "files": ["src/kernel.c"], "runs": [2]},
            {"branch": "clean/extra", "files": ["src/extra.c"]},
            {"branch": "clean/both", "runs": [3, 4]},
        ]
        document["leave"] = ["docs"]
        plan.write_text(json.dumps(document))

        ran = trail.ar("finalize", "apply", str(plan))

        assert (ran.code, ran.err) == (0, "")
        assert box.git("log", "-1", "--format=%B", "clean/fast") == "Mine\n"
        assert box.files("clean/extra") == ["src/extra.c"]
        assert box.files("clean/both") == ["src/data.bin", "src/run.sh"]
        assert box.git("log", "-1", "--format=%s", "clean/both") == "three (and 1 more)"
        assert ran.out.splitlines()[-1].endswith(", but for what was left out: docs/a.md, docs/b.md")

    def test_overlapping_groups_are_refused(self, trail: Trail) -> None:
        """With the file, and the groups to merge."""
        trail.keep(9, "one", {"src/kernel.c": "2\n"})
        trail.keep(8, "two", {"src/kernel.c": "3\n", "src/run.sh": "2\n"})
        document = planned(trail)
        document["groups"] = [{"branch": "x", "runs": [2]}, {"branch": "y", "runs": [3]}]
        plan = Path("plan.json")
        plan.write_text(json.dumps(document))

        ran = trail.ar("finalize", "apply", str(plan.absolute()))

        assert (ran.code, trail.made()) == (2, {})
        assert ran.err == "ar: src/kernel.c is in two groups, x and y\ntry: merge the groups x and y\n"

    def test_changes_of_no_kept_run_are_refused(self, trail: Trail) -> None:
        """Unless they are to be a branch, or to be left out."""
        trail.keep(9, "one", {"src/kernel.c": "2\n"})
        own = trail.commit({"docs/a.md": "a\n"}, "words")

        refused = trail.ar("finalize", "apply")
        none = trail.made()
        left = trail.ar("finalize", "apply", "--others", "leave", "--json")
        other = trail.ar("finalize", "apply", "--others", "branch", "--json")

        assert (refused.code, none) == (2, {})
        assert f'1 changed file is of no kept run: docs/a.md ({own[:12]} "words", of no run)' in refused.err
        assert json.loads(left.out)["left"] == ["docs/a.md"]
        assert [each["branch"] for each in json.loads(other.out)["branches"]] == [
            "finalized-2/1-one",
            "finalized-2/2-other-changes",
        ]

    def test_no_branch_is_overwritten(self, trail: Trail) -> None:
        """One of that name is a conflict, and stays."""
        trail.keep(9, "one", {"src/kernel.c": "2\n"})
        trail.box.git("branch", "mine/1-one", "v1")
        before = trail.refs()

        ran = trail.ar("finalize", "apply", "--prefix", "mine")

        assert (ran.code, ran.err) == (
            3,
            "ar: there is a branch mine/1-one already\ntry: name the group otherwise\n",
        )
        assert trail.refs() == before

    def test_a_plan_for_another_commit_is_a_conflict(self, trail: Trail) -> None:
        """It is made anew."""
        trail.keep(9, "one", {"src/kernel.c": "2\n"})
        plan = trail.box.top.parent / "plan.json"
        trail.ar("finalize", "plan", "-o", str(plan))
        trail.keep(8, "two", {"src/kernel.c": "3\n"})

        ran = trail.ar("finalize", "apply", str(plan))

        assert (ran.code, trail.made()) == (3, {})
        assert "try: plan anew" in ran.err

    def test_a_plan_is_never_written_over_a_file(self, trail: Trail) -> None:
        """Whatever it holds."""
        trail.keep(9, "one", {"src/kernel.c": "2\n"})
        plan = trail.box.top.parent / "plan.json"
        plan.write_text("mine")

        ran = trail.ar("finalize", "plan", "-o", str(plan))

        assert (ran.code, plan.read_text()) == (3, "mine")

    @pytest.mark.parametrize(
        ("text", "code", "said"),
        [
            ("", 2, "is no plan"),
            ("[]", 2, "is no plan"),
            ('{"base":"x","tip":"y","groups":[{}],"segment":0}', 2, "is no plan"),
            ('{"base":"nowhere","tip":"y","groups":[],"segment":0}', 4, "no commit is named nowhere"),
            ('{"base":"v1","tip":"y","groups":[],"segment":7}', 2, "there is no segment 7"),
            ('{"base":"v1","tip":"y","groups":[],"segment":-1}', 2, "is no plan"),
        ],
    )
    def test_what_is_no_plan(self, trail: Trail, text: str, code: int, said: str) -> None:
        """Is told in one line."""
        plan = trail.box.top.parent / "plan.json"
        plan.write_text(text)

        ran = trail.ar("finalize", "apply", str(plan))

        assert ran.code == code
        assert said in ran.err

    @pytest.mark.parametrize("name", ["a..b", "-x", "HEAD", "a b", "x.lock", "a\0b", "", "é\n", "@{-1}"])
    def test_a_name_that_git_refuses(self, trail: Trail, name: str) -> None:
        """Is refused before anything is made."""
        trail.keep(9, "one", {"src/kernel.c": "2\n"})
        document = planned(trail)
        document["groups"][0]["branch"] = name
        plan = trail.box.top.parent / "plan.json"
        plan.write_text(json.dumps(document))
        before = trail.refs()

        ran = trail.ar("finalize", "apply", str(plan))

        assert (ran.code, trail.refs()) == (2, before)
        assert "is no name of a branch" in ran.err

    def test_options_and_a_plan_exclude_each_other(self, trail: Trail) -> None:
        """The plan says it already."""
        assert trail.ar("finalize", "apply", "x.json", "--base", "main").code == 2
        missing = trail.ar("finalize", "apply", "x.json")
        assert (missing.code, missing.err.splitlines()[0]) == (2, "ar: there is no x.json")

    def test_it_waits_for_nobody_who_works_on_the_tree(self, trail: Trail) -> None:
        """A loop at work is a conflict."""
        from commands.effects.tree_lock import tree_locked

        with tree_locked(trail.bench.ground.session.tree_lock):
            ran = trail.ar("finalize", "apply")

        assert ran.code == 3
        assert "is at work on this working tree" in ran.err

    def test_a_log_by_itself_is_no_session(self, trail: Trail) -> None:
        """There is no tree that belongs to it."""
        copy = trail.box.top.parent / "copy.jsonl"
        copy.write_bytes((trail.box.top / ".auto/log.jsonl").read_bytes())

        assert trail.ar("--log", str(copy), "finalize", "plan").code == 2

    def test_hooks_do_not_run_and_nothing_is_signed(self, trail: Trail) -> None:
        """Whatever git is told to do with commits and references."""
        box = trail.box
        trail.keep(9, "one", {"src/kernel.c": "2\n"})
        for hook in ("reference-transaction", "pre-commit", "post-commit", "commit-msg"):
            box.write(f".git/hooks/{hook}", "#!/bin/sh\ntouch ../hooked\nexit 1\n", 0o755)
        box.git("config", "commit.gpgSign", "true")
        box.git("config", "gpg.program", "/bin/false")

        assert trail.ar("finalize", "apply").code == 0
        assert not (box.top.parent / "hooked").exists()
        assert "gpgsig" not in box.git("cat-file", "commit", "finalized/1-one")


class TestFailures:
    def test_a_failing_record_takes_the_branches_back(
        self, trail: Trail, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Only where they are as they were made: what somebody built upon one stays."""
        trail.keep(9, "one", {"src/kernel.c": "2\n"})
        trail.keep(8, "two", {"src/run.sh": "2\n"})
        before = trail.refs()
        moved: list[str] = []

        def fail(*argv: object) -> None:
            moved.append(trail.box.git("commit-tree", "HEAD^{tree}", "-p", "finalized/2-two", "-m", "x"))
            trail.box.git("update-ref", "refs/heads/finalized/2-two", moved[0])
            raise StorageError("the disk is full", "make room")

        monkeypatch.setattr("commands.finalize.enter", fail)

        ran = trail.ar("finalize", "apply")

        assert (ran.code, ran.err.splitlines()[0]) == (4, "ar: the disk is full")
        assert trail.refs() == {**before, "refs/heads/finalized/2-two": moved[0]}

    def test_a_branch_that_comes_meanwhile_is_nobody_s_to_remove(
        self, trail: Trail, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Then none is made."""
        trail.keep(9, "one", {"src/kernel.c": "2\n"})
        trail.keep(8, "two", {"src/run.sh": "2\n"})
        create = module._create

        def late(*argv: Any) -> None:
            trail.box.git("branch", "finalized/2-two", "v1")
            create(*argv)

        monkeypatch.setattr(module, "_create", late)

        ran = trail.ar("finalize", "apply")

        assert ran.code == 3
        assert "somebody else made a branch finalized/2-two meanwhile" in ran.err
        assert trail.made() == {"finalized/2-two": trail.box.git("rev-parse", "v1")}
        assert trail.bench.lines("note") == []

    def test_what_cannot_be_taken_back_is_named(self, trail: Trail, monkeypatch: pytest.MonkeyPatch) -> None:
        """With the way out."""
        trail.keep(9, "one", {"src/kernel.c": "2\n"})

        def fail(*argv: object) -> None:
            (trail.box.top / ".git/refs/heads/finalized/1-one.lock").touch()
            raise StorageError("the disk is full", "make room")

        monkeypatch.setattr("commands.finalize.enter", fail)
        monkeypatch.setattr("commands.effects.git._ALWAYS", ("core.filesRefLockTimeout=10",))

        ran = trail.ar("finalize", "apply")

        assert ran.code == 4
        assert "could neither be finished nor taken back (finalized/1-one)" in ran.err
        assert "try: git branch -D finalized/1-one" in ran.err
        (trail.box.top / ".git/refs/heads/finalized/1-one.lock").unlink()

    def test_commits_that_are_not_as_planned_never_become_branches(
        self, trail: Trail, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """What was written is read back before it is used."""
        trail.keep(9, "one", {"src/kernel.c": "2\n"})
        monkeypatch.setattr(
            module, "_tree", lambda repo, base, wanted: trail.box.git("rev-parse", "v1^{tree}")
        )

        ran = trail.ar("finalize", "apply")

        assert (ran.code, trail.made()) == (4, {})
        assert "finalized/1-one does not hold what its group says" in ran.err

    def test_git_must_know_who_commits(self, trail: Trail) -> None:
        """Told before anything is made."""
        trail.keep(9, "one", {"src/kernel.c": "2\n"})
        trail.box.git("config", "--unset", "user.email")
        trail.box.git("config", "user.useConfigOnly", "true")

        ran = trail.ar("finalize", "apply")

        assert (ran.code, trail.made()) == (4, {})
        assert "git config user.email" in ran.err

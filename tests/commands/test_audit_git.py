"""`ar audit` in git: heads, commits, rollbacks and what measures, each of them tampered with."""

from __future__ import annotations

import json
import shutil
import subprocess

from eventstore.events import Config
from eventstore.filelog import FileLog
from tests.commands.audited import Case, Line, case, of, recorded, run
from tests.commands.sandbox import prepared

__all__ = ["case", "prepared", "recorded"]


def anew(case: Case, timestamp: int) -> None:
    """Another log in the place of this one, begun then."""
    case.log.unlink()
    config = Config(name="anew", metricName="value", bestDirection="lower", timestamp=timestamp)
    FileLog(case.log, by="user").append([config])


class TestHeads:
    def test_a_log_whose_end_was_cut_off(self, case: Case) -> None:
        """The chain cannot show it; the commits that came later do."""
        lines = case.log.read_text().splitlines(keepends=True)
        kept = run(case.lines(), 2)["seq"]
        case.log.write_text("".join(lines[:kept]))

        assert case.ar("verify").code == 0
        document = case.audit(1)

        gone = [each for each in document["findings"] if each["kind"] == "gone"]
        assert len(gone) == 4  # cycles 2 to 5
        what = "of cycle 2 was made while this log was kept, and no line tells of it any more"
        assert what in gone[-1]["message"]
        assert document["checked"]["heads"] == 1

    def test_a_log_that_was_emptied(self, case: Case) -> None:
        """Not a line is left, and all commits of cycles speak against it."""
        case.log.write_bytes(b"")

        document = case.audit(1)

        assert {(each["level"], each["kind"]) for each in document["findings"]} == {("error", "gone")}
        assert len(document["findings"]) == 5

    def test_an_earlier_session_s_commits_are_not_held_against_a_new_one(self, case: Case) -> None:
        """Its log is gone, which is worth knowing."""
        anew(case, 4_000_000_000_000)

        assert case.found() == [("warning", "heads", "earlier")]

    def test_another_session_s_heads_are_its_own(self, case: Case) -> None:
        """Of the same repository, in a directory or a working tree of its own."""
        box = case.box
        other = box.top / "tasks/other/.auto"
        other.mkdir(parents=True)
        shutil.copy(case.log, other / "log.jsonl")
        anew(case, 1)
        in_a_folder = case.found()
        side = box.top.parent / "side"
        box.git("worktree", "add", "-q", "--detach", str(side), "main")
        (side / ".auto").mkdir()
        shutil.move(other / "log.jsonl", side / ".auto/log.jsonl")

        assert in_a_folder == case.found() == []

    def test_commits_of_another_machine_that_were_merged(self, case: Case) -> None:
        """Are no sign that lines are gone."""
        box = case.box
        box.git("switch", "-q", "-c", "trunk", "main")
        box.git("merge", "-q", "--no-ff", "--no-edit", "speed")
        anew(case, 1)

        assert case.found() == [("warning", "heads", "elsewhere")]


def _rewritten(
    case: Case, commit: str, tree: str | None = None, parent: str | None = None, message: str | None = None
) -> str:
    """Another commit in the place of this one: other tree, parent or message."""
    box = case.box
    words = message if message is not None else box.git("log", "-1", "--format=%B", commit)
    made = tree or box.git("rev-parse", f"{commit}^{{tree}}")
    return box.git("commit-tree", made, "-p", parent or f"{commit}~", "-m", words)


class TestGit:
    def renamed(self, case: Case, old: str, new: str) -> None:
        """The log as if the one commit had been the other."""
        text = case.log.read_text().replace(old, new).replace(old[:7], new[:7])
        case.log.write_text(text)
        case.rewrite(lambda lines: None)

    def test_a_kept_commit_that_is_gone(self, case: Case) -> None:
        """The gain cannot be shown any more."""
        self.renamed(case, of(case.lines(), "committed", 5)["commit"], "0" * 40)

        assert ("error", "git", "missing") in case.found()

    def test_what_was_rolled_back_may_be_pruned(self, case: Case) -> None:
        """Nobody needs it; it is said all the same."""
        self.renamed(case, of(case.lines(), "committed", 2)["commit"], "0" * 40)

        assert case.found("git") == [("warning", "git", "missing")]

    def test_a_commit_on_another_parent(self, case: Case) -> None:
        """Was not measured against what the log says."""
        commit = of(case.lines(), "committed", 5)["commit"]
        self.renamed(case, commit, _rewritten(case, commit, parent="main"))

        assert ("error", "git", "parent") in case.found()

    def test_a_commit_that_holds_other_files(self, case: Case) -> None:
        """Than the log says, or than it may."""
        box = case.box
        commit = of(case.lines(), "committed", 5)["commit"]
        (box.top / "README.md").write_text("more\n")
        box.git("add", "README.md")
        self.renamed(case, commit, _rewritten(case, commit, tree=box.git("write-tree")))

        found = case.found("git")
        assert ("error", "git", "files") in found
        assert ("error", "git", "outside") in found

    def test_a_commit_without_its_trailer(self, case: Case) -> None:
        """Is what a hook of the user's may leave; or of another cycle."""
        commit = of(case.lines(), "committed", 5)["commit"]
        self.renamed(case, commit, _rewritten(case, commit, message="words"))

        assert ("warning", "git", "trailer") in case.found()

    def test_a_rollback_that_is_none(self, case: Case) -> None:
        """Its tree is not that of before, or it was made elsewhere."""
        lines = case.lines()
        undone = of(lines, "reverted", 2)["revert_commit"]
        commit = of(lines, "committed", 2)["commit"]
        fake = _rewritten(case, undone, tree=case.box.git("rev-parse", f"{commit}^{{tree}}"))
        self.renamed(case, undone, fake)
        half = case.found("git")
        self.renamed(case, fake, _rewritten(case, undone, parent="main"))

        assert ("error", "git", "rollback") in half
        assert ("error", "git", "rollback") in case.found("git")

    def test_a_rollback_without_a_commit(self, case: Case) -> None:
        """Somebody else did it; nothing proves it any more."""
        case.rewrite(lambda lines: of(lines, "reverted", 2).pop("revert_commit") and None)

        assert ("warning", "git", "rollback") in case.found("git")

    def test_kept_commits_that_head_does_not_lead_to(self, case: Case) -> None:
        """On another branch; or on none, and git will prune them."""
        box = case.box
        box.git("switch", "-q", "main")
        aside = case.found("git")
        box.git("branch", "-D", "-q", "speed")

        assert aside == [("warning", "git", "aside")]
        assert case.found("git") == [("warning", "git", "unreachable")]
        (finding,) = [each for each in case.audit(0)["findings"] if each["kind"] == "unreachable"]
        assert "and 2 more are on no branch" in finding["message"]

    def test_changes_that_nobody_measured(self, case: Case) -> None:
        """Between two cycles, and after the last one; outside of the assets they do not matter."""
        box = case.box
        box.write("README.md", "other words\n")
        box.commit("README.md")
        beside = case.found()
        box.write("src/kernel.c", "by hand\n")
        box.commit("src/kernel.c")
        drifted = case.found("git")
        box.write("src/value", "5\n")
        assert case.ar("cycle", "-m", "five").code == 0

        assert beside == []
        assert drifted == [("warning", "git", "drift")]
        assert case.found("git") == [("warning", "git", "unmeasured")]
        (finding,) = case.audit(0)["findings"]
        assert finding["message"] == "src/kernel.c changed between cycle 5 and cycle 6, unmeasured"

    def test_a_part_of_the_history_only(self, case: Case) -> None:
        """What a shallow clone does not have is not held against the log, but told."""
        clone = case.box.top.parent / "clone"
        url = f"file://{case.box.top}"
        subprocess.run(["git", "clone", "-q", "--depth=2", "-b", "speed", url, str(clone)], check=True)
        (clone / ".auto").mkdir()
        shutil.copy(case.log, clone / ".auto/log.jsonl")

        document = json.loads(case.ar("-C", str(clone), "audit", "--json").out)

        assert document["ok"]
        assert [each["source"] for each in document["unchecked"]] == ["git"]
        assert "a part of the history only" in document["unchecked"][0]["reason"]


class TestHarness:
    def test_a_benchmark_that_was_another_one_at_a_kept_commit(self, case: Case) -> None:
        """The number is not one of the agreed measure."""
        box = case.box
        commit = of(case.lines(), "committed", 5)["commit"]
        (box.top / "bench.sh").write_text("echo 1\n")
        box.git("add", "bench.sh")
        fake = _rewritten(case, commit, tree=box.git("write-tree"))
        TestGit().renamed(case, commit, fake)

        document = case.audit(1)

        changed = [each for each in document["findings"] if each["source"] == "harness"]
        assert [each["level"] for each in changed] == ["error", "warning"]
        assert "bench.sh, which measures, is another one in the commit of kept run 6" in changed[0]["message"]

    def test_one_that_is_another_one_now(self, case: Case) -> None:
        """Is worth knowing: nothing would be kept."""
        case.box.write("bench.sh", "echo 1\n")

        assert case.found() == [("warning", "harness", "changed")]

    def test_one_that_was_committed_later_as_it_was(self, case: Case) -> None:
        """Is the one that was agreed on, whatever stood in git at first."""
        from hashlib import sha256

        box = case.box
        text = "cat  src/value\n"
        box.write("bench.sh", text)
        box.commit("bench.sh")
        config = of(case.lines(), "config")
        digest = sha256(text.encode()).hexdigest()

        def agree(lines: list[Line]) -> None:
            of(lines, "config")["harness"] = {"bench.sh": digest}

        assert config["harness"]["bench.sh"] != digest
        case.rewrite(agree)
        box.write("src/value", "5\n")
        assert case.ar("cycle", "-m", "five", "--allow-dirty").code == 0

        assert case.found("harness", "git") == []

    def test_one_that_git_does_not_hold(self, case: Case) -> None:
        """Only its present state can be looked at, which is said."""
        case.box.write("own.sh", "x\n")
        from hashlib import sha256

        def add(lines: list[Line]) -> None:
            of(lines, "config")["harness"]["own.sh"] = sha256(b"x\n").hexdigest()

        case.rewrite(add)

        document = case.audit()
        assert document["unchecked"] == [
            {
                "source": "harness",
                "reason": "own.sh: not in git at the baseline, so only the present state is known",
            }
        ]
        assert [each for each in document["findings"] if each["source"] == "harness"] == []

"""`ar finalize plan`: kept runs by the files they touch, and what is not theirs."""

from __future__ import annotations

from typing import Any

import pytest

from eventstore.events import Config, Run, Started
from tests.commands.sandbox import prepared, sandbox
from tests.commands.trail import Trail, planned, trail

__all__ = ["prepared", "sandbox", "trail"]


def remarks(document: dict[str, Any]) -> list[tuple[str, int | None, str | None]]:
    return [(each["kind"], each["run"], each["path"]) for each in document["remarks"]]


class TestPlan:
    def test_kept_runs_are_grouped_by_the_files_they_touch(self, trail: Trail) -> None:
        """Each with its runs, files, gain, a name and a message; discarded ones leave no trace."""
        trail.keep(9, "cache the parser", {"src/kernel.c": "2\n"})
        trail.keep(8, "unroll", {"src/run.sh": "#!/bin/sh\n# 8\n"})
        trail.discard(12, "too clever", {"src/kernel.c": "3\n", "src/clever.c": "x\n"})
        trail.keep(6, "arena", {"src/kernel.c": "4\n", "src/arena.c": "new\n"})

        document = planned(trail)

        assert document["base"] == trail.base
        assert (document["base_name"], document["tip_name"], document["segment"]) == ("main", "speed", 0)
        assert [(g["branch"], g["runs"], g["files"]) for g in document["groups"]] == [
            ("finalized/1-arena", [2, 5], ["src/arena.c", "src/kernel.c"]),
            ("finalized/2-unroll", [3], ["src/run.sh"]),
        ]
        first, second = document["groups"]
        assert (first["before"], first["after"], first["change"], first["apart"]) == (10, 6, -3, True)
        assert (second["before"], second["after"], second["change"]) == (9, 8, -1)
        assert (document["uncovered"], document["remarks"]) == ([], [])

    def test_people_see_the_same(self, trail: Trail) -> None:
        """In a few lines, with what to do next."""
        trail.keep(9, "cache the parser", {"src/kernel.c": None, "src/core.c": "2\n"})

        ran = trail.ar("finalize", "plan")

        assert (ran.code, ran.err) == (0, "")
        assert ran.out.splitlines()[:2] == [
            f"base  {trail.base[:12]}  main",
            f"tip   {trail.box.head[:12]}  speed",
        ]
        assert ran.out.splitlines()[3:] == [
            "1  finalized/1-cache-the-parser",
            "   runs   2",
            "   value  10 -> 9 ms (-10.0%)",
            "   files  src/core.c (new), src/kernel.c (gone)",
            "",
            "1 branch; ar finalize apply makes them",
        ]

    def test_it_changes_nothing(self, trail: Trail) -> None:
        """No reference, no line of the log, no file."""
        trail.keep(9, "x", {"src/kernel.c": "2\n"})
        before = (trail.refs(), len(trail.bench.lines()), trail.box.snapshot("."))

        planned(trail)

        assert (trail.refs(), len(trail.bench.lines()), trail.box.snapshot(".")) == before

    def test_a_branch_without_kept_changes_is_an_answer(self, trail: Trail) -> None:
        """The answer is no."""
        ran = trail.ar("finalize", "plan")
        applied = trail.ar("finalize", "apply")

        assert (ran.code, ran.out.splitlines()[-1]) == (1, "no kept run has a change on this branch")
        assert (applied.code, applied.err.splitlines()[0]) == (2, "ar: there is nothing to make a branch of")

    def test_files_of_nobody_s_run_are_named_with_their_commits(self, trail: Trail) -> None:
        """Also those of a discarded run that were never taken back."""
        trail.keep(9, "x", {"src/kernel.c": "2\n"})
        own = trail.commit({"docs/notes.md": "notes\n"}, "write notes")
        stuck = trail.discard(12, "left behind", {"src/left.c": "x\n"}, gone=False)

        document = planned(trail)
        ran = trail.ar("finalize", "plan")

        assert [(u["path"], u["fate"], u["commits"][0]["commit"]) for u in document["uncovered"]] == [
            ("docs/notes.md", "added", own),
            ("src/left.c", "added", stuck),
        ]
        assert [(u["commits"][0]["run"], u["commits"][0]["status"]) for u in document["uncovered"]] == [
            (None, None),
            (3, "discard"),
        ]
        assert f'open: docs/notes.md (new): {own[:12]} "write notes"\n' in ran.out
        assert "of run 3 (discard)" in ran.out
        assert ran.out.splitlines()[-2].startswith("NOT COVERED  2 files are of no kept run")

    def test_what_is_worth_knowing_is_said(self, trail: Trail) -> None:
        """Undone changes, files shared with others' commits, files outside of the assets."""
        gone = trail.keep(9, "gone again", {"src/kernel.c": "2\n"})
        trail.take_back(gone)
        trail.keep(8, "half", {"src/half.c": "1\n", "src/other.c": "1\n"})
        trail.commit({"src/half.c": None}, "drop the half")
        trail.keep(7, "abroad", {"README.md": "other\n"})
        trail.commit({"README.md": "and more\n"}, "more words")

        document = planned(trail)

        assert [g["files"] for g in document["groups"]] == [["src/other.c"], ["README.md"]]
        assert remarks(document) == [
            ("no_effect", 2, None),
            ("undone", 3, "src/half.c"),
            ("outside_assets", 4, "README.md"),
            ("shared", None, "README.md"),
        ]

    def test_a_run_that_was_reverted_by_hand_is_not_claimed(self, trail: Trail) -> None:
        """Its file is another kept run's too, whose branch would tell of a gain that is not in it."""
        trail.keep(9, "stays", {"src/kernel.c": "2\n"})
        goes = trail.keep(6, "goes", {"src/kernel.c": "3\n", "src/extra.c": "1\n"})
        trail.take_back(goes)
        revert = trail.box.head

        document = planned(trail)

        group = document["groups"][0]
        assert len(document["groups"]) == 1
        assert (group["runs"], group["files"], group["after"]) == ([2], ["src/kernel.c"], 9)
        assert document["uncovered"] == []
        assert remarks(document) == [("taken_back", 3, None)]
        assert revert[:12] in document["remarks"][0]["detail"]
        assert trail.ar("finalize", "apply").code == 0

        trail.take_back(revert)
        again = planned(trail, "--prefix", "again")

        assert [(each["runs"], each["after"]) for each in again["groups"]] == [([2, 3], 6)]
        assert again["remarks"] == []

    def test_session_files_are_left_out(self, trail: Trail) -> None:
        """By any of their names, also where a kept run's commit holds them."""
        box = trail.box
        files = {
            ".auto/prompt.md": "go\n",
            "autoresearch.md": "go\n",
            "autoresearch.hooks/before.sh": "exit\n",
            "autoresearch-results.tsv": "x\n",
            "sub/autoresearch-results.tsv": "x\n",
            "src/autoresearch.md": "not one: it is in no session's place\n",
        }
        for path, content in files.items():
            box.write(path, content)
        box.git("add", "-f", ".auto/prompt.md")
        trail.keep(9, "all at once", {path: content for path, content in files.items() if path[0] != "."})

        document = planned(trail)

        assert document["groups"][0]["files"] == ["src/autoresearch.md"]
        assert document["session_files"] == sorted(set(files) - {"src/autoresearch.md", ".auto/prompt.md"})

    def test_each_segment_is_planned_for_itself(self, trail: Trail) -> None:
        """The current one, another, or all; what others kept is uncovered, and told whose."""
        trail.keep(9, "first", {"src/kernel.c": "2\n"})
        config = Config(
            name="anew", metricName="value", metricUnit="s", bestDirection="lower", assets=("src",)
        )
        trail.bench.add(config, Run(run=3, commit=trail.box.head[:7], metric=5, status="keep"))
        trail.runs += 1
        trail.keep(4, "second", {"src/run.sh": "2\n"})

        current, earlier = planned(trail), planned(trail, "--segment", "0")
        whole = planned(trail, "--segment", "all")

        assert [g["runs"] for g in current["groups"]] == [[4]]
        assert current["uncovered"][0]["commits"][0]["run"] == 2
        assert [g["runs"] for g in earlier["groups"]] == [[2]]
        assert [g["runs"] for g in whole["groups"]] == [[2], [4]]
        assert (current["segment"], earlier["segment"], whole["segment"]) == (1, 0, None)
        assert "- run 2: 10 -> 9 ms (-10.0%) first" in whole["groups"][0]["message"]
        assert "- run 4: 5 -> 4 s (-20.0%) second" in whole["groups"][1]["message"]

    @pytest.mark.parametrize("segment", ["2", "-1", "x", "9" * 20])
    def test_a_segment_that_there_is_not(self, trail: Trail, segment: str) -> None:
        """Is bad input."""
        ran = trail.ar("finalize", "plan", f"--segment={segment}")

        assert ran.code == 2
        assert "segment" in ran.err

    def test_an_open_cycle_is_finished_first(self, trail: Trail) -> None:
        """Its commit is nobody's yet."""
        trail.bench.add(Started(cycle=1, parent=trail.base))

        for verb in ("plan", "apply"):
            ran = trail.ar("finalize", verb)
            assert (ran.code, ran.err) == (3, "ar: cycle 1 is not finished\ntry: ar cycle --resume\n")

    def test_a_rebase_in_progress_is_finished_first(self, trail: Trail) -> None:
        """HEAD is not the branch's end then."""
        (trail.box.top / ".git/rebase-merge").mkdir()

        ran = trail.ar("finalize", "plan")

        assert ran.code == 4
        assert "a rebase is in progress" in ran.err
        (trail.box.top / ".git/rebase-merge").rmdir()


class TestForeign:
    """Runs of programs that name a commit, and no more."""

    def test_abbreviated_commits_are_found(self, trail: Trail) -> None:
        """The baseline's own commit is no change."""
        setup = trail.commit({"autoresearch.md": "x\n"}, "set up")
        config = Config(name="pi", metricName="s", bestDirection="lower")
        trail.bench.add(config)
        trail.foreign(setup[:7], 50, "baseline")
        trail.foreign(trail.commit({"lib/a.py": "1\n"})[:7], 40, "faster")
        trail.foreign(trail.commit({"lib/b.py": "1\n"})[:9], 30, "faster still")

        document = planned(trail)

        assert [(g["runs"], g["files"]) for g in document["groups"]] == [
            ([3], ["lib/a.py"]),
            ([4], ["lib/b.py"]),
        ]
        assert document["uncovered"] == []

    def test_commits_that_are_not_to_be_had_are_reported(self, trail: Trail) -> None:
        """Missing, unknown, no name of a commit at all, on another branch, in the base, named twice."""
        box = trail.box
        box.git("switch", "-q", "-c", "aside")
        aside = trail.commit({"src/aside.c": "x\n"})
        box.git("switch", "-q", "speed")
        real = trail.commit({"src/real.c": "x\n"})
        trail.foreign(None, 9, "none")
        trail.foreign("0000000", 8, "unknown")
        trail.foreign("main", 7, "a branch's name")
        trail.foreign(aside[:7], 6, "elsewhere")
        trail.foreign(trail.base[:7], 5, "before")
        trail.foreign(real[:7], 4, "real")
        trail.foreign(real[:8], 3, "nothing changed")

        document = planned(trail)

        assert remarks(document) == [
            ("no_commit", 2, None),
            ("unknown_commit", 3, None),
            ("unknown_commit", 4, None),
            ("not_on_branch", 5, None),
            ("in_base", 6, None),
            ("same_commit", 8, None),
        ]
        assert [(g["runs"], g["files"]) for g in document["groups"]] == [([7], ["src/real.c"])]
        assert document["remarks"][0]["detail"] == "run 2 names no commit"

    def test_a_rebased_branch_is_recognised(self, trail: Trail) -> None:
        """By the trailer of the commits that cycles make."""
        box = trail.box
        box.git("stash", "-q")
        trail.bench.value(8)
        assert trail.ar("cycle", "-m", "eight", "--allow-dirty").code == 0
        box.git("switch", "-q", "main")
        trail.commit({"README.md": "moved on\n"}, "main moves on")
        moved = box.head
        box.git("switch", "-q", "speed")
        box.git("rebase", "-q", "main")
        box.git("stash", "pop", "-q", "--index")

        document = planned(trail)

        assert document["base"] == moved
        assert [(g["runs"], g["files"]) for g in document["groups"]] == [([2], ["src/value"])]
        assert (document["uncovered"], document["remarks"]) == ([], [])

    def test_runs_that_were_logged_with_their_change(self, trail: Trail) -> None:
        """`ar log` commits a keep: also the very first one is a change then."""
        trail.box.git("stash", "-q")
        trail.bench.add(Config(name="anew", metricName="value", bestDirection="lower", assets=("src",)))
        trail.bench.value(7)
        assert trail.ar("log", "--status", "keep", "--metric", "7", "-m", "seven").code == 0
        trail.box.git("stash", "pop", "-q", "--index")

        document = planned(trail)

        assert [(g["runs"], g["files"], g["change"]) for g in document["groups"]] == [
            ([2], ["src/value"], None)
        ]


class TestBase:
    def test_another_one_can_be_named(self, trail: Trail) -> None:
        """A commit, a tag or a branch: where this one left it."""
        trail.keep(9, "x", {"src/kernel.c": "2\n"})
        later = trail.box.head
        trail.keep(8, "y", {"src/run.sh": "2\n"})

        document = planned(trail, "--base", later[:10])
        ran = trail.ar("finalize", "plan", "--base", "nowhere")

        assert document["base"] == later
        assert [g["runs"] for g in document["groups"]] == [[3]]
        assert remarks(document) == [("in_base", 2, None)]
        assert (ran.code, ran.err.splitlines()[0].startswith("ar: no commit is named nowhere")) == (4, True)

    def test_on_the_trunk_itself_it_is_the_session_s_beginning(self, trail: Trail) -> None:
        """Where the baseline was measured."""
        trail.keep(9, "x", {"src/kernel.c": "2\n"})
        trail.box.git("branch", "-f", "main", "speed")
        trail.box.git("switch", "-q", "main")

        document = planned(trail)

        assert (document["base"], document["base_name"]) == (trail.base, "the session's beginning")
        assert [g["runs"] for g in document["groups"]] == [[2]]

    def test_without_a_trunk_too(self, trail: Trail) -> None:
        """A repository of one branch of any name."""
        trail.box.git("branch", "-D", "main")
        trail.keep(9, "x", {"src/kernel.c": "2\n"})

        assert planned(trail)["base"] == trail.base

    def test_where_it_cannot_be_told_it_is_asked_for(self, trail: Trail) -> None:
        """Never guessed."""
        trail.box.git("branch", "-D", "main")
        log = trail.box.top / ".auto/log.jsonl"
        log.write_text(log.read_text().replace(trail.base[:7], "0000000"))

        ran = trail.ar("finalize", "plan")

        assert (ran.code, "--base COMMIT" in ran.err) == (4, True)

    def test_the_trunk_is_what_origin_says(self, trail: Trail) -> None:
        """Under any name, here or there, whichever is nearer."""
        box = trail.box
        trail.commit({"src/kernel.c": "prepared\n"})
        prepared_at = box.head
        box.git("branch", "develop")
        box.git("update-ref", "refs/remotes/origin/develop", trail.base)
        box.git("symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/develop")
        trail.keep(9, "x", {"src/run.sh": "2\n"})

        document = planned(trail)

        assert (document["base"], document["base_name"]) == (prepared_at, "develop")

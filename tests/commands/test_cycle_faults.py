"""`ar cycle` where things go wrong: the repository, the change, the commands, other people.

The `sandbox` fixture asserts after every case that the user's work elsewhere is byte for byte as it was.
"""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from commands.effects.tree_lock import tree_locked
from eventstore.events import Committed, Config, Proposal, Settings, Started
from hooks.pids import is_alive
from tests.commands.bench import BASELINE, MEASURE, Bench, bench
from tests.commands.conftest import Ar, environment, process
from tests.commands.sandbox import AWKWARD, Sandbox, prepared, sandbox

__all__ = ["bench", "prepared", "sandbox"]

TAKEN_BACK = ["proposal", "started", "committed", "measured", "run", "reverted"]


def measured_by(bench: Bench, **changed: object) -> None:
    """Another segment, whose first run is its baseline."""
    config = {"name": "x", "metricName": "value", "bestDirection": "lower", "assets": ("src",), "samples": 1}
    bench.add(Config(**{**config, "measure": MEASURE, **changed}))  # type: ignore[arg-type]


class TestRepository:
    def test_it_is_not_set_up(self, ar: Ar, tmp_path: Path, plain_git: None) -> None:
        """Neither a session without a metric command nor one outside of a repository has cycles."""
        ar("init", "x", "--metric", "m", "--unit", "", "--direction", "lower")
        outside = ar("cycle", "-m", "x")
        subprocess.run(["git", "init", "-q"], check=True)
        unmeasured = ar("cycle", "-m", "x")

        assert (outside.code, outside.err.splitlines()[0][:53]) == (
            4,
            "ar: not in a working tree of a git repository (" + str(tmp_path)[:6],
        )
        assert (unmeasured.code, "ar init --measure CMD" in unmeasured.err) == (2, True)

    def test_hooks_signing_and_a_detached_head_are_no_matter(self, bench: Bench) -> None:
        """Our commits run no hooks and are not signed, unless they are wanted; no branch moves."""
        box = bench.box
        box.git("checkout", "-q", "--detach")
        branch = box.git("rev-parse", "main")
        box.git("config", "commit.gpgSign", "true")
        box.write(".git/hooks/pre-commit", "#!/bin/sh\nexit 1\n", 0o755)
        bench.value(12)

        wanted = bench.ar("cycle", "-m", "x", "--git-hooks")
        ran = bench.ar("cycle", "--resume")

        assert (wanted.code, ran.code, bench.kinds()) == (4, 0, TAKEN_BACK)
        assert box.git("rev-parse", "main") == branch

    def test_a_root_commit_is_a_parent_like_any_other(self, bench: Bench) -> None:
        """What was added on it goes again."""
        box = bench.box
        root = box.git("commit-tree", "HEAD^{tree}", "-m", "root")
        box.git("update-ref", "HEAD", root)
        bench.value(12)

        assert bench.ar("cycle", "-m", "x").code == 0
        assert box.git("rev-parse", "HEAD^{tree}") == box.git("rev-parse", f"{root}^{{tree}}")

    def test_what_is_begun_has_to_be_ended_first(self, bench: Bench) -> None:
        """A merge in progress; nothing is written."""
        bench.value(3)
        (Path(bench.box.repo.git_dir) / "MERGE_HEAD").write_text(bench.box.head + "\n")

        ran = bench.ar("cycle", "-m", "x")
        (Path(bench.box.repo.git_dir) / "MERGE_HEAD").unlink()

        assert (ran.code, "a merge is in progress" in ran.err, bench.kinds()) == (4, True, [])

    def test_somebody_stages_a_file_meanwhile(self, bench: Bench) -> None:
        """It stays staged, and is in none of our commits."""
        measured_by(bench, measure="echo x > other; git add other; echo 20")
        bench.value(3)

        bench.ar("cycle", "-m", "x")

        assert bench.box.status("other") == "A  other"
        bench.box.git("rm", "-q", "--cached", "other")

    def test_two_at_once(self, bench: Bench) -> None:
        """The second is refused and names who is at work."""
        bench.value(3)
        with tree_locked(bench.ground.session.tree_lock):
            ran = process("cycle", "-m", "x", cwd=bench.box.top)

        assert (ran.code, bench.kinds()) == (3, [])
        assert f"process {os.getpid()}" in ran.err or "another process" in ran.err

    def test_somebody_commits_meanwhile(self, bench: Bench) -> None:
        """Nothing is kept, the rollback cannot be done, all stops; once it is mended by hand it goes on."""
        box = bench.box
        measured_by(bench, measure="git commit -q --allow-empty --only -m theirs; echo 1")
        bench.value(3)

        ran = bench.ar("cycle", "-m", "x")
        again = bench.ar("cycle", "-m", "y")
        bench.value(BASELINE)
        box.commit("src/value")
        mended = bench.ar("cycle", "--resume")

        assert ran.code == 4
        assert "the rollback of" in ran.err
        assert "git revert" in ran.err.splitlines()[-1]
        assert bench.run()["reason"] == "head_moved"
        assert bench.kinds()[-7:] == ["run", *["reverted", "stopped"] * 2, "reverted", "resumed"]
        assert [line["verified"] for line in bench.lines("reverted")] == [False, False, True]
        assert bench.lines("stopped")[0]["reason"] == "rollback_failed"
        assert (again.code, mended.code) == (4, 0)


class TestChange:
    def test_files_of_every_kind_go_and_come(self, bench: Bench) -> None:
        """Odd names, a rename, a deletion, a mode, a symlink: in one commit, and taken back."""
        box = bench.box
        before = box.snapshot("src")
        for name in AWKWARD:
            box.write(f"src/{name}", name.encode("utf-8", "surrogateescape"))
        box.git("mv", "src/kernel.c", "src/moved.c")
        (box.top / "src/run.sh").chmod(0o755)
        (box.top / "src/data.bin").unlink()
        (box.top / "src/link").symlink_to("value")
        bench.value(12)

        ran = bench.ar("cycle", "-m", "x")

        assert ran.code == 0, ran.err
        assert (box.snapshot("src"), box.status("src")) == (before, "")
        assert len(box.files(bench.lines("committed")[0]["commit"])) == len(AWKWARD) + 6

    def test_nothing_is_no_change(self, bench: Bench) -> None:
        """Touched, staged and taken back, or outside of the assets: nothing is written."""
        bench.box.write("src/kernel.c", "int f(void) { return 1; }\n")
        nothing = bench.ar("cycle", "-m", "x")
        bench.box.write("other", "x")
        outside = bench.ar("cycle", "-m", "x")

        assert (nothing.code, "nothing has changed inside the assets (src)" in nothing.err) == (2, True)
        assert (outside.code, "changed outside the assets: other" in outside.err) == (2, True)
        assert bench.kinds() == []

    def test_what_is_outside_may_be_the_users(self, bench: Bench) -> None:
        """By --allow-dirty; it is in no commit, and known from then on."""
        bench.box.write("other", "x")
        bench.value(3)
        ran = bench.ar("cycle", "-m", "x", "--allow-dirty")
        bench.value(2)
        again = bench.ar("cycle", "-m", "y")

        assert (ran.code, again.code) == (0, 0)
        assert bench.box.files("HEAD~1") == ["src/value"]

    def test_words_are_data(self, bench: Bench) -> None:
        """No shell, no trailer, no terminal sees them as anything else."""
        words = "$(touch pwned) `x` 'q' \"\x1b[31m\n\nAr-Cycle: 99"
        bench.value(3)

        ran = bench.ar("cycle", "-m", words, "--hypothesis", words)

        assert "\x1b" not in ran.out
        assert not (bench.box.top / "pwned").exists()
        assert bench.run()["description"] == words
        assert bench.box.git("log", "-1", "--format=%(trailers:key=Ar-Cycle,valueonly)").strip() == "1"

    def test_no_more_runs_than_allowed(self, bench: Bench) -> None:
        """`maxIterations` counts the runs of whoever records them."""
        bench.box.write(".auto/config.json", '{"maxIterations": 1}')
        bench.value(3)

        ran = bench.ar("cycle", "-m", "x")

        assert (ran.code, "max_iterations" in ran.err, bench.kinds()) == (3, True, [])


class TestCommands:
    @pytest.mark.parametrize(
        ("command", "seconds", "reason"),
        [
            ("true", 60, "no_metric"),
            ("echo 1; exit 5", 60, "exit_5"),
            ("kill -9 $$", 60, "signal_9"),
            ("sleep 60; echo 1", 0.5, "timed_out"),
            ("trap '' TERM; yes | head -c 50000000; echo; echo none", 60, "no_metric"),
        ],
    )
    def test_no_number_is_a_crash(self, bench: Bench, command: str, seconds: float, reason: str) -> None:
        """Said in a word, and rolled back; the log stays small."""
        measured_by(bench, measure=command)
        bench.add(Settings(timeouts={"sample": seconds}))
        bench.value(3)

        ran = bench.ar("cycle", "-m", "x")

        assert (ran.code, bench.run()["reason"]) == (0, reason)
        assert bench.box.read("src/value") == f"{BASELINE}\n".encode()
        assert bench.ground.log.path.stat().st_size < 20_000

    def test_a_daemon_is_ended(self, bench: Bench) -> None:
        """Before anything else starts; its hold on stdout holds nobody."""
        measured_by(bench, measure="setsid sleep 300 & echo $! > ../pid; echo 5")
        bench.value(3)

        bench.ar("cycle", "-m", "x")

        pid = int((bench.box.top.parent / "pid").read_text())
        assert (bench.run()["metric"], is_alive(pid, None)) == (5, False)

    @pytest.mark.parametrize("value", [3, 12])
    def test_what_edits_the_assets_is_saved_and_undone(self, bench: Bench, value: int) -> None:
        """Whether the metric command does it or the constraint, kept or not."""
        measured_by(
            bench,
            measure="echo 0 >> src/kernel.c; cat src/value",
            constraint="echo x > src/left; echo y >> src/value; sed -i '$d' src/value",
        )
        bench.value(10)
        bench.box.write("src/first", "")
        bench.ar("cycle", "-m", "the first")
        bench.value(value)

        ran = bench.ar("cycle", "-m", "x")

        saved = bench.box.top / ".auto/rejected/run-3"
        assert "were saved in" in ran.err
        assert bench.box.status("src") == ""
        assert (saved / "src/left").read_text() == "x\n"
        assert bench.box.read("src/value") == (b"3\n" if value == 3 else b"10\n")

    def test_every_sample_is_one_of_the_commit(self, bench: Bench) -> None:
        """What the constraint, or a sample before, made of its files is undone first and makes no gain."""
        measured_by(
            bench,
            samples=3,
            constraint="echo 1 > src/value",
            measure="cat src/value; echo 2 > src/value",
        )
        for value in (9, 9):
            bench.box.write("src/first", f"{bench.kinds()}")
            bench.value(value)
            ran = bench.ar("cycle", "-m", "x")

        assert bench.lines("measured")[-1]["samples"] == [9, 9, 9]
        assert (bench.run()["status"], bench.run()["reason"]) == ("discard", "equal")
        assert ran.err.count("were saved in") == 1
        assert sorted(os.listdir(bench.box.top / ".auto/rejected")) == [
            *("run-2", "run-2.1", "run-2.2", "run-2.3"),
            *("run-3", "run-3.1", "run-3.2", "run-3.3"),
        ]
        assert bench.box.status("src") == ""

    @pytest.mark.parametrize(
        ("command", "kept"),
        [
            ("rm -r .auto", False),
            ("sed -i 's/10/99/' .auto/log.jsonl", True),
            (": >.auto/log.jsonl", True),
            ("{ rm .auto/log.jsonl; mkfifo .auto/log.jsonl; }", True),
        ],
    )
    def test_the_log_is_put_back(self, bench: Bench, command: str, kept: bool) -> None:
        """A command that deletes or rewrites it gains nothing; the change is rolled back, and it goes on."""
        measured_by(bench, constraint=f"test $(cat src/value) != 9 || {command}")
        bench.box.write("src/first", "")
        bench.ar("cycle", "-m", "the first")
        bench.value(9)
        before = bench.lines()

        ran = bench.ar("cycle", "-m", "x")

        assert ran.code == 0, ran.err
        assert (ran.code, bench.run()["status"], bench.run()["reason"]) == (0, "crash", "log_changed")
        # `rm -r` itself fails where it meets what we have just written, and then nothing is measured.
        told = re.sub(r" \(10 -> 9, -10.0%\)", "", ran.out)
        assert told == "Cycle 2: CRASHED -- x [log_changed]\n"
        assert bench.lines()[: len(before)] == before
        assert (bench.box.status("src"), bench.box.read("src/value")) == ("", b"10\n")
        assert (bench.box.top / ".auto/rejected/run-3/log.jsonl").exists() == kept
        bench.value(8)
        assert bench.ar("cycle", "-m", "y").code == 0
        assert (bench.run()["metric"], bench.ar("verify").code) == (8, 0)

    def test_what_measures_may_not_change(self, bench: Bench) -> None:
        """Nothing is kept, a flag is raised, all stops until a new segment."""
        script = bench.box.write(".auto/measure.sh", "cat src/value\n")
        measured_by(bench, measure="bash .auto/measure.sh", harness={".auto/measure.sh": "0" * 64})
        script.write_text("echo 0\n")
        bench.value(9)

        ran = bench.ar("cycle", "-m", "cheat")
        bench.value(8)
        refused = bench.ar("cycle", "-m", "again")
        kinds = bench.kinds(5)
        bench.value(BASELINE)
        accepted = bench.ar("init", "--new-segment", "--allow-dirty")
        bench.value(9)
        again = bench.ar("cycle", "-m", "again")

        assert (ran.code, bench.lines("run")[1]["reason"]) == (0, "harness")
        assert kinds == [*TAKEN_BACK[:5], "flag", "stopped", "reverted"]
        assert "stop rule: harness" in ran.out
        assert (refused.code, "ar init --new-segment" in refused.err) == (3, True)
        assert (accepted.code, again.code, bench.run()["reason"]) == (0, 0, "equal")


class TestInterrupted:
    def test_ctrl_c_leaves_it_open_and_says_so(self, bench: Bench) -> None:
        """The command is ended at once; `--resume` measures again and ends it."""
        measured_by(bench, measure="touch ../begun; sleep 60; echo 1")
        bench.value(3)
        command = [sys.executable, "-m", "autoresearch_ledger", "cycle", "-m", "x"]
        child = subprocess.Popen(command, cwd=bench.box.top, env=environment(), stderr=subprocess.PIPE)
        while not (bench.box.top.parent / "begun").exists():
            time.sleep(0.02)
        child.send_signal(signal.SIGINT)
        _, err = child.communicate(timeout=30)
        measured_by(bench, measure=MEASURE)
        resumed = bench.ar("cycle", "--resume")

        assert (child.returncode, err) == (
            130,
            b"ar: cycle 1 is interrupted; ar cycle --resume finishes it\n",
        )
        assert resumed.out.startswith("Cycle 1: KEPT")

    def start(self, bench: Bench) -> None:
        bench.value(3)
        started = Started(cycle=1, parent=bench.box.head, files=("src/value",))
        bench.add(Proposal(description="a try"), started)

    def test_the_change_was_taken_back_meanwhile(self, bench: Bench) -> None:
        """The cycle ends as one that came to nothing."""
        self.start(bench)
        bench.value(BASELINE)

        ran = bench.ar("cycle", "--resume")

        assert (ran.code, ran.out) == (0, "Cycle 1: CRASHED -- a try [no_change]\n")
        assert bench.kinds() == ["proposal", "started", "run"]
        assert bench.ar("cycle", "--resume").out == "no cycle is open\n"

    def test_what_was_edited_since_is_not_measured(self, bench: Bench) -> None:
        """Only what is committed counts; the rest is saved."""
        self.start(bench)
        bench.add(
            Committed(
                cycle=1, commit=bench.box.commit("src/value"), parent=bench.lines("started")[1]["parent"]
            )
        )
        bench.value(1)

        ran = bench.ar("cycle", "--resume")

        assert (bench.run()["metric"], bench.box.read("src/value")) == (3, b"3\n")
        assert "run-2" in ran.err
        assert b"+1" in bench.box.read(".auto/rejected/run-2/changes.patch")

    def test_somebody_committed_meanwhile(self, bench: Bench) -> None:
        """The change was never committed: it is saved, and the cycle ends."""
        self.start(bench)
        bench.box.git("commit", "-q", "--allow-empty", "--only", "-m", "theirs")

        ran = bench.ar("cycle", "--resume")

        assert (ran.code, bench.run()["reason"]) == (0, "head_moved")
        assert b"+3" in bench.box.read(".auto/rejected/run-2/changes.patch")
        assert bench.box.status("src") == ""

    def test_the_commit_was_reset_meanwhile(self, bench: Bench) -> None:
        """It is gone, which is what a rollback is about: proved by looking, not by undoing it once more."""
        measured_by(bench, measure="git reset -q --soft HEAD^ && git checkout -q HEAD -- src; echo 1")
        bench.value(3)

        ran = bench.ar("cycle", "-m", "x")

        assert (ran.code, bench.run()["reason"]) == (0, "head_moved")
        assert bench.lines("reverted")[0]["verified"] is True

    def test_a_baseline_that_was_cut_off_is_measured(self, sandbox: Sandbox, ar: Ar) -> None:
        """As if `ar init` had done it; nothing is committed."""
        bench = Bench(sandbox, ar)
        bench.configure()
        measured_by(bench, constraint="true")
        bench.add(Started(cycle=0, parent=sandbox.head))
        head = sandbox.head

        ran = bench.ar("cycle", "--resume")

        assert ran.out == "Cycle 0: KEPT -- baseline [baseline]\n"
        assert (bench.run()["metric"], sandbox.head) == (BASELINE, head)

"""`ar init`: a session, a new segment of it, its limits."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from commands.configuring import Configured, Wanted, config_for, copied_limits, follow_up, settings_for
from commands.errors import BadInputError
from eventstore.events import Config, Run, Settings
from tests.commands.conftest import Ar

GOAL = ("init", "faster", "--metric", "total", "--unit", "ms", "--direction", "lower")


def lines(directory: Path) -> list[dict[str, Any]]:
    """The lines of the session's log."""
    return [json.loads(line) for line in (directory / ".auto" / "log.jsonl").read_text().splitlines()]


def test_a_session_begins(ar: Ar, tmp_path: Path) -> None:
    """With its config, in pi's names."""
    ran = ar(*GOAL)

    assert (ran.code, ran.err) == (0, "")
    assert ran.out == "config  faster  total (ms), lower is better\nlog     .auto/log.jsonl, line 1\n"
    (config,) = lines(tmp_path)
    assert (config["name"], config["metricName"], config["metricUnit"], config["bestDirection"]) == (
        "faster",
        "total",
        "ms",
        "lower",
    )


def test_everything_else_is_optional(ar: Ar, tmp_path: Path) -> None:
    """And recorded as it was said."""
    ran = ar(
        *("init", "--goal", "faster", "--metric", "total", "--unit", "", "--direction", "higher"),
        *(
            "--constraint",
            "make test",
            "--asset",
            "src",
            "--asset",
            "lib",
            "--samples",
            "5",
        ),
        *(
            "--milestone",
            "half",
            "--success",
            "1 s",
            "--max-cycles",
            "80",
            "--time-limit",
            "none",
            "--target",
            "-1.5",
        ),
        *(
            "--max-iterations",
            "9",
            "--threshold",
            "structure=3",
            "--timeout",
            "sample=60",
            "--metric-pattern",
            r"(\d+)",
        ),
    )

    assert ran.code == 0
    config, settings = lines(tmp_path)
    assert config["constraint"] == "make test"
    assert (config["assets"], config["samples"], config["milestones"]) == (["src", "lib"], 5, ["half"])
    assert settings["limits"] == {
        "max_cycles": 80,
        "time_limit_minutes": "none",
        "target": -1.5,
        "max_iterations": 9,
    }
    assert (settings["thresholds"], settings["timeouts"]) == ({"structure": 3}, {"sample": 60})


@pytest.mark.parametrize(
    ("argv", "missing"),
    [
        ([], "a goal, --metric, --unit and --direction"),
        (["faster"], "--metric, --unit and --direction"),
        (["faster", "--metric", "total"], "--unit and --direction"),
        (["faster", "--metric", "total", "--unit", "s"], "--direction"),
        (["faster", "--metric", "total", "--direction", "lower"], "--unit"),
        (["--metric", "total", "--unit", "s", "--direction", "lower"], "a goal"),
        ([" ", "--no-metric"], "a goal"),
        (["--max-cycles", "5"], "a goal, --metric, --unit and --direction"),
    ],
)
def test_what_is_missing_is_asked_for_by_name(ar: Ar, tmp_path: Path, argv: list[str], missing: str) -> None:
    """Nothing is guessed and nothing is made."""
    ran = ar("init", *argv)

    assert ran.code == 2
    assert ran.err.splitlines()[0] == f"ar: ar init needs {missing}"
    assert ran.err.splitlines()[1].startswith("try: ")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("argv", "part"),
    [
        ([*GOAL[1:], "--goal", "again"], "the goal is given twice"),
        (["x", "--no-metric", "--unit", "s"], "--no-metric is for a task without"),
        ([*GOAL[1:], "--direction", "up"], "'up' is not one of"),
        ([*GOAL[1:], "--samples", "0"], "--samples"),
        ([*GOAL[1:], "--max-cycles", "0"], "max_cycles"),
        ([*GOAL[1:], "--max-cycles", "many"], "max_cycles"),
        ([*GOAL[1:], "--max-cycles", "-1"], "max_cycles"),
        ([*GOAL[1:], "--time-limit", "inf"], "time_limit_minutes"),
        ([*GOAL[1:], "--discards", "0"], "discards"),
        ([*GOAL[1:], "--failures", "unlimited"], "failures"),
        ([*GOAL[1:], "--no-change", "-3"], "no_change"),
        ([*GOAL[1:], "--threshold", "structure"], "'structure' is no field"),
        ([*GOAL[1:], "--threshold", "structure=0"], "structure"),
        ([*GOAL[1:], "--timeout", "sampel=3"], "sampel"),
        ([*GOAL[1:], "--metric-pattern", "("], "metric_pattern"),
        ([*GOAL[1:], "--metric-pattern", "x"], "metric_pattern"),
    ],
)
def test_bad_input_makes_nothing(ar: Ar, tmp_path: Path, argv: list[str], part: str) -> None:
    """Exit code 2; a limit that is no limit is an error, never "no limit"."""
    ran = ar("init", *argv)

    assert ran.code == 2, ran.err
    assert part in ran.err
    assert list(tmp_path.iterdir()) == []


def test_again_begins_a_new_segment_once_there_are_runs(ar: Ar, tmp_path: Path) -> None:
    """What is not named stays; before the first run nothing new is nothing written."""
    ar(*GOAL)
    same = ar(*GOAL)
    ar("log", "--status", "keep", "--metric", "3", "-m", "x")
    again = ar("init", "--constraint", "make test")
    view = json.loads(ar("view", "--json").out)

    assert same.out == "nothing new: .auto/log.jsonl says so already\n"
    assert again.out.splitlines()[-1] == "segment  1 begins: baseline and best are counted anew"
    assert (view["segment"], view["goal"], view["metric_unit"], view["best_metric"]) == (
        1,
        "faster",
        "ms",
        None,
    )


def test_the_same_again_after_runs_is_a_new_segment(ar: Ar, tmp_path: Path) -> None:
    """Said in full, or by --new-segment."""
    ar(*GOAL)
    for argv in (GOAL, ("init", "--new-segment")):
        ar("log", "--status", "keep", "--metric", "3", "-m", "x")
        assert ar(*argv).code == 0

    assert json.loads(ar("view", "--json").out)["segment"] == 2


def test_settings_change_without_a_segment(ar: Ar, tmp_path: Path) -> None:
    """Only what is new is written."""
    ar(*GOAL)
    ar("log", "--status", "keep", "--metric", "3", "-m", "x")
    ar("init", "--max-cycles", "5", "--target", "2")
    ran = ar("init", "--max-cycles", "5", "--target", "1", "--json")

    found = json.loads(ran.out)
    assert (found["config"], found["settings"]["limits"], found["segment"]) == (None, {"target": 1}, 0)
    assert ar("init", "--target", "1").out.startswith("nothing new")
    assert ar("init").out.startswith("nothing new")


def test_another_metric_demands_its_unit_and_direction(ar: Ar) -> None:
    """They belong together; the same one's direction may be changed alone."""
    ar(*GOAL)

    refused = ar("init", "--metric", "size")
    changed = ar("init", "--direction", "higher")

    assert refused.err.splitlines()[0] == "ar: ar init needs --unit and --direction"
    assert "higher is better" in changed.out


def test_what_config_json_sets_is_copied(ar: Ar, tmp_path: Path) -> None:
    """And a flag has the last word."""
    (tmp_path / ".auto").mkdir()
    (tmp_path / ".auto" / "config.json").write_text('{"maxIterations": 7}')

    ar(*GOAL)
    ar("init", "--max-iterations", "9")
    ar("init")

    limits = [line["limits"] for line in lines(tmp_path) if line["type"] == "settings"]
    assert limits == [{"max_iterations": 7}, {"max_iterations": 9}]


class TestDecision:
    """What is appended is a pure function of how the session is configured and what is wanted."""

    def test_a_task_without_a_metric_stays_without(self) -> None:
        """Until one is named."""
        state = follow_up(Configured(), [Config(name="survey", seq=1)])

        config = config_for(state, Wanted(name="longer survey"))

        assert config == Config(name="longer survey")
        with pytest.raises(BadInputError, match="--unit and --direction"):
            config_for(state, Wanted(metric="claims"))

    def test_a_metric_can_be_dropped(self) -> None:
        """By --no-metric."""
        state = follow_up(
            Configured(), [Config(name="g", metricName="m", metricUnit="", bestDirection="lower", seq=1)]
        )

        assert config_for(state, Wanted(no_metric=True)) == Config(name="g")

    def test_a_foreign_config_goes_on_as_it_is_read(self) -> None:
        """Its metric is called `metric` and lower is better where it does not say."""
        state = follow_up(Configured(), [Config(name="theirs"), Run(run=1, status="keep", metric=1)])

        config = config_for(state, Wanted(measure="./bench"))

        assert config == Config(
            name="theirs", metricName="metric", metricUnit="", bestDirection="lower", measure="./bench"
        )

    def test_a_text_can_be_taken_back(self) -> None:
        """By an empty one."""
        before = Config(name="g", measure="./bench", seq=1)

        assert config_for(Configured(config=before), Wanted(measure="")) == Config(name="g")

    def test_settings_are_merged_one_by_one(self) -> None:
        """What is not named stays as it was."""
        state = follow_up(
            Configured(),
            [
                Settings(limits={"target": 1, "max_cycles": 5}, metric_pattern="(a)"),
                Settings(limits={"target": 2}, thresholds={"inject": 4}),
            ],
        )

        assert (state.limits, state.metric_pattern) == ({"target": 2, "max_cycles": 5}, "(a)")
        assert settings_for(state, Settings(limits={"target": 2}, thresholds={"inject": 4})) is None
        assert settings_for(state, Settings(limits={"max_cycles": "none"})) == Settings(
            limits={"max_cycles": "none"}
        )

    def test_a_copy_is_made_of_a_change_alone(self) -> None:
        """A flag in between does not count as one; a limit that is gone from the file is copied as none."""
        first = copied_limits(Configured(), {"max_iterations": 5})
        assert first == Settings(id="config.json:1", limits={"max_iterations": 5})
        state = follow_up(Configured(), [first, Settings(limits={"max_iterations": 9})])

        assert copied_limits(state, {"max_iterations": 5}) is None
        assert copied_limits(state, None) is None
        gone = copied_limits(state, {})
        assert gone == Settings(id="config.json:2", limits={"max_iterations": "none"})
        assert copied_limits(follow_up(state, [gone]), {}) is None
        assert copied_limits(Configured(), {}) is None


class TestGit:
    """The log is kept out of git's way (design, section 2.1)."""

    @pytest.fixture(autouse=True)
    def repository(self, ar: Ar, tmp_path: Path, plain_git: None) -> None:
        """A repository with a commit."""
        self.top = tmp_path
        self.git("init", "-q")
        self.git(
            "-c", "user.name=A", "-c", "user.email=a@example.com", "commit", "-q", "--allow-empty", "-m", "x"
        )

    def git(self, *argv: str) -> str:
        done = subprocess.run(["git", *argv], cwd=self.top, check=True, capture_output=True, text=True)
        return done.stdout

    def test_the_log_survives_stash_and_clean(self, ar: Ar) -> None:
        """So do cache, locks and what was rejected; prompt and hooks may be committed."""
        ar(*GOAL)
        for name in ("cache/session.snapshot", "rejected/run-1/a.patch"):
            (self.top / ".auto" / name).parent.mkdir(parents=True)
            (self.top / ".auto" / name).write_text("x")
        (self.top / ".auto" / "prompt.md").write_text("x")

        assert self.git("status", "--porcelain", "-uall") == "?? .auto/prompt.md\n"
        self.git("-c", "user.name=A", "-c", "user.email=a@example.com", "stash", "-q", "-u")
        self.git("clean", "-fdq")
        left = sorted(
            str(path.relative_to(self.top / ".auto"))
            for path in (self.top / ".auto").rglob("*")
            if path.is_file()
        )
        assert left == ["cache/session.snapshot", "log.jsonl", "log.jsonl.lock", "rejected/run-1/a.patch"]

    def test_it_is_listed_once(self, ar: Ar) -> None:
        """Other lines of the file stay as they are, also one without a newline at its end."""
        exclude = self.top / ".git" / "info" / "exclude"
        exclude.write_text("*.o")
        ar(*GOAL)
        ar("init", "--target", "3")

        assert exclude.read_text().splitlines() == [
            "*.o",
            "/.auto/log.jsonl",
            "/.auto/cache/",
            "/.auto/*.lock",
            "/.auto/rejected/",
        ]

    def test_a_session_below_the_top_is_listed_by_its_path(
        self, ar: Ar, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Characters that mean something in such a list are escaped."""
        deep = self.top / "a [b]*" / "c"
        deep.mkdir(parents=True)
        (deep / ".auto").mkdir()
        monkeypatch.chdir(deep)
        ar(*GOAL)

        assert self.git("status", "--porcelain", "-uall") == ""

    def test_a_tracked_log_is_warned_about(self, ar: Ar) -> None:
        """A checkout would rewrite it."""
        ar(*GOAL)
        self.git("add", "-f", ".auto/log.jsonl")
        self.git("-c", "user.name=A", "-c", "user.email=a@example.com", "commit", "-q", "-m", "tracked")

        ran = ar("init", "--target", "3")

        assert ran.code == 0
        assert "is tracked by git" in ran.err
        remedy = ran.err.split("`")[1]
        assert remedy == "git rm --cached .auto/log.jsonl"
        subprocess.run(remedy, shell=True, cwd=self.top, check=True, capture_output=True)
        assert ar("init", "--target", "4").err == ""

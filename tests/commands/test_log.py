"""`ar log`: a run that somebody measured and judged."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from commands.configuring import Configured
from commands.recording import State, decide_run, follow
from eventstore.errors import ConflictError
from eventstore.events import Config, Run, Settings
from tests.commands.conftest import Ar, environment


@pytest.fixture(autouse=True)
def log(ar: Ar, tmp_path: Path) -> Path:
    """A session with a goal."""
    assert ar("init", "faster", "--metric", "total", "--unit", "ms", "--direction", "lower").code == 0
    return tmp_path / ".auto" / "log.jsonl"


def runs(log: Path) -> list[dict[str, object]]:
    """The runs of the log."""
    found = [json.loads(line) for line in log.read_text().splitlines()]
    return [line for line in found if line["type"] == "run"]


def test_runs_are_numbered_and_told(ar: Ar, log: Path) -> None:
    """What a person wants to see: verdict, change, where the session stands."""
    first = ar("log", "--status", "keep", "--metric", "44.4", "-m", "baseline")
    second = ar("log", "--status", "keep", "--metric", "38.9", "-m", "arena", "--metrics", "rss_kb=5120")
    third = ar(
        "log",
        "--status",
        "discard",
        "--metric",
        "41",
        "-m",
        "pages",
        "--reason",
        "slower",
        "--metrics",
        "rss_kb=1",
    )
    fourth = ar("log", "--status", "crash", "-m", "unrolled")

    assert first.out == "Run 1: KEPT -- baseline (44.4 ms)\nbest 44.4 ms (run 1); baseline 44.4 ms (run 1)\n"
    assert second.out.splitlines()[0] == "Run 2: KEPT -- arena (44.4 -> 38.9 ms, -12.4%)"
    assert third.out.splitlines() == [
        "Run 3: DISCARDED -- pages (38.9 -> 41 ms, +5.4%) [slower]",
        "best 38.9 ms (run 2, -12.4%); baseline 44.4 ms (run 1); confidence 2.6, likely real",
    ]
    assert fourth.out.splitlines()[0] == "Run 4: CRASHED -- unrolled"
    assert [run["run"] for run in runs(log)] == [1, 2, 3, 4]


def test_all_fields_are_recorded(ar: Ar, log: Path) -> None:
    """By their names, numbers as numbers; `38` stays an integer; JSON objects are taken too."""
    ran = ar(
        *("log", "--status", "checks_failed", "--metric", "38", "-m", "d", "--commit", "abc1234"),
        *("--direction", "memory", "--duration", "12.5", "--reason", "tests"),
        *(
            "--metrics",
            "rss_kb=5120",
            "--metrics",
            "note=odd",
            "--asi",
            '{"hypothesis":"h","n":1}',
            "--by",
            "worker:a",
        ),
        *("--id", "k"),
    )

    assert ran.code == 0
    (run,) = runs(log)
    expected = {
        "by": "worker:a",
        "id": "k",
        "run": 1,
        "commit": "abc1234",
        "metric": 38,
        "metrics": {"rss_kb": 5120, "note": "odd"},
        "status": "checks_failed",
        "description": "d",
        "segment": 0,
        "confidence": None,
        "asi": {"hypothesis": "h", "n": 1},
        "reason": "tests",
        "direction": "memory",
        "duration_seconds": 12.5,
    }
    assert {name: run[name] for name in expected} == expected


def test_segment_and_confidence_are_those_of_the_moment(ar: Ar, log: Path) -> None:
    """With the run itself counted in; a new segment starts both anew."""
    for metric in ("10", "8", "9"):
        ar("log", "--status", "keep", "--metric", metric, "-m", "x")
    ar("init", "--new-segment")
    ar("log", "--status", "keep", "--metric", "5", "-m", "x")

    assert [(run["segment"], run["confidence"]) for run in runs(log)] == [
        (0, None),
        (0, None),
        (0, 2.0),
        (1, None),
    ]
    assert [run["run"] for run in runs(log)] == [1, 2, 3, 4]


def test_json_has_the_run_and_where_the_session_stands(ar: Ar) -> None:
    """One document."""
    found = json.loads(ar("log", "--status", "keep", "--metric", "3", "-m", "x", "--json").out)

    assert (found["seq"], found["written"], found["event"]["run"]) == (2, 1, 1)
    assert (found["session"]["best_metric"], found["session"]["last_run"]["seq"]) == (3, 2)
    assert found["head"].startswith("2:")


def test_the_same_run_is_logged_once(ar: Ar, log: Path) -> None:
    """Its id tells, though its number and confidence would now be others; other content is a conflict."""
    for metric in ("10", "8"):
        ar("log", "--status", "keep", "--metric", metric, "-m", "x", "--id", metric)
    again = ar("log", "--status", "keep", "--metric", "10", "-m", "x", "--id", "10")
    other = ar("log", "--status", "keep", "--metric", "7", "-m", "x", "--id", "10")

    assert (again.code, again.out) == (0, "run 1 is line 2 already\n")
    assert other.code == 3
    assert len(runs(log)) == 2


@pytest.mark.parametrize(
    ("argv", "part"),
    [
        (["-m", "x"], "missing option '--status'"),
        (["--status", "keep"], "missing option '-m'"),
        (["--status", "kept", "-m", "x"], "'kept' is not one of"),
        (["--status", "keep", "-m", "x", "--metric", "fast"], "--metric: 'fast' is no finite number"),
        (["--status", "keep", "-m", "x", "--metric", "nan"], "no finite number"),
        (["--status", "keep", "-m", "x", "--metric", "1e999"], "no finite number"),
        (["--status", "keep", "-m", "x", "--metric", str(2**70)], "run.metric"),
        (["--status", "keep", "-m", "x", "--metrics", "rss"], "'rss' is no field"),
        (["--status", "keep", "-m", "x", "--asi", "{"], "no JSON"),
        (["--status", "keep", "-m", "x", "--duration", "long"], "--duration"),
        (["--status", "keep", "-m", "x", "--metric", "1", "--by", "guardian"], "guardian may not"),
    ],
)
def test_bad_input_is_refused_with_one_line(ar: Ar, log: Path, argv: list[str], part: str) -> None:
    """Exit code 2, nothing written."""
    ran = ar("log", *argv)

    assert (ran.code, ran.out) == (2, "")
    assert part in ran.err
    assert ran.err.count("\n") <= 2
    assert runs(log) == []


def test_agents_text_is_shown_escaped(ar: Ar) -> None:
    """It never reaches the terminal raw."""
    ran = ar("log", "--status", "discard", "-m", "\x1b]0;pwned\x07 a\nb")

    assert ran.out.splitlines()[0] == "Run 1: DISCARDED -- \\x1b]0;pwned\\x07 a\\nb"


def test_a_task_without_a_metric_takes_runs(ar: Ar, log: Path) -> None:
    """There is no standing to tell."""
    ar("init", "survey", "--no-metric")

    assert ar("log", "--status", "keep", "-m", "chapter 1").out == "Run 1: KEPT -- chapter 1\n"


def test_without_a_goal_it_is_refused(ar: Ar, tmp_path: Path) -> None:
    """Which way is better is never guessed; a foreign log with runs and no config says it in its way."""
    (tmp_path / "a.jsonl").write_text('{"type":"note","detail":"x"}\n')
    (tmp_path / "b.jsonl").write_text('{"run":1,"status":"keep","metric":4}\n')

    refused = ar("--log", "a.jsonl", "log", "--status", "keep", "-m", "x")
    taken = ar("--log", "b.jsonl", "log", "--status", "keep", "--metric", "3", "-m", "x")

    assert refused.code == 2
    assert "the session has no goal yet" in refused.err
    assert taken.out.startswith("Run 2: KEPT -- x (4 -> 3, -25.0%)")


class TestMaxIterations:
    """A segment takes as many runs as `max_iterations` says (design, section 2.1)."""

    def test_a_limit_that_is_reached_refuses(self, ar: Ar, log: Path) -> None:
        """With the way on; a new segment, or another limit, takes runs again."""
        ar("init", "--max-iterations", "2")
        for _ in range(2):
            ar("log", "--status", "keep", "--metric", "3", "-m", "x")

        refused = ar("log", "--status", "keep", "--metric", "3", "-m", "x")

        assert refused.code == 3
        assert refused.err.splitlines()[0] == "ar: max_iterations: segment 0 has its 2 runs and takes no more"
        ar("init", "--max-iterations", "none")
        assert ar("log", "--status", "keep", "--metric", "3", "-m", "x").code == 0
        ar("init", "--max-iterations", "2", "--new-segment")
        assert ar("log", "--status", "keep", "--metric", "3", "-m", "x").code == 0

    def test_what_config_json_sets_is_copied_when_it_changed(self, ar: Ar, log: Path) -> None:
        """So that the log alone explains why a run was refused."""
        config = log.parent / "config.json"
        config.write_text('{"maxIterations": 1}')
        assert ar("log", "--status", "keep", "--metric", "3", "-m", "x").code == 0
        refused = ar("log", "--status", "keep", "--metric", "3", "-m", "x")
        config.write_text('{"maxIterations": 9.0}')
        assert ar("log", "--status", "keep", "--metric", "3", "-m", "x").code == 0
        assert ar("log", "--status", "keep", "--metric", "3", "-m", "x").code == 0
        config.unlink()
        assert ar("log", "--status", "keep", "--metric", "3", "-m", "x").code == 0

        assert refused.code == 3
        copies = [json.loads(line) for line in log.read_text().splitlines() if '"settings"' in line]
        assert [copy["limits"]["max_iterations"] for copy in copies] == [1, 9, "none"]

    @pytest.mark.parametrize(
        "content", ["{", '{"maxIterations": 0}', '{"maxIterations": "many"}', "[]", "\xff"]
    )
    def test_a_file_that_cannot_be_read_lifts_no_limit(self, ar: Ar, log: Path, content: str) -> None:
        """It is warned about, and what it set before stands."""
        config = log.parent / "config.json"
        config.write_text('{"maxIterations": 1}')
        ar("log", "--status", "keep", "--metric", "3", "-m", "x")
        config.write_bytes(content.encode("latin-1"))

        refused = ar("log", "--status", "keep", "--metric", "3", "-m", "x")

        assert refused.code == 3
        assert "what it set before stands" in refused.err


class TestDecision:
    """What is decided is a pure function of the log and the run."""

    GOAL = Config(name="g", metricName="m", metricUnit="", bestDirection="lower", seq=1)

    def test_the_number_is_the_ordinal_whatever_was_claimed(self) -> None:
        """Foreign numbers repeat and fall."""
        foreign = [Run(run=n, status="keep", metric=1) for n in (7, 7, 3)]

        state = follow(State(), [self.GOAL, *foreign], None)
        (event,) = decide_run(state, Run(run=1, status="keep", metric=2))

        assert isinstance(event, Run)
        assert (event.run, event.segment) == (4, 0)

    def test_a_limit_counts_the_segment(self) -> None:
        """Runs of earlier segments do not count."""
        limit = Settings(limits={"max_iterations": 1})
        run = Run(run=1, status="keep", metric=2)
        state = follow(State(), [self.GOAL, limit, run, self.GOAL], None)

        assert len(decide_run(state, run)) == 1
        with pytest.raises(ConflictError):
            decide_run(follow(state, [run], None), run)

    def test_the_commit_is_heads_unless_one_is_named(self) -> None:
        """And that of the first where the same run is logged again."""
        state = follow(State(configured=Configured()), [self.GOAL], "k")
        named = Run(run=1, status="keep", commit="abc", id="k")
        unnamed = Run(run=1, status="keep", id="k")

        assert [e.commit for e in decide_run(state, named, None, "head") if isinstance(e, Run)] == ["abc"]
        (first,) = decide_run(state, unnamed, None, "head")
        later = follow(state, [first], "k")
        (second,) = decide_run(later, unnamed, None, "moved")
        assert second == first


def test_the_commit_is_gits_head(ar: Ar, log: Path, tmp_path: Path) -> None:
    """Abbreviated, where there is a repository with a commit; none of the user's files is touched."""
    environ = environment(GIT_CONFIG_GLOBAL="/dev/null")
    identity = ("-c", "user.name=A", "-c", "user.email=a@example.com")

    def git(*argv: str) -> str:
        done = subprocess.run(
            ["git", *argv], cwd=tmp_path, env=environ, check=True, capture_output=True, text=True
        )
        return done.stdout.strip()

    git("init", "-q")
    ar("log", "--status", "keep", "--metric", "1", "-m", "before the first commit")
    git(*identity, "commit", "-q", "--allow-empty", "-m", "x")
    ar("log", "--status", "keep", "--metric", "1", "-m", "after it")

    assert [run["commit"] for run in runs(log)] == [None, git("rev-parse", "--short=7", "HEAD")]


def test_eight_processes_never_use_one_number_twice(log: Path, tmp_path: Path) -> None:
    """Numbers are decided under the lock."""
    argv = [
        sys.executable,
        "-m",
        "autoresearch_ledger",
        "log",
        "--status",
        "keep",
        "--metric",
        "1",
        "-m",
        "x",
    ]
    script = "for i in 1 2 3; do " + " ".join(f'"{word}"' for word in argv) + " || exit 1; done"
    running = [
        subprocess.Popen(["sh", "-c", script], cwd=tmp_path, env=environment(), stdout=subprocess.DEVNULL)
        for _ in range(8)
    ]

    assert [each.wait(timeout=120) for each in running] == [0] * 8
    assert [run["run"] for run in runs(log)] == list(range(1, 25))


def test_it_answers_its_author_s_open_proposal(ar: Ar, log: Path) -> None:
    """What it leaves unsaid is as proposed; repeated by its id, it is no other run."""
    assert ar("propose", "-m", "arena", "--hypothesis", "mallocs", "--direction", "memory").code == 0
    call = ("log", "--status", "keep", "--metric", "9", "-m", "arenas", "--asi", "learned=much", "--id", "a")
    assert ar(*call).code == 0
    again = ar(*call)
    assert ar("log", "--status", "discard", "--metric", "9", "-m", "unproposed").code == 0
    assert ar("propose", "-m", "pages", "--direction", "pages", "--by", "worker:other").code == 0
    assert ar("log", "--status", "discard", "--metric", "9", "-m", "somebody else's").code == 0

    first, second, third = runs(log)
    assert again.code == 0
    assert (first["description"], first["direction"]) == ("arenas", "memory")
    assert first["asi"] == {"hypothesis": "mallocs", "learned": "much"}
    assert "direction" not in second
    assert "direction" not in third


def test_a_keep_needs_a_number_where_there_is_a_metric(ar: Ar, log: Path) -> None:
    """What is kept is better than something; whatever is not kept may be without one."""
    refused = ar("log", "--status", "keep", "-m", "nothing measured")
    crashed = ar("log", "--status", "crash", "-m", "nothing to measure")
    assert ar("init", "find it out", "--no-metric", "--new-segment").code == 0
    kept = ar("log", "--status", "keep", "-m", "a task without a metric")

    assert refused.code == 2
    assert refused.err.splitlines() == [
        "ar: a keep needs a number: what total came to",
        "try: ar log --status keep --metric NUMBER ..., or --status crash if there is none",
    ]
    assert (crashed.code, kept.code) == (0, 0)
    assert [run["status"] for run in runs(log)] == ["crash", "keep"]


def test_a_crash_is_compared_with_nothing(ar: Ar) -> None:
    """Its number is none that counts: told, but as no gain."""
    assert ar("log", "--status", "keep", "--metric", "44", "-m", "baseline").code == 0

    assert ar("log", "--status", "crash", "--metric", "3", "-m", "x").out.startswith(
        "Run 2: CRASHED -- x (3 ms)\n"
    )

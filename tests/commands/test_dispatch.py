"""`ar dispatch`: prompts by pattern, run side by side, and what came back."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.commands.conftest import Ar
from tests.commands.protocol import begin, lines, refused

SENT = ("--about", "is the parser memory-bound?", "--deliverable", "verdict.md")


@pytest.fixture(autouse=True)
def log(ar: Ar, tmp_path: Path) -> Path:
    """A session's log, with a direction that was tried and a finding."""
    path = begin(ar, tmp_path)
    assert ar("direction", "add", "SIMD tokenizer", "--reason", "no gain").code == 0
    assert ar("finding", "it takes 60 %", "--evidence", "profile.txt", "--by", "worker:a").code == 0
    return path


@pytest.mark.parametrize(
    ("pattern", "names", "said"),
    [
        ("A", ["goal"], "SIMD tokenizer"),
        ("B", ["investigate", "refute", "analogy"], "another field"),
        ("C", ["experiment"], "every minute"),
        ("D", ["audit"], "independent auditor"),
    ],
)
def test_a_prompt_holds_all_that_is_needed(
    ar: Ar, log: Path, pattern: str, names: list[str], said: str
) -> None:
    """Background, deliverable, directory, limits, criterion, standing rules; the dispatch is recorded."""
    ran = ar("dispatch", pattern, *SENT, "--done-when", "it is written", "--timeout", "20m", "--json")
    document = json.loads(ran.out)
    texts = [each["text"] for each in document["prompts"]]

    assert [each["name"] for each in document["prompts"]] == names
    assert said in "\n".join(texts)
    for text in texts:
        for part in (
            "understand the parser",
            "it takes 60 %",
            "verdict.md",
            str(log.parent.parent),
            "at most 5 large files",
            "more than 300 lines",
            "20 min",
            "it is written",
            "Nobody reads along",
        ):
            assert part in text
    event = lines(log)[-1]
    assert (event["type"], event["dispatch"], event["pattern"]) == ("dispatch", "d1", pattern)
    assert event["limits"] == {"large_files": 5, "file_lines": 300, "seconds": 1200}


def test_the_text_is_the_prompt(ar: Ar) -> None:
    """To be piped to an agent; three are set apart. What agents wrote cannot steer anything."""
    assert ar("finding", "x\x1b[2J\n# Rules").code == 0
    one, three = ar("dispatch", "A", *SENT).out, ar("dispatch", "B", *SENT).out

    assert one.startswith("# Dispatch d1: goal\n")
    assert "\x1b" not in one
    assert "\n# Rules" not in one
    assert three.count("\n---\n") == 2
    assert "# Dispatch d2: refute" in three


def test_an_auditor_gets_the_finding(ar: Ar) -> None:
    """With its evidence; only an auditor does, and only one that is there."""
    audited = ar("dispatch", "D", *SENT, "--finding", "1").out

    assert 'Finding 1, by worker:a: "it takes 60 %"\n- evidence: "profile.txt"' in audited
    assert "ar verified evidence" in audited
    assert ar("dispatch", "A", *SENT, "--finding", "1").code == 2
    assert "there is no finding 2" in ar("dispatch", "D", *SENT, "--finding", "2").err


def test_it_comes_back_once(ar: Ar, log: Path) -> None:
    """With what it brought; what is not open cannot."""
    assert ar("dispatch", "A", *SENT, "--by", "orchestrator").code == 0
    assert ar("dispatch", "C", *SENT).code == 0

    assert ar("dispatch", "done", "d1", "memory-bound", "--ok").out == "d1 delivered, line 6\n"
    assert lines(log)[-1] == {"type": "dispatched", "dispatch": "d1", "ok": True, "summary": "memory-bound"}
    assert "has come back already (ok)" in refused(ar, log, "dispatch", "done", "d1", "--failed")
    assert "there is no dispatch 'd9'" in refused(ar, log, "dispatch", "done", "d9", "--ok")
    assert "--ok or --failed" in refused(ar, log, "dispatch", "done", "d2")
    rows = [row.split()[:3] for row in ar("dispatch", "list").out.splitlines()[1:]]
    assert rows == [["d1", "A", "ok"], ["d2", "C", "open"]]
    assert json.loads(ar("dispatch", "list", "--json").out)["open"] == 1


def test_three_run_side_by_side(ar: Ar, log: Path, tmp_path: Path) -> None:
    """Each waits here for the other two; they get their prompts on stdin and as a file, and a name."""
    agent = (
        'touch "$(basename "$AR_BRIEF")"; cmp - "$AR_BRIEF" || exit 9; '
        "until [ -e investigate.md ] && [ -e refute.md ] && [ -e analogy.md ]; do sleep 0.05; done; "
        'echo "I am $AR_BY"'
    )
    (tmp_path / "w").mkdir()
    ran = ar("dispatch", "B", *SENT, "--workdir", "w", "--run", agent, "--timeout", "60s")

    assert ran.code == 0, ran
    assert ran.out.startswith("d1 delivered, line 5\ninvestigate: I am worker:d1 (")
    assert lines(log)[-1]["summary"] == "; ".join(
        f"{name}: I am worker:d1" for name in ("investigate", "refute", "analogy")
    )


@pytest.mark.parametrize(
    ("agent", "said"),
    [
        ("echo no; exit 3", "exited 3: no"),
        ("exit 3", "exited 3"),
        ("kill -9 $$", "was ended by signal 9"),
        ("sleep 60", "was ended after 0.2 s"),
    ],
)
def test_one_that_fails_is_recorded_as_failed(ar: Ar, log: Path, agent: str, said: str) -> None:
    """The answer is no: exit 1."""
    ran = ar("dispatch", "C", *SENT, "--run", agent, "--timeout", "0.2" if "sleep" in agent else "30")

    assert ran.code == 1
    assert lines(log)[-1] == {"type": "dispatched", "dispatch": "d1", "ok": False, "summary": said}


def test_an_auditor_speaks_as_a_verifier(ar: Ar, log: Path) -> None:
    """So that it can record its verdict, and nothing else."""
    assert ar("dispatch", "D", *SENT, "--run", "echo by $AR_BY").code == 0
    assert lines(log)[-1]["summary"] == "by verifier"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("A", "--about", " ", "--deliverable", "x"), "--about is empty"),
        (("A", *SENT, "--workdir", "gone"), "gone is no directory"),
        (("A", *SENT, "--timeout", "0"), "--timeout"),
        (("E",), "there is no command 'dispatch E'"),
    ],
)
def test_what_says_nothing_is_refused(ar: Ar, log: Path, words: tuple[str, ...], message: str) -> None:
    """Exit 2, nothing written."""
    assert message in refused(ar, log, "dispatch", *words)

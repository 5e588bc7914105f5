"""`ar finding`, `ar decide`, `ar status`: one line each, and who may say it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.commands.conftest import Ar
from tests.commands.protocol import begin, lines, refused


@pytest.fixture(autouse=True)
def log(ar: Ar, tmp_path: Path) -> Path:
    """A session's log."""
    return begin(ar, tmp_path)


def test_a_finding_is_recorded_with_what_shows_it(ar: Ar, log: Path) -> None:
    """All its fields; by whom it was."""
    shown = ("--evidence", "trace.json", "--source", "arXiv:1", "--iteration", "4")
    ran = ar("finding", "p99 is GC", *shown, "--by", "worker:a")

    assert ran == (0, "finding is line 2\n", "")
    assert lines(log) == [
        {
            "type": "finding",
            "by": "worker:a",
            "text": "p99 is GC",
            "evidence": "trace.json",
            "source": "arXiv:1",
            "iteration": 4,
        }
    ]


def test_the_finding_that_error_capture_suggests_is_taken(ar: Ar, log: Path) -> None:
    """Cause and fix, as one word of the shell's."""
    assert ar("finding", "linker out of memory; build with -j2").code == 0
    assert lines(log) == [{"type": "finding", "text": "linker out of memory; build with -j2"}]


def test_a_text_that_begins_with_a_dash_comes_after_two(ar: Ar, log: Path) -> None:
    """As everywhere."""
    assert ar("finding", "--", "-O3 breaks it").code == 0
    assert lines(log)[0]["text"] == "-O3 breaks it"


def test_a_decision_is_a_note_of_that_level_and_stands_in_the_brief(ar: Ar, log: Path) -> None:
    """So that the next agent keeps to it."""
    ran = ar("decide", "warm cache: users have one", "--source", "prompt.md")

    assert ran == (0, "decision is line 2\n", "")
    assert lines(log) == [
        {"type": "note", "level": "decision", "detail": "warm cache: users have one", "source": "prompt.md"}
    ]
    assert "warm cache: users have one" in ar("brief").out


def test_a_status_is_the_tasks_from_then_on(ar: Ar, log: Path) -> None:
    """The view `progress` shows the last one."""
    assert ar("status", "running").code == 0
    assert ar("status", "blocked", "--detail", "no cluster") == (0, "status is line 3\n", "")

    assert lines(log)[1] == {"type": "status", "status": "blocked", "detail": "no cluster"}
    assert json.loads(ar("view", "progress", "--json").out)["status"] == "blocked"


@pytest.mark.parametrize(("verb", "kind"), [("finding", "finding"), ("decide", "note"), ("status", "status")])
def test_the_document_says_what_was_written(ar: Ar, verb: str, kind: str) -> None:
    """The line, the head, the event."""
    document = json.loads(ar(verb, "x", "--json", "--by", "worker:a").out)

    assert set(document) == {"seq", "head", "written", "event", "mended"}
    assert (document["seq"], document["written"], document["mended"]) == (2, 1, [])
    assert document["head"].startswith("2:")
    assert (document["event"]["type"], document["event"]["by"]) == (kind, "worker:a")


@pytest.mark.parametrize("verb", ["finding", "decide", "status"])
def test_blank_words_are_refused(ar: Ar, log: Path, verb: str) -> None:
    """Nothing is written."""
    assert refused(ar, log, verb, "  ") == "ar: TEXT is empty\ntry: TEXT 'in a few words'\n"


@pytest.mark.parametrize(
    ("by", "argv", "who"),
    [
        ("guardian:p", ("finding", "x"), "user, worker and orchestrator may"),
        ("verifier", ("finding", "x"), "user, worker and orchestrator may"),
        ("guardian:p", ("status", "x"), "user, worker and orchestrator may"),
        ("guardian:p", ("iteration", "-m", "x"), "user, worker and orchestrator may"),
        ("verifier", ("iteration", "-m", "x"), "user, worker and orchestrator may"),
        ("guardian:p", ("direction", "claim", "x"), "user, worker and orchestrator may"),
        ("verifier", ("direction", "add", "x"), "user, worker and orchestrator may"),
        ("guardian:p", ("direction", "drop", "x"), "user, worker and orchestrator may"),
        ("verifier", ("pivot", "inject"), "user, worker, orchestrator and guardian may"),
        ("worker:a", ("verified", "test", "x", "--ok"), "user, orchestrator and verifier may"),
        ("guardian:p", ("verified", "test", "x", "--ok"), "user, orchestrator and verifier may"),
        ("verifier", ("beat", "--register", "--", "x"), "user, worker, orchestrator and guardian may"),
    ],
)
def test_a_role_that_may_not_say_it_is_told_which_may(
    ar: Ar, log: Path, by: str, argv: tuple[str, ...], who: str
) -> None:
    """Design, section 6.4; whatever else is wrong with it, and nothing is written."""
    options = argv.index("--") if "--" in argv else len(argv)
    told = refused(ar, log, *argv[:options], "--by", by, *argv[options:])

    assert f"a {by.partition(':')[0]} may not append it" in told
    assert who in told


@pytest.mark.parametrize(
    ("by", "argv"),
    [
        ("guardian:p", ("decide", "x")),
        ("verifier", ("decide", "x")),
        ("guardian:p", ("flag", "stuck", "x")),
        ("guardian:p", ("pivot", "inject")),
        ("verifier", ("flag", "stuck", "x")),
        ("verifier", ("verified", "test", "x", "--ok")),
        ("verifier", ("beat",)),
        ("orchestrator", ("verified", "test", "x", "--failed")),
        ("worker:a", ("direction", "claim", "x")),
        ("worker:a", ("iteration", "-m", "x")),
    ],
)
def test_a_role_that_may_is_let_through(ar: Ar, log: Path, by: str, argv: tuple[str, ...]) -> None:
    """Its name stands on the line; AR_BY would say it too."""
    assert ar(*argv, "--by", by).code == 0
    assert lines(log)[-1]["by"] == by


def test_the_last_status_is_shown(ar: Ar, log: Path) -> None:
    """Without a text nothing is recorded; what agents said is shown escaped, and in full for programs."""
    assert ar("status") == (0, "no status was said yet\n", "")
    ar("status", "half\x1b[2J done", "--by", "worker:a")
    before = log.read_bytes()

    assert ar("status") == (0, "half\\x1b[2J done\n", "")
    assert json.loads(ar("status", "--json").out)["status"] == "half\x1b[2J done"
    assert refused(ar, log, "status", "--detail", "why").startswith("ar: --detail needs a status\ntry: ")
    assert log.read_bytes() == before

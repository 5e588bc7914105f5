"""`ar escalate`: a full report, a flag, a notice, an answer."""

from __future__ import annotations

import json
import os
import threading
import time
from pathlib import Path

import pytest

from commands.effects.escalating import await_reply
from tests.commands.conftest import Ar
from tests.commands.protocol import begin, lines, refused


@pytest.fixture(autouse=True)
def log(ar: Ar, tmp_path: Path) -> Path:
    """A session's log, with a finding."""
    path = begin(ar, tmp_path)
    assert ar("finding", "the queue is full").code == 0
    return path


def test_the_report_says_everything(ar: Ar, log: Path, tmp_path: Path) -> None:
    """What, tried, logs, versions, next step; the flag names it."""
    (tmp_path / "job.log").write_text("a\n" * 20_000 + "no space\x1b[2J left\n```\nghp_" + "a1B2" * 9 + "\n")
    ran = ar(
        "escalate",
        "the cluster refuses",
        *("--tried", "resubmitted", "--tried", "smaller job", "--next", "raise the quota"),
        *("--attach", "job.log", "--version-of", "cuda=12.4", "--by", "worker:a"),
    )
    (report,) = (log.parent / "escalations").iterdir()
    text = report.read_text()

    assert (ran.code, ran.out) == (0, f".auto/escalations/{report.name} is the report; escalated is up\n")
    for said in (
        "# Escalation: the cluster refuses",
        "By worker:a, ",
        "understand the parser",
        '- "resubmitted"',
        '- "smaller job"',
        "the queue is full",
        "no space\\x1b[2J left",
        "- cuda: 12.4",
        "- python: ",
        "raise the quota",
        "2 finding the queue is full",
    ):
        assert said in text, said
    assert [part for part in text.splitlines() if part.startswith("## ")] == [
        f"## {title}" for title in ("What", "The task", "Tried", "Logs", "Versions", "Next step")
    ]
    assert len(text) < 40_000
    assert "\x1b" not in text
    assert "a1B2" not in text
    assert lines(log)[-1] == {
        "type": "flag",
        "by": "worker:a",
        "kind": "escalated",
        "detail": f"the cluster refuses (.auto/escalations/{report.name})",
    }


def test_no_report_takes_the_place_of_another(ar: Ar, log: Path) -> None:
    """Nor does any leave something half written."""
    for _ in range(3):
        assert ar("escalate", "x").code == 0

    assert len(list((log.parent / "escalations").glob("*.md"))) == 3
    assert len(list((log.parent / "escalations").iterdir())) == 3


def test_somebody_is_told(ar: Ar, log: Path, tmp_path: Path) -> None:
    """The command gets the report on stdin and its path; one that fails is recorded, and hinders nothing."""
    assert ar("escalate", "x", "--notify", 'cmp - "$AR_REPORT" && touch told').code == 0
    assert (tmp_path / "told").exists()
    assert lines(log)[-1]["type"] == "flag"
    ran = ar("escalate", "y", "--notify", "echo no route >&2; exit 7")

    assert (ran.code, ran.err) == (0, "ar: --notify exited 7: no route\n")
    assert lines(log)[-1]["event"] == "notify_failed"


def test_an_answer_is_waited_for(ar: Ar, log: Path, tmp_path: Path) -> None:
    """It is recorded as a decision, and the flag taken down."""
    reply = tmp_path / "reply.txt"
    reply.write_text("")

    def answer() -> None:
        time.sleep(0.3)
        reply.write_text("use the small one\n")

    person = threading.Thread(target=answer)
    person.start()
    ran = ar("escalate", "which data?", "--wait", "reply.txt", "--json")
    person.join()

    assert ran.code == 0
    assert json.loads(ran.out)["answer"] == "use the small one"
    note, flag = lines(log)[-2:]
    assert (note["level"], note["detail"], note["source"]) == ("decision", "use the small one", "reply.txt")
    assert (flag["kind"], flag["cleared"]) == ("escalated", True)


def test_one_answer_settles_one_escalation(ar: Ar, log: Path) -> None:
    """Each has a flag of its own; what was answered leaves the others up."""
    ran = ar("escalate", "the cluster refuses our jobs", "--json")
    assert json.loads(ran.out)["flag"] == "escalated"
    person = threading.Timer(0.3, lambda: Path("reply.txt").write_text("the small one"))
    person.start()
    ran = ar("escalate", "which data?", "--wait", "reply.txt", "--json")
    person.join()

    document = json.loads(ran.out)
    assert (ran.code, document["flag"], document["answer"]) == (0, "escalated-2", "the small one")
    up = [row["kind"] for row in json.loads(ar("view", "flags", "--json").out)["flags"] if row["up"]]
    assert up == ["escalated"]
    assert ar("escalate", "a third").out.endswith("is the report; escalated-2 is up\n")


def test_an_old_answer_is_none(ar: Ar, log: Path) -> None:
    """A file that says something before anybody was asked is refused, and nothing is written."""
    Path("reply.txt").write_text("yesterday's\n")

    assert "reply.txt says something already" in refused(ar, log, "escalate", "which?", "--wait", "reply.txt")
    assert not (log.parent / "escalations").exists()


def test_a_half_written_answer_is_waited_for(tmp_path: Path) -> None:
    """It counts once nothing more comes."""
    reply = tmp_path / "reply.txt"
    reply.write_text("use ")
    person = threading.Timer(0.3, lambda: reply.write_text("use the small one\n"))
    person.start()

    assert await_reply(reply, 20) == "use the small one"
    person.join()
    assert await_reply(reply, 0) == "use the small one"
    assert await_reply(tmp_path / "none", 0) is None


def test_no_answer_in_time(ar: Ar, log: Path) -> None:
    """The answer is no: exit 1; the flag stays up."""
    ran = ar("escalate", "which data?", "--wait", "reply.txt", "--for", "0.05")

    assert ran.code == 1
    assert ran.out.endswith("no answer came in time\n")
    assert "cleared" not in lines(log)[-1]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((" ",), "WHAT is empty"),
        (("x", "--attach", "gone.log"), "gone.log: No such file"),
        (("x", "--attach", "pipe"), "pipe is no file"),
        (("x", "--version-of", "cuda"), "is no NAME=VERSION"),
        (("x", "--for", "0"), "--for"),
    ],
)
def test_what_says_nothing_is_refused(ar: Ar, log: Path, words: tuple[str, ...], message: str) -> None:
    """Exit 2, nothing written."""
    os.mkfifo("pipe")
    assert message in refused(ar, log, "escalate", *words)
    assert not (log.parent / "escalations").exists()

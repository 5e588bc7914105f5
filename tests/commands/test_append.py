"""`ar append`: an event, or a batch from stdin."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from tests.commands.conftest import Ar, environment, process


@pytest.fixture(autouse=True)
def log(tmp_path: Path) -> Path:
    """An empty session."""
    (tmp_path / ".auto").mkdir()
    path = tmp_path / ".auto" / "log.jsonl"
    path.touch()
    return path


def lines(log: Path) -> list[dict[str, object]]:
    """The log's lines, decoded."""
    return [json.loads(line) for line in log.read_text().splitlines()]


@pytest.fixture
def given(monkeypatch: pytest.MonkeyPatch) -> object:
    """Puts bytes on stdin."""

    def give(data: bytes) -> None:
        monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(data)))

    return give


def test_an_event_is_appended_and_its_line_told(ar: Ar, log: Path) -> None:
    """Text stays text, `:=` is JSON, the envelope is filled in."""
    ran = ar("append", "note", "level=decision", "detail=12")

    assert (ran.code, ran.out, ran.err) == (0, "note is line 1\n", "")
    (line,) = lines(log)
    assert (line["type"], line["detail"], line["level"], line["seq"]) == ("note", "12", "decision", 1)


def test_a_field_that_holds_no_text_is_read_as_json(ar: Ar, log: Path) -> None:
    """So that numbers need no colon; in a user's own event `=` is always text."""
    assert ar("append", "heartbeat", "pid=12", "host=12", "until=2026-01-31T12:00:00Z").code == 0
    assert ar("append", "started", 'files=["a.c"]', "cycle=3").code == 0
    assert ar("append", "x.deploy", "replicas=3", "pods:=3").code == 0

    beat, started, deploy = lines(log)
    assert (beat["pid"], beat["host"], beat["until"]) == (12, "12", 1769860800000)
    assert (started["files"], started["cycle"]) == (["a.c"], 3)
    assert (deploy["replicas"], deploy["pods"]) == ("3", 3)


def test_who_appends(ar: Ar, log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`--by`, else AR_BY, else user."""
    ar("append", "note", "detail=a")
    monkeypatch.setenv("AR_BY", "worker:gpu0")
    ar("append", "note", "detail=b")
    ar("append", "note", "detail=c", "--by", "verifier")

    assert [line.get("by", "user") for line in lines(log)] == ["user", "worker:gpu0", "verifier"]


def test_json_is_one_document(ar: Ar) -> None:
    """With the numbers of the lines, how many were written, and the head."""
    found = json.loads(ar("append", "note", "detail=a", "--json").out)

    assert set(found) == {"seqs", "runs", "written", "head", "mended"}
    assert (found["seqs"], found["written"], found["mended"]) == ([1], 1, [])
    assert found["head"].startswith("1:")


def test_the_same_id_is_written_once(ar: Ar, log: Path) -> None:
    """Same content is success and nothing new; other content is a conflict."""
    ar("append", "note", "detail=a", "--id", "k")
    again = ar("append", "note", "detail=a", "--id", "k")
    other = ar("append", "note", "detail=b", "--id", "k")

    assert (again.code, again.out) == (0, "note is line 1 already\n")
    assert other.code == 3
    assert other.err.startswith("ar: id 'k' is taken")
    assert len(lines(log)) == 1


def test_an_expectation_that_no_longer_holds_is_a_conflict(ar: Ar, log: Path) -> None:
    """Nothing is written then."""
    ar("append", "note", "detail=a")

    assert ar("append", "note", "detail=b", "--expect", "1").code == 0
    refused = ar("append", "note", "detail=c", "--expect", "1")

    assert (refused.code, len(lines(log))) == (3, 2)
    assert refused.err.splitlines()[0] == "ar: the log's head is at 2, not at 1"


@pytest.mark.parametrize(
    ("argv", "part"),
    [
        (["note"], "detail missing"),
        (["notes", "detail=x"], 'no event type "notes"'),
        (["note", "detial=x"], 'no field "detial"'),
        (["note", "detail=x", "level=loud"], "level"),
        (["note", "detail"], "'detail' is no field"),
        (["note", "detail:=NaN"], "no JSON"),
        (["heartbeat", "pid=abc"], "heartbeat.pid"),
        (["verified", "kind=test", "ok=true", "--by", "worker"], "a worker may not append"),
        (["note", "detail=x", "--by", "boss"], "--by: 'boss' is no author"),
        (["note", "detail=x", "--expect", "many"], "'many' is not a valid integer"),
        (["note", "detail=x", "seq:=1"], "assigned by the log"),
        (["note", "detail=\udcff"], "surrogate"),
        (["note", "detail=x", "id=a", "--id", "b"], "the id is given twice"),
        (["note", "detail=x", "--batch", "b"], "--batch is for a batch"),
        (["-", "detail=x"], "from stdin alone"),
        (["run", "metric:=3"], "run: status missing"),
        (["x.mine", "run:=1"], "numeric run"),
        ([], "missing argument"),
        (["note", "detail=" + "x" * (1 << 20)], "over the limit"),
    ],
)
def test_bad_input_is_refused_with_one_line(ar: Ar, log: Path, argv: list[str], part: str) -> None:
    """Exit code 2, nothing written."""
    ran = ar("append", *argv)

    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("ar: ")
    assert part in ran.err
    assert ran.err.count("\n") <= 2
    assert log.read_bytes() == b""


def test_a_batch_is_one_append(ar: Ar, log: Path, given: object) -> None:
    """One object a line, blank lines passed over; each item gets the batch's id and its number."""
    given(
        b'{"type":"note","detail":"a"}\n\n{"type":"note","detail":"b","id":"own"}\n{"type":"note","detail":"c"}'
    )  # type: ignore[operator]

    ran = ar("append", "-", "--batch", "night")

    assert (ran.code, ran.out) == (0, "3 events written, the log ends at line 3\n")
    assert [line["id"] for line in lines(log)] == ["night#1", "own", "night#3"]


def test_a_batch_that_is_repeated_writes_the_rest(ar: Ar, log: Path, given: object) -> None:
    """What is there already is not written again."""
    given(b'{"type":"note","detail":"a"}\n')  # type: ignore[operator]
    ar("append", "-", "--batch", "n")
    given(b'{"type":"note","detail":"a"}\n{"type":"note","detail":"b"}\n')  # type: ignore[operator]

    ran = ar("append", "-", "--batch", "n")
    given(b'{"type":"note","detail":"a"}\n{"type":"note","detail":"b"}\n')  # type: ignore[operator]
    again = ar("append", "-", "--batch", "n")

    assert ran.out == "1 events written, the log ends at line 2, 1 were there already\n"
    assert again.out == "nothing to write: all 2 events are in the log already\n"
    assert [line["detail"] for line in lines(log)] == ["a", "b"]


@pytest.mark.parametrize(
    ("line", "part"),
    [
        (b'{"run":0,"status":"keep"}', "line 3: run.run: 0 is not"),
        (b"not json", "line 3: not a line of the log"),
        (b"[1]", "line 3: not a line of the log"),
        (b'{"detail":"x"}', "line 3: type: missing"),
        (b'{"type":"note"}', "line 3: note: detail missing"),
        (b'{"type":"note","detail":"x","level":"loud"}', "line 3: note.level"),
        (b'{"type":"verified","kind":"test","ok":true,"by":"worker"}', "line 3: verified"),
        (b"\xff\xfe", "line 3: not a line of the log"),
        (b"[" * 100_000, "line 3: not a line of the log"),
        (b'{"type":"run","run":7,"status":"keep"}', "run 7 is not the next one"),
    ],
)
def test_a_batch_with_a_bad_item_writes_nothing(
    ar: Ar, log: Path, given: object, line: bytes, part: str
) -> None:
    """The error names the line of the input."""
    given(b'{"type":"note","detail":"a"}\n\n' + line + b"\n")  # type: ignore[operator]

    ran = ar("append", "-")

    assert ran.code in (2, 3)
    assert part in ran.err
    assert log.read_bytes() == b""


def test_an_empty_batch_is_done(ar: Ar, log: Path, given: object) -> None:
    """Nothing to write is no error."""
    given(b"\n\n")  # type: ignore[operator]

    assert ar("append", "-").out == "no events\n"


class TestRunNumbers:
    """Two runs of ours never have one number (design, section 9)."""

    def test_the_next_number_is_taken(self, ar: Ar, log: Path) -> None:
        """By hand as by `ar log`."""
        assert ar("append", "run", "run=1", "status=keep", "metric=3").code == 0
        assert ar("append", "run", "run=2", "status=keep", "metric=3").code == 0

    @pytest.mark.parametrize("number", ["1", "3"])
    def test_another_is_a_conflict(self, ar: Ar, log: Path, number: str) -> None:
        """One that is taken, and one that would be taken later."""
        ar("append", "run", "run=1", "status=keep")

        ran = ar("append", "run", f"run={number}", "status=keep")

        assert ran.code == 3
        assert "give run=2" in ran.err
        assert len(lines(log)) == 1

    def test_without_a_number_it_gets_the_next(self, ar: Ar, log: Path) -> None:
        """Told in words and in JSON; a foreign number in the log does not matter."""
        log.write_text('{"run":40,"status":"keep","metric":1}\n')

        told = ar("append", "run", "status=keep", "metric:=3")
        ran = ar("append", "run", "status=discard", "--json", "--expect", "2")

        assert (told.code, told.out) == (0, "run 2 is line 2\n")
        found = json.loads(ran.out)
        assert (found["runs"], found["seqs"]) == ([3], [3])
        assert [line["run"] for line in lines(log)] == [40, 2, 3]

    def test_a_repeat_without_a_number_is_the_same_run(self, ar: Ar, log: Path) -> None:
        """Its id tells which; other content under the same id is a conflict."""
        ar("append", "run", "status=keep", "--id", "r")
        ar("append", "run", "status=keep")

        again = ar("append", "run", "status=keep", "--id", "r", "--json")
        other = ar("append", "run", "status=crash", "--id", "r")

        assert (again.code, json.loads(again.out)["runs"]) == (0, [1])
        assert other.code == 3
        assert [line["run"] for line in lines(log)] == [1, 2]

    @pytest.mark.parametrize("field", ["run:=null", "run=", "run=x", "run=0", "run=1.5"])
    def test_a_number_that_is_none_is_refused(self, ar: Ar, log: Path, field: str) -> None:
        """Only what is left out is filled in."""
        ran = ar("append", "run", "status=keep", field)

        assert ran.code == 2
        assert ran.err.startswith("ar: run.run: ")
        assert not log.read_bytes()

    def test_a_batch_may_leave_numbers_open(self, ar: Ar, log: Path, given: object) -> None:
        """Each gets its own, whole or not at all; a retry writes the rest under the same numbers."""
        batch = (
            b'{"type":"run","status":"keep"}\n{"type":"note","detail":"n"}\n'
            b'{"type":"run","run":2,"status":"crash"}\n{"type":"run","status":"discard"}\n'
        )
        given(batch)  # type: ignore[operator]
        assert ar("append", "-", "--batch", "b").code == 0
        assert [line.get("run") for line in lines(log)] == [1, None, 2, 3]
        log.write_bytes(b"".join(log.read_bytes().splitlines(keepends=True)[:2]))
        given(batch)  # type: ignore[operator]

        ran = ar("append", "-", "--batch", "b", "--json")

        assert json.loads(ran.out)["runs"] == [1, 2, 3]
        assert [line.get("run") for line in lines(log)] == [1, None, 2, 3]

    def test_a_run_that_is_there_already_is_no_conflict(self, ar: Ar, log: Path) -> None:
        """Its id tells; the number is not looked at again."""
        for _ in range(2):
            assert ar("append", "run", "run=1", "status=keep", "--id", "r").code == 0
        assert len(lines(log)) == 1

    def test_an_expectation_is_kept_beside(self, ar: Ar, log: Path) -> None:
        """Numbers are checked against the log as it is expected."""
        ar("append", "note", "detail=a")

        assert ar("append", "run", "run=1", "status=keep", "--expect", "0").code == 3
        assert ar("append", "run", "run=2", "status=keep", "--expect", "1").code == 3
        assert ar("append", "run", "run=1", "status=keep", "--expect", "1").code == 0

    def test_a_batch_counts_on(self, ar: Ar, log: Path, given: object) -> None:
        """Runs among other events, numbered one after the other; foreign numbers in the log do not matter."""
        log.write_text('{"run":40,"status":"keep","metric":1}\n')
        given(  # type: ignore[operator]
            b'{"type":"run","run":2,"status":"keep"}\n{"type":"note","detail":"n"}\n{"run":3,"status":"crash"}\n'
        )

        assert ar("append", "-").code == 0
        assert [line.get("run") for line in lines(log)] == [40, 2, None, 3]


def test_a_torn_line_is_mended_and_told(ar: Ar, log: Path) -> None:
    """On stderr; the append itself succeeds."""
    log.write_bytes(b'{"type":"note","detail":"a"}\n{"type":"no')

    ran = ar("append", "note", "detail=b")

    assert (ran.code, ran.out) == (0, "note is line 4\n")
    assert ran.err == "ar: line 2 was torn; it was ended and stays as a damaged line of 11 bytes\n"


def test_without_a_session_it_says_how_to_begin_one(
    ar: Ar, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is made."""
    (tmp_path / "empty" / ".git").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "empty")

    ran = ar("append", "note", "detail=a")

    assert ran.code == 2
    assert "there is no session here" in ran.err
    assert "ar init" in ran.err
    assert list((tmp_path / "empty").iterdir()) == [tmp_path / "empty" / ".git"]


def test_a_named_log_is_begun(ar: Ar, tmp_path: Path) -> None:
    """`--log FILE` needs no session."""
    assert ar("--log", "new.jsonl", "append", "note", "detail=a").code == 0
    assert len(lines(tmp_path / "new.jsonl")) == 1


def test_a_directory_that_is_not_there_is_a_clear_error(ar: Ar) -> None:
    """Exit code 4: the storage failed."""
    ran = ar("--log", "no/where/log.jsonl", "append", "note", "detail=a")

    assert ran.code == 4
    assert "no/where" in ran.err


def test_a_process_reads_its_batch_from_a_real_stdin(log: Path, tmp_path: Path) -> None:
    """As a script would pipe it in."""
    data = b"".join(b'{"type":"note","detail":"%d"}\n' % n for n in range(40))

    ran = process("append", "-", cwd=tmp_path, stdin=data)

    assert (ran.code, ran.out) == (0, "40 events written, the log ends at line 40\n")


def test_processes_without_numbers_never_use_one_twice(log: Path, tmp_path: Path) -> None:
    """Four processes at once, each a run without a number; all are counted."""
    words = [sys.executable, "-m", "autoresearch_ledger", "append", "run", "status=keep", "metric=1"]
    writers = [
        subprocess.Popen(words, cwd=tmp_path, env=environment(), stdout=subprocess.DEVNULL) for _ in range(4)
    ]

    assert [writer.wait(60) for writer in writers] == [0] * 4
    assert sorted(line["run"] for line in lines(log)) == [1, 2, 3, 4]

"""`ar import`: what another program recorded, taken over once."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from eventstore.events import Imported, Run
from eventstore.filelog import FileLog
from tests.commands.conftest import Ar, environment, process
from tests.eventstore.formats.test_tsv import ITERATION, KARPATHY, V1

PI = (
    '{"type":"config","name":"faster","metricName":"total_ms","metricUnit":"ms","bestDirection":"lower"}\n'
    '{"run":1,"commit":"abc1234","metric":42,"metrics":{},"status":"keep","description":"baseline"}\n'
    '{"run":2,"commit":"abc1235","metric":38.9,"metrics":{},"status":"keep","description":"cache"}\n'
)
MORE = '{"run":3,"commit":"abc1236","metric":40,"metrics":{},"status":"discard","description":"unroll"}\n'


@pytest.fixture
def log(tmp_path: Path) -> Path:
    """Where the session's log is, once there is one."""
    return tmp_path / ".auto" / "log.jsonl"


def put(directory: Path, name: str, text: str | bytes) -> Path:
    path = directory / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def records(log: Path) -> list[Any]:
    return [record for batch in FileLog(log).read() for record in batch.records]


def session(ar: Ar) -> dict[str, Any]:
    return json.loads(ar("view", "session", "--json").out)  # type: ignore[no-any-return]


def test_a_log_begins_a_session(ar: Ar, log: Path, tmp_path: Path) -> None:
    """Where there is no session, one begins; what was imported is said last in the log."""
    put(tmp_path, "theirs.jsonl", PI)

    ran = ar("import", "theirs.jsonl")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.splitlines() == [
        "imported theirs.jsonl (pi): 3 events, 2 runs",
        "  line 1  config",
        "  lines 2-3  run",
    ]
    shown = session(ar)
    assert (shown["goal"], shown["best_metric"], shown["run_count"]) == ("faster", 38.9, 2)
    last = records(log)[-1]
    assert isinstance(last, Imported)
    assert (last.source, last.format, last.events, last.lines, last.bytes) == (
        "theirs.jsonl",
        "pi",
        3,
        3,
        len(PI),
    )
    assert ar("verify").code == 0


def test_twice_adds_nothing(ar: Ar, log: Path, tmp_path: Path) -> None:
    """The same file again leaves the log as it was, byte for byte, wherever it lies now."""
    path = put(tmp_path, "theirs.jsonl", PI)
    ar("import", "theirs.jsonl")
    before = log.read_bytes()

    assert ar("import", str(path)).out == f"nothing new in {path}\n"
    path.rename(tmp_path / "moved.jsonl")
    assert ar("import", "moved.jsonl").code == 0
    assert log.read_bytes() == before


def test_a_file_that_grew_adds_the_rest(ar: Ar, log: Path, tmp_path: Path) -> None:
    """Only the new lines are taken, and numbered on."""
    path = put(tmp_path, "theirs.jsonl", PI)
    ar("import", "theirs.jsonl")
    path.write_text(PI + MORE)

    ran = ar("import", "theirs.jsonl")
    assert ran.out.splitlines() == [
        "imported theirs.jsonl (pi): 1 event, 1 run",
        "  lines 1-3  imported before",
        "  line 4  run",
    ]
    assert [r.run for r in records(log) if isinstance(r, Run)] == [1, 2, 3]
    assert session(ar)["segment"] == 0
    assert ar("import", "theirs.jsonl").out == "nothing new in theirs.jsonl\n"


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (PI.replace("cache", "CACHE"), 3),
        (PI.replace("faster", "slower") + MORE, 1),
        ("\n" + PI, 1),
        (PI.splitlines()[0] + "\n", 2),
    ],
)
def test_a_changed_beginning_is_refused(ar: Ar, log: Path, tmp_path: Path, text: str, line: int) -> None:
    """The first line that is not as it was is named; nothing is written."""
    path = put(tmp_path, "theirs.jsonl", PI)
    ar("import", "theirs.jsonl")
    before = log.read_bytes()
    path.write_text(text)

    ran = ar("import", "theirs.jsonl")
    assert ran.code == 2
    assert f"theirs.jsonl: line {line} " in ran.err
    assert log.read_bytes() == before


def test_a_skipped_line_that_changed_is_found_too(ar: Ar, tmp_path: Path) -> None:
    """Also where nothing was taken from it."""
    path = put(tmp_path, "r.tsv", KARPATHY + "\nprose here\n")
    ar("import", "r.tsv", "--direction", "lower")
    path.write_text(KARPATHY + "\nprose there\n")

    assert "line 7 is not as when it was imported" in ar("import", "r.tsv", "--direction", "lower").err


def test_a_torn_last_line_is_left_for_later(ar: Ar, log: Path, tmp_path: Path) -> None:
    """A writer may be at work: the line is taken when it is whole."""
    path = put(tmp_path, "theirs.jsonl", PI + MORE[:30])
    assert "line 4  skipped: damaged" in ar("import", "theirs.jsonl").out
    path.write_text(PI + MORE)

    assert "1 run" in ar("import", "theirs.jsonl").out
    assert sum(isinstance(r, Run) for r in records(log)) == 3


def test_a_last_line_without_its_end(ar: Ar, log: Path, tmp_path: Path) -> None:
    """A whole last line is taken, and known again when more follows it; one that goes on was changed."""
    path = put(tmp_path, "theirs.jsonl", PI.rstrip("\n"))
    ar("import", "theirs.jsonl")
    path.write_text(PI + MORE)
    assert "1 run" in ar("import", "theirs.jsonl").out

    other = put(tmp_path, "r.tsv", KARPATHY.rstrip("\n"))
    ar("import", "r.tsv", "--direction", "lower")
    other.write_text(KARPATHY.rstrip("\n") + " and more\n")
    assert "line 5 is not as when" in ar("import", "r.tsv", "--direction", "lower").err


def test_a_row_that_waited_for_its_verdict(ar: Ar, log: Path, tmp_path: Path) -> None:
    """A pending last row is taken when it is judged, though its line was rewritten."""
    path = put(tmp_path, "r.tsv", KARPATHY + "5555555\t-\t-\tpending\tx\n")
    ar("import", "r.tsv", "--direction", "lower")
    path.write_text(KARPATHY + "5555555\t2.5\t20\tkeep\tx\n")

    assert "1 run" in ar("import", "r.tsv", "--direction", "lower").out
    assert session(ar)["best_metric"] == 2.5


def test_into_a_session_with_runs(ar: Ar, log: Path, tmp_path: Path) -> None:
    """The source's goal begins a new segment; runs get the next numbers, their own kept where they differ."""
    ar("init", "ours", "--metric", "ms", "--unit", "ms", "--direction", "lower")
    ar("log", "--status", "keep", "--metric", "7", "-m", "ours")
    put(tmp_path, "theirs.jsonl", PI)

    ar("import", "theirs.jsonl")
    runs = [r for r in records(log) if isinstance(r, Run)]
    assert [(r.run, r.segment, r.asi.get("run")) for r in runs] == [(1, 0, None), (2, 1, 1), (3, 1, 2)]
    shown = session(ar)
    assert (shown["segment"], shown["goal"], shown["baseline_metric"]) == (1, "faster", 42)


def test_growth_after_the_session_went_on(ar: Ar, log: Path, tmp_path: Path) -> None:
    """New runs of a source never fall into another goal's segment: theirs is set again first."""
    path = put(tmp_path, "theirs.jsonl", PI)
    ar("import", "theirs.jsonl")
    ar("init", "ours", "--metric", "mb", "--unit", "mb", "--direction", "higher")
    ar("log", "--status", "keep", "--metric", "7", "-m", "ours")
    path.write_text(PI + MORE)

    ar("import", "theirs.jsonl")
    shown = session(ar)
    assert (shown["segment"], shown["goal"], shown["metric_name"]) == (2, "faster", "total_ms")
    assert [r.segment for r in records(log) if isinstance(r, Run)] == [0, 0, 1, 2]


def test_two_tables_with_the_same_header(ar: Ar, log: Path, tmp_path: Path) -> None:
    """What only begins alike is not the same source."""
    put(tmp_path, "a.tsv", KARPATHY)
    put(tmp_path, "b.tsv", KARPATHY.replace("383abb4", "ffffff0"))

    ar("import", "a.tsv", "--direction", "lower")
    assert "4 runs" in ar("import", "b.tsv", "--direction", "lower").out
    assert session(ar)["run_count"] == 8


def test_an_import_that_was_broken_off_is_carried_on(ar: Ar, log: Path, tmp_path: Path) -> None:
    """A kill may leave a prefix of the batch; the next import writes only the rest."""
    put(tmp_path, "theirs.jsonl", PI)
    ar("import", "theirs.jsonl")
    lines = log.read_bytes().splitlines(keepends=True)
    log.write_bytes(b"".join(lines[:2]))

    ran = ar("import", "theirs.jsonl")
    assert ran.code == 0
    assert [r.run for r in records(log) if isinstance(r, Run)] == [1, 2]
    assert isinstance(records(log)[-1], Imported)


@pytest.mark.parametrize(
    ("text", "argv", "remedy"),
    [
        ("commit\tval_bpb\tstatus\na\t1.3\tkeep\n", (), "--direction lower or --direction higher"),
        ("1\tx\t0.5\tkeep\n2\ty\t0.4\tkeep\n", (), "--columns"),
        ("val_bpb\tnotes\n1.3\tbaseline\n", ("--direction", "lower"), "--status keep"),
        (KARPATHY, ("--direction", "lower", "--metric", "loss"), "--metric val_bpb"),
        ('{"run":1,"metric":3}\n', (), "--status keep"),
        ("Dear diary.\n", (), "--format"),
        ("", (), "--format"),
        ('{"event":"start"}\n', (), "--format"),
        (KARPATHY, ("--format", "pi"), "--format"),
        (KARPATHY, ("--direction", "sideways"), "--direction lower"),
        (KARPATHY, ("--direction", "lower", "--status", "great"), "keep, discard"),
        (KARPATHY, ("--direction", "lower", "--map", "great"), "--map shipped=keep"),
        (KARPATHY, ("--format", "state"), "progress.json"),
    ],
)
def test_what_is_refused(
    ar: Ar, log: Path, tmp_path: Path, text: str, argv: tuple[str, ...], remedy: str
) -> None:
    """One line says what is wrong, one what to try; exit 2, and no session is begun."""
    put(tmp_path, "f", text)

    ran = ar("import", "f", *argv)
    assert ran.code == 2
    assert ran.out == ""
    assert len(ran.err.splitlines()) == 2
    assert remedy in ran.err.splitlines()[1]
    assert not log.parent.exists()


def test_options_answer(ar: Ar, tmp_path: Path) -> None:
    """Columns, status words, metric, unit and goal as the person says."""
    put(tmp_path, "f", "1\tx\t0.5\tshipped\n2\ty\t0.4\tdropped for now\n")

    ran = ar(
        *(
            "import",
            "f",
            "--columns",
            "n, idea, loss, verdict",
            "--direction",
            "min",
            "--map",
            "shipped=keep",
        ),
        *("--goal", "less loss", "--unit", "nats"),
    )
    assert ran.code == 0
    shown = session(ar)
    assert (shown["goal"], shown["metric_name"], shown["metric_unit"]) == ("less loss", "loss", "nats")
    assert shown["statuses"] == {"keep": 1, "discard": 1}


def test_every_lines_fate_is_told(ar: Ar, tmp_path: Path) -> None:
    """Taken or skipped with its reason, in text and in JSON."""
    put(tmp_path, "r.tsv", ITERATION + "\nprose\n4\tabc\t19\t+1\tpass\tinteresting\twhat is this\n")

    text = ar("import", "r.tsv", "--dry-run").out
    assert text.splitlines() == [
        "would import r.tsv (tsv): 7 events, 5 runs",
        "  lines 1-3  a remark",
        "  line 4  header",
        "  lines 5-8  run",
        "  line 9  skipped: blank line",
        "  line 10  skipped: no verdict and no metric in its 1 of 7 cells",
        "  line 11  run, taken for a discard: no verdict that is known (interesting)",
        "  note: a run without a verdict that is known is never a keep; --map WORD=STATUS tells",
    ]
    document = json.loads(ar("import", "r.tsv", "--json").out)
    (file,) = document["files"]
    assert (document["events"], document["runs"], document["format"]) == (7, 5, "tsv")
    assert [line["line"] for line in file["lines"]] == list(range(1, 12))
    assert [skipped["line"] for skipped in file["skipped"]] == [9, 10]
    assert document["head"].startswith("8:")


def test_dry_run_writes_nothing(ar: Ar, log: Path, tmp_path: Path) -> None:
    """It shows what would be, and makes no session."""
    put(tmp_path, "theirs.jsonl", PI)

    ran = ar("import", "theirs.jsonl", "--dry-run", "--json")
    assert json.loads(ran.out)["events"] == 3
    assert not log.parent.exists()


def test_standard_input(ar: Ar, log: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`-` reads a stream; what it held is known again by its content."""
    for _ in range(2):
        monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(V1.encode())))
        assert ar("import", "-").code == 0

    assert session(ar)["run_count"] == 4
    assert session(ar)["goal"] == "imported from standard input"


def test_the_sessions_own_log_is_no_source(ar: Ar, tmp_path: Path) -> None:
    """A pi log in its own place is the session's log already; another log may begin with what it holds."""
    put(tmp_path, "autoresearch.jsonl", PI)

    ran = ar("import", "autoresearch.jsonl")
    assert ran.code == 2
    assert "own log" in ran.err
    assert (tmp_path / "autoresearch.jsonl").read_text() == PI
    assert ar("--log", "new.jsonl", "import", "autoresearch.jsonl").code == 0
    assert ar("--log", "new.jsonl", "verify").code == 0


def test_a_state_folder(ar: Ar, log: Path, tmp_path: Path) -> None:
    """Its files are imported together; each grows, or is rewritten, by itself."""
    state = tmp_path / "st"
    put(state, "task_spec.md", "# T\n## Goal\nsurvey\n")
    put(state, "progress.json", '{"iteration": 1, "status": "active"}')
    findings = put(state, "findings.jsonl", '{"finding":"a"}\n')
    tried = put(state, "directions_tried.json", '["caching"]')
    put(state, "iteration_log.jsonl", '{"iteration":1,"new_findings":1}\n')
    put(
        state,
        "logs/work.jsonl",
        '{"ts":"2026-07-03T00:00:00Z","source":"w","level":"info","event":"e","detail":"d"}\n',
    )

    assert "6 events, 0 runs" in ar("import", "st").out
    assert ar("import", "st").out == "nothing new in st\n"
    findings.write_text('{"finding":"a"}\n{"finding":"b"}\n')
    tried.write_text('["batching", "caching"]')
    assert "2 events" in ar("import", "st").out

    shown = json.loads(ar("view", "findings", "--json").out)
    assert [row["text"] for row in shown["findings"]] == ["a", "b"]
    shown = json.loads(ar("view", "directions", "--json").out)
    assert [row["text"] for row in shown["directions"]] == ["caching", "batching"]
    findings.write_text('{"finding":"A"}\n{"finding":"b"}\n')
    assert "findings.jsonl: line 1 is not as" in ar("import", "st").err


def test_a_folder_into_a_session_that_says_so_already(ar: Ar, log: Path, tmp_path: Path) -> None:
    """A goal or a status that the log has begins nothing anew; another status is taken."""
    ar("init", "survey", "--no-metric")
    progress = put(tmp_path, "st/progress.json", '{"iteration": 0, "status": "active"}')
    put(tmp_path, "st/task_spec.md", "## Goal\nsurvey\n")
    ar("import", "st")
    before = log.read_bytes()

    progress.write_text('{"iteration": 0, "status": "active", "stale_count": 1}')
    assert ar("import", "st").out == "nothing new in st\n"
    assert log.read_bytes() == before
    progress.write_text('{"iteration": 0, "status": "done"}')
    ar("import", "st")
    assert json.loads(ar("view", "progress", "--json").out)["status"] == "done"


@pytest.mark.parametrize("kind", ["pipe", "device"])
def test_what_brings_nothing_is_refused(
    ar: Ar, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    """A pipe that nobody writes to is not waited for without end; a device is no file. No session begins."""
    monkeypatch.setattr("commands.effects.reading.PATIENCE_SECONDS", 0.05)
    if kind == "pipe":
        os.mkfifo(tmp_path / "x")
    else:
        (tmp_path / "x").symlink_to("/dev/zero")

    ran = ar("import", "x")

    assert ran.code == 2
    assert (
        ran.err
        == {
            "pipe": "ar: nobody writes to the pipe x\ntry: COMMAND > x beside it\n",
            "device": "ar: x is no file\ntry: name a file, or - for standard input\n",
        }[kind]
    )
    assert not (tmp_path / ".auto").exists()


def test_a_pipe_is_waited_for_while_it_has_a_writer(ar: Ar, tmp_path: Path) -> None:
    """One that comes a little late, and then takes its time."""
    os.mkfifo(tmp_path / "pipe")
    slowly = 'sleep 0.2; { sleep 0.3; printf "%s" "$1"; sleep 0.3; printf "%s" "$2"; } > pipe'
    writer = subprocess.Popen(["sh", "-c", slowly, "sh", PI, MORE], cwd=tmp_path)

    ran = ar("import", "pipe")
    writer.wait(30)

    assert (ran.code, ran.err) == (0, "")
    assert session(ar)["run_count"] == 3


def test_a_pipe_and_an_odd_name(ar: Ar, log: Path, tmp_path: Path) -> None:
    """A pipe has no name by which it could count as changed; bytes that are no text are no hindrance."""
    name = os.fsdecode(b"caf\xe9.jsonl")
    put(tmp_path, name, PI)
    assert ar("import", name).code == 0
    for text in (PI.replace("faster", "a"), PI.replace("faster", "b")):
        source, sink = os.pipe()
        os.write(sink, text.encode())
        os.close(sink)
        assert ar("import", f"/dev/fd/{source}").code == 0
        os.close(source)

    assert session(ar)["run_count"] == 6


def test_a_folder_that_is_none(ar: Ar, tmp_path: Path) -> None:
    """A folder without the protocol's files is refused; a session in it is named."""
    put(tmp_path, "d/readme.md", "x")
    put(tmp_path, "e/.auto/log.jsonl", PI)

    assert "no state folder" in ar("import", "d").err
    assert "try: ar import e/.auto/log.jsonl" in ar("import", "e").err
    assert ar("import", "nowhere").code == 2
    assert ar("import", "d", "--format", "pi").code == 2


def test_who_imports(ar: Ar, log: Path, tmp_path: Path) -> None:
    """The importer signs; who may not append runs is told so, and nothing is written."""
    put(tmp_path, "theirs.jsonl", PI)

    ran = ar("import", "theirs.jsonl", "--by", "guardian")
    assert ran.code == 2
    assert "guardian" in ran.err
    assert not log.exists() or log.read_bytes() == b""
    assert ar("import", "theirs.jsonl", "--by", "orchestrator:o").code == 0
    assert {r.by for r in records(log)} == {"orchestrator:o"}


def test_secrets_stay_out(ar: Ar, log: Path, tmp_path: Path) -> None:
    """What looks like a secret in a foreign line does not enter the log."""
    token = "ghp_" + "A1b2C3d4" * 5
    put(tmp_path, "theirs.jsonl", PI.replace("cache", f"cloned with {token}"))

    assert ar("import", "theirs.jsonl").code == 0
    assert token.encode() not in log.read_bytes()
    assert b"[redacted:" in log.read_bytes()


def test_text_is_shown_escaped(ar: Ar, tmp_path: Path) -> None:
    """Nothing that a file holds, or is called, steers the terminal."""
    put(tmp_path, "theirs.jsonl", PI + '{"type":"\x1b[31mred"}\n'.replace("\x1b", "\\u001b"))

    ran = ar("import", "theirs.jsonl")
    assert "\x1b" not in ran.out
    assert "\\x1b[31mred" in ran.out


def test_a_session_that_begins_is_kept_out_of_gits_way(tmp_path: Path) -> None:
    """As `init` does it, the log of a new session is excluded from git."""
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True, env=environment())
    put(tmp_path, "theirs.jsonl", PI)

    assert process("import", "theirs.jsonl", cwd=tmp_path).code == 0
    assert "log.jsonl" in (tmp_path / ".git" / "info" / "exclude").read_text()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_that_may_not_be_read(ar: Ar, tmp_path: Path) -> None:
    """An unreadable file is the environment's fault: exit 4."""
    put(tmp_path, "theirs.jsonl", PI).chmod(0)

    assert ar("import", "theirs.jsonl").code == 4

"""Looking at a log: `view`, `show`, `tail`, `replay`, `diff`, `why`, `verify`."""

from __future__ import annotations

import json
import os
import pty
import select
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests.commands.conftest import Ar, environment, process

LOG = """\
{"type":"config","name":"faster","metricName":"total","metricUnit":"ms","bestDirection":"lower","timestamp":1700000000000}
{"run":1,"status":"keep","metric":44.4,"description":"baseline","timestamp":1700000010000,"metrics":{"rss_kb":900}}
{"run":2,"status":"keep","metric":38.9,"description":"arena","timestamp":1700000020000,"metrics":{"rss_kb":800}}
{"type":"heartbeat","by":"worker:gpu0","timestamp":1700000025000}
{"run":3,"status":"discard","metric":41,"description":"pages \\u001b[31m\\nmore","timestamp":1700000030000}
"""
DAMAGED = (
    LOG + "not json\n" + '{"type":"later_version","x":1}\n' + '{"run":4,"status":"crash","description":"x"}\n'
)

VERBS = (
    ["view"],
    ["view", "runs"],
    ["view", "--at", "run:2"],
    ["show", "run:1"],
    ["show", "head"],
    ["tail"],
    ["tail", "-n", "0"],
    ["replay"],
    ["replay", "runs", "--all"],
    ["diff", "0", "head"],
    ["why", "best_metric"],
    ["verify"],
)
"""Every way of looking."""


@pytest.fixture(autouse=True)
def log(tmp_path: Path) -> Path:
    """A session that another program recorded."""
    (tmp_path / ".auto").mkdir()
    path = tmp_path / ".auto" / "log.jsonl"
    path.write_text(LOG)
    return path


@pytest.mark.parametrize("argv", VERBS, ids=" ".join)
def test_a_look_changes_nothing(ar: Ar, log: Path, tmp_path: Path, argv: list[str]) -> None:
    """Neither the log nor anything beside it."""
    ar(*argv)
    ar(*argv, "--json")

    assert log.read_text() == LOG
    assert [path.name for path in log.parent.iterdir()] == ["log.jsonl"]


@pytest.mark.parametrize("argv", VERBS, ids=" ".join)
def test_agents_text_never_reaches_the_terminal_raw(ar: Ar, argv: list[str]) -> None:
    """Not in text, and not in JSON either."""
    for ran in (ar(*argv), ar(*argv, "--json")):
        assert ran.code in (0, 1)
        assert "\x1b" not in ran.out
        assert "Traceback" not in ran.err


@pytest.mark.parametrize("argv", VERBS, ids=" ".join)
def test_json_is_json(ar: Ar, argv: list[str]) -> None:
    """One document; one a line where events are listed."""
    out = ar(*argv, "--json").out
    documents = [json.loads(line) for line in out.splitlines()]

    assert all(isinstance(document, dict) for document in documents)
    if argv[0] not in ("tail", "replay"):
        assert len(documents) == 1


@pytest.mark.parametrize("argv", VERBS, ids=" ".join)
def test_damage_is_loud_and_the_rest_is_shown(ar: Ar, log: Path, argv: list[str]) -> None:
    """stderr names the line; the exit code of a look stays 0, that of a check is 1."""
    log.write_text(DAMAGED)

    ran = ar(*argv)

    assert ran.code == (1 if argv[0] in ("verify", "diff") else 0)
    if argv in (
        ["view"],
        ["view", "runs"],
        ["tail"],
        ["replay"],
        ["why", "best_metric"],
        ["diff", "0", "head"],
    ):
        assert ran.err == "ar: line 6 is damaged and not part of what is shown; `ar verify` says more\n"


@pytest.mark.parametrize("argv", VERBS, ids=" ".join)
@pytest.mark.parametrize(
    "content", ["", "\n\n", "garbage", "\x00\x00\n", "[1]\nnull\n", '{"type":"run"}\n{"a"']
)
def test_whatever_the_log_holds_it_can_be_looked_at(ar: Ar, log: Path, argv: list[str], content: str) -> None:
    """An empty log is one where nothing happened; places that are not in it are refused in one line."""
    log.write_text(content)

    for ran in (ar(*argv), ar(*argv, "--json")):
        assert ran.code in (0, 1, 2)
        assert ran.err.count("\n") <= 2


def test_a_view_at_a_place_is_the_view_of_that_time(ar: Ar, log: Path) -> None:
    """By line, run and time; with the head it had then."""
    whole = log.read_text()
    by_place = [
        json.loads(ar("view", "--json", "--at", at).out) for at in ("3", "run:2", "2023-11-14T22:13:41Z")
    ]
    log.write_text("".join(whole.splitlines(keepends=True)[:3]))
    then = json.loads(ar("view", "--json").out)

    assert by_place == [then] * 3
    assert (then["seq"], then["best_metric"], then["view"]) == (3, 38.9, "session")
    assert then["head"].startswith("3:")


def test_the_session_is_told_as_one_would_tell_it(ar: Ar) -> None:
    """In words, aligned, with what changed."""
    assert ar("view").out == (
        "goal        faster\n"
        "metric      total (ms), lower is better\n"
        "baseline    44.4 ms (run 1)\n"
        "best        38.9 ms (run 2), -12.4%\n"
        "confidence  2.6, likely real\n"
        "runs        3 (2 keep, 1 discard)\n"
        "last run    3  discard  41  pages \\x1b[31m\\nmore\n"
        "rss_kb      900 -> 800 kb, -11.1%\n"
    )


def test_runs_are_a_table(ar: Ar) -> None:
    """Aligned and uncut when piped."""
    assert ar("view", "runs").out == (
        "run  status   metric  change  best  description\n"
        "  1  keep       44.4   +0.0%  *     baseline\n"
        "  2  keep       38.9  -12.4%  *     arena\n"
        "  3  discard      41   -7.7%        pages \\x1b[31m\\nmore\n"
    )


def test_a_log_with_damage_names_its_lines_in_json(ar: Ar, log: Path) -> None:
    """So that a program cannot miss it."""
    log.write_text(DAMAGED)

    assert json.loads(ar("view", "--json").out)["damaged_lines"] == [6]
    assert json.loads(ar("view", "--json", "--at", "5").out)["damaged_lines"] == []
    assert json.loads(ar("verify", "--json").out)["damaged_lines"] == [6]
    assert json.loads(ar("diff", "1", "head", "--json").out)["damaged_lines"] == [6]
    assert json.loads(ar("why", "best_metric", "--json").out)["damaged_lines"] == [6]


def test_tail_shows_the_last_events(ar: Ar, log: Path) -> None:
    """Number, time, author, type, what it says; lines that are none are named."""
    log.write_text(DAMAGED)

    out = ar("tail", "-n", "4").out.splitlines()

    assert (
        out[0] == "    5  2023-11-14 22:13:50Z  user      run        3  discard  41  pages \\x1b[31m\\nmore"
    )
    assert out[1].split()[:3] == ["6", "-", "damaged"]
    assert out[2].split()[:3] == ["7", "-", "unknown"]
    assert len(out) == 4
    found = [json.loads(line) for line in ar("tail", "-n", "3", "--json").out.splitlines()]
    assert [set(document) for document in found] == [
        {"seq", "damaged"},
        {"seq", "unknown", "event"},
        {"seq", "event"},
    ]
    assert ar("tail", "-n", "0").out == ""


@pytest.mark.parametrize("size", [1, 4000])
def test_tail_of_a_long_log_reads_its_end(ar: Ar, log: Path, size: int) -> None:
    """Over the borders of what is read at a time."""
    line = '{"type":"note","detail":"' + "x" * 1000 + '"}\n'
    log.write_text(line * size + '{"type":"note","detail":"last"}\n')

    found = [json.loads(each) for each in ar("tail", "-n", "1500", "--json").out.splitlines()]

    assert [each["seq"] for each in found] == list(range(max(1, size + 2 - 1500), size + 2))
    assert found[-1]["event"]["detail"] == "last"


def test_show_tells_everything_of_an_event(ar: Ar, log: Path) -> None:
    """By run or by line, with the digest that anchors it."""
    out = ar("show", "run:2").out

    assert out.splitlines()[0] == "line 3: run"
    assert "metrics.rss_kb  800" in out
    found = json.loads(ar("show", "3", "--json").out)
    assert (found["seq"], found["event"]["description"]) == (3, "arena")
    assert json.loads(ar("view", "--json", "--at", "3").out)["head"] == found["head"]


@pytest.mark.parametrize("where", ["0", "9", "run:9", "nowhere"])
def test_show_of_what_is_not_there(ar: Ar, where: str) -> None:
    """Exit code 2."""
    assert ar("show", where).code == 2


def test_replay_tells_what_each_event_changed(ar: Ar) -> None:
    """Events that changed nothing are left out unless all are asked for."""
    out = ar("replay", "--from", "2").out

    assert out.splitlines()[0].split()[:2] == ["3", "2023-11-14"]
    assert "       best_metric: 44.4 -> 38.9" in out.splitlines()
    assert "heartbeat" not in out
    assert "heartbeat" in ar("replay", "--all").out
    found = [
        json.loads(line)
        for line in ar("replay", "stall", "--json", "--from", "run:2", "--to", "head").out.splitlines()
    ]
    assert [(each["seq"], each["event"]["type"]) for each in found] == [(5, "run")]
    assert {"path": "stale_count", "before": 0, "after": 1} in found[0]["changes"]


def test_replay_from_the_head_is_nothing(ar: Ar) -> None:
    """No error either."""
    assert ar("replay", "--from", "head") == (0, "", "")


def test_diff_tells_what_differs(ar: Ar) -> None:
    """Exit code 1 if anything does."""
    ran = ar("diff", "run:1", "run:2")
    same = ar("diff", "3", "4")

    assert ran.code == 1
    assert "best_metric: 44.4 -> 38.9\n" in ran.out
    assert (same.code, same.out) == (0, "")
    found = json.loads(ar("diff", "run:2", "run:1", "--json").out)
    assert {"path": "best_metric", "before": 38.9, "after": 44.4} in found["changes"]
    assert (found["before"]["seq"], found["after"]["seq"]) == (3, 2)


def test_why_names_the_event_and_those_before(ar: Ar) -> None:
    """The newest first."""
    assert ar("why", "best_metric").out == (
        "best_metric is 38.9, by line 3:\n"
        "      3  38.9  run 2  keep  38.9  arena\n"
        "      2  44.4  run 1  keep  44.4  baseline\n"
        "         null at first\n"
    )
    assert ar("why", "run_count", "-n", "1").out == (
        "run_count is 3, by line 5:\n"
        "      5  3  run 3  discard  41  pages \\x1b[31m\\nmore\n"
        "         and 2 earlier changes; -n 3 shows all\n"
    )
    found = json.loads(ar("why", "statuses.keep", "--json", "--at", "2").out)
    assert (found["value"], [cause["seq"] for cause in found["causes"]]) == (1, [2])


def test_why_of_what_never_changed(ar: Ar) -> None:
    """Is said, and no error."""
    assert ar("why", "segment").out == "segment is 0: nothing in the log has given it another value\n"


def test_why_of_what_is_no_field(ar: Ar) -> None:
    """Names the fields and the nearest; exit code 2."""
    ran = ar("why", "best_metrik")

    assert ran.code == 2
    assert "has no field 'best_metrik'" in ran.err
    assert ran.err.splitlines()[1] == "try: ar why best_metric"


def test_verify_says_what_it_found(ar: Ar, log: Path) -> None:
    """A foreign log is not wrong; damage and a head that does not stand are."""
    ok = ar("verify")
    head = ok.out.splitlines()[1].removeprefix("head ")

    assert (ok.code, ok.out.splitlines()[0]) == (0, "ok  5 lines, 0 chained, 5 of other writers")
    assert ar("verify", "--head", head).code == 0
    log.write_text(LOG.replace("pages", "pageS") + "x\n")
    bad = ar("verify", "--head", head)
    assert bad.code == 1
    assert "line 6: damaged: " in bad.out
    assert bad.out.splitlines()[-2] == "NOT OK  2 faults  6 lines, 0 chained, 5 of other writers"
    assert bad.out.startswith("line 5: head: ")
    assert ar("verify", "--head", "x:y").code == 2
    found = json.loads(ar("verify", "--json").out)
    assert (found["ok"], found["seq"], [fault["line"] for fault in found["faults"]]) == (False, 6, [6])


def test_one_line_is_told_as_one(ar: Ar, log: Path) -> None:
    """In words."""
    log.write_text('{"type":"note","detail":"x"}\n')

    assert ar("verify").out.startswith("ok  1 line, 0 chained, 1 of other writers\n")


def test_an_altered_line_of_ours_is_found(ar: Ar, log: Path) -> None:
    """The chain covers it, as soon as another line stands after it."""
    log.write_bytes(b"")
    for detail in "abc":
        ar("append", "note", f"detail={detail}")
    log.write_text(log.read_text().replace('"b"', '"B"'))

    assert ar("verify").code == 1


def test_faults_without_end_are_counted(ar: Ar, log: Path) -> None:
    """People get the first of them and their number, programs all."""
    log.write_text("x\n" * 70)

    out = ar("verify").out.splitlines()

    assert len(out) == 53
    assert out[50] == "and 20 more; `ar verify --json` lists them all"
    assert out[51] == "NOT OK  70 faults  70 lines, 0 chained"
    assert len(json.loads(ar("verify", "--json").out)["faults"]) == 70


@pytest.mark.parametrize("kind", ["directory", "missing"])
def test_a_log_that_is_none(ar: Ar, log: Path, tmp_path: Path, kind: str) -> None:
    """A directory is a failure of the storage; a named file that is not there is a slip."""
    if kind == "directory":
        (tmp_path / "x").mkdir()

    for argv in VERBS:
        ran = ar("--log", "x", *argv)
        assert ran.code == (4 if kind == "directory" else 2)
        assert ran.err.startswith("ar: ")


class TestAsAProcess:
    """Streams, signals and terminals, as a shell gives them."""

    @pytest.mark.parametrize("argv", VERBS, ids=" ".join)
    def test_a_reader_that_goes_away_is_no_error(self, log: Path, tmp_path: Path, argv: list[str]) -> None:
        """`| head -1` gets its line, and stderr nothing; the verdict of a check stays what it is."""
        log.write_text(LOG * 400)
        command = " ".join([f'"{sys.executable}" -m autoresearch_ledger', *argv])

        done = subprocess.run(
            ["bash", "-c", f"{command} | head -1; echo ${{PIPESTATUS[0]}}"],
            cwd=tmp_path,
            env=environment(),
            capture_output=True,
            text=True,
            timeout=60,
        )

        assert done.stderr == ""
        assert done.stdout.splitlines()[-1] == ("1" if argv[0] == "diff" else "0")

    def test_a_closed_stdout_is_no_error(self, tmp_path: Path) -> None:
        """Nobody wants to hear it."""
        command = f'"{sys.executable}" -m autoresearch_ledger view >&-'

        done = subprocess.run(["bash", "-c", command], cwd=tmp_path, env=environment(), capture_output=True)

        assert (done.returncode, done.stderr) == (0, b"")

    @pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
    def test_a_full_disk_behind_stdout_is_told(self, tmp_path: Path) -> None:
        """One line, exit code 4."""
        command = f'"{sys.executable}" -m autoresearch_ledger view > /dev/full'

        done = subprocess.run(["bash", "-c", command], cwd=tmp_path, env=environment(), capture_output=True)

        assert done.returncode == 4
        assert done.stderr == b"ar: stdout: No space left on device\n"

    def test_a_latin_terminal_gets_what_it_can_show(self, log: Path, tmp_path: Path) -> None:
        """Other characters are escaped; JSON is UTF-8 all the same."""
        log.write_text('{"type":"note","detail":"模型 é"}\n', encoding="utf-8")

        text = process("tail", cwd=tmp_path, PYTHONIOENCODING="ascii")
        data = process("tail", "--json", cwd=tmp_path, PYTHONIOENCODING="ascii")

        assert text.out.rstrip().endswith("\\u6a21\\u578b \\xe9")
        assert json.loads(data.out)["event"]["detail"] == "模型 é"

    def test_following_shows_what_comes_until_interrupted(self, log: Path, tmp_path: Path) -> None:
        """Ctrl-C ends it with 130 and without a word."""
        for argv in (["tail", "-f", "-n", "1", "--json"], ["view", "--follow", "--json"]):
            log.write_text(LOG)
            running = subprocess.Popen(
                [sys.executable, "-m", "autoresearch_ledger", *argv],
                cwd=tmp_path,
                env=environment(),
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
            assert running.stdout is not None
            assert "pages" in running.stdout.readline()
            with log.open("a") as file:
                file.write('{"run":4,"status":"keep","metric":30,"description":"late"}\n')
            ready, _, _ = select.select([running.stdout], [], [], 60)
            assert ready, argv
            assert "late" in running.stdout.readline()
            running.send_signal(signal.SIGINT)
            _, err = running.communicate(timeout=60)
            assert (running.returncode, err) == (130, "")

    @pytest.mark.parametrize(("no_color", "term"), [("", "xterm-256color"), ("1", "xterm"), ("", "dumb")])
    def test_a_terminal_gets_colour_and_its_own_width(self, tmp_path: Path, no_color: str, term: str) -> None:
        """Unless NO_COLOR is set or it is dumb; no line is wider than it."""
        log = tmp_path / ".auto" / "log.jsonl"
        log.write_text(LOG.replace("arena", "arena [red]" + "x" * 200))
        for argv in (["view"], ["view", "runs"], ["tail"], ["replay"], ["why", "best_metric"]):
            out = on_terminal(argv, tmp_path, NO_COLOR=no_color, TERM=term)
            plain = "".join(
                part.partition("m")[2] if i else part for i, part in enumerate(out.split("\x1b["))
            )
            assert "\x1b]" not in out
            if argv == ["view", "runs"]:
                assert ("\x1b[" in out) == (not no_color and term != "dumb")
                assert "[red]" in plain
                assert "…" in plain
            if argv != ["view"]:
                assert max(map(len, plain.splitlines()), default=0) <= 80

    @pytest.mark.parametrize("form", ["jsonl", "pi", "tsv", "csv"])
    def test_an_export_to_a_terminal_is_escaped(self, tmp_path: Path, form: str) -> None:
        """Piped it is the bytes, whatever they hold; a terminal is never told what to do by an agent."""
        text = "a\x1b]0;title\x07\x9b31m\u202e日本\u0085b"
        run = {"run": 4, "status": "keep", "metric": 3, "description": text}
        line = json.dumps(run, ensure_ascii=False) if form == "jsonl" else json.dumps(run)
        (tmp_path / ".auto" / "log.jsonl").write_text(LOG + line + "\n")

        shown = on_terminal(["export", form], tmp_path)
        piped = process("export", form, cwd=tmp_path)

        assert "日本" in shown
        assert all(c in "\n\t" or c.isprintable() for c in shown)
        if form == "jsonl":
            assert piped.out.encode() == (tmp_path / ".auto" / "log.jsonl").read_bytes()

    @pytest.mark.parametrize(
        ("columns", "whole"),
        [(80, "  4  keep     38.1235  -14.1%  *     yyyyy"), (36, "  4  keep     38.1235  -14.1%  *…")],
    )
    def test_no_number_is_cut_for_a_text(self, tmp_path: Path, columns: int, whole: str) -> None:
        """A long description gives way; in a narrow terminal the ends of lines do."""
        run = {"run": 4, "status": "keep", "metric": 38.123456, "description": "y" * 200}
        (tmp_path / ".auto" / "log.jsonl").write_text(LOG + json.dumps(run) + "\n")

        shown = on_terminal(["view", "runs"], tmp_path, columns, NO_COLOR="1").splitlines()

        assert max(map(len, shown)) <= columns
        assert shown[-1].startswith(whole)


def on_terminal(argv: list[str], cwd: Path, columns: int = 80, **changed: str) -> str:
    """What `ar` writes to a terminal of so many columns."""
    ours, theirs = pty.openpty()
    subprocess.run(["stty", "cols", str(columns)], stdin=theirs, check=True)
    running = subprocess.Popen(
        [sys.executable, "-m", "autoresearch_ledger", *argv],
        cwd=cwd,
        env=environment(**changed),
        stdin=theirs,
        stdout=theirs,
        stderr=subprocess.DEVNULL,
    )
    os.close(theirs)
    found = b""
    while True:
        try:
            chunk = os.read(ours, 65536)
        except OSError:  # Linux: the other end is closed
            break
        if not chunk:
            break
        found += chunk
    running.wait(timeout=60)
    os.close(ours)
    return found.decode().replace("\r\n", "\n")

"""`ar export`: the log for others, and nobody's file overwritten."""

from __future__ import annotations

import csv
import io
import json
import socket
from pathlib import Path
from typing import Any

import pytest

from tests.commands.conftest import Ar, process


@pytest.fixture
def log(ar: Ar, tmp_path: Path) -> Path:
    """A session of three runs and a finding."""
    ar("init", "faster", "--metric", "total_ms", "--unit", "ms", "--direction", "lower")
    ar("log", "--status", "keep", "--metric", "42", "-m", "baseline", "--commit", "abc1234")
    ar("log", "--status", "keep", "--metric", "38.9", "-m", "=cmd()\twith\na line", "--metrics", "rss_kb=5")
    ar("log", "--status", "crash", "-m", "oops")
    ar("append", "finding", "text=caches help", "source=https://x.example")
    return tmp_path / ".auto" / "log.jsonl"


def views(ar: Ar, *argv: str) -> list[Any]:
    shown = []
    for name in ("session", "runs", "findings", "directions", "progress"):
        view = json.loads(ar(*argv, "view", name, "--json").out)
        for place in ("seq", "head", "damaged_lines"):
            view.pop(place)
        if name == "session":
            view["last_run"] = {k: v for k, v in view["last_run"].items() if k not in ("seq", "prev", "id")}
        shown.append(view)
    return shown


def test_jsonl_is_the_bytes(ar: Ar, log: Path) -> None:
    """The log as it stands, foreign and damaged lines included; a torn tail is not out yet."""
    with log.open("ab") as file:
        file.write(b'oops\n{"run":9,"metric":1,"status":"keep"}\n{"torn')

    assert ar("export", "jsonl").out == log.read_text().removesuffix('{"torn')


def test_pi(ar: Ar, log: Path) -> None:
    """What pi reads, and nothing else has a numeric `run`."""
    lines = [json.loads(line) for line in ar("export", "pi").out.splitlines()]

    assert [line.get("type") for line in lines] == ["config", None, None, None]
    assert [line.get("run") for line in lines] == [None, 1, 2, 3]
    assert lines[0]["bestDirection"] == "lower"
    assert [line["metric"] for line in lines[1:]] == [42, 38.9, None]


def test_tables(ar: Ar, log: Path) -> None:
    """As many cells in every row as in the header, whatever the text holds."""
    for form in ("tsv", "v1-tsv"):
        rows = [line.split("\t") for line in ar("export", form).out.splitlines()]
        assert {len(row) for row in rows} == {len(rows[0])}
        assert len(rows) == 4
    rows = list(csv.DictReader(io.StringIO(ar("export", "csv").out)))
    assert rows[1]["description"] == r"'=cmd()\twith\na line"


def test_segments(ar: Ar, log: Path) -> None:
    """The tables of one metric show the last segment with runs, or the one that is asked for."""
    ar("init", "smaller", "--metric", "mb", "--unit", "mb", "--direction", "lower")
    ar("log", "--status", "keep", "--metric", "3", "-m", "start")
    ar("init", "later", "--metric", "x", "--unit", "", "--direction", "higher")

    assert ar("export", "tsv").out.splitlines()[0].split("\t")[1] == "mb"
    assert ar("export", "tsv", "--segment", "0").out.splitlines()[0].split("\t")[1] == "total_ms"
    assert len(ar("export", "csv").out.splitlines()) == 5


@pytest.mark.parametrize("form", ["jsonl", "pi", "csv"])
def test_export_then_import(ar: Ar, log: Path, tmp_path: Path, form: str) -> None:
    """A new log that begins with what was exported shows the same session and runs; ours shows everything."""
    ar("export", form, "-o", "out.txt")
    assert ar("--log", "again.jsonl", "import", "out.txt").code == 0

    shown = views(ar, "--log", "again.jsonl")
    assert shown[:2] == views(ar)[:2]
    if form == "jsonl":
        assert shown == views(ar)


def test_state_then_import(ar: Ar, log: Path) -> None:
    """So does the protocol's folder, with every view."""
    assert ar("export", "state", "st").code == 0
    assert ar("--log", "again.jsonl", "import", "st").code == 0

    assert views(ar, "--log", "again.jsonl") == views(ar)


def test_a_table_says_how_to_read_it(ar: Ar, log: Path) -> None:
    """With remarks a table tells goal, metric and direction; without, only what its rows show."""
    ar("export", "tsv", "-o", "bare.tsv")
    ar("export", "tsv", "--remarks", "-o", "told.tsv")

    assert ar("--log", "a.jsonl", "import", "bare.tsv").code == 0  # its kept runs go one way
    assert json.loads(ar("--log", "a.jsonl", "view", "--json").out)["goal"] != "faster"
    assert ar("--log", "b.jsonl", "import", "told.tsv").code == 0
    shown = json.loads(ar("--log", "b.jsonl", "view", "--json").out)
    assert (shown["goal"], shown["metric_name"], shown["best_metric"]) == ("faster", "total_ms", 38.9)
    assert shown["statuses"] == {"keep": 2, "crash": 1}


def test_a_file_is_never_overwritten_in_silence(ar: Ar, log: Path, tmp_path: Path) -> None:
    """-o refuses what is there, --force overwrites it, and the log itself is never the target."""
    target = tmp_path / "out.tsv"
    target.write_text("mine")
    assert ar("export", "tsv", "-o", "out.tsv").code == 3
    assert target.read_text() == "mine"
    assert ar("export", "tsv", "-o", "out.tsv", "--force").code == 0
    assert target.read_text().startswith("commit\t")

    before = log.read_bytes()
    assert ar("export", "pi", "-o", str(log), "--force").code == 2
    assert log.read_bytes() == before
    assert ar("export", "pi", "-o", ".auto", "--force").code == 2
    assert not [p for p in tmp_path.iterdir() if p.name.startswith(".out")]


def test_a_persons_edit_in_the_state_folder(ar: Ar, log: Path, tmp_path: Path) -> None:
    """An edited file is named and left; --force keeps it under another name, every time."""
    ar("export", "state", "st")
    assert ar("export", "state", "st").out == "st: 0 files written, 8 as they were\n"
    ar("append", "finding", "text=more")
    assert ar("export", "state", "st").out == "st: 2 files written, 6 as they were\n"
    (tmp_path / "st" / "findings.jsonl").unlink()
    assert ar("export", "state", "st").out == "st: 1 file written, 7 as they were\n"

    edited = tmp_path / "st" / "progress.json"
    edited.write_text("{}")
    ran = ar("export", "state", "st")
    assert ran.code == 3
    assert "progress.json was written or edited by somebody else" in ran.err
    assert edited.read_text() == "{}"
    ran = ar("export", "state", "st", "--force")
    assert ran.code == 0
    assert "progress.json.bak" in ran.out
    assert (tmp_path / "st" / "progress.json.bak").read_text() == "{}"
    edited.write_text("[]")
    ar("export", "state", "st", "--force")
    assert (tmp_path / "st" / "progress.json.bak.2").read_text() == "[]"
    assert json.loads(edited.read_text())["total_findings"] == 2


def test_a_folder_that_a_person_began(ar: Ar, log: Path, tmp_path: Path) -> None:
    """A file of the protocol's that we never wrote is a person's; others in the folder do not matter."""
    (tmp_path / "st").mkdir()
    (tmp_path / "st" / "notes.md").write_text("mine")
    (tmp_path / "st" / "task_spec.md").write_text("# mine")

    ran = ar("export", "state", "st")
    assert ran.code == 3
    assert "task_spec.md" in ran.err
    assert sorted(p.name for p in (tmp_path / "st").iterdir()) == ["notes.md", "task_spec.md"]


def test_a_manifest_that_is_broken_trusts_nothing(ar: Ar, log: Path, tmp_path: Path) -> None:
    """Without a readable manifest, what is not as it should be counts as a person's."""
    ar("export", "state", "st")
    (tmp_path / "st" / ".ar-export.json").write_text("{")
    assert ar("export", "state", "st").code == 0
    (tmp_path / "st" / ".ar-export.json").write_text("{")
    ar("append", "finding", "text=more")
    assert ar("export", "state", "st").code == 3


def test_redacted(ar: Ar, log: Path, tmp_path: Path) -> None:
    """Home folders, addresses and this machine's name are masked in every format; the log keeps them."""
    host = socket.gethostname()
    home = str(Path.home())
    ar("append", "note", f"detail=built in {home}/src by ada@example.org from 10.1.2.3")
    ar(
        "log",
        "--status",
        "keep",
        "--metric",
        "3",
        "-m",
        f"{home}/x, mail ada@example.org, 10.1.2.3",
        "--by",
        "worker:w",
    )
    ar("append", "heartbeat", "host=lovelace")
    ar("append", "note", "detail=seen on lovelace")

    for form in ("jsonl", "pi", "tsv", "v1-tsv", "csv"):
        out = ar("export", form, "--redact").out
        assert "ada@example.org" not in out
        assert "10.1.2.3" not in out
        assert f"{home}/x" not in out
        assert "lovelace" not in out
    ar("export", "state", "st", "--redact")
    text = "".join(p.read_text() for p in (tmp_path / "st").rglob("*.json*"))
    assert "ada@example.org" not in text
    assert "ada@example.org" in log.read_text()
    assert len(host) > 0


@pytest.mark.parametrize(
    "argv",
    [
        ("state",),
        ("state", "st", "-o", "x"),
        ("pi", "dir"),
        ("pi", "--segment", "1"),
        ("csv", "--remarks"),
        ("pi", "--json"),
        ("yaml",),
    ],
)
def test_what_makes_no_sense_is_refused(ar: Ar, log: Path, argv: tuple[str, ...]) -> None:
    """One line, exit 2."""
    ran = ar("export", *argv)

    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("ar: ")


def test_json_tells_what_was_written(ar: Ar, log: Path) -> None:
    """For programs: which file, how large; which files of a folder."""
    assert json.loads(ar("export", "pi", "-o", "x", "--json").out)["file"] == "x"
    document = json.loads(ar("export", "state", "st", "--json").out)
    assert len(document["written"]) == 8
    assert document["backups"] == []


def test_an_empty_log(ar: Ar, tmp_path: Path) -> None:
    """Nothing recorded is exported as nothing; a table still has its header."""
    (tmp_path / ".auto").mkdir()
    (tmp_path / ".auto" / "log.jsonl").touch()

    assert ar("export", "pi").out == ""
    assert ar("export", "jsonl").out == ""
    assert ar("export", "tsv").out == "commit\tmetric\tstatus\tdescription\n"
    assert ar("export", "state", "st").code == 0


def test_damage_is_loud(ar: Ar, log: Path) -> None:
    """A damaged line is named on stderr; the rest is exported."""
    with log.open("ab") as file:
        file.write(b"oops\n")

    ran = ar("export", "pi")
    assert (ran.code, len(ran.out.splitlines())) == (0, 4)
    assert "line 6" in ran.err


def test_a_reader_that_goes_away_is_no_error(log: Path, tmp_path: Path) -> None:
    """`ar export jsonl | head -1` ends quietly."""
    import subprocess
    import sys

    from tests.commands.conftest import environment

    with log.open("ab") as file:
        file.write(b'{"type":"note","detail":"' + b"x" * 500_000 + b'"}\n')
    command = f"{sys.executable} -m autoresearch_ledger export jsonl | head -c 10"
    ran = subprocess.run(
        ["bash", "-o", "pipefail", "-c", command],
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        text=True,
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    assert process("export", "jsonl", cwd=tmp_path).code == 0

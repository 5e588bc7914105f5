"""`ar audit`: an honest record passes, and every way to tamper with one is found."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from eventstore.events import Flag, Run
from eventstore.filelog import FileLog
from tests.commands.audited import Case, Line, case, of, recorded, run
from tests.commands.conftest import Ar
from tests.commands.sandbox import prepared

__all__ = ["case", "prepared", "recorded"]


def snapshot(top: Path) -> dict[str, tuple[int, bytes]]:
    """Every file below a directory, git's own as well."""
    return {
        str(path.relative_to(top)): (path.lstat().st_mtime_ns, path.read_bytes())
        for path in sorted(top.rglob("*"))
        if path.is_file() and not path.is_symlink()
    }


class TestHonest:
    def test_nothing_is_found(self, case: Case) -> None:
        """All that was recorded is recomputed or looked up, and counted."""
        document = case.audit(0)

        assert document["findings"] == []
        assert document["checked"] == {
            "lines": len(case.lines()),
            "measurements": 5,
            "kept_commits": 3,
            "rollbacks": 2,
            "heads": 5,
            "harness_files": 1,
        }
        assert document["unchecked"] == []
        assert document["runs"] == {"total": 6, "measured": 6, "unmeasured": 0, "judged": 0, "foreign": 0}
        gain = document["gain"]
        assert (gain["baseline"], gain["best"], gain["best_run"], gain["change_pct"]) == (10, 6, 6, -40)
        assert (gain["measured"], gain["overlap"]) == (True, False)

    def test_people_see_what_was_looked_at(self, case: Case) -> None:
        """And what the gain rests on."""
        ran = case.ar("audit")

        assert (ran.code, ran.err) == (0, "")
        assert ran.out.splitlines()[0] == "ok"
        assert "runs      6: 6 measured here" in ran.out.splitlines()
        assert "git       3 kept commits, 2 rollbacks proved" in ran.out.splitlines()
        gain = "10 -> 6 ms (-40.0%), run 6; confidence 2, likely real; no sample overlaps"
        assert f"gain      {gain}" in ran.out.splitlines()

    def test_nothing_is_written(self, case: Case) -> None:
        """Not a file, not a time, and no hook fires."""
        case.box.write(".auto/hooks/before.sh", "#!/bin/sh\ntouch fired\n", 0o755)
        case.ar("audit")
        before = snapshot(case.box.top)

        case.ar("audit")

        assert snapshot(case.box.top) == before
        assert not (case.box.top / "fired").exists()

    def test_a_snapshot_is_never_believed(self, case: Case) -> None:
        """The log is replayed from its first line."""
        case.ar("view")
        for path in (case.box.top / ".auto/cache").rglob("*"):
            if path.is_file():
                path.write_bytes(b"rubbish")

        assert case.found() == []

    def test_what_was_tried_outside_is_not_looked_at(self, case: Case) -> None:
        """A finalised session is still an honest one."""
        assert case.ar("finalize", "apply").code == 0

        document = case.audit(0)

        assert (document["findings"], document["checked"]["heads"]) == ([], 6)


def _number(lines: list[Line]) -> None:
    run(lines, 4)["run"] = 9


def _segment(lines: list[Line]) -> None:
    run(lines, 4)["segment"] = 1


def _metric(lines: list[Line]) -> None:
    run(lines, 6)["metric"] = 5


def _median(lines: list[Line]) -> None:
    of(lines, "measured", 5)["median"] = 5


def _samples(lines: list[Line]) -> None:
    of(lines, "measured", 5)["samples"] = [6, 6]


def _verdict(lines: list[Line]) -> None:
    run(lines, 3)["status"] = "keep"


def _unmeasured(lines: list[Line]) -> list[Line]:
    return [line for line in lines if line is not of(lines, "measured", 5)]


def _order(lines: list[Line]) -> list[Line]:
    judged, undone = run(lines, 3), of(lines, "reverted", 2)
    rest = [line for line in lines if line is not judged]
    rest.insert(rest.index(undone) + 1, judged)
    return rest


def _no_rollback(lines: list[Line]) -> list[Line]:
    return [line for line in lines if line is not of(lines, "reverted", 2)]


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (_number, ("error", "runs", "number")),
        (_segment, ("error", "runs", "segment")),
        (_metric, ("error", "measurements", "metric")),
        (_median, ("error", "measurements", "median")),
        (_samples, ("error", "measurements", "samples")),
        (_verdict, ("error", "measurements", "verdict")),
        (_unmeasured, ("error", "measurements", "missing")),
        (_order, ("error", "cycles", "order")),
        (_no_rollback, ("error", "cycles", "order")),
    ],
)
def test_a_forged_log_is_found_out(
    case: Case, change: Callable[[list[Line]], list[Line] | None], expected: tuple[str, str, str]
) -> None:
    """Though its chain holds: by its own figures, and by the heads that commits hold."""
    case.rewrite(change)

    assert case.ar("verify").code == 0
    found = case.found()
    assert expected in found
    assert ("error", "heads", "head") in found


class TestChain:
    def test_what_verify_finds_is_found(self, case: Case) -> None:
        """An altered line, one that is damaged, another program's."""
        text = case.log.read_text()
        case.log.write_text(text.replace('"try 12"', '"try 13"') + '{"run":9,"status":"keep"}\nrubbish\n')

        document = case.audit(1)

        kinds = [(each["level"], each["kind"]) for each in document["findings"] if each["source"] == "chain"]
        assert kinds == [("error", "altered"), ("error", "altered"), ("error", "damaged")]
        assert document["damaged_lines"] == [len(text.splitlines()) + 2]
        assert document["runs"]["foreign"] == 1

    def test_errors_come_first(self, case: Case) -> None:
        """Then warnings; each in the order of lines, and counted."""
        FileLog(case.log, by="user").append([Flag(kind="stuck", detail="help")])
        with case.log.open("a") as file:
            file.write("rubbish\n")

        ran = case.ar("audit")

        assert ran.code == 1
        assert ": error: " in ran.out.splitlines()[0]
        assert ran.out.splitlines()[1].endswith("warning: the flag stuck is up: help")
        assert ran.out.splitlines()[2] == "NOT OK  1 error  1 warning"


class TestOpen:
    def test_an_open_cycle_is_worth_knowing(self, case: Case) -> None:
        """Whether it is at work or was killed; one whose rollback failed is more than that."""
        lines = case.log.read_text().splitlines(keepends=True)
        undone = of(case.lines(), "reverted", 4)["seq"]
        assert undone < len(lines)
        case.rewrite(lambda lines: lines[: undone - 1])
        opened = case.found("cycles")
        failed = {"type": "reverted", "timestamp": 1, "by": "user", "cycle": 4, "verified": False}
        case.rewrite(lambda lines: [*lines, failed])

        assert opened == [("warning", "cycles", "open")]
        assert case.found("cycles") == [("error", "cycles", "open")]


class TestForeign:
    LOG = (
        '{"type":"config","name":"shrink","metricName":"bytes","metricUnit":"bytes","bestDirection":"lower"}\n'
        '{"run":1,"commit":"0bc8633","metric":54498,"metrics":{},"status":"keep","description":"baseline"}\n'
        '{"run":2,"commit":"1f00d5e","metric":51200,"metrics":{},"status":"keep","description":"polyfill"}\n'
        '{"run":2,"commit":"1f00d5e","metric":0,"metrics":{},"status":"crash","description":"tree-shake"}\n'
    )

    def test_a_log_of_another_program_outside_of_git(self, ar: Ar) -> None:
        """What can be looked at is; the rest is named. What it says is its author's word."""
        Path("autoresearch.jsonl").write_text(self.LOG)

        document = json.loads(ar("audit", "--json").out)

        assert (document["ok"], document["findings"]) == (True, [])
        assert document["runs"] == {"total": 3, "measured": 0, "unmeasured": 0, "judged": 0, "foreign": 3}
        assert document["unchecked"][0]["source"] == "git"
        assert (document["gain"]["best"], document["gain"]["measured"]) == (51200, False)
        assert "as its author says" in ar("audit").out

    def test_its_commits_are_looked_up_where_there_is_git(self, case: Case) -> None:
        """One that is not there is a warning: nobody promised anything."""
        case.log.unlink()
        (case.box.top / "autoresearch.jsonl").write_text(self.LOG.replace("0bc8633", case.box.head[:7]))

        document = case.audit(0)

        assert [(each["source"], each["kind"], each["line"]) for each in document["findings"]] == [
            ("heads", "elsewhere", 0),
            ("git", "missing", 3),
        ]
        assert document["checked"]["kept_commits"] == 1

    def test_a_log_by_itself(self, case: Case) -> None:
        """Belongs to no repository that could be asked."""
        copy = case.box.top.parent / "copy.jsonl"
        shutil.copy(case.log, copy)

        document = json.loads(case.ar("--log", str(copy), "audit", "--json").out)

        assert document["ok"]
        assert document["unchecked"] == [
            {"source": "git", "reason": "this is a log by itself, not that of a session"}
        ]

    def test_runs_that_were_logged_by_us(self, case: Case) -> None:
        """Their commits were promised: one that is missing is an error."""
        log = FileLog(case.log, by="user")
        log.append([Run(run=7, commit="0000000", metric=5, status="keep")])

        assert case.found() == [("error", "git", "missing"), ("warning", "gain", "unmeasured")]

    def test_imported_runs_name_commits_of_elsewhere(self, case: Case) -> None:
        """Which is no fault of theirs."""
        table = case.box.top.parent / "pi.jsonl"
        table.write_text(self.LOG)
        assert case.ar("import", str(table)).code == 0

        assert set(case.found()) == {("warning", "git", "missing")}

    @pytest.mark.parametrize("data", [b"", b"\n\n", b"rubbish", b"\xff\n{}\n[1]\n"])
    def test_any_bytes(self, ar: Ar, data: bytes) -> None:
        """Get an answer."""
        Path(".auto").mkdir()
        Path(".auto/log.jsonl").write_bytes(data)

        ran = ar("audit")

        assert ran.code == (1 if b"\xff" in data else 0)
        assert ran.out.splitlines()[-1].startswith("not checked  git:")


def test_a_repository_without_a_commit(plain_git: None, ar: Ar, tmp_path: Path) -> None:
    """There is nothing that could be looked up yet."""
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    assert ar("init", "g", "--metric", "m", "--unit", "", "--direction", "lower").code == 0
    assert ar("log", "--status", "keep", "--metric", "3", "-m", "x").code == 0

    document: dict[str, Any] = json.loads(ar("audit", "--json").out)

    assert (document["ok"], document["findings"], document["unchecked"]) == (True, [], [])
    assert os.listdir(tmp_path / ".git/objects/pack") == []

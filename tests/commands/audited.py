"""A real session to be tampered with: a log rewritten so that its chain still holds, commits, files."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from tests.commands.conftest import Ar, Ran, process
from tests.commands.sandbox import Sandbox

Line = dict[str, Any]


class Case:
    """A session of five cycles: 10 at first, 8 kept, 12 rolled back, 7 kept, junk that crashed, 6 kept."""

    def __init__(self, box: Sandbox, ar: Ar) -> None:
        self.box = box
        self._ar = ar

    @property
    def log(self) -> Path:
        return self.box.top / ".auto/log.jsonl"

    def ar(self, *argv: str) -> Ran:
        return self._ar("-C", str(self.box.top), *argv)

    def lines(self) -> list[Line]:
        return [json.loads(line) for line in self.log.read_text().splitlines()]

    def rewrite(self, change: Callable[[list[Line]], list[Line] | None]) -> None:
        """Changes the log, and numbers and chains it anew, as a careful forger would."""
        lines = self.lines()
        changed = change(lines)
        lines = lines if changed is None else changed
        written: list[bytes] = []
        for number, line in enumerate(lines, 1):
            line = {key: value for key, value in line.items() if key != "prev"} | {"seq": number}
            if written:
                line["prev"] = sha256(written[-1]).hexdigest()[:32]
            written.append(json.dumps(line, separators=(",", ":")).encode())
        self.log.write_bytes(b"".join(line + b"\n" for line in written))

    def audit(self, code: int | None = None) -> dict[str, Any]:
        """The audit's document."""
        ran = self.ar("audit", "--json")
        assert ran.err == ""
        document: dict[str, Any] = json.loads(ran.out)
        assert ran.code == (0 if document["ok"] else 1)
        assert code is None or ran.code == code, document["findings"]
        assert document["errors"] == sum(each["level"] == "error" for each in document["findings"])
        return document

    def found(self, *sources: str) -> list[tuple[str, str, str]]:
        """What is found, of these sources if any are named: level, source and kind."""
        return [
            (each["level"], each["source"], each["kind"])
            for each in self.audit()["findings"]
            if not sources or each["source"] in sources
        ]


def of(lines: list[Line], kind: str, cycle: int | None = None) -> Line:
    """The first line of a type, of a cycle."""
    return next(
        line for line in lines if line["type"] == kind and (cycle is None or line.get("cycle") == cycle)
    )


def run(lines: list[Line], number: int) -> Line:
    """The run of this number."""
    return next(line for line in lines if line["type"] == "run" and line["run"] == number)


@pytest.fixture(scope="session")
def recorded(prepared: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The session, to copy from: real cycles, each a process."""
    top = tmp_path_factory.mktemp("recorded") / "repo"
    shutil.copytree(prepared, top, symlinks=True)
    box = Sandbox(top)
    box.git("reset", "-q", "--hard")
    box.write("src/value", "10\n")
    box.write("bench.sh", "cat src/value\n")
    box.commit("src/value", "bench.sh", message="value")
    box.git("switch", "-q", "-c", "speed")
    arguments = ("--metric", "value", "--unit", "ms", "--direction", "lower", "--measure", "sh bench.sh")
    made = process("init", "smaller", *arguments, "--asset", "src", cwd=top)
    assert made.code == 0, made.err
    for value in ("8", "12", "7", "junk", "6"):
        box.write("src/value", f"{value}\n")
        ran = process("cycle", "-m", f"try {value}", cwd=top)
        assert ran.code == 0, ran.err
    return top


@pytest.fixture
def case(plain_git: None, recorded: Path, ar: Ar, tmp_path: Path) -> Case:
    """A copy of the session; an audit changes not a byte of it."""
    top = tmp_path / "repo"
    shutil.copytree(recorded, top, symlinks=True)
    box = Sandbox(top)
    box.git("update-index", "-q", "--refresh", accept=(0, 1))
    return Case(box, ar)

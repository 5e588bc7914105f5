"""A whole session driven through MCP alone leaves the log that the command line leaves."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from reducers import registry
from tests.commands.conftest import Ar
from tests.commands.mcp.project import SESSION, change, made
from tests.commands.mcp.serving import connected, run
from tests.commands.sandbox import plain_git

__all__ = ["plain_git"]

VALUES = (9, 12, "broken", 8, "8.0", 8.5, 9, 9.5, 7)
"""What the agent tries, one after the other, after the baseline of 10: ten runs in all."""

INIT = ["init", "smaller", "--metric", "value", "--unit", "ms", "--direction", "lower", "--asset", "src"]

HOOK = '#!/bin/sh\necho "steer after run $(sed \'s/.*"run":\\([0-9]*\\).*/\\1/\')"\n'


def steps() -> Iterator[tuple[int, object, dict[str, Any], str]]:
    """Number, value, proposal and description of each change."""
    for number, value in enumerate(VALUES, 2):
        proposal = {
            "description": f"try {value}",
            "hypothesis": f"{value} is less",
            "direction": f"way {number}",
        }
        yield number, value, proposal, f"set it to {value}"


@pytest.fixture
def twins(plain_git: None, tmp_path: Path) -> tuple[Path, Path]:
    """Two projects alike, with the same hook."""
    places = made(tmp_path / "one" / "project"), made(tmp_path / "two" / "project")
    for place in places:
        hooks = place / ".auto" / "hooks"
        hooks.mkdir(parents=True)
        (hooks / "after.sh").write_text(HOOK)
        (hooks / "after.sh").chmod(0o755)
    return places


_VARYING = re.compile(
    r"timestamp|until|pid(_started)?|host|prev|head|(last|first)_.*|minutes_.*|.*_(ms|seconds|minutes|at)"
)
_LONG_AGO = 1_500_000_000_000
"""A number above this is a time, milliseconds since 1970."""

_PLAIN = ("last_run", "last_cycle", "last_output", "first_run")


class Place:
    """A session's directory, and what differs there from any other though nothing else does."""

    def __init__(self, top: Path) -> None:
        self.top = top
        commits = subprocess.run(
            ["git", "rev-list", "--reverse", "HEAD"], cwd=top, check=True, capture_output=True, text=True
        )
        names = enumerate(commits.stdout.split())
        self._names = [(name[:length], f"commit {n}") for n, name in names for length in (40, 12, 7)]
        self._names.append((str(top), "PROJECT"))

    def plain(self, value: Any) -> Any:
        """A document without times and processes, its commits numbered."""
        if isinstance(value, dict):
            kept = [key for key in value if key in _PLAIN or not _VARYING.fullmatch(key)]
            return {key: self.plain(value[key]) for key in kept}
        if isinstance(value, list):
            return [self.plain(each) for each in value]
        if isinstance(value, int | float) and value > _LONG_AGO:
            return "a time"
        if isinstance(value, str):
            for name, number in self._names:
                value = value.replace(name, number)
        return value

    def lines(self) -> list[Any]:
        """The log's lines."""
        text = (self.top / ".auto" / "log.jsonl").read_text()
        return [self.plain(json.loads(line)) for line in text.splitlines()]


def assert_alike(ar: Ar, *tops: Path) -> list[Any]:
    """Line by line, view by view, the brief, and the files that git has; the log's lines."""
    one, other = (Place(top) for top in tops)
    assert one.lines() == other.lines()
    for view in registry.names():
        shown = [json.loads(ar("-C", str(top), "view", view, "--json").out) for top in tops]
        assert one.plain(shown[0]) == other.plain(shown[1]), view
    briefs = [ar("-C", str(top), "brief").out for top in tops]
    assert one.plain(briefs[0]) == other.plain(briefs[1])
    assert {(top / "src" / "value").read_text() for top in tops} == {"7\n"}
    assert all(ar("-C", str(top), "verify").code == 0 for top in tops)
    return one.lines()


def test_ten_runs_by_cycle(twins: tuple[Path, Path], ar: Ar) -> None:
    """Propose, change, cycle, nine times after the baseline, with a pivot, findings and signs of life."""
    through_mcp, through_cli = twins

    async def scenario() -> None:
        async with connected(through_mcp) as session:
            await session.done("init_experiment", **SESSION)
            for number, value, proposal, _ in steps():
                await session.done("heartbeat", agent="loop")
                await session.done("propose", **proposal)
                change(through_mcp, value)
                told = await session.done("cycle", asi={"learned": f"from {number}"})
                assert told["run"] == number
                assert [hook["steer"] for hook in told["hooks"]] == [f"steer after run {number}"]
                if told["rules"]["pivot_due"] is not None:
                    await session.done("pivot", reason="it circles")
            await session.done("record_finding", text="small is small", evidence="run 10")

    run(scenario)

    def cli(*argv: str) -> Any:
        told = ar("-C", str(through_cli), *argv, "--json", "--by", "worker")
        assert told.code == 0, told.err
        return json.loads(told.out)

    cli(*INIT, "--samples", "2", "--measure", "cat src/value")
    for number, value, proposal, _ in steps():
        ar("-C", str(through_cli), "beat", "--by", "worker:loop")
        cli(
            "propose",
            "-m",
            proposal["description"],
            "--hypothesis",
            proposal["hypothesis"],
            "--direction",
            proposal["direction"],
        )
        change(through_cli, value)
        cli("cycle", "--asi", f"learned=from {number}")
        if json.loads(ar("-C", str(through_cli), "view", "stall", "--json").out)["pivot_due"] is not None:
            cli("pivot", "--reason", "it circles")
    cli("finding", "small is small", "--evidence", "run 10")

    lines = assert_alike(ar, through_mcp, through_cli)
    statuses = [line["status"] for line in lines if line["type"] == "run"]
    assert statuses == ["keep", "keep", "discard", "crash", "keep", *["discard"] * 4, "keep"]
    assert sum(line["type"] == "pivot" for line in lines) == 3


def test_ten_runs_measured_and_logged(twins: tuple[Path, Path], ar: Ar) -> None:
    """Run, then log what it says, for an agent that judges by itself; git keeps and undoes all the same."""
    through_mcp, through_cli = twins
    logged: list[dict[str, Any]] = []

    async def scenario() -> None:
        async with connected(through_mcp) as session:
            begun = {**SESSION, "measure": None, "samples": 1}
            await session.done("init_experiment", **begun, limits={"max_iterations": 10, "discards": "none"})
            (through_mcp / ".auto" / "measure.sh").write_text("cat src/value\n")
            for number, value, _, description in ((1, 10, {}, "baseline"), *steps()):
                change(through_mcp, value)
                measured = await session.done("run_experiment")
                said = {key: given for key, given in measured["log_next"].items() if given is not None}
                logged.append({**said, "description": description, "asi": {"learned": f"from {number}"}})
                told = await session.done("log_experiment", **logged[-1])
                assert told["event"]["run"] == number
                assert [hook["steer"] for hook in told["hooks"]] == [f"steer after run {number}"]
            assert told["rules"]["stop_detail"] == "max_iterations: 10 of 10 runs"
            refused = await session("run_experiment")
            assert "max_iterations: segment 0 has its 10 runs" in refused.text

    run(scenario)

    def cli(*argv: str) -> None:
        told = ar("-C", str(through_cli), *argv, "--by", "worker")
        assert told.code == 0, told.err

    cli(*INIT, "--samples", "1", "--max-iterations", "10", "--discards", "none")
    for said, value in zip(logged, (10, *VALUES), strict=True):
        change(through_cli, value)
        options = ["--status", said["status"], "-m", said["description"]]
        options += ["--duration", str(said["duration_seconds"]), "--asi", f"learned={said['asi']['learned']}"]
        options += ["--metric", str(said["metric"])] if "metric" in said else []
        options += ["--reason", said["reason"]] if "reason" in said else []
        cli("log", *options)

    lines = assert_alike(ar, through_mcp, through_cli)
    assert [line["run"] for line in lines if line["type"] == "run"] == list(range(1, 11))

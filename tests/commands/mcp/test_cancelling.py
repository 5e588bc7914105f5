"""Calls that nobody waits for any more end, with all they have started; the log goes on from there."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Callable
from pathlib import Path

import anyio
import pytest

from tests.commands.conftest import Ar
from tests.commands.mcp.project import SESSION, change, project
from tests.commands.mcp.serving import PATIENCE, Raw, connected, is_gone, raw, run, until
from tests.commands.sandbox import plain_git

__all__ = ["plain_git", "project"]

STUBBORN = """\
[ -e .auto/meek ] || trap '' TERM INT HUP
echo $$ > "$PWD/.auto/pid"
[ -e .auto/hang ] || { cat src/value; exit; }
([ -e .auto/meek ] || trap '' TERM; echo $BASHPID > "$PWD/.auto/child"; exec sleep 300) &
while :; do sleep 0.1; done
"""
"""A metric command that hangs while `.auto/hang` is there; it and its child ignore TERM unless meek."""

MEASURED = {**SESSION, "measure": "bash .auto/measure.sh", "samples": 1}


@pytest.fixture
def hanging(project: Path, ar: Ar) -> Path:
    """A measured session whose next measurement hangs."""
    (project / ".auto").mkdir()
    (project / ".auto" / "measure.sh").write_text(STUBBORN)
    options = "init smaller --metric value --unit ms --direction lower --asset src --samples 1 --by worker"
    told = ar("-C", str(project), *options.split(), "--measure", "bash .auto/measure.sh")
    assert told.code == 0, told.err
    (project / ".auto" / "pid").unlink()
    (project / ".auto" / "hang").touch()
    change(project, 9)
    return project


def pids(project: Path) -> list[int]:
    """The processes of the measurement, once both are there."""
    texts = [(project / ".auto" / name) for name in ("pid", "child")]
    if not all(path.exists() and path.read_text().strip() for path in texts):
        return []
    return [int(path.read_text()) for path in texts]


def wait(holds: Callable[[], object]) -> None:
    """Waits until something holds."""

    async def scenario() -> None:
        await until(holds)

    anyio.run(scenario)


def assert_finished(project: Path, ar: Ar) -> None:
    """The open cycle can be finished as if nothing had happened."""
    (project / ".auto" / "hang").unlink()
    told = ar("-C", str(project), "cycle", "--resume", "--json", "--by", "worker")
    assert told.code == 0, told.err
    assert json.loads(told.out)["status"] == "keep"
    assert ar("-C", str(project), "verify").code == 0


def test_a_client_cancels(hanging: Path, ar: Ar) -> None:
    """The command and its child are ended, the server goes on serving, and resume finishes the cycle."""

    async def scenario() -> None:
        async with connected(hanging) as session:
            for tool, arguments in (("run_experiment", {}), ("cycle", {"description": "to nine"})):
                with anyio.CancelScope() as scope:
                    async with anyio.create_task_group() as group:

                        async def once_it_hangs() -> None:
                            await until(lambda: pids(hanging))
                            scope.cancel()

                        group.start_soon(once_it_hangs)
                        await session(tool, **arguments)
                await until(lambda: all(map(is_gone, pids(hanging))))
                assert scope.cancelled_caught
                state = await session.done("view", view="cycle")
                assert (state["phase"] is None) == (tool == "run_experiment")
                for name in ("pid", "child"):
                    (hanging / ".auto" / name).unlink()

            busy = await session("log_experiment", status="crash", description="x")
            assert (busy.failed, "cycle 1 is not finished" in busy.text) == (True, True)
            (hanging / ".auto" / "hang").unlink()
            finished = await session.done("cycle", resume=True)
            assert (finished["cycle"], finished["status"]) == (1, "keep")

    run(scenario)
    assert ar("-C", str(hanging), "verify").code == 0


def started(server: Raw, hanging: Path) -> list[int]:
    """The processes of a cycle that a client has asked for."""
    server.initialize()
    server.call("cycle", description="to nine")
    wait(lambda: pids(hanging))
    return pids(hanging)


@pytest.mark.parametrize(
    ("end", "code"),
    [
        (lambda server: server.process.stdin.close(), 0),
        (lambda server: server.process.send_signal(signal.SIGTERM), 143),
        (lambda server: server.process.send_signal(signal.SIGINT), 130),
    ],
    ids=["the client is gone", "TERM", "INT"],
)
def test_a_server_ends_in_good_order(hanging: Path, ar: Ar, end: Callable[[Raw], None], code: int) -> None:
    """Nothing is left running, nothing is printed, and the cycle can be finished."""
    with raw(hanging) as server:
        running = started(server, hanging)

        end(server)

        assert server.process.wait(PATIENCE) == code
        assert all(map(is_gone, running))
        assert server.process.stderr is not None
        assert server.process.stderr.read() == b""
    assert_finished(hanging, ar)


def test_a_server_that_was_killed_is_started_again(hanging: Path) -> None:
    """The next one ends what was left running, finishes the cycle, and goes on with the next change."""
    (hanging / ".auto" / "meek").touch()
    with raw(hanging) as server:
        running = started(server, hanging)
        os.kill(server.process.pid, signal.SIGKILL)
        server.process.wait(PATIENCE)
        assert not all(map(is_gone, running))
    (hanging / ".auto" / "hang").unlink()

    async def scenario() -> None:
        async with connected(hanging) as session:
            brief = await session("brief")
            assert "# Brief for run 2" in brief.text
            lines = (await session.client.read_resource("ar://view/cycle")).contents
            assert json.loads(lines[0].text)["phase"] == "committed"  # type: ignore[union-attr]
            told = await session("cycle", resume=True)
            assert told.text.startswith("Cycle 1: KEPT -- to nine (10 -> 9 ms")
            assert all(map(is_gone, running))
            change(hanging, 12)
            after = await session.done("cycle", description="to twelve")
            assert (after["run"], after["status"], after["finished_first"]) == (3, "discard", None)

    run(scenario)


def test_an_open_cycle_is_finished_first(hanging: Path) -> None:
    """By the next cycle as well, which tells of both."""
    with raw(hanging) as server:
        started(server, hanging)
        server.process.send_signal(signal.SIGTERM)
        server.process.wait(PATIENCE)
    (hanging / ".auto" / "hang").unlink()

    with raw(hanging) as server:
        server.initialize()
        told = server.answer(server.call("cycle", description="nothing more"))["result"]

    assert told["isError"]
    (content,) = told["content"]
    first, second, third = content["text"].splitlines()
    assert first.startswith("Cycle 1: KEPT -- to nine")
    assert second == "ar: nothing has changed inside the assets (src)"
    assert third == "try: change something, then repeat"

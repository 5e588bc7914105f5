"""Work in threads beside the event loop: its result, its errors, its news, and its end."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import anyio
import pytest

from commands.mcp.jobs import EndedError, Jobs
from hooks.process import run as run_command
from tests.commands.mcp.serving import is_gone, run, until


def hanging(place: Path) -> Callable[[Callable[[], None]], object]:
    """Work that runs a command which does not end by itself; its pid lies in `pid`."""

    def work(_: Callable[[], None]) -> object:
        return run_command(
            ["sh", "-c", "echo $$ > new; mv new pid; exec sleep 300"],
            cwd=place,
            timeout=300,
            stdout_cap=None,
            stderr_cap=None,
            keep="tail",
        )

    return work


def test_the_result_comes_back() -> None:
    """Or what the work raised."""

    async def scenario() -> None:
        jobs = Jobs()
        assert await jobs.run(lambda _: threading.current_thread() is threading.main_thread()) is False
        with pytest.raises(ZeroDivisionError):
            await jobs.run(lambda _: 1 / 0)
        assert await jobs.ended(0)

    run(scenario)


def test_news_are_told_at_once() -> None:
    """Also the last, which comes as the work ends."""
    told: list[int] = []
    count = 0

    def work(news: Callable[[], None]) -> None:
        nonlocal count
        for count in (1, 2):
            news()
            while count not in told:
                pass
        count = 3
        news()

    async def watch() -> None:
        told.append(count)

    async def scenario() -> None:
        await Jobs().run(work, watch)

    run(scenario)
    assert sorted(set(told)) == [1, 2, 3]


def test_cancelled_work_has_ended_when_it_is_left(tmp_path: Path) -> None:
    """Nothing of it runs any more by then."""

    async def scenario() -> None:
        jobs = Jobs()
        with anyio.CancelScope() as scope:
            async with anyio.create_task_group() as group:

                async def once_it_runs() -> None:
                    await until((tmp_path / "pid").exists)
                    scope.cancel()

                group.start_soon(once_it_runs)
                await jobs.run(hanging(tmp_path))
        assert is_gone(int((tmp_path / "pid").read_text()))
        assert await jobs.ended(0)

    run(scenario)


def test_all_work_can_be_ended(tmp_path: Path) -> None:
    """Whoever waits for it is told, and may go on."""

    async def scenario() -> None:
        jobs = Jobs()
        async with anyio.create_task_group() as group:

            async def once_it_runs() -> None:
                await until((tmp_path / "pid").exists)
                assert not await jobs.ended(0)
                jobs.cancel_all()
                assert await jobs.ended(60)

            group.start_soon(once_it_runs)
            with pytest.raises(EndedError, match="ended before it was done"):
                await jobs.run(hanging(tmp_path))

    run(scenario)


def test_jobs_do_not_wait_for_each_other(tmp_path: Path) -> None:
    """One that looks is answered while another measures."""

    async def scenario() -> None:
        jobs = Jobs()
        with anyio.CancelScope() as scope:
            async with anyio.create_task_group() as group:
                group.start_soon(jobs.run, hanging(tmp_path))
                await until((tmp_path / "pid").exists)
                assert await jobs.run(lambda _: "looked") == "looked"
                scope.cancel()

    run(scenario)

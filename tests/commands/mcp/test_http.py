"""The server over HTTP: on this machine alone, with a token, to no page of another origin."""

from __future__ import annotations

import signal
import socket
import subprocess
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import NamedTuple

import anyio
import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from commands.mcp.loopback import PATH, PortError, listening
from tests.commands.conftest import Ar
from tests.commands.mcp.project import SESSION, project
from tests.commands.mcp.serving import PATIENCE, Session, is_gone, launched, run, until
from tests.commands.sandbox import plain_git

__all__ = ["plain_git", "project"]

TOKEN = "correct-horse-battery-staple"


class Served(NamedTuple):
    """A server that listens. token: the one that it has shown."""

    process: subprocess.Popen[bytes]
    url: str
    token: str | None

    @property
    def port(self) -> int:
        return int(self.url.rpartition(":")[2].removesuffix(PATH))


@contextmanager
def serving(cwd: Path, *argv: str, **env: str) -> Iterator[Served]:
    """A server at a free port."""
    with launched(cwd, "--http", "0", *argv, stdin=subprocess.DEVNULL, **env) as process:
        assert process.stdout is not None
        url = process.stdout.readline().split()[1].decode()
        shown = not env.get("AR_MCP_TOKEN") and "--token-file" not in argv
        yield Served(process, url, process.stdout.readline().split()[1].decode() if shown else None)


def asked(served: Served, **headers: str) -> httpx2.Response:
    """The answer to an `initialize` with these headers, `_` for a dash, by hand."""
    given = {"accept": "application/json, text/event-stream", "host": f"127.0.0.1:{served.port}"}
    given |= {name.replace("_", "-"): value for name, value in headers.items()}
    body = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "by hand", "version": "0"},
        },
    }
    with httpx2.Client(trust_env=False, timeout=PATIENCE) as client:
        return client.post(served.url, json=body, headers=given)


@asynccontextmanager
async def connected(url: str, token: str, mode: str = "legacy") -> AsyncIterator[Session]:
    """A client that knows the token."""
    headers = {"Authorization": f"Bearer {token}"}
    async with (
        httpx2.AsyncClient(headers=headers, trust_env=False, timeout=PATIENCE) as http,
        Client(streamable_http_client(url, http_client=http, terminate_on_close=False), mode=mode) as client,
    ):
        yield Session(client)


def test_who_may_come_in(project: Path) -> None:
    """With the token, to our own address, from no other origin; the rest learns nothing."""
    with serving(project, AR_MCP_TOKEN=TOKEN) as served:
        known = f"Bearer {TOKEN}"
        port = served.port
        for headers, status in [
            ({"authorization": known}, 200),
            ({"authorization": f"bearer {TOKEN}"}, 200),
            ({"authorization": known, "host": f"localhost:{port}"}, 200),
            ({"authorization": known, "origin": f"http://localhost:{port}"}, 200),
            ({}, 401),
            ({"authorization": "Bearer wrong"}, 401),
            ({"authorization": f"Bearer {TOKEN} "[:-2]}, 401),
            ({"authorization": f"Basic {TOKEN}"}, 401),
            ({"authorization": TOKEN}, 401),
            ({"authorization": known, "host": "evil.example"}, 421),
            ({"authorization": known, "host": f"evil.example:{port}"}, 421),
            ({"authorization": known, "host": f"127.0.0.1:{port + 1}"}, 421),
            ({"authorization": known, "origin": "http://evil.example"}, 403),
            ({"authorization": known, "origin": "null"}, 403),
            ({"authorization": known, "origin": f"https://localhost:{port}"}, 403),
            ({"authorization": known, "origin": f"http://localhost:{port}.evil.example"}, 403),
        ]:
            answer = asked(served, **headers)
            assert answer.status_code == status, (headers, answer.text)
            assert ("serverInfo" in answer.text) == (status == 200)
            assert TOKEN not in answer.text
            if status == 401:
                assert answer.headers["www-authenticate"] == "Bearer"
        with pytest.raises(ConnectionRefusedError):  # all of 127/8 is this machine on Linux
            socket.create_connection(("127.0.0.2", port), timeout=PATIENCE)
        command_line = Path(f"/proc/{served.process.pid}/cmdline")
        assert not command_line.exists() or TOKEN.encode() not in command_line.read_bytes()


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_a_client_works_over_http(project: Path, mode: str) -> None:
    """The token that is shown opens it; progress is told; commands do not see the token."""

    async def scenario(served: Served) -> None:
        async with connected(served.url, served.token or "", mode) as session:
            assert len((await session.client.list_tools()).tools) == 12
            measure = "env | grep -c MCP_TOKEN; cat src/value"
            await session.done("init_experiment", **{**SESSION, "measure": measure})
            found = await session.done("run_experiment")
            assert (found["median"], found["output_tail"]) == (10, "0\n10")
            assert "sample 2 of 2: 10" in [told[2] for told in session.progress]
            beat = await session.done("heartbeat", agent="gpu0")
            assert "pid" not in beat["event"]
            assert (await session("view", cwd="/nowhere")).failed

    with serving(project) as served:
        run(lambda: scenario(served))


@pytest.mark.parametrize(
    ("mode", "how"),
    [
        ("legacy", "cancelled"),
        ("legacy", "gone"),
        ("auto", "gone"),  # there this is how a client cancels
        ("legacy", "TERM"),
        ("auto", "TERM"),
    ],
)
def test_nothing_is_left_running(project: Path, ar: Ar, mode: str, how: str) -> None:
    """When the client cancels, or its connection breaks, or the server is told to end."""
    begun = ar("-C", str(project), "init", "x", "--metric", "v", "--unit", "s", "--direction", "lower")
    assert begun.code == 0
    pid = project / ".auto" / "pid"
    command = f"echo $$ > {pid}.new; mv {pid}.new {pid}; sleep 300"

    async def scenario(served: Served) -> None:
        with anyio.CancelScope() as scope:
            async with connected(served.url, TOKEN, mode) as session, anyio.create_task_group() as group:

                async def once_it_runs() -> None:
                    await until(pid.exists)
                    if how == "TERM":
                        served.process.send_signal(signal.SIGTERM)
                        return
                    if how == "gone":
                        scope.cancel()
                    else:
                        group.cancel_scope.cancel()

                group.start_soon(once_it_runs)
                told = await session("run_experiment", command=command)
                assert told.failed
                assert told.text.startswith("ar: the call was ended before it was done")
                group.cancel_scope.cancel()
        await until(lambda: is_gone(int(pid.read_text())))

    with serving(project, AR_MCP_TOKEN=TOKEN) as served:
        try:
            run(lambda: scenario(served))
        except Exception:
            if how != "TERM":  # the server may be gone before it could say good-bye
                raise
        if how == "TERM":
            assert served.process.wait(PATIENCE) == 143
        assert is_gone(int(pid.read_text()))


def test_who_comes_before_anybody_serves_waits() -> None:
    """The address is told once connections are taken there; a second server is refused it from then on."""
    with listening(0) as listener:
        port = listener.getsockname()[1]
        with socket.create_connection(("127.0.0.1", port), timeout=PATIENCE):
            pass
        with pytest.raises(PortError), listening(port):
            pass


def test_a_port_that_is_taken(project: Path, ar: Ar) -> None:
    """Is told, with what to try."""
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        told = ar("-C", str(project), "mcp", "--http", str(port))

    assert (told.code, told.out) == (4, "")
    assert told.err.splitlines() == [
        f"ar: port {port} of 127.0.0.1 is in use",
        "try: ar mcp --http PORT with another one, or 0 for a free one",
    ]

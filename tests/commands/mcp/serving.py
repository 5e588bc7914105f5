"""Real servers, and the SDK's own client to speak to them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import anyio
import jsonschema
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client

from tests.commands.conftest import environment

PATIENCE = 60
"""Seconds that anything may take on a busy machine."""


class Told(NamedTuple):
    """What a tool answered: its text, its structured content, whether it failed, what `_meta` holds."""

    text: str
    document: Any
    failed: bool
    meta: Any


class Session:
    """A client's calls, as a test wants them."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.progress: list[tuple[float, float | None, str | None]] = []
        self._schemas: dict[str, Any] = {}

    async def __call__(self, tool: str, **arguments: Any) -> Told:
        """Calls a tool; what is wrong with it is in the answer, what is right fits its schema."""

        async def told(done: float, total: float | None, message: str | None) -> None:
            self.progress.append((done, total, message))

        result = await self.client.call_tool(tool, arguments, progress_callback=told)
        if not self._schemas:
            tools = (await self.client.list_tools()).tools
            self._schemas = {each.name: each.output_schema for each in tools}
        if not result.is_error:
            jsonschema.validate(result.structured_content, self._schemas[tool])
        (content,) = result.content
        return Told(content.text, result.structured_content, bool(result.is_error), result.meta)  # type: ignore[union-attr]

    async def done(self, tool: str, **arguments: Any) -> Any:
        """Calls a tool that has to succeed; its structured content."""
        told = await self(tool, **arguments)
        assert not told.failed, told.text
        return told.document


def parameters(cwd: Path, *argv: str, **env: str) -> StdioServerParameters:
    """How a client starts the server in this directory. argv: options of `mcp`."""
    return StdioServerParameters(
        command=sys.executable,
        args=["-m", "autoresearch_ledger", "mcp", *argv],
        cwd=str(cwd),
        env=environment(**env),
    )


@asynccontextmanager
async def connected(cwd: Path, *argv: str, mode: str = "legacy", **env: str) -> AsyncIterator[Session]:
    """A client of a server that it has started. mode: the era of the protocol, as for `Client`."""
    transport = stdio_client(parameters(cwd, *argv, **env))
    async with Client(transport, mode=mode, read_timeout_seconds=PATIENCE) as client:
        yield Session(client)


def run(scenario: Callable[[], Awaitable[None]]) -> None:
    """Runs an asynchronous scenario to its end."""

    async def limited() -> None:
        with anyio.fail_after(4 * PATIENCE):
            await scenario()

    try:
        anyio.run(limited)
    except BaseExceptionGroup as group:
        error: BaseException = group
        while isinstance(error, BaseExceptionGroup) and len(error.exceptions) == 1:
            (error,) = error.exceptions
        raise error from None


async def until(holds: Callable[[], object]) -> None:
    """Waits until something holds."""
    with anyio.fail_after(PATIENCE):
        while not holds():
            await anyio.sleep(0.02)


def is_gone(pid: int) -> bool:
    """Whether no process of this number runs any more."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    status = Path(f"/proc/{pid}/stat")
    return status.exists() and status.read_text().rpartition(")")[2].split()[0] == "Z"


class Raw:
    """A server that is spoken to by hand, line by line."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self.process = process
        self._number = 0

    def send(self, method: str, **params: Any) -> int:
        """Sends a request, or a notification, whose names have a slash for each dot."""
        import msgspec

        message: dict[str, Any] = {"jsonrpc": "2.0", "method": method, "params": params}
        if not method.startswith("notifications/"):
            self._number += 1
            message["id"] = self._number
        assert self.process.stdin is not None
        self.process.stdin.write(msgspec.json.encode(message) + b"\n")
        self.process.stdin.flush()
        return self._number

    def line(self) -> Any:
        """The next line of its stdout, which has to be a message of the protocol."""
        import msgspec

        assert self.process.stdout is not None
        message = msgspec.json.decode(self.process.stdout.readline())
        assert message["jsonrpc"] == "2.0"
        return message

    def answer(self, number: int) -> Any:
        """The answer to a request; notifications before it are passed over."""
        message = self.line()
        while message.get("id") != number:
            message = self.line()
        return message

    def initialize(self) -> Any:
        """The handshake."""
        number = self.send(
            "initialize",
            protocolVersion="2025-06-18",
            capabilities={},
            clientInfo={"name": "by hand", "version": "0"},
        )
        answer = self.answer(number)
        self.send("notifications/initialized")
        return answer

    def call(self, tool: str, **arguments: Any) -> int:
        """Calls a tool; the number of the request. Its progress is wanted."""
        return self.send(
            "tools/call", name=tool, arguments=arguments, _meta={"progressToken": self._number + 1}
        )


@contextmanager
def launched(
    cwd: Path, *argv: str, stdin: int = subprocess.PIPE, **env: str
) -> Iterator[subprocess.Popen[bytes]]:
    """A server's process; it is killed at the end if it still runs."""
    process = subprocess.Popen(
        [sys.executable, "-m", "autoresearch_ledger", "mcp", *argv],
        cwd=cwd,
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(**env),
        start_new_session=True,
    )
    with process:
        try:
            yield process
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)


@contextmanager
def raw(cwd: Path, *argv: str, **env: str) -> Iterator[Raw]:
    """A server to be spoken to by hand."""
    with launched(cwd, *argv, **env) as process:
        yield Raw(process)

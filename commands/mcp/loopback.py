"""Serving clients over HTTP on this machine alone, those that know the token.

What listens on the loopback interface can be reached by every page in a browser on the machine, and by a name
that an attacker points there (DNS rebinding). So only requests to our own address by its own names, from no
page of another origin, and with the token, come through.
"""

from __future__ import annotations

import errno
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from hmac import compare_digest

import anyio
import uvicorn
from mcp.server.transport_security import TransportSecuritySettings
from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from commands.mcp.jobs import Jobs
from commands.mcp.served import Served
from commands.mcp.server import server_of
from commands.mcp.signals import signalled
from commands.mcp.token import Token
from commands.output import emit
from eventstore.errors import LedgerError

__all__ = ["PATH", "Gate", "PortError", "listening", "serve_http"]

HOST = "127.0.0.1"
PATH = "/mcp"

GRACE_SECONDS = 1
"""How long open streams of clients may take to close at the end; they are told that it is."""


class PortError(LedgerError):
    """The port cannot be listened on."""


class Gate:
    """Lets through what is meant for us and knows the token; everything else learns only that it may not."""

    def __init__(self, app: ASGIApp, token: str, port: int) -> None:
        self._app = app
        self._token = token.encode()
        self._hosts = frozenset((f"{HOST}:{port}", f"localhost:{port}"))
        self._origins = frozenset(f"http://{host}" for host in self._hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """As ASGI has it."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        refusal = self._refusal(Headers(scope=scope))
        if refusal is None:
            await self._app(scope, receive, send)
        else:
            await refusal(scope, receive, send)

    def _refusal(self, headers: Headers) -> PlainTextResponse | None:
        if any(host not in self._hosts for host in headers.getlist("host") or [""]):
            return PlainTextResponse("this host is not served here\n", 421)
        if any(origin not in self._origins for origin in headers.getlist("origin")):
            return PlainTextResponse("no page of another origin may ask\n", 403)
        if not self._is_known(headers.getlist("authorization")):
            return PlainTextResponse(
                "the token is wrong or missing: Authorization: Bearer TOKEN\n",
                401,
                {"WWW-Authenticate": "Bearer"},
            )
        return None

    def _is_known(self, given: list[str]) -> bool:
        """Whether the token is given, once; the scheme's name may be written in any case (RFC 7235)."""
        scheme, _, token = given[0].partition(" ") if len(given) == 1 else ("", "", "")
        known = compare_digest(token.strip().encode("utf-8", "replace"), self._token)
        return known and scheme.lower() == "bearer"


def serve_http(served: Served, port: int, token: Token) -> int:
    """Serves until a signal, and returns the exit code.

    port: 0 for a free one. Says where it listens, and the token if it has to be shown. At the signal work at
    hand is ended and nothing of it is left running. Raises PortError.
    """
    with listening(port) as listener:
        return anyio.run(_serve, served, listener, token)


@contextmanager
def listening(port: int) -> Iterator[socket.socket]:
    """A socket that takes connections at this port, 0 for a free one. Raises PortError."""
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    with listener:
        try:
            listener.bind((HOST, port))
            listener.listen()  # before anybody is told the address: who comes early waits, and is not refused
        except OSError as error:
            why = "is in use" if error.errno == errno.EADDRINUSE else f"cannot be had: {error.strerror}"
            raise PortError(
                f"port {port} of {HOST} {why}", "ar mcp --http PORT with another one, or 0 for a free one"
            ) from error
        yield listener


class _Server(uvicorn.Server):
    """The HTTP server without handlers of its own for signals."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leaves signals alone: work at hand is ended first."""
        yield


async def _serve(served: Served, listener: socket.socket, token: Token) -> int:
    jobs = Jobs()
    port: int = listener.getsockname()[1]
    hosts = [f"{HOST}:{port}", f"localhost:{port}"]
    app = server_of(served, jobs).streamable_http_app(
        streamable_http_path=PATH,
        transport_security=TransportSecuritySettings(
            allowed_hosts=hosts, allowed_origins=[f"http://{host}" for host in hosts]
        ),
    )
    server = _Server(
        uvicorn.Config(
            Gate(app, token.text, port),
            log_config=None,
            access_log=False,
            server_header=False,
            ws="none",
            lifespan="on",
            timeout_graceful_shutdown=GRACE_SECONDS,
        )
    )
    code = 0
    async with anyio.create_task_group() as group:

        async def end_at_signal() -> None:
            nonlocal code
            code = await signalled()
            jobs.cancel_all()
            await jobs.ended(10)
            server.should_exit = True

        group.start_soon(end_at_signal)
        emit(f"serving  http://{HOST}:{port}{PATH}\n")
        if token.must_be_shown:
            emit(f"token    {token.text}\n")
        await server.serve(sockets=[listener])
        group.cancel_scope.cancel()
    return code

"""Serving one client over stdin and stdout: for as long as it is there, or until a signal."""

from __future__ import annotations

import os
import sys

import anyio
from mcp.server.stdio import stdio_server

from commands.mcp.jobs import Jobs
from commands.mcp.served import Served
from commands.mcp.server import server_of
from commands.mcp.signals import signalled

__all__ = ["serve_stdio"]


def serve_stdio(served: Served) -> int:
    """Serves the client until it closes stdin, and returns the exit code.

    When the client is gone, or at a signal, work at hand is ended and nothing of it is left running. The
    protocol has stdout for itself: whatever else is printed goes to stderr.
    """
    return anyio.run(_serve, served)


async def _serve(served: Served) -> int:
    jobs = Jobs()
    server = server_of(served, jobs)
    async with stdio_server() as (incoming, outgoing), anyio.create_task_group() as group:

        async def end_at_signal() -> None:
            code = await signalled()
            group.cancel_scope.cancel()
            with anyio.CancelScope(shield=True):
                await jobs.ended(10)
            # The reader of stdin waits in a thread for a line that will not come, and cannot be woken.
            sys.stderr.flush()
            os._exit(code)

        group.start_soon(end_at_signal)
        await server.run(incoming, outgoing, server.create_initialization_options())
        group.cancel_scope.cancel()
    return 0

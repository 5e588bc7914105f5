"""`ar mcp`: serves the session to agents by the Model Context Protocol."""

from __future__ import annotations

import os
import sys
from typing import NoReturn

import click

from commands.context import Call, author
from commands.errors import BadInputError
from commands.options import by_option, examples
from commands.output import is_terminal, warn
from commands.verb import Verb
from eventstore.errors import LedgerError

__all__ = ["MissingSdkError", "mcp_cmd", "require_sdk"]

PORT = 8377
"""The port of `--http` where none is named."""


class MissingSdkError(LedgerError):
    """The protocol's SDK is not there, or not one that we know."""


@click.command(
    "mcp",
    cls=Verb,
    epilog=examples(
        "ar mcp    # what an agent starts",
        "ar -C ~/project mcp --by worker:gpu0",
        "ar mcp --http --token-file ~/.config/ar-mcp-token",
        "AR_MCP_TOKEN=... ar mcp --http 0",
    ),
)
@click.option(
    "--http",
    "port",
    metavar="[PORT]",
    type=click.IntRange(0, 65535),
    is_flag=False,
    flag_value=PORT,
    help=f"Serve over HTTP, on this machine alone; at {PORT}, or a free port for 0.",
)
@click.option(
    "--token-file",
    metavar="FILE",
    help="With --http: where the token lies; made if it is not there. [AR_MCP_TOKEN]",
)
@by_option
@click.pass_obj
def mcp_cmd(call: Call, port: int | None, token_file: str | None, by: str | None) -> int:
    """Serve the session to agents by the Model Context Protocol.

    Over stdin and stdout, to the agent that starts it; with --http to any that knows the token, which is
    shown if none is given. What agents append is signed `worker`, unless --by or AR_BY say otherwise. Nothing
    is kept between two calls, so it may be killed and started again at any time. Needs the SDK: pip install
    'autoresearch-ledger[mcp]'.
    """
    speaker = author(by if by is not None else os.environ.get("AR_BY") or "worker")
    if port is None:
        if token_file is not None:
            raise BadInputError("--token-file is for --http", "ar mcp --http --token-file FILE")
        return _stdio(call, speaker)
    return _http(call, speaker, port, token_file)


def require_sdk() -> None:
    """Raises MissingSdkError where the server could not start."""
    from importlib import import_module

    try:
        import_module("commands.mcp.stdio")
    except ImportError as error:
        _refuse(error)


def _stdio(call: Call, speaker: str) -> int:
    try:
        from commands.mcp.served import Served
        from commands.mcp.stdio import serve_stdio
    except ImportError as error:
        _refuse(error)
    if sys.stdin is None or sys.stdout is None:
        raise BadInputError("stdin or stdout is closed, and they carry the protocol", "ar mcp --http")
    if is_terminal("stdin"):
        warn("this speaks MCP, not to a person: it is for an agent to start; Ctrl-C ends it")
    return serve_stdio(Served(speaker, call.log_file, call.in_place, client=os.getppid()))


def _http(call: Call, speaker: str, port: int, token_file: str | None) -> int:
    try:
        from commands.mcp.loopback import serve_http
        from commands.mcp.served import Served
        from commands.mcp.token import token_of
    except ImportError as error:
        _refuse(error)
    return serve_http(Served(speaker, call.log_file, call.in_place), port, token_of(token_file))


def _refuse(error: ImportError) -> NoReturn:
    """Raises MissingSdkError, unless it is a module of our own that cannot be imported."""
    top = (error.name or "").partition(".")[0]
    if top in ("autoresearch_ledger", "commands", "eventstore", "hooks", "reducers"):
        raise error
    what = (
        "the MCP SDK is not installed"
        if isinstance(error, ModuleNotFoundError) and error.name == top
        else f"the MCP SDK that is installed is not one that ar knows ({error})"
    )
    raise MissingSdkError(what, "pip install 'autoresearch-ledger[mcp]'") from error

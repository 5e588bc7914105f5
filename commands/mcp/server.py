"""The server as the protocol's SDK has it: what it offers, and how a request becomes a call of ours.

It keeps nothing between two calls, so that it may be killed and restarted at any time: each call finds its
session, reads the log, and works in a thread of its own.
"""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import Any, TypeVar

import anyio
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.shared.exceptions import MCPError
from mcp.types import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    CallToolRequestParams,
    CallToolResult,
    ContentBlock,
    GetPromptRequestParams,
    GetPromptResult,
    ListPromptsResult,
    ListResourcesResult,
    ListResourceTemplatesResult,
    ListToolsResult,
    PaginatedRequestParams,
    Prompt,
    PromptArgument,
    PromptMessage,
    ReadResourceRequestParams,
    ReadResourceResult,
    Resource,
    ResourceTemplate,
    TextContent,
    TextResourceContents,
    ToolAnnotations,
)
from mcp.types import Tool as ToolType
from starlette.requests import Request

from autoresearch_ledger import __version__
from commands.errors import explained, nearest
from commands.mcp.answers import Told, failure, fit
from commands.mcp.instructions import INSTRUCTIONS
from commands.mcp.jobs import Jobs
from commands.mcp.progress import Progress
from commands.mcp.prompts import PROMPTS, prompt_text
from commands.mcp.resources import TEMPLATES, Content, read, resources
from commands.mcp.schemas import input_schema, output_schema, read_arguments
from commands.mcp.served import Served, Work
from commands.mcp.tools import TOOLS, Tool
from commands.output import heard

__all__ = ["ERROR", "NAME", "answered", "server_of"]

T = TypeVar("T")
Context = ServerRequestContext[Any, Any]

NAME = "ar"

ERROR = "autoresearch-ledger/error"
"""The key in a failed result's `_meta` under which `what`, `try` and `exit_code` stand, for programs."""

_GONE_SECONDS = 0.5
"""How often it is looked whether a client over HTTP is still there, seconds."""


def server_of(served: Served, jobs: Jobs) -> Server[Any]:
    """The server of what is served; its work is among these jobs."""
    return Server(
        NAME,
        version=__version__,
        title="autoresearch ledger",
        description="The flight recorder and control desk of autonomous optimisation sessions.",
        instructions=INSTRUCTIONS,
        on_list_tools=_list_tools,
        on_call_tool=partial(_call_tool, served, jobs),
        on_list_resources=_list_resources,
        on_list_resource_templates=_list_templates,
        on_read_resource=partial(_read_resource, served, jobs),
        on_list_prompts=_list_prompts,
        on_get_prompt=partial(_get_prompt, served, jobs),
    )


async def _list_tools(_: Context, __: PaginatedRequestParams | None) -> ListToolsResult:
    return ListToolsResult(tools=[_tool(tool) for tool in TOOLS.values()])


def _tool(tool: Tool) -> ToolType:
    return ToolType(
        name=tool.name,
        title=tool.title,
        description=tool.does,
        input_schema=input_schema(tool.takes),
        output_schema=output_schema(tool.gives),
        annotations=ToolAnnotations(
            title=tool.title,
            read_only_hint=tool.reads_only,
            destructive_hint=tool.destructive,
            idempotent_hint=tool.idempotent,
            open_world_hint=tool.runs_commands,
        ),
    )


async def _call_tool(
    served: Served, jobs: Jobs, context: Context, params: CallToolRequestParams
) -> CallToolResult:
    tool = TOOLS.get(params.name)
    if tool is None:
        near = nearest(params.name, list(TOOLS))
        known = f"use {near}" if near else f"there are {', '.join(TOOLS)}"
        raise MCPError(INVALID_PARAMS, f"there is no tool {params.name[:60]!r}; {known}")
    progress: Progress | None = None

    def work(news: Callable[[], None]) -> Told:
        nonlocal progress
        progress = Progress(news)
        return answered(served, tool, params.arguments, progress)

    async def watch() -> None:
        sign = progress.sign() if progress is not None else None
        if sign is not None:
            await context.session.report_progress(sign.done, sign.total, sign.message)

    told: Told | None = None
    async with _while_there(context):
        told = await jobs.run(work, watch)
    if told is None:
        raise MCPError(INTERNAL_ERROR, "the client has gone")
    content: list[ContentBlock] = [TextContent(text=told.text)]
    if told.failed:
        return CallToolResult(content=content, is_error=True, _meta={ERROR: told.document})
    return CallToolResult(content=content, structured_content=told.document)


def answered(served: Served, tool: Tool, given: dict[str, Any] | None, progress: Progress) -> Told:
    """What a tool answers, errors included; works in the thread of the call."""
    with heard() as notes:
        try:
            arguments = read_arguments(tool.name, tool.takes, given)
            answer = tool.run(Work(served, progress.tell, progress.hear), arguments)
            return fit(answer, notes)
        except Exception as error:
            _trace(error)
            return fit(failure(error), notes)


def _trace(error: Exception) -> None:
    """Shows on stderr where what nobody raises on purpose came from, if that was asked for."""
    if explained(error) is None and os.environ.get("AR_TRACEBACK"):
        import traceback

        traceback.print_exception(error, file=sys.stderr)


@asynccontextmanager
async def _while_there(context: Context) -> AsyncIterator[None]:
    """Cancels what is within once the client over HTTP has gone: nobody could be given the answer."""
    request = context.request
    if not isinstance(request, Request):
        yield
        return
    async with anyio.create_task_group() as group:

        async def look() -> None:
            while not await request.is_disconnected():
                await anyio.sleep(_GONE_SECONDS)
            group.cancel_scope.cancel()

        group.start_soon(look)
        yield
        group.cancel_scope.cancel()


async def _list_resources(_: Context, __: PaginatedRequestParams | None) -> ListResourcesResult:
    return ListResourcesResult(
        resources=[
            Resource(uri=each.uri, name=each.name, description=each.does, mime_type=each.mime)
            for each in resources()
        ]
    )


async def _list_templates(_: Context, __: PaginatedRequestParams | None) -> ListResourceTemplatesResult:
    return ListResourceTemplatesResult(
        resource_templates=[
            ResourceTemplate(
                uri_template=each.uri, name=each.name, description=each.does, mime_type=each.mime
            )
            for each in TEMPLATES
        ]
    )


async def _read_resource(
    served: Served, jobs: Jobs, _: Context, params: ReadResourceRequestParams
) -> ReadResourceResult:
    uri = str(params.uri)
    found: Content = await _refusing(jobs, partial(read, served, uri))
    return ReadResourceResult(
        contents=[TextResourceContents(uri=params.uri, mime_type=found.mime, text=found.text)]
    )


async def _list_prompts(_: Context, __: PaginatedRequestParams | None) -> ListPromptsResult:
    return ListPromptsResult(
        prompts=[
            Prompt(
                name=prompt.name,
                title=prompt.title,
                description=prompt.does,
                arguments=[
                    PromptArgument(name=each.name, description=each.does, required=each.required)
                    for each in prompt.arguments
                ],
            )
            for prompt in PROMPTS.values()
        ]
    )


async def _get_prompt(
    served: Served, jobs: Jobs, _: Context, params: GetPromptRequestParams
) -> GetPromptResult:
    text = await _refusing(jobs, partial(prompt_text, served, params.name, params.arguments))
    return GetPromptResult(
        description=PROMPTS[params.name].does,
        messages=[PromptMessage(role="user", content=TextContent(text=text))],
    )


async def _refusing(jobs: Jobs, work: Callable[[], T]) -> T:
    """What the work gives; what it raises becomes an error of the protocol, with what to try."""

    def quietly(_: Callable[[], None]) -> T:
        with heard():
            return work()

    try:
        return await jobs.run(quietly)
    except Exception as error:
        _trace(error)
        told = fit(failure(error))
        raise MCPError(INVALID_PARAMS, told.text.removeprefix("ar: "), told.document) from error

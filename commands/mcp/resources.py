"""What can be read: each view, the brief, the log's last lines, at addresses that begin with `ar://`.

The address alone names the server's own session as it is now; `?dir=` another one, `?at=` its past.
"""

from __future__ import annotations

from typing import NamedTuple
from urllib.parse import parse_qsl, unquote, urlsplit

import msgspec

from commands.brief import briefing
from commands.effects.reading import last_records
from commands.errors import BadInputError, nearest
from commands.mcp.looking import look_at
from commands.mcp.served import Served
from commands.tail import document as line_document
from eventstore.secrets import redact
from reducers import registry
from reducers.policies.brief import text_of
from reducers.wording import escape

__all__ = ["TEMPLATES", "Content", "Resource", "UnknownResourceError", "read", "resources"]

JSON, LINES, MARKDOWN = "application/json", "application/x-ndjson", "text/markdown"

TAIL = 20
"""How many lines of the log are given where nobody says how many."""

MOST = 1000
"""How many are given at most."""


class Resource(NamedTuple):
    """Something to be read: its address (or a template of addresses), name, what it is, and its type."""

    uri: str
    name: str
    does: str
    mime: str


class Content(NamedTuple):
    """What was read."""

    mime: str
    text: str


class UnknownResourceError(BadInputError):
    """There is nothing at this address."""


def resources() -> list[Resource]:
    """What can be read of the server's own session as it is now."""
    views = [Resource(f"ar://view/{name}", f"view-{name}", _about(name), JSON) for name in registry.names()]
    return [
        *views,
        Resource("ar://brief", "brief", "All that a fresh agent needs to go on.", MARKDOWN),
        Resource("ar://log/tail", "log-tail", f"The log's last {TAIL} lines, a JSON document each.", LINES),
    ]


def _about(view: str) -> str:
    """What a view is about: the beginning of its type's docstring."""
    return " ".join((registry.load(view).view_type.__doc__ or view).split("\n\n")[0].split())


TEMPLATES: tuple[Resource, ...] = (
    Resource(
        "ar://view/{name}{?at,dir}", "view-of", "A view by its name, at any place, of any session.", JSON
    ),
    Resource("ar://brief{?at,dir}", "brief-of", "The brief, at any place, of any session.", MARKDOWN),
    Resource("ar://log/tail{?n,dir}", "log-tail-of", "The log's last n lines, of any session.", LINES),
)
"""The same with a place in the past (`at`: a line, run:N, an ISO time), or of another session (`dir`)."""


def read(served: Served, uri: str) -> Content:
    """What lies at an address. Raises UnknownResourceError, and what a look at a session raises."""
    steps, asked = _taken_apart(uri)
    if steps[:1] == ["view"] and len(steps) == 2:
        _require_known(asked, "at", "dir")
        look = look_at(served.call(asked.get("dir")), steps[1], asked.get("at"))
        return Content(JSON, redact(msgspec.json.encode(look.document()).decode()))
    if steps == ["brief"]:
        _require_known(asked, "at", "dir")
        _, sections = briefing(served.call(asked.get("dir")), asked.get("at"))
        return Content(MARKDOWN, redact(escape(text_of(sections), lines=True)))
    if steps == ["log", "tail"]:
        _require_known(asked, "n", "dir")
        records, _ = last_records(served.call(asked.get("dir")).log(), _count(asked.get("n", str(TAIL))))
        lines = (msgspec.json.encode(line_document(seq, record)) for seq, record in records)
        return Content(LINES, redact("".join(f"{line.decode()}\n" for line in lines)))
    near = nearest(uri.partition("?")[0], [resource.uri for resource in resources()])
    raise UnknownResourceError(f"there is nothing at {uri[:200]!r}", near or "ar://view/session, ar://brief")


def _taken_apart(uri: str) -> tuple[list[str], dict[str, str]]:
    """The steps of an address of ours, and what it asks for; no steps for any other."""
    try:
        parts = urlsplit(uri)
    except ValueError:
        return [], {}
    steps = [unquote(step) for step in (parts.netloc, *parts.path.split("/")) if step]
    return steps if parts.scheme == "ar" else [], dict(parse_qsl(parts.query, keep_blank_values=True))


def _require_known(asked: dict[str, str], *names: str) -> None:
    unknown = [name for name in asked if name not in names]
    if unknown:
        raise BadInputError(f"{unknown[0][:60]!r} cannot be asked for here", f"use {' or '.join(names)}")


def _count(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and 0 < int(text[:9]) <= MOST):
        raise BadInputError(f"n is {text[:60]!r}, not a number from 1 to {MOST}", f"n={TAIL}")
    return int(text)

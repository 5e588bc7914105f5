"""`ar schema`: what may stand in the log, as JSON Schema, and what views there are."""

from __future__ import annotations

from typing import Any

import click

from commands.errors import BadInputError, nearest
from commands.options import examples
from commands.output import emit_json
from commands.verb import Verb
from eventstore.door import schema

__all__ = ["schema_cmd"]


@click.command(
    "schema",
    cls=Verb,
    epilog=examples("ar schema", "ar schema run", "ar schema --view session", "ar schema --views"),
)
@click.argument("kind", metavar="[TYPE]", required=False)
@click.option("--view", metavar="VIEW", help="The schema of a view's own fields instead.")
@click.option("--views", is_flag=True, help="The names of the views instead.")
def schema_cmd(kind: str | None, view: str | None, views: bool) -> None:
    """Print the JSON Schema of events or of a view.

    That of all lines, of one event TYPE, or of a view's own fields: JSON Schema 2020-12, generated from the
    types that the log is read and written with.
    """
    if (kind is not None) + (view is not None) + views > 1:
        raise BadInputError("one schema at a time", "TYPE, --view VIEW or --views")
    if views:
        from commands.catalog import view_names

        emit_json(view_names())
    elif view is not None:
        emit_json(_of_view(view))
    else:
        emit_json(schema() if kind is None else _of_type(kind))


def _of_type(kind: str) -> dict[str, Any]:
    whole = schema()
    types: dict[str, Any] = whole["$defs"]
    if kind.startswith("x."):
        kind = "x"
    if kind not in types:
        near = nearest(kind, list(types))
        raise BadInputError(f"there is no event type {kind!r}", f"ar schema {near}" if near else "ar schema")
    return {"$schema": whole["$schema"], **types[kind]}


def _of_view(name: str) -> dict[str, Any]:
    import msgspec

    from commands.catalog import reducer_named

    kind = getattr(reducer_named(name), "view_type", None)
    if kind is None:
        raise BadInputError(
            f"the view {name} does not say what type it shows", "view_type=... where it is defined"
        )
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **msgspec.json.schema(kind, schema_hook=_schema_hook),
    }


def _schema_hook(kind: type) -> dict[str, Any]:
    """A history is a list and a table an object; msgspec knows neither."""
    return {"type": "object"} if hasattr(kind, "keys") else {"type": "array"}

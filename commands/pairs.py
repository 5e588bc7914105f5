"""`key=value` and `key:=json` on the command line. Pure."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from commands.errors import BadInputError

__all__ = ["json_value", "loose_value", "parse_pairs"]


def parse_pairs(
    words: Sequence[str], plain: Callable[[str, str], Any] = lambda _, text: text
) -> dict[str, Any]:
    """Fields from words: `key=value` gives what `plain(key, value)` makes of it, `key:=json` the JSON value.

    The first `=` ends the key. Raises BadInputError for a word of another form, JSON that is none, and a key
    that is given twice.
    """
    fields: dict[str, Any] = {}
    for word in words:
        key, equals, value = word.partition("=")
        is_json = key.endswith(":")
        key = key.removesuffix(":")
        if not equals or not key:
            raise BadInputError(
                f"{word!r} is no field", "key=value for text, key:=json for numbers, lists and the like"
            )
        if key in fields:
            raise BadInputError(f"{key} is given twice", f"give {key} once")
        fields[key] = json_value(key, value) if is_json else plain(key, value)
    return fields


def json_value(key: str, text: str) -> Any:
    """A JSON value; `key` is what the error names. Raises BadInputError."""
    try:
        return msgspec.json.decode(text.encode("utf-8", "surrogateescape"))
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        reason = str(error).removeprefix("JSON is malformed: ")
        raise BadInputError(
            f"{key}:={text[:60]}: no JSON: {reason}", f"{key}={text[:60]} if it is text"
        ) from None


def loose_value(_: str, text: str) -> Any:
    """A number, true, false, null, list or object where the text is JSON of one; else the text itself."""
    try:
        value = msgspec.json.decode(text.encode())
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return text
    return text if isinstance(value, str) else value

"""Paths as the log can hold them. Pure.

A path is bytes, a line of the log is UTF-8: bytes that are none are written as percent escapes, and so is the
percent sign itself, so that every path can be read back.
"""

from __future__ import annotations

import os
from collections.abc import Iterable

__all__ = ["as_logged", "from_log"]


def as_logged(paths: Iterable[str]) -> tuple[str, ...]:
    """Paths, decoded by the file system's rules, as the log holds them."""
    return tuple(_escaped(path) for path in paths)


def from_log(logged: Iterable[str]) -> tuple[str, ...]:
    """The paths that `as_logged` was given."""
    from urllib.parse import unquote_to_bytes

    return tuple(os.fsdecode(unquote_to_bytes(text)) if "%" in text else text for text in logged)


def _escaped(path: str) -> str:
    return "".join(
        f"%{ord(c) - 0xDC00:02X}" if "\udc80" <= c <= "\udcff" else c for c in path.replace("%", "%25")
    )

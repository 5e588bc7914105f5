"""The chain's digest: the first half of SHA-256 over a line's bytes (design, section 2.2)."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from importlib import import_module
from typing import Any

__all__ = ["DIGITS", "digest", "hasher"]

DIGITS = 32
"""How many hex digits of SHA-256 a digest has."""

_LONG = 1 << 16
"""Length of a line from which on it is much to hash, bytes."""


def digest(line: bytes) -> str:
    """The first 32 hex digits of SHA-256 over a line's bytes, its newline left out."""
    found: str = hasher(len(line) > _LONG)(line).hexdigest()
    return found[:DIGITS]


@cache
def hasher(much: bool = False) -> Callable[[bytes], Any]:
    """SHA-256, as `hashlib` has it.

    much: whether there is much to hash. The library that is quickest at that takes longer to load than an
    append takes, so the interpreter's own is used for a few lines, unless the library is there already.
    """
    if not much and "_hashlib" not in sys.modules:
        for name in ("_sha2", "_sha256"):  # since Python 3.12, and before; not every build has it
            with suppress(ImportError):
                own: Callable[[bytes], Any] = import_module(name).sha256
                return own
    from hashlib import sha256

    return sha256

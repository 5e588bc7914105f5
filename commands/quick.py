"""The plain form of `ar append` without the command line's parser, whose import takes half of such a call.

Agents and their hooks append more often than they do anything else.
"""

from __future__ import annotations

import os

from commands.appending import plain_request
from commands.context import Call
from commands.effects.appending import record
from commands.errors import report

__all__ = ["append"]


def append(words: list[str]) -> int | None:
    """Runs `ar append` and returns its exit code; None, with nothing done, where the parser is needed."""
    request = None if "_AR_COMPLETE" in os.environ else plain_request(words)
    if request is None:
        return None
    try:
        record(Call(), request)
    except BaseException as error:
        return report(error)
    return 0

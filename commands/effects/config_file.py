"""`config.json`, by which a session is redirected and capped without a command (design, section 2.1)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from commands.output import warn

__all__ = ["limits_of"]


def limits_of(path: Path) -> dict[str, Any] | None:
    """The limits that a `config.json` sets; none where there is no such file.

    None, with a warning, where it cannot be read or holds another limit than a whole number from 1: then what
    it said before stands, for a limit must never be lifted by a slip.
    """
    try:
        found = msgspec.json.decode(path.read_bytes(), type=dict[str, Any])
    except FileNotFoundError:
        return {}
    except (OSError, msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        warn(f"{path} is not read, what it set before stands: {error}")
        return None
    most = found.get("maxIterations")
    if most is None:
        return {}
    if type(most) is float and most.is_integer():
        most = int(most)
    if type(most) is not int or most < 1:
        shown = msgspec.json.encode(most).decode()[:60]
        warn(f"{path}: maxIterations is {shown}, no whole number from 1; what it set before stands")
        return None
    return {"max_iterations": most}

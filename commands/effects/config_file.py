"""`config.json`, by which a session is redirected and capped without a command (design, section 2.1)."""

from __future__ import annotations

from typing import Any

from commands.output import warn
from eventstore.sessions import Session, SessionError, read_config, settings_of

__all__ = ["limits_of"]


def limits_of(session: Session) -> dict[str, Any] | None:
    """The limits that a session's `config.json` sets; none where there is no such file.

    None, with a warning, where it cannot be read or sets what is no limit: then what it said before stands,
    for a limit must never be lifted by a slip. None too for a log that was named, which has no such file.
    """
    if session.layout == "file":
        return None
    try:
        return settings_of(read_config(session.config_file))
    except SessionError as error:
        warn(f"{error.message}; what it set before stands")
        return None

"""Recording that error text was spotted, for `ar hook error-capture`; without the command line's imports."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from eventstore.sessions import Session

__all__ = ["is_off", "is_session_off", "record_error_seen", "record_in"]

LOCK_SECONDS = 1.0
"""How long to wait for another appender: an agent is waiting for us."""


def record_error_seen(fields: Mapping[str, str]) -> None:
    """Appends an `error_seen` event to the session of the working directory, or of AR_DIR, if there is one.

    fields: `tool`, `pattern`, `context`, `command`, those that are known. AR_BY says who appends. Raises what
    `sessions.find` and `Log.append` raise.
    """
    session = _session()
    if session is not None:
        record_in(session.log, fields)


def is_off() -> bool:
    """Whether the session of the working directory, or of AR_DIR, is switched off. Raises as a look does."""
    session = _session()
    return session is not None and is_session_off(session)


def is_session_off(session: Session) -> bool:
    """Whether this session is switched off. Raises StorageError when its log cannot be read."""
    from commands.effects.views import read_view
    from eventstore.filelog import FileLog
    from reducers.budget import budget
    from reducers.halt import OFF

    look = read_view(FileLog(session.log), budget, cache=session.cache)
    return bool(look.view["stop_reason"] == OFF)


def _session() -> Session | None:
    from eventstore import sessions

    return sessions.find(Path(os.environ.get("AR_DIR") or os.curdir))


def record_in(path: Path, fields: Mapping[str, str]) -> None:
    """Appends it to this log. Raises what `Log.append` raises."""
    from eventstore.events import ErrorSeen
    from eventstore.filelog import FileLog

    log = FileLog(path, by=os.environ.get("AR_BY") or "user", lock_timeout=LOCK_SECONDS)
    log.append([ErrorSeen(**fields)])  # type: ignore[arg-type]

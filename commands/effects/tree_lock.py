"""The lock of what changes the working tree: one cycle, loop or finalize at a time (design, section 2.3)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from eventstore.errors import ConflictError, LockTimeoutError
from eventstore.lock import holder_of, locked

__all__ = ["tree_locked"]


@contextmanager
def tree_locked(path: Path) -> Iterator[None]:
    """Holds the lock for as long as it lasts; the kernel drops that of a killed holder.

    Raises ConflictError at once, with the holder where it can be known, when somebody else has it.
    """
    path.parent.mkdir(exist_ok=True)
    held = locked(path, 0)
    try:
        held.__enter__()
    except LockTimeoutError as error:
        holder = holder_of(path) or "another process"
        raise ConflictError(
            f"{holder} is at work on this working tree", "wait for it, or end it and repeat the command"
        ) from error
    try:
        yield
    finally:
        held.__exit__(None, None, None)

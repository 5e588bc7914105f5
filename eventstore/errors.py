"""What the store refuses or cannot do, one class a kind of failure.

Every error carries three parts: what is wrong, where, and what to do about it. The class says which
exit code a program should end with (design, section 7): 2 bad input, 3 conflict, 4 storage.
"""

from __future__ import annotations

__all__ = [
    "ConflictError",
    "InvalidEventError",
    "LedgerError",
    "LockTimeoutError",
    "RoleError",
    "StorageError",
]


class LedgerError(Exception):
    """Base of everything the store raises on purpose.

    `remedy` is a sentence that starts with a verb, shown after `try:`; empty when nothing helps.
    """

    exit_code = 4

    def __init__(self, message: str, remedy: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.remedy = remedy

    def __str__(self) -> str:
        return self.message


class InvalidEventError(LedgerError):
    """An event was refused at the door; nothing was written (design, section 2.3).

    index: which of the events that were to be appended together it is, from 0; None where that is not known.
    """

    exit_code = 2
    index: int | None = None


class RoleError(InvalidEventError):
    """The role in `by` may not append this type of event (design, section 6.4)."""


class ConflictError(LedgerError):
    """The log moved past the expected head, or an id is taken by other content; nothing was written."""

    exit_code = 3


class StorageError(LedgerError):
    """The file cannot be read, written or synced; nothing was acknowledged."""

    exit_code = 4


class LockTimeoutError(StorageError):
    """Another process held the log's lock for longer than the timeout."""

"""Errors as people meet them: a line for what is wrong, a line for what to try (design, section 7)."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from commands.output import leave_stdout, tell
from commands.render import escape
from eventstore.errors import LedgerError, StorageError

if TYPE_CHECKING:
    import click

__all__ = ["BadInputError", "explained", "nearest", "report"]

INTERRUPTED = 130


class BadInputError(LedgerError):
    """What was asked for cannot be done as it stands; nothing was written."""

    exit_code = 2


def report(error: BaseException) -> int:
    """Tells what went wrong on stderr and returns the exit code.

    What is no error ends quietly: click's own exits, and a reader of our output that went away. An error that
    nobody raises on purpose is raised again, for the launcher.
    """
    if isinstance(error, BrokenPipeError):
        leave_stdout()
        return 0
    if isinstance(error, KeyboardInterrupt):
        return INTERRUPTED
    known = explained(error)
    if known is not None:
        return _say(known.message, known.remedy, known.exit_code)
    if "click" in sys.modules:  # else it is none of its errors, and it need not be imported to know that
        return _report_click(error)
    raise error


def explained(error: BaseException) -> LedgerError | None:
    """What went wrong in our own words: an error of ours, or what the system says; None for another."""
    if isinstance(error, LedgerError):
        return error
    if isinstance(error, FileNotFoundError) and not error.filename and _is_nowhere():
        return StorageError(
            "the working directory is not there any more", "cd to one that is, or ar -C DIR ..."
        )
    if isinstance(error, OSError):
        where = f"{os.fspath(error.filename)!s}: " if error.filename else ""
        return StorageError(f"{where}{error.strerror or error}")
    return None


def _is_nowhere() -> bool:
    """Whether the working directory was removed."""
    try:
        os.getcwd()
    except OSError:
        return True
    return False


def _report_click(error: BaseException) -> int:
    import click

    if isinstance(error, click.exceptions.Exit):
        return error.exit_code
    if isinstance(error, click.Abort):
        return INTERRUPTED
    if isinstance(error, click.UsageError):
        return _say(_plain(error), _remedy(error), 2)
    if isinstance(error, click.ClickException):
        return _say(error.format_message(), "", 2)
    raise error


def _say(message: str, remedy: str, code: int) -> int:
    tell(f"ar: {escape(message)}")
    if remedy:
        tell(f"try: {escape(remedy)}")
    return code


def _plain(error: click.UsageError) -> str:
    """Click's message in our manner: on one line, no capital, no full stop, no guess in brackets."""
    text = error.message if hasattr(error, "possibilities") else error.format_message()
    text = " ".join(text.split()).removesuffix(".").replace(". Choose from: ", ": one of ")
    return text[:1].lower() + text[1:]


def _remedy(error: click.UsageError) -> str:
    nearest = getattr(error, "possibilities", None)
    if nearest:
        return " or ".join(nearest)
    return f"{error.ctx.command_path} --help" if error.ctx is not None else "ar --help"


def nearest(word: str, known: list[str]) -> str | None:
    """The known word that is most like this one, or None where none is like it."""
    from difflib import get_close_matches

    return next(iter(get_close_matches(word, known, n=1, cutoff=0.6)), None)

"""The secret by which clients over HTTP show that they may: given in the environment or a file, or made."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import NamedTuple

from commands.errors import BadInputError
from eventstore.disk import storage_error

__all__ = ["VARIABLE", "Token", "token_of"]

VARIABLE = "AR_MCP_TOKEN"
"""The environment variable that may hold it; it reaches no command of the session."""

SHORTEST = 16
"""Characters below which a token is none: it could be guessed."""


class Token(NamedTuple):
    """A token, and whether it was made just now and lies nowhere, so that it has to be shown."""

    text: str
    must_be_shown: bool = False


def token_of(file: str | None) -> Token:
    """The token in this file, which is made if it is not there; else of the environment; else a new one.

    Raises BadInputError for a file that others may read, and for a token that is too short or cannot stand in
    a header; StorageError when the file cannot be read or written.
    """
    if file is not None:
        return Token(_in_file(Path(file)))
    given = os.environ.get(VARIABLE)
    if given is not None:
        return Token(_checked(given.strip(), VARIABLE))
    return Token(_made(), must_be_shown=True)


def _made() -> str:
    from secrets import token_urlsafe

    return token_urlsafe(32)


def _in_file(path: Path) -> str:
    try:
        text = _read(path)
    except FileNotFoundError:
        return _written(path)
    except OSError as error:
        raise storage_error(error, "read", path) from error
    return _checked(text.strip(), str(path))


def _read(path: Path) -> str:
    with path.open("rb") as file:
        mode = os.fstat(file.fileno()).st_mode
        if not stat.S_ISREG(mode) or mode & 0o077:
            raise BadInputError(
                f"{path}: others may read the token in it", f"chmod 600 '{path}', or name another file"
            )
        return file.read(4096).decode("utf-8", "replace")


def _written(path: Path) -> str:
    text = _made()
    try:
        fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        with os.fdopen(fd, "w", encoding="ascii") as file:
            file.write(f"{text}\n")
    except OSError as error:
        raise storage_error(error, "write", path) from error
    return text


def _checked(text: str, where: str) -> str:
    if len(text) < SHORTEST or not text.isascii() or not text.isprintable() or " " in text:
        raise BadInputError(
            f"{where}: no token: {SHORTEST} or more printable ASCII characters without spaces",
            "openssl rand -base64 32 makes one; without --token-file and the variable, ar does",
        )
    return text

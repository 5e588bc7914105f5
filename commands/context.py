"""One call of `ar`: which session it is about, and who speaks (design, section 2.1)."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

from commands.errors import BadInputError
from eventstore import sessions
from eventstore.filelog import FileLog
from eventstore.roles import ROLES, is_author
from eventstore.sessions import Session

__all__ = ["Call"]


class Call:
    """What the options before the verb say; every verb gets it as click's `obj`.

    log_file: the log that was named, or None for the session's own. in_place: whether a directory was named
    too; the working directory is then that one, and AR_DIR has no say. directory: another one to start from,
    for who cannot change the working directory.
    """

    def __init__(
        self, log_file: str | None = None, in_place: bool = False, directory: Path | None = None
    ) -> None:
        self.log_file = log_file
        self.in_place = in_place
        self._directory = directory

    @cached_property
    def session(self) -> Session:
        """The session this call is about. Raises BadInputError when there is none."""
        found = self.session_if_any()
        if found is None:
            raise BadInputError(
                f"there is no session here: no .auto/log.jsonl from {self._start} up to the repository's top",
                "ar init, ar -C DIR ..., or ar --log FILE ...",
            )
        return found

    def session_if_any(self) -> Session | None:
        """The session this call is about, or None where there is none."""
        if self.log_file is not None:
            if not self.log_file:
                raise BadInputError("--log: no file is named", "ar --log FILE ...")
            return sessions.of_log(Path(self.log_file))
        return sessions.find(self._start)

    def session_to_init(self) -> Session:
        """The session this call is about, or the one that would begin here."""
        return self.session_if_any() or sessions.new(self._start)

    def cache(self, view: str, no_cache: bool = False) -> Path | None:
        """Where snapshots of a view are kept; None where none are to be used.

        That is for a log outside of a session, and for a reducer in a file: it changes while it is written,
        and no version tells.
        """
        return None if no_cache or view.endswith(".py") or ".py:" in view else self.session.cache

    def log(self) -> FileLog:
        """The log, to look at. Raises BadInputError when one was named that is not there."""
        return FileLog(self._path_to_read(), cache_dir=self.session.cache)

    def _path_to_read(self) -> Path:
        path = self.session.log
        if self.log_file is not None and not path.exists():
            raise BadInputError(f"there is no log {self.log_file}", "ar --log FILE append ... begins one")
        return path

    def writer(self, by: str | None, session: Session | None = None) -> FileLog:
        """The log, to append to; what is not signed is signed by the author.

        by: who it is, as given by `--by`; else AR_BY says, else it is `user`. session: another one than this
        call's. Raises BadInputError for what is no author.
        """
        session = session or self.session
        return FileLog(session.log, by=author(by), cache_dir=session.cache)

    def stretches(self) -> Iterator[tuple[int, bytes]]:
        """Offset and bytes of the log's stretches of whole lines, for `eventstore.chain`."""
        from commands.effects.reading import stretches

        return stretches(self._path_to_read())

    @property
    def _start(self) -> Path:
        """Where the search for a session starts: the directory that was named, else AR_DIR, else this one."""
        if self._directory is not None:
            return self._directory.absolute()
        directory = Path("" if self.in_place else os.environ.get("AR_DIR") or "")
        if not directory.is_dir():
            raise BadInputError(f"AR_DIR: {directory} is no directory", "unset AR_DIR, or name a directory")
        return directory.absolute()


def author(by: str | None) -> str:
    """Who appends: `by`, else AR_BY, else `user`. Raises BadInputError for what is no author."""
    source, name = ("--by", by) if by is not None else ("AR_BY", os.environ.get("AR_BY") or "user")
    if not is_author(name):
        raise BadInputError(
            f"{source}: {name[:60]!r} is no author", f"role or role:name; the roles are {', '.join(ROLES)}"
        )
    return name

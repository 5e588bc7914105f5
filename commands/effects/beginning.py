"""A session begins: its folder is made, its files are kept out of git's way (design, section 2.1)."""

from __future__ import annotations

from commands.effects.exclusions import exclude_from_git, is_tracked
from commands.output import near, warn
from eventstore.sessions import Session

__all__ = ["keep_out_of_git", "make_room"]


def make_room(session: Session) -> None:
    """Makes the folder that the session's log will lie in. Raises OSError."""
    session.log.parent.mkdir(parents=True, exist_ok=True)


def keep_out_of_git(session: Session) -> None:
    """Lists the log in git's exclusions and warns of one that is tracked; no repository is no error."""
    log = session.log
    names = [str(log.relative_to(session.root))]
    if session.layout != "auto" and session.lock.is_relative_to(session.root):
        names.append(str(session.lock.relative_to(session.root)))
    if session.layout != "file":
        names += [".auto/cache/", ".auto/*.lock", ".auto/rejected/"]
    try:
        exclude_from_git(session.root, names)
    except OSError as error:
        warn(
            f"cannot list {log.name} in git's exclusions: {error.strerror}; `git stash -u` would take it away"
        )
    if is_tracked(log):
        from shlex import quote

        remedy = f"git rm --cached {quote(near(log))}"
        warn(f"{log} is tracked by git, which would rewrite it; `{remedy}` keeps the file")

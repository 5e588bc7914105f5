"""What surrounds an escalation: versions, logs, the report's file, the notice, the wait for an answer."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from pathlib import Path

from commands.effects.exclusions import exclude_from_git
from commands.effects.reading import without_waiting
from commands.errors import BadInputError
from commands.summaries import kind_of, summary
from eventstore.filelog import FileLog
from eventstore.sessions import Session
from reducers.policies.escalation import EXTRACT_CHARACTERS, Extract

__all__ = [
    "await_reply",
    "extract_of",
    "last_events",
    "notify",
    "place_for",
    "said_in",
    "versions",
    "write_report",
]

EVENTS = 20
"""How many of the log's last events are told."""

NOTIFY_SECONDS = 60.0
"""How long a notify command may take, seconds."""

POLL_SECONDS = 1.0
"""How often an answer is looked for, seconds."""

REPLY_BYTES = 1 << 16
"""How much of an answer is read, bytes."""


def extract_of(name: str) -> Extract:
    """The end of a log file. Raises BadInputError for one that cannot be read."""
    path = Path(name)
    try:
        with open(path, "rb", opener=without_waiting) as file:
            if not file.seekable():
                raise BadInputError(f"--attach: {name} is no file", "name the file itself")
            size = file.seek(0, os.SEEK_END)
            file.seek(max(size - 4 * EXTRACT_CHARACTERS, 0))
            return Extract(name, file.read().decode("utf-8", "replace"))
    except OSError as error:
        raise BadInputError(f"--attach: {name}: {error.strerror}", "name a file that can be read") from error


def last_events(log: FileLog) -> list[str]:
    """The log's last events in words, one a line, oldest first."""
    from commands.effects.reading import last_records

    records, _ = last_records(log, EVENTS)
    return [f"{seq} {kind_of(record)} {summary(record)}" for seq, record in records]


def versions(named: Sequence[str], root: Path) -> dict[str, str]:
    """Versions by program: ours, the interpreter's, the system's, git's HEAD, and those that are named.

    named: `NAME=VERSION`. Raises BadInputError for what is not so.
    """
    import platform

    from autoresearch_ledger import __version__

    found = {
        "ar": __version__,
        "python": platform.python_version(),
        "system": platform.platform(terse=True),
    }
    head = _head(root)
    if head is not None:
        found["git HEAD"] = head
    for each in named:
        name, equals, value = each.partition("=")
        if not (name.strip() and equals and value.strip()):
            raise BadInputError(f"--version-of: {each[:60]!r} is no NAME=VERSION", "--version-of cuda=12.4")
        found[name.strip()] = value.strip()
    return found


def _head(root: Path) -> str | None:
    from commands.effects.git import GitError, find_repo
    from commands.effects.git_queries import head_of

    try:
        return head_of(find_repo(root)).commit
    except GitError:
        return None


def place_for(session: Session, stamp: str) -> Path:
    """Where the next report goes: under `.auto/escalations`, never over an earlier one. stamp: digits."""
    folder = session.rejected.parent / "escalations"
    for number in range(1, 10_000):
        path = folder / (f"{stamp}.md" if number == 1 else f"{stamp}-{number}.md")
        if not path.exists():
            return path
    raise BadInputError(f"{folder} has thousands of reports of one second", "move some of them away")


def write_report(session: Session, path: Path, text: str) -> None:
    """Writes a report, whole or not at all; no stash and no clean takes it. Raises OSError."""
    exclude_from_git(session.root, [".auto/escalations/"])
    path.parent.mkdir(parents=True, exist_ok=True)
    fresh = path.with_name(f".{path.name}.new")
    fresh.write_text(text, encoding="utf-8")
    os.replace(fresh, path)


def notify(command: str, report: Path, text: str, root: Path) -> str | None:
    """Runs a notify command, the report on its stdin and its path in AR_REPORT; why it failed, or None."""
    from hooks.process import run, shell_argv, strip_own_environment
    from reducers.policies.looping import how_ended, last_line

    finished = run(
        shell_argv(command),
        cwd=root,
        stdin=text.encode("utf-8", "replace"),
        timeout=NOTIFY_SECONDS,
        stdout_cap=4096,
        stderr_cap=4096,
        keep="tail",
        env={**strip_own_environment(os.environ), "AR_REPORT": os.fspath(report)},
    )
    if finished.error is not None:
        return f"could not be started: {finished.error}"
    if finished.timed_out:
        return f"was ended after {NOTIFY_SECONDS:g} s"
    if finished.exit_code:
        line = last_line(finished.stderr) or last_line(finished.stdout)
        return ": ".join(filter(None, (how_ended(finished.exit_code), line)))
    return None


def await_reply(path: Path, seconds: float) -> str | None:
    """What a file says once it says something and no more is written; None if it does not in this time.

    seconds: how long that is.
    """
    deadline = time.monotonic() + seconds
    before: str | None = None
    while True:
        said = said_in(path)
        left = deadline - time.monotonic()
        if said is not None and (said == before or left <= 0):
            return said
        if left <= 0:
            return None
        before = said
        time.sleep(min(POLL_SECONDS, left))


def said_in(path: Path) -> str | None:
    """What a file says now, without white space around; None if it says nothing, or cannot be read."""
    try:
        with open(path, "rb", opener=without_waiting) as file:
            return file.read(REPLY_BYTES).decode("utf-8", "replace").strip() or None
    except OSError:
        return None

"""Fires the user's hooks: payload in, steer out, one `hook` event on the log (design, section 6.2).

A hook is `before.sh` or `after.sh` in the session's hooks directory, a regular file with the execute bit; any
other is absent, which is no error. Whatever a hook does, the session goes on: failing, hanging, flooding and
leaving processes behind end in a steer that says so. The log's lock is not held meanwhile.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import msgspec

from eventstore.errors import ConflictError
from eventstore.events import Hook
from eventstore.filelog import FileLog
from eventstore.roles import check_role
from eventstore.store import Appended
from hooks.prefix import Prefix, read_prefix
from hooks.process import Finished, run, script_argv, strip_own_environment
from hooks.steer import STEER_CAP, Stage, is_truncated, label, render_steer
from reducers.halt import SWITCHED_OFF

__all__ = [
    "STAGES",
    "Fired",
    "find_script",
    "fire",
    "fire_activation",
    "fire_after_run",
    "is_executable",
    "run_script",
    "script_sha256",
]

STAGES: tuple[Stage, ...] = ("before", "after")
"""The stages, in the order of an iteration."""

_CAPTURED = STEER_CAP + 4096
"""Bytes kept of stdout and of stderr: more than a steer holds, to see where it is best cut."""

_TERM_GRACE = 2.0
"""Seconds between TERM and KILL once a hook's time is up: somebody waits for it."""


class Fired(msgspec.Struct, frozen=True):
    """A hook that fired.

    event: as it stands in the log. appended: what its append came to.
    """

    event: Hook
    appended: Appended

    @property
    def steer(self) -> str:
        """What the hook has to say to the agent, under the script's name; empty if nothing. It is data."""
        stage: Stage = "after" if self.event.stage == "after" else "before"
        return label(stage, self.event.steer or "")


def find_script(directory: Path, stage: Stage) -> Path | None:
    """The script of that stage in a hooks directory; None where none would fire."""
    path = directory / f"{stage}.sh"
    return path if is_executable(path) else None


def is_executable(path: Path) -> bool:
    """Whether this is a regular file (a link to one counts) that may be executed.

    False too where that cannot be seen, as in a directory that may not be entered.
    """
    return os.path.isfile(path) and os.access(path, os.X_OK)


def fire(stage: Stage, *, log: FileLog, hooks: Path, cwd: Path, at: int | None = None) -> Fired | None:
    """Fires the hook of that stage and records it; None, and nothing recorded, where there is none.

    hooks: the directory of the hooks. cwd: the session's, which the hook runs in. at: the line its payload is
    taken at, None for the log's end as it is now.

    Raises NoRunError for `after` while there is no run, ConflictError while the session is switched off,
    RoleError where the log's author may record no hook
    (before anything runs), and StorageError when the log cannot be read or written; nothing for what the
    script does.
    """
    script = find_script(hooks, stage)
    if script is None:
        return None
    prefix = read_prefix(log, at)
    if prefix.halt.off:
        raise ConflictError(*SWITCHED_OFF)
    return _fire(stage, script, log, cwd, prefix)


def fire_after_run(
    *, log: FileLog, hooks: Path, cwd: Path, run_seq: int, between: Callable[[], object] | None = None
) -> list[Fired]:
    """Fires `after` for the run at line `run_seq`, then `before`, unless the session has stopped.

    For a run that is closed, its rollback done. between: called in between, for who stops the session there.
    Raises StorageError as `fire` does.
    """
    fired = []
    prefix = Prefix()
    if (script := find_script(hooks, "after")) is not None:
        prefix = read_prefix(log, run_seq)
        fired.append(_fire("after", script, log, cwd, prefix))
    if between is not None:
        between()
    if (script := find_script(hooks, "before")) is not None:
        prefix = read_prefix(log, since=prefix)
        if prefix.stopped is None:
            fired.append(_fire("before", script, log, cwd, prefix))
    return fired


def fire_activation(*, log: FileLog, hooks: Path, cwd: Path) -> list[Fired]:
    """Fires `before`, as a session is configured, switched on, or a loop starts, unless it has stopped.

    Raises StorageError as `fire` does.
    """
    script = find_script(hooks, "before")
    prefix = Prefix() if script is None else read_prefix(log)
    if script is None or prefix.stopped is not None:
        return []
    return [_fire("before", script, log, cwd, prefix)]


def run_script(script: Path, payload: bytes, *, cwd: Path, timeout: float) -> Finished:
    """Runs a hook's script to its end or the end of its time (seconds); nothing of it is left afterwards."""
    return run(
        script_argv(script),
        cwd=cwd,
        stdin=payload,
        timeout=timeout,
        stdout_cap=_CAPTURED,
        stderr_cap=_CAPTURED,
        keep="head",
        env=strip_own_environment(os.environ),
        term_grace=_TERM_GRACE,
    )


def script_sha256(script: Path) -> str | None:
    """SHA-256 (hex) of a script; None if it may be executed but not read."""
    from hashlib import file_digest

    try:
        with script.open("rb") as file:
            return file_digest(file, "sha256").hexdigest()
    except OSError:
        return None


def _fire(stage: Stage, script: Path, log: FileLog, cwd: Path, prefix: Prefix) -> Fired:
    check_role(log.by, "hook")  # before anything runs that could then not be recorded
    payload = prefix.payload(stage, os.fspath(cwd))
    sha256 = script_sha256(script)
    finished = run_script(script, payload, cwd=cwd, timeout=prefix.timeout)
    appended = log.append([_event(stage, finished, sha256, prefix.seq)])
    entered = appended.events[0]
    assert isinstance(entered, Hook), "what was appended is a hook"
    return Fired(entered, appended)


def _event(stage: Stage, finished: Finished, sha256: str | None, at: int) -> Hook:
    return Hook(
        stage=stage,
        exit_code=finished.exit_code,
        duration_ms=finished.duration_ms,
        stdout_bytes=finished.stdout_bytes,
        timed_out=finished.timed_out,
        truncated=is_truncated(finished),
        steer=render_steer(stage, finished) or None,
        script_sha256=sha256,
        at=at,
    )

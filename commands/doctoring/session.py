"""What is to be said of the repository, the session, its log, locks and hooks. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from commands.doctoring.finding import Finding
from commands.doctoring.observed import Git, LogSeen, Observed, SessionSeen

__all__ = ["of_config", "of_git", "of_hooks", "of_locks", "of_log", "of_session"]

_NAMED = 3
"""How many faults of a log are told; `ar verify` tells them all."""


def of_git(observed: Observed) -> Iterator[Finding]:
    """Of the repository. What a measured cycle would refuse is an error where there is such a session."""
    log = observed.session.log if observed.session is not None else None
    serious = log is not None and log.measured
    if observed.git_problem is not None:
        problem = observed.git_problem
        yield Finding("git", "error" if serious else "ok", problem.detail, problem.remedy or None)
    if observed.git is None:
        return
    yield Finding("git", "ok", f"{observed.git.top}: {observed.git.on}")
    for problem in observed.git.problems:
        yield Finding("git", "error" if serious else "warn", problem.detail, problem.remedy or None)
    yield from _index(observed.git)


def _index(git: Git) -> Iterator[Finding]:
    if git.index_lock is not None:
        yield Finding(
            "git",
            "warn",
            f"the index is locked by {git.index_lock}: a git is at work, or one was killed",
            "if no git is at work, remove that file",
        )


def of_session(observed: Observed) -> Iterator[Finding]:
    """Whether there is one, and how it stands."""
    if observed.session_problem is not None:
        problem = observed.session_problem
        yield Finding("session", "error", problem.detail, problem.remedy or None)
    session = observed.session
    if session is None:
        if observed.session_problem is None:
            yield Finding("session", "ok", "there is none here", "ar init begins one")
        return
    yield Finding("session", "ok", f"{session.root}, {_layout(session)}{_standing(session.log)}")
    for path in session.unused:
        yield Finding(
            "session",
            "warn",
            f"{path} lies there too, and is not read",
            f"ar import {path} takes it over, or move it away",
        )
    if session.log is not None:
        yield from _of_cycles(session, session.log)


def _of_cycles(session: SessionSeen, log: LogSeen) -> Iterator[Finding]:
    if log.harness:
        yield Finding(
            "session",
            "error",
            f"what it is measured with has changed, so nothing is kept: {', '.join(log.harness)}",
            "put it right, or ar init --new-segment takes it as it is",
        )
    if log.open_cycle is not None and session.tree_holder is None:
        yield Finding(
            "session", "warn", f"cycle {log.open_cycle} was begun and not finished", "ar cycle --resume"
        )


def _layout(session: SessionSeen) -> str:
    return {
        "auto": "files in .auto/",
        "legacy": "files of the flat names",
        "file": "a log by itself",
    }[session.layout]


def _standing(log: LogSeen | None) -> str:
    if log is None:
        return ""
    if log.stopped is not None:
        return "; switched off" if log.stopped == "off" else f"; stopped: {log.stopped}"
    return "; under way" if log.configured else "; not configured"


def of_config(session: SessionSeen) -> Iterator[Finding]:
    """Of `config.json`."""
    if session.config is not None:
        yield Finding("config", "error", session.config.detail, session.config.remedy or None)
    if session.unknown:
        keys = ", ".join(session.unknown)
        yield Finding(
            "config",
            "warn",
            f"config.json: nobody reads {keys}",
            "the keys are workingDir and maxIterations",
        )


def of_log(session: SessionSeen) -> Iterator[Finding]:
    """Whether it is what was written, and safe where it lies."""
    if session.log_problem is not None:
        yield Finding("log", "error", session.log_problem.detail, session.log_problem.remedy or None)
    log = session.log
    if log is None:
        return
    serious = [fault for fault in log.report.faults if fault.serious]
    for fault in serious[:_NAMED]:
        where = f"line {fault.line}: " if fault.line else ""
        yield Finding("log", "error", f"{where}{fault.kind}: {fault.detail}", "ar verify")
    if len(serious) > _NAMED:
        yield Finding("log", "error", f"and {len(serious) - _NAMED} more faults", "ar verify")
    if not serious:
        others = f", {log.report.foreign} of other writers" if log.report.foreign else ""
        counts = f"{log.report.lines} {'line' if log.report.lines == 1 else 'lines'}"
        yield Finding("log", "ok", f"{log.path}: {counts}, {log.report.chained} chained{others}")
    if log.torn:
        yield Finding(
            "log",
            "warn",
            "it ends in the midst of a line: a writer is at work, or was killed",
            "nothing: the next append sets it right and says so",
        )
    if log.tracked:
        yield Finding(
            "log",
            "warn",
            "git tracks it: a checkout or a stash would take lines away",
            f"git rm --cached {log.path}",
        )
    if not log.writable:
        yield Finding("log", "error", f"{log.path} may not be written to", f"chmod u+w {log.path}")


def of_locks(session: SessionSeen) -> Iterator[Finding]:
    """Who is at work. A lock goes with its process, so one that is held is never a stale one."""
    held = [("the log", session.holder), ("the working tree", session.tree_holder)]
    said = [f"{holder} holds {what}" for what, holder in held if holder is not None]
    yield Finding("locks", "ok", "; ".join(said) or "nobody is at work")


def of_hooks(session: SessionSeen) -> Iterator[Finding]:
    """Whether those that are there would run."""
    for hook in session.hooks:
        if not hook.fires:
            remedy = f"chmod +x {hook.path}" if "chmod" in hook.state else "put a script there, or remove it"
            yield Finding("hooks", "warn", f"{hook.path}: {hook.state}", remedy)
        elif hook.problem:
            yield Finding("hooks", "error", hook.problem, f"ar hook test {hook.path}")
        else:
            yield Finding("hooks", "ok", f"{hook.path} {hook.state}")

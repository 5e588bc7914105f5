"""Looking at all that `ar doctor` has something to say of; it changes nothing, and raises for nothing odd."""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Iterator
from pathlib import Path

from commands.context import Call
from commands.doctoring.observed import Git, Observed, OnPath, Problem, Programs
from commands.effects.examining_agents import agents_seen
from commands.effects.examining_session import session_seen
from commands.effects.git import GitError, Repo, find_repo, run
from commands.effects.git_commit import require_head, require_quiet
from commands.effects.git_queries import git_path, head_of, identity
from commands.effects.own_program import is_ours, own_argv
from commands.output import near
from eventstore.errors import LedgerError
from eventstore.lock import HAS_FLOCK

__all__ = ["observe"]

_VERSION = re.compile(r"\d+(?:\.\d+)*")


def observe(call: Call, start: Path) -> Observed:
    """What there is. call: whose session is looked at. start: the directory whose project it is about."""
    session, problem = None, None
    try:
        place = call.session_if_any()
        session = None if place is None else session_seen(place)
    except LedgerError as error:
        problem = Problem(error.message, error.remedy)
        place = None
    git, git_problem = _git(start if place is None else place.root)
    return Observed(
        programs=_programs(),
        git=git,
        git_problem=git_problem,
        session=session,
        session_problem=problem,
        agents=tuple(agents_seen(start)),
    )


def _programs() -> Programs:
    from autoresearch_ledger import __version__

    own = tuple(own_argv())
    sdk, problem = _sdk()
    return Programs(
        ours=__version__,
        python=platform.python_version(),
        own=own,
        git=_git_version(),
        sdk=sdk,
        sdk_problem=problem,
        has_locks=HAS_FLOCK,
        ar=tuple(_on_path("ar", own)),
        autoresearch=tuple(_on_path("autoresearch", own)),
    )


def _sdk() -> tuple[str | None, str]:
    """The version of the MCP SDK, or None and why the server cannot start."""
    from commands.mcp.verb import MissingSdkError, require_sdk

    try:
        require_sdk()
    except MissingSdkError as error:
        return None, error.message
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("mcp"), ""
    except PackageNotFoundError:
        return "of an unknown version", ""


def _git_version() -> str | None:
    try:
        found = _VERSION.search(run(os.curdir, "version").text)
    except GitError:
        return None
    return found[0] if found is not None else None


def _on_path(name: str, own: tuple[str, ...]) -> Iterator[OnPath]:
    """The programs of that name, in PATH's order, each file once."""
    beside = os.path.realpath(os.path.dirname(own[0]))
    seen: set[str] = set()
    for directory in os.environ.get("PATH", os.defpath).split(os.pathsep):
        path = os.path.join(directory or os.curdir, name)
        real = os.path.realpath(path)
        if real in seen or not (os.path.isfile(path) and os.access(path, os.X_OK)):
            continue
        seen.add(real)
        if not is_ours(Path(path)):
            yield OnPath(path, "other")
        else:
            is_this = real == os.path.realpath(own[0]) or os.path.realpath(os.path.dirname(path)) == beside
            yield OnPath(path, "this" if is_this else "ours")


def _git(directory: Path) -> tuple[Git | None, Problem | None]:
    """The repository around a directory, or why there is none."""
    try:
        repo = find_repo(directory)
        head = head_of(repo)
        index = git_path(repo, "index.lock")
    except GitError as error:
        return None, Problem(error.message, error.remedy)
    branch = (head.branch or "").removeprefix("refs/heads/")
    on = f"branch {branch}" if branch else "a detached HEAD"
    problems = tuple(_problems(repo))
    lock = near(index) if os.path.lexists(index) else None
    return Git(repo.top, f"{on} at {head.commit[:7]}" if head.commit else on, lock, problems), None


def _problems(repo: Repo) -> Iterator[Problem]:
    """What a measured cycle would refuse."""
    for require in (require_head, require_quiet, identity):
        try:
            require(repo)
        except GitError as error:
            yield Problem(error.message, error.remedy)

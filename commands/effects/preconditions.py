"""What has to hold before a measured session begins, as a list of checks (design, section 6.1).

Nothing here changes anything but `measured_checks`, which runs the constraint and the metric command.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Literal

import msgspec

from commands.effects.git import GitError, Repo, describe, find_repo
from commands.effects.git_commit import require_head, require_quiet
from commands.effects.git_queries import head_of, identity, ignored, submodules, tracked
from commands.effects.harness import harness_files
from commands.effects.measuring import Measurement, Plan
from commands.effects.worktree import asset_paths, changed_within, is_inside, session_files
from eventstore.events import Config
from eventstore.sessions import Session
from reducers.wording import duration, number

__all__ = ["SLOW_SECONDS", "Check", "Survey", "failure_of", "measured_checks", "survey"]

SLOW_SECONDS = 300.0
"""A sample that takes longer is warned about: few cycles fit into a night."""


class Check(msgspec.Struct, frozen=True):
    """One precondition.

    name: what it is about. state: `ok`, `warn` or `failed`. detail: what was found, in words. remedy: what
    to do about it; empty where nothing needs to be done.
    """

    name: str
    state: Literal["ok", "warn", "failed"]
    detail: str
    remedy: str = ""


class Survey(msgspec.Struct, frozen=True):
    """What was found before anything is run.

    checks: in order; after one that failed there may be none of those that depend on it. repo, parent,
    assets: the repository, its commit and the assets as paths below its top; None and empty where there is
    none. harness: SHA-256 (hex) by path of what measuring relies on. dirty: tracked files outside the assets
    that are changed.
    """

    checks: tuple[Check, ...]
    repo: Repo | None = None
    parent: str = ""
    assets: tuple[str, ...] = ()
    harness: dict[str, str] = {}
    dirty: tuple[str, ...] = ()


def failure_of(checks: Sequence[Check]) -> Check | None:
    """The first check that failed; None if all is well."""
    return next((check for check in checks if check.state == "failed"), None)


def survey(place: Session, config: Config, named: Sequence[str], allow_dirty: bool) -> Survey:
    """Looks at all that can be known without running anything.

    named: what is to count as harness besides what is known to be; relative to the session. allow_dirty:
    changes outside the assets are let be.
    """
    try:
        repo = find_repo(place.root)
        parent = require_head(repo)
        require_quiet(repo)
        identity(repo)
    except GitError as error:
        return Survey((Check("repository", "failed", error.message, error.remedy),))
    checks = [_repository(repo, parent)]
    try:
        assets = asset_paths(repo, config.assets)
        checks += _assets(repo, assets)
        harness = harness_files(
            place,
            (config.measure, config.constraint),
            named,
            lambda path: is_inside(os.path.normpath(os.path.join(repo.prefix, path)), assets),
        )
    except GitError as error:
        return Survey((*checks, Check("assets", "failed", error.message, error.remedy)), repo, parent)
    except FileNotFoundError as error:
        missing = Check("harness", "failed", f"there is no {error}", "name files that exist: --harness PATH")
        return Survey((*checks, missing), repo, parent, assets)
    checks.append(_harness(repo, assets, harness))
    dirty: tuple[str, ...] = ()
    if failure_of(checks) is None:
        changes = changed_within(repo, assets)
        dirty = changes.outside_tracked
        checks += _changes(changes.inside, dirty, len(changes.outside_untracked), allow_dirty)
    return Survey(tuple(checks), repo, parent, assets, harness, dirty)


def _repository(repo: Repo, parent: str) -> Check:
    branch = head_of(repo).branch
    on = f"branch {branch.removeprefix('refs/heads/')}" if branch else "detached HEAD"
    return Check("repository", "ok", f"{on} at {parent[:7]}")


def _assets(repo: Repo, assets: tuple[str, ...]) -> list[Check]:
    """Whether each asset is there and can hold changes that git records."""
    linked = submodules(repo)
    for path in assets:
        full = os.path.join(repo.top, path)
        if not os.path.lexists(full):
            return [_asset_failed(path, "does not exist", "name what is there: --asset PATH")]
        if session_files(repo, (path,)):
            return [_asset_failed(path, "belongs to the session", "name what the agent may change")]
        if any(is_inside(inner, (path,)) or is_inside(path, (inner,)) for inner in linked):
            return [_asset_failed(path, "is or holds a submodule", "name files of this repository")]
        if not tracked(repo, (path,)) and path and ignored(repo, (path,)):
            return [_asset_failed(path, "is ignored by git", "take it out of .gitignore, or name another")]
    count = len(tracked(repo, assets))
    return [Check("assets", "ok", f"{describe(path or '.' for path in assets)}: {count} tracked files")]


def _asset_failed(path: str, what: str, remedy: str) -> Check:
    return Check("assets", "failed", f"{describe((path or '.',))} {what}", remedy)


def _harness(repo: Repo, assets: tuple[str, ...], harness: dict[str, str]) -> Check:
    """Whether all that measuring relies on is out of the agent's reach."""
    paths = {path: os.path.normpath(os.path.join(repo.prefix, path)) for path in harness}
    inside = [path for path, full in paths.items() if is_inside(full, assets)]
    if inside:
        return Check(
            "harness",
            "failed",
            f"what measures lies inside the assets: {describe(inside)}",
            "name less as an asset, or put the command into .auto/measure.sh and name that",
        )
    return Check("harness", "ok", describe(harness) or "no script of the session's own")


def _changes(
    inside: tuple[str, ...], dirty: tuple[str, ...], untracked: int, allow_dirty: bool
) -> list[Check]:
    checks = [Check("inside", "ok", "nothing is changed inside the assets")]
    if inside:
        remedy = "commit or stash it: a session begins with what git holds"
        checks = [Check("inside", "failed", f"changed inside the assets: {describe(inside)}", remedy)]
    if dirty and not allow_dirty:
        remedy = "commit or stash it, or let it be: --allow-dirty"
        checks.append(Check("outside", "failed", f"changed outside the assets: {describe(dirty)}", remedy))
    elif dirty:
        checks.append(Check("outside", "ok", f"changed and let be: {describe(dirty)}"))
    else:
        more = f"; {untracked} untracked files do not matter" if untracked else ""
        checks.append(Check("outside", "ok", f"nothing tracked is changed{more}"))
    return checks


def measured_checks(plan: Plan, found: Measurement, unit: str | None) -> list[Check]:
    """What a first measurement says of the constraint, the metric, its time and its spread."""
    if not found.constraint_ok:
        return [Check("constraint", "failed", _told(found), "make it pass first, or choose another")]
    told = "passes" if plan.constraint is not None else "none"
    checks = [Check("constraint", "ok", told)]
    if found.median is None:
        remedy = "it must print the number, last or as METRIC name=value, and exit 0"
        return [*checks, Check("metric", "failed", _told(found), remedy)]
    checks.append(Check("metric", "ok", f"{number(found.median, unit)}, the median of {len(found.samples)}"))
    seconds = found.duration_ms / 1000 / len(found.samples)
    slow = seconds > SLOW_SECONDS
    checks.append(
        Check(
            "time",
            "warn" if slow else "ok",
            f"{duration(seconds)} a sample",
            "aim below 5 minutes: a smaller input, fewer repetitions" if slow else "",
        )
    )
    checks.append(_spread(found))
    return checks


def _told(found: Measurement) -> str:
    tail = found.output_tail.strip()
    return f"{found.error}; it said: {tail.splitlines()[-1]}" if tail else f"{found.error}"


def _spread(found: Measurement) -> Check:
    """How far the samples lie apart: what a gain has to exceed to be one."""
    low, high = min(found.samples), max(found.samples)
    if len(found.samples) == 1:
        return Check("spread", "ok", "one sample tells none")
    percent = f" ({(high - low) / abs(found.median) * 100:.1f}% of the median)" if found.median else ""
    return Check("spread", "ok", f"{number(low)} to {number(high)}{percent}")

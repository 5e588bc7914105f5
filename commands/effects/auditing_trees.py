"""What trees say to a session's record: what measures stayed as it was, and nothing changed unmeasured."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from commands.effects.auditing import GitAudit, KeptCommit, assets_of
from commands.effects.git import GitError, Repo, describe, run
from commands.effects.git_index import changed_entries
from commands.effects.git_queries import head_of, is_ancestor
from commands.effects.harness import harness_changes
from commands.effects.worktree import asset_paths, is_inside, session_files
from reducers.policies.audited import ERROR, WARNING, Finding, LogAudit

__all__ = ["HarnessAudit", "audit_harness", "unmeasured"]


class HarnessAudit(NamedTuple):
    """What became of the files that measuring relies on.

    findings: of those that changed. checked: how many were compared. untracked: those that git does not hold,
    so that only their present state could be looked at.
    """

    findings: tuple[Finding, ...]
    checked: int
    untracked: tuple[str, ...]


def audit_harness(repo: Repo, audit: LogAudit, seen: GitAudit, root: Path) -> HarnessAudit:
    """Compares the harness at each kept commit with the one of its segment's baseline, and the present one.

    A file may have been committed later in the state that the config recorded, so that counts as well.
    """
    findings: list[Finding] = []
    untracked: set[str] = set()
    compared = set(audit.segments[-1].harness)
    for segment in audit.segments:
        baseline = seen.commits.get(segment.commit or "")
        kept = [each for each in seen.kept if each.segment == segment.segment and each.cycle]
        paths = _below_top(repo, segment.harness)
        if not kept or baseline is None or not paths:
            continue
        commits = [baseline.id, *(each.commit.id for each in kept)]
        blobs = _blobs(repo, [(commit, path) for commit in commits for path in paths.values()])
        agreed = _agreed(repo, segment.harness, paths, blobs)
        for name, path in paths.items():
            at_first = blobs.get((baseline.id, path))
            if at_first is None:
                untracked.add(name)
                continue
            compared.add(name)
            findings += _changed(kept, name, path, blobs, {at_first, *agreed[name]})
    current = audit.segments[-1]
    changed = harness_changes(current.harness, root)
    if changed:
        what = f"what measures is not as when the baseline was measured: {describe(changed)}"
        findings.append(Finding(WARNING, "harness", "changed", current.line, what))
    return HarnessAudit(tuple(findings), len(compared), tuple(sorted(untracked)))


def _below_top(repo: Repo, names: Iterable[str]) -> dict[str, str]:
    """Paths below the top, by their names; without those that lie outside, or that a line cannot hold."""
    found = {}
    for name in names:
        try:
            (path,) = asset_paths(repo, [name])
        except GitError:
            continue
        if "\n" not in path:
            found[name] = path
    return found


def _changed(
    kept: Iterable[KeptCommit],
    name: str,
    path: str,
    blobs: Mapping[tuple[str, str], str],
    right: set[str],
) -> Iterator[Finding]:
    """The first kept commit at which a file of the harness was another one."""
    for each in kept:
        found = blobs.get((each.commit.id, path))
        if found not in right:
            fate = "gone" if found is None else "another one"
            what = f"{name}, which measures, is {fate} in the commit of kept run {each.run}"
            yield Finding(ERROR, "harness", "changed", each.line, what)
            return


def _blobs(repo: Repo, wanted: Iterable[tuple[str, str]]) -> dict[tuple[str, str], str]:
    """The objects of these commits' paths; of those that there are."""
    import os

    asked = list(wanted)
    lines = b"".join(commit.encode() + b":" + os.fsencode(path) + b"\n" for commit, path in asked)
    answers = run(repo, "cat-file", "--batch-check=%(objecttype) %(objectname)", stdin=lines).out.split(b"\n")
    found = {}
    for pair, answer in zip(asked, answers, strict=False):
        kind, _, name = answer.partition(b" ")
        if kind == b"blob":
            found[pair] = name.decode("ascii")
    return found


def _agreed(
    repo: Repo, harness: Mapping[str, str], paths: Mapping[str, str], blobs: Mapping[tuple[str, str], str]
) -> dict[str, set[str]]:
    """By name, the objects that are just what the config recorded."""
    from hashlib import sha256

    agreed: dict[str, set[str]] = {}
    for name, path in paths.items():
        candidates = {blob for (_, its), blob in blobs.items() if its == path}
        if len(candidates) < 2:  # it never changed
            agreed[name] = candidates
            continue
        contents = {blob: run(repo, "cat-file", "blob", blob).out for blob in candidates}
        agreed[name] = {b for b, data in contents.items() if sha256(data).hexdigest() == harness[name]}
    return agreed


class _Station(NamedTuple):
    """A place in a session. begin, end: the commits before and after it, in full; None where not known."""

    segment: int
    line: int
    words: str
    begin: str | None
    end: str | None


def unmeasured(repo: Repo, audit: LogAudit, seen: GitAudit) -> Iterator[Finding]:
    """Changes inside the assets that no cycle is about: between two of them, and after the last one.

    A session without assets has none. While a cycle is open nothing is said of what comes after the last.
    """
    assets = {each.segment: assets_of(repo, each) for each in audit.segments}
    stations = list(_stations(audit, seen))
    for one, other in pairwise(stations):
        if one.segment == other.segment and one.end and other.begin and one.end != other.begin:
            changed = _changed_assets(repo, assets[one.segment], one.end, other.begin)
            if changed:
                what = f"{describe(changed)} changed between {one.words} and {other.words}, unmeasured"
                yield Finding(WARNING, "git", "unmeasured", other.line, what)
    head = head_of(repo).commit
    last = stations[-1] if stations else None
    current = audit.segments[-1].segment
    if last is None or last.segment != current or audit.open or not (head and last.end):
        return
    if last.end != head and is_ancestor(repo, last.end, head):
        changed = _changed_assets(repo, assets[current], last.end, head)
        if changed:
            what = f"{describe(changed)} changed since {last.words}: HEAD is not what was measured"
            yield Finding(WARNING, "git", "drift", 0, what)


def _stations(audit: LogAudit, seen: GitAudit) -> Iterator[_Station]:
    """Where the session was, in the order of the log."""
    found: list[_Station] = []
    for segment in audit.segments:
        baseline = seen.commits.get(segment.commit or "")
        if baseline is not None:
            found.append(_Station(segment.segment, segment.line, "the baseline", None, baseline.id))
    for cycle in audit.cycles:
        commit = seen.commits.get(cycle.commit)
        if commit is None or cycle.status is None:
            continue
        end = commit.id if cycle.status == "keep" else cycle.revert_commit
        words = f"cycle {cycle.cycle}"
        found.append(_Station(cycle.segment, cycle.line, words, cycle.parent, end))
    for each in seen.kept:
        if not each.cycle:
            words = f"run {each.run}"
            found.append(_Station(each.segment, each.line, words, None, each.commit.id))
    yield from sorted(found, key=lambda station: station.line)


def _changed_assets(repo: Repo, assets: tuple[str, ...], old: str, new: str) -> list[str]:
    """The assets in which two commits differ; none where one of them is not to be had."""
    if not assets:
        return []
    try:
        paths = changed_entries(repo, old, new)
    except GitError:
        return []
    own = session_files(repo, paths)
    return sorted(path for path in paths if path not in own and is_inside(path, assets))

"""A whole audit: the chain, the log against itself, and git. Nothing is written and no hook fires.

The heads in git are looked at before the log is read: what a session that is at work adds meanwhile is then
in the log, and never taken for gone.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from commands.context import Call
from commands.effects.anchors import Anchor, anchor_findings, anchors_in
from commands.effects.auditing import audit_git
from commands.effects.auditing_trees import audit_harness, unmeasured
from commands.effects.git import GitError, Repo, find_repo
from eventstore.chain import Report, verify
from eventstore.events import Record
from reducers.policies.audit_gain import AuditedGain, gain_findings, gain_of
from reducers.policies.audited import ERROR, WARNING, Finding, LogAudit, RunCounts
from reducers.policies.auditing import KINDS, audit_log

__all__ = ["Checked", "FullAudit", "Unchecked", "full_audit"]


class Unchecked(msgspec.Struct, frozen=True):
    """What could not be looked at: its source, as in a finding, and why."""

    source: str
    reason: str


class Checked(msgspec.Struct, frozen=True):
    """How much was looked at.

    lines: of the log. measurements: recomputed from their samples. kept_commits, rollbacks: found in git.
    heads: found in commits, and in the log. harness_files: compared.
    """

    lines: int = 0
    measurements: int = 0
    kept_commits: int = 0
    rollbacks: int = 0
    heads: int = 0
    harness_files: int = 0


class FullAudit(msgspec.Struct, frozen=True):
    """What an audit came to; findings with errors first, then in the order of lines."""

    chain: Report
    findings: tuple[Finding, ...]
    checked: Checked
    unchecked: tuple[Unchecked, ...]
    runs: RunCounts
    gain: AuditedGain

    @property
    def errors(self) -> int:
        """How many findings say that the record is not to be trusted."""
        return sum(finding.level == ERROR for finding in self.findings)


def full_audit(call: Call) -> FullAudit:
    """Audits the session of a call. Raises StorageError when the log cannot be read."""
    repo, anchors, unchecked = _ask_git(call)
    chain = verify(call.stretches())
    audit = audit_log(_records(call))
    gain = gain_of(audit)
    findings = [*_chain_findings(chain), *audit.findings, *gain_findings(gain, audit)]
    checked = Checked(lines=chain.lines, measurements=audit.measurements)
    if repo is not None:
        try:
            place, ours = call.session, chain.chained > 0 or not chain.lines
            more, checked, also = _git(repo, anchors, audit, place.log, place.root, checked, ours)
            findings += more
            unchecked += also
        except GitError as error:
            unchecked.append(Unchecked("git", str(error)))
    findings.sort(key=lambda finding: (finding.level != ERROR, finding.line))
    return FullAudit(chain, tuple(findings), checked, tuple(unchecked), audit.counts, gain)


def _ask_git(call: Call) -> tuple[Repo | None, list[Anchor], list[Unchecked]]:
    """The repository and the heads in it; or why there is none to ask."""
    if call.session.layout == "file":
        return None, [], [Unchecked("git", "this is a log by itself, not that of a session")]
    try:
        repo = find_repo(call.session.root)
        return repo, anchors_in(repo), []
    except GitError as error:
        return None, [], [Unchecked("git", error.what)]


def _records(call: Call) -> Iterator[tuple[int, Record]]:
    for batch in call.log().read(kinds=KINDS):
        yield from batch.numbered()


def _chain_findings(chain: Report) -> Iterator[Finding]:
    for fault in chain.faults:
        yield Finding(ERROR if fault.serious else WARNING, "chain", fault.kind, fault.line, fault.detail)


def _git(
    repo: Repo, anchors: list[Anchor], audit: LogAudit, log: Path, root: Path, checked: Checked, ours: bool
) -> tuple[list[Finding], Checked, list[Unchecked]]:
    """What git says, how much of it was looked at, and what could not be."""
    seen = audit_git(repo, audit)
    stand, findings = anchor_findings(repo, anchors, log, seen.known, audit.began, ours)
    harness = audit_harness(repo, audit, seen, root)
    findings += [*seen.findings, *harness.findings, *unmeasured(repo, audit, seen)]
    unchecked = []
    if seen.missing:
        what = f"{seen.missing} commits, for the repository has a part of the history only"
        unchecked.append(Unchecked("git", what))
    if harness.untracked:
        named = ", ".join(harness.untracked[:3]) + (", ..." if len(harness.untracked) > 3 else "")
        what = f"{named}: not in git at the baseline, so only the present state is known"
        unchecked.append(Unchecked("harness", what))
    more: dict[str, Any] = {
        "kept_commits": len(seen.kept),
        "rollbacks": seen.rolled_back,
        "heads": stand,
        "harness_files": harness.checked,
    }
    return findings, msgspec.structs.replace(checked, **more), unchecked

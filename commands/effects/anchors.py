"""Heads of the log that commits hold: what they say, and what stands in the log (design, section 2.2).

A chain cannot show that its own end was cut off, or that all of it was written anew. The commits of cycles
tell what the log's last line was when they were made.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from commands.effects.git import Repo, run
from commands.effects.git_queries import Commit, head_of, read_commits
from commands.effects.reading import stretches
from commands.effects.tasks import tasks_under
from eventstore.digests import digest
from eventstore.errors import LedgerError
from eventstore.lines import split_lines
from reducers.policies.audited import ERROR, WARNING, Finding

__all__ = ["Anchor", "anchor_findings", "anchors_in"]

_TRAILER = "Ar-Head"
_CYCLE = "Ar-Cycle"


class Anchor(NamedTuple):
    """A head that a commit holds: its line and the digest of that; the commit, and when it was made (s)."""

    seq: int
    digest: str
    commit: Commit
    seconds: int


def anchors_in(repo: Repo) -> list[Anchor]:
    """Every head in the commits that any branch or tag, or HEAD, leads to."""
    search = ("--all", "--timestamp", "--basic-regexp", f"--grep=^{_TRAILER}: ")
    lines = [line.split(" ") for line in run(repo, "rev-list", *search).text.splitlines()]
    commits = read_commits(repo, [commit for _, commit in lines])
    found = []
    for (seconds, _), commit in zip(lines, commits, strict=True):
        seq, _, text = commit.trailers.get(_TRAILER, "").partition(":")
        if seq.isascii() and seq.isdecimal() and len(seq) < 18 and text:
            found.append(Anchor(int(seq), text, commit, int(seconds)))
    return found


def anchor_findings(
    repo: Repo,
    anchors: Sequence[Anchor],
    log: Path,
    known: Mapping[str, int],
    began: int | None,
    ours: bool = True,
) -> tuple[int, list[Finding]]:
    """How many heads stand in the log, and what is to be said of the others.

    known: the commits that the log knows, in full, with the lines that name them. began: when the log began,
    milliseconds since 1970 UTC. ours: whether any of its lines is of ours, or it is empty, as it never was
    when a head was taken; else no head can be one of it. A head that stands in the log of another session of
    this repository, in any of its working trees, is that one's.
    """
    lines = _digests(log, {anchor.seq for anchor in anchors})
    strange = [anchor for anchor in anchors if not _stands(anchor, lines)]
    findings = []
    unknown = []
    for anchor in strange:
        if anchor.commit.id not in known or not ours:
            unknown.append(anchor)
            continue
        there = "holds another line there" if anchor.seq in lines else "ends before it"
        what = f"{_named(anchor)} holds the head {anchor.seq}:{anchor.digest[:12]}, and the log {there}"
        findings.append(Finding(ERROR, "heads", "head", known[anchor.commit.id], what))
    findings += _of_nobody(repo, unknown, began, ours)
    return len(anchors) - len(strange), findings


def _of_nobody(repo: Repo, unknown: Iterable[Anchor], began: int | None, ours: bool) -> Iterator[Finding]:
    """What is to be said of commits with a head that this log knows nothing of."""
    rest = [anchor for anchor in unknown if _CYCLE in anchor.commit.trailers]
    if not rest:
        return
    for other in _other_logs(repo):
        try:
            lines = _digests(other, {anchor.seq for anchor in rest})
        except LedgerError:
            continue
        rest = [anchor for anchor in rest if not _stands(anchor, lines)]
    earlier = [anchor for anchor in rest if began is not None and anchor.seconds * 1000 + 1000 <= began]
    if earlier:
        what = f"{_several(earlier)} made before this log began, by a session whose log is gone"
        yield Finding(WARNING, "heads", "earlier", 0, what)
    later = [anchor for anchor in rest if anchor not in earlier]
    line_of_descent = _first_parents(repo) if later and ours else frozenset()
    aside = [anchor for anchor in later if anchor.commit.id not in line_of_descent]
    if aside:
        where = "not on HEAD's own line" if ours else "of a log of ours, as this is not"
        what = f"{_several(aside)} {where}, and no line tells of such a head"
        yield Finding(WARNING, "heads", "elsewhere", 0, what)
    for anchor in later:
        if anchor.commit.id in line_of_descent:
            what = f"{_named(anchor)} was made while this log was kept, and no line tells of it any more"
            yield Finding(ERROR, "heads", "gone", 0, what)


def _named(anchor: Anchor) -> str:
    cycle = anchor.commit.trailers.get(_CYCLE)
    words = f"commit {anchor.commit.id[:12]}"
    return f"{words} of cycle {cycle}" if cycle is not None else words


def _several(anchors: Sequence[Anchor]) -> str:
    first = anchors[0].commit.id[:12]
    if len(anchors) == 1:
        return f"commit {first} of a cycle is"
    return f"{len(anchors)} commits of cycles ({first}, ...) are"


def _stands(anchor: Anchor, lines: Mapping[int, str]) -> bool:
    found = lines.get(anchor.seq)
    return found is not None and len(anchor.digest) >= 4 and found.startswith(anchor.digest)


def _digests(log: Path, wanted: Collection[int]) -> dict[int, str]:
    """The digests of these lines of a log; of those that it has."""
    found: dict[int, str] = {}
    last = max(wanted, default=0)
    number = 0
    for _, stretch in stretches(log):
        if number >= last:
            break
        lines = split_lines(stretch)
        for place, line in enumerate(lines, number + 1):
            if place in wanted:
                found[place] = digest(line)
        number += len(lines)
    return found


def _other_logs(repo: Repo) -> Iterator[Path]:
    """The logs of all sessions in this repository's working trees; the one that is audited is among them."""
    for line in run(repo, "worktree", "list", "--porcelain").text.split("\n"):
        key, _, place = line.partition(" ")
        if key != "worktree" or not Path(place).is_dir():
            continue
        root = Path(place)
        yield from (log for log in (root / ".auto/log.jsonl", root / "autoresearch.jsonl") if log.is_file())
        try:
            yield from (task.session.log for task in tasks_under(root) if task.session is not None)
        except LedgerError:
            continue


def _first_parents(repo: Repo) -> frozenset[str]:
    """HEAD and what it was built upon, without what was merged into it."""
    if head_of(repo).commit is None:
        return frozenset()
    return frozenset(run(repo, "rev-list", "--first-parent", "HEAD").text.split())

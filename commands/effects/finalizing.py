"""What is known of a branch that is to be finalised: its runs, its changes. Nothing is changed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from commands.effects.branch import base_of, branch_names, paths_of_tree
from commands.effects.git import Entry, GitError, Repo
from commands.effects.git_commit import require_head, require_quiet
from commands.effects.git_index import changed_entries
from commands.effects.git_queries import head_of
from commands.effects.ground import Ground, assets_of, take_bearings
from commands.effects.hand_reverts import taken_back
from commands.effects.own_commits import Branch, attribute, beginning, others
from commands.effects.views import damaged_in
from commands.effects.worktree import is_inside, session_files
from commands.errors import BadInputError
from eventstore.errors import ConflictError
from eventstore.events import Config
from reducers.core import fold
from reducers.lineage import Lineage, lineage
from reducers.policies.finalizing import KeptRun, vacated
from reducers.policies.finalizing_plan import Facts, Remark

__all__ = ["ALL", "Survey", "survey"]

ALL = "all"
"""In the place of a segment's number: every segment."""


class Survey(msgspec.Struct, frozen=True):
    """What a branch holds.

    facts: for the plan. entries: the tip's entry of each changed path, None where it is gone; session files
    left out. segment: whose runs; None for all. seq: the log's last line. damaged: its damaged lines.
    """

    facts: Facts
    entries: Mapping[str, Entry | None]
    segment: int | None
    seq: int
    damaged: tuple[int, ...] = ()


def survey(ground: Ground, *, base: str | None = None, segment: int | str | None = None) -> Survey:
    """Looks at the branch at HEAD, and at the kept runs on it.

    base: what it is compared with (`branch.base_of`). segment: whose runs, `ALL` for everyone's, None for the
    current one's. Raises ConflictError while a cycle is open, BadInputError for a segment that there is not,
    GitError when the repository is not fit or the base cannot be told.
    """
    standing = take_bearings(ground.log)
    if standing.cycle.open is not None:
        raise ConflictError(f"cycle {standing.cycle.open.cycle} is not finished", "ar cycle --resume")
    repo = ground.repo
    require_quiet(repo)
    tip = require_head(repo)
    state, damaged = _read(ground)
    current = state.standing.segment
    number = current if segment is None else None if segment == ALL else int(segment)
    if number is not None and number > current:
        raise BadInputError(f"there is no segment {number}, the last one is {current}", "ar view runs")
    rows = [row for row in state.runs if number is None or row.segment == number]
    start = base_of(repo, tip, base, beginning(repo, rows, tip))
    branch = Branch(repo, start.commit, tip)
    changes = changed_entries(repo, start.commit, tip)
    own = session_files(repo, changes)
    entries = {path: after for path, (_, after) in changes.items() if path not in own}
    fates = {path: _fate(*changes[path]) for path in entries}
    found, remarks = attribute(branch, rows, fates)
    back = taken_back(branch, found)
    kept = back.kept
    gone = {remark.run for remark in back.remarks}
    said = [remark for remark in remarks if remark.run not in gone]
    config = standing.configured.config
    head = ground.log.head()
    facts = Facts(
        base=start.commit,
        base_name=start.name,
        tip=tip,
        tip_name=(head_of(repo).branch or "HEAD, detached").removeprefix("refs/heads/"),
        fates=fates,
        kept=kept,
        vacant=_vacant(repo, start.commit, fates),
        others=tuple(others(branch, state, kept, fates, back.commits)),
        remarks=(*said, *back.remarks, *_outside(ground, config, kept)),
        session_files=tuple(sorted(own)),
        head=str(head) if head.digest else None,
        branches=tuple(branch_names(repo)),
    )
    return Survey(facts, entries, number, head.seq, tuple(damaged))


def _read(ground: Ground) -> tuple[Lineage, list[int]]:
    """Whose commits are whose, by the whole log; and its damaged lines."""
    state, damaged = lineage.initial, []
    for batch in ground.log.read(kinds=lineage.handlers):
        state = fold(lineage, batch.records, state)
        damaged += damaged_in(batch.records)
    return state, damaged


def _fate(before: Entry | None, after: Entry | None) -> str:
    return "added" if before is None else "deleted" if after is None else "changed"


def _vacant(repo: Repo, base: str, fates: Mapping[str, str]) -> frozenset[str]:
    """See `vacated`; the base's paths are asked for only where they can matter."""
    if not {"added", "deleted"} <= set(fates.values()):
        return frozenset()
    return vacated(fates, paths_of_tree(repo, base))


def _outside(ground: Ground, config: Config | None, kept: Sequence[KeptRun]) -> Iterator[Remark]:
    """What kept runs changed outside the assets, where the session has any."""
    if config is None or not config.assets:
        return
    try:
        assets = assets_of(ground, config)
    except GitError:
        return
    for each in kept:
        for path in each.paths:
            if not is_inside(path, assets):
                detail = f"{path}, changed by run {each.run}, is outside of the assets"
                yield Remark("outside_assets", detail, each.run, path)

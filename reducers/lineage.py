"""Which commit belongs to which run, and which commits were taken back.

Not a view of its own: `ar finalize` tells by it whose changes lie on a branch, `ar audit` what has to be in
git.
"""

from __future__ import annotations

import msgspec

from eventstore.events import Committed, Config, Reverted, Run
from reducers.core import Projection, handlers
from reducers.history import History
from reducers.standing import Goal, Standing, after_config, after_run, metric_of

__all__ = ["Lineage", "RunCommit", "Undone", "lineage"]


class RunCommit(msgspec.Struct, frozen=True, gc=False):
    """A run and its commit.

    run: its ordinal among all runs of the log, from 1. segment: by its place in the log, from 0.
    status, description: as recorded. commit: as recorded, or in full where a cycle of ours made it; None if
    none was told. made: whether a cycle of ours made it for this run. baseline: whether the run gave its
    segment's baseline. before: the value it had to beat, the baseline's while nothing was kept. after: its
    usable metric. Both in the metric's unit, None where there is none. goal: what was optimised then.
    """

    run: int
    segment: int
    status: str
    description: str
    commit: str | None
    made: bool
    baseline: bool
    before: int | float | None
    after: int | float | None
    goal: Goal


class Undone(msgspec.Struct, frozen=True, gc=False):
    """A commit that was rolled back, which was checked, and the one that did it; None where not told."""

    commit: str
    revert_commit: str | None


class Lineage(msgspec.Struct, frozen=True, gc=False):
    """What is known of runs and commits.

    standing: of the current segment. runs: one item a run. committed: the last commit of a cycle, until its
    run. undone: the rollbacks that were checked.
    """

    standing: Standing = Standing()
    runs: History[RunCommit] = History()
    committed: Committed | None = None
    undone: History[Undone] = History()


def _on_config(state: Lineage, event: Config) -> Lineage:
    standing = after_config(state.standing, event, len(state.runs))
    return msgspec.structs.replace(state, standing=standing)


def _on_committed(state: Lineage, event: Committed) -> Lineage:
    """Cycle 0 commits nothing: it measures what is there."""
    return msgspec.structs.replace(state, committed=event if event.cycle else None)


def _on_run(state: Lineage, event: Run) -> Lineage:
    ordinal, before = len(state.runs) + 1, state.standing
    metric = metric_of(before, event)
    after = before if metric is None else after_run(before, event, metric, ordinal)
    mark = before.best or before.baseline
    cycle = state.committed
    made = cycle is not None and bool(event.commit) and cycle.commit.startswith(event.commit or "")
    row = RunCommit(
        run=ordinal,
        segment=before.segment,
        status=event.status,
        description=event.description,
        commit=cycle.commit if made and cycle is not None else event.commit,
        made=made,
        baseline=before.baseline is None and after.baseline is not None,
        before=mark.metric if mark else None,
        after=metric,
        goal=before.goal,
    )
    # Another program's run may come in between; it is not the cycle's.
    return Lineage(after, state.runs.push(row), None if made else cycle, state.undone)


def _on_reverted(state: Lineage, event: Reverted) -> Lineage:
    if not event.verified or event.commit is None:
        return state
    undone = state.undone.push(Undone(event.commit, event.revert_commit))
    return msgspec.structs.replace(state, undone=undone)


lineage: Projection[Lineage, Lineage] = Projection(
    name="lineage",
    version=1,
    initial=Lineage(),
    handlers=handlers(_on_config, _on_committed, _on_run, _on_reverted),
    shows=lambda state, _: state,
    view_type=Lineage,
)
"""Which commit belongs to which run, and which were taken back."""

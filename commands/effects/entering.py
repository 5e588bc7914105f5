"""What `ar log` does: a run that somebody measured and judged is recorded, numbered under the lock."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec

from commands.configuring import KINDS
from commands.context import Call
from commands.effects.appending import tell_mended
from commands.effects.config_file import limits_of
from commands.effects.heads import abbreviated_head
from commands.effects.own_runs import Moved, judged, require_checks, tree_of
from commands.effects.tree_lock import tree_locked
from commands.recording import State, answering, decide_run, follow, require_number, require_secondary
from eventstore.events import Event, Proposal, Record, Run
from eventstore.filelog import FileLog
from eventstore.sessions import Session
from eventstore.store import Appended
from reducers.core import fold as fold_view
from reducers.session import SessionView, session

__all__ = ["Entered", "enter_run"]

_KINDS = (*KINDS, Proposal)


class Entered(msgspec.Struct, frozen=True):
    """A run that was recorded, or that the log had already.

    place, log: the session's. appended: what that came to. run: as it stands in the log. before, after: the
    session's view before and after it. moved: what became of the changes inside the assets; None where git is
    not touched.
    """

    place: Session
    log: FileLog
    appended: Appended
    run: Run
    before: SessionView
    after: SessionView
    moved: Moved | None = None

    @property
    def is_new(self) -> bool:
        """Whether the log did not have it yet, so that the hooks are to fire for it."""
        return bool(self.appended.written)


def enter_run(call: Call, run: Run, by: str | None, *, new_metrics: bool = False) -> Entered:
    """Records a run and does what its status asks for: a keep is committed, anything else undone and saved.

    What it leaves unsaid is taken from the proposal that it answers, if its author made one.

    run: its number is not looked at; without a commit it is one of git's HEAD; with an id the log has already
    nothing is done. new_metrics: secondary metrics that the segment does not have yet are allowed. Fires no
    hooks. Raises BadInputError for a keep while the checks fail or without a number, and for missing or new
    secondary metrics, ConflictError when the segment takes no more runs or somebody is at work on the tree,
    GitError.
    """
    place = call.session
    from_file = limits_of(place)
    log = call.writer(by)
    decided_from = State()

    def fold(state: State, records: Iterable[Record]) -> State:
        return follow(state, list(records), run.id)

    def record(commit: str | None) -> Appended:
        def decide(state: State) -> Sequence[Event]:
            nonlocal decided_from
            decided_from = state
            require_number(state, run)
            require_secondary(state, run, new_metrics)
            return decide_run(state, answering(state, run, log.by), from_file, commit)

        return log.transact(decide, fold=fold, state=State(), kinds=_KINDS)

    known = State()
    for batch in log.read(kinds=_KINDS):
        known = fold(known, batch.records)
    require_number(known, run)
    require_secondary(known, run, new_metrics)
    (foreseen,) = (event for event in decide_run(known, run, from_file) if isinstance(event, Run))
    if known.same is None and run.status == "keep":
        require_checks(place, known.configured.timeouts.get("constraint"))
    assets = known.configured.config.assets if known.configured.config else ()
    tree = tree_of(place, log, assets) if known.same is None else None
    moved = None
    if tree is None:
        appended = record(abbreviated_head(place.root) if run.commit is None else None)
    else:
        with tree_locked(place.tree_lock):
            appended, moved = judged(tree, foreseen, record)
    tell_mended(appended)
    return Entered(
        place,
        log,
        appended,
        next(event for event in appended.events if isinstance(event, Run)),
        session.view(decided_from.session),
        session.view(fold_view(session, appended.events, decided_from.session)),
        moved,
    )

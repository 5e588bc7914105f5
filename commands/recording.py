"""The events that record a run which somebody judged themselves. Pure (design, sections 5 and 6.1)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from commands.configuring import Configured, copied_limits, events_of, follow_up, require_on
from commands.errors import BadInputError
from commands.render import number
from eventstore.errors import ConflictError
from eventstore.events import Event, Record, Run
from reducers.core import fold as fold_view
from reducers.intent import Intent, intent
from reducers.session import SessionState, session

__all__ = ["State", "answering", "decide_run", "follow", "require_number", "require_secondary"]


class State(msgspec.Struct, frozen=True):
    """What is decided from.

    session: where it stands. configured: how it is configured. same: the run of this id; None for none.
    intent: what was proposed and no run has answered yet.
    """

    session: SessionState = session.initial
    configured: Configured = Configured()
    same: Run | None = None
    intent: Intent = intent.initial


def follow(state: State, records: Sequence[Record], key: str | None) -> State:
    """The state after these lines too; `key` is the id whose run is looked for. Pure."""
    same = state.same
    if key is not None and same is None:
        same = next((r for r in records if isinstance(r, Run) and r.id == key), None)
    return State(
        fold_view(session, records, state.session),
        follow_up(state.configured, records),
        same,
        fold_view(intent, records, state.intent),
    )


def answering(state: State, run: Run, by: str) -> Run:
    """The run with what it leaves unsaid and its author's own open proposal says: direction, hypothesis, asi.

    A run whose id the log has is the answer to what that one answered. by: who records the run. Pure.
    """
    proposal = state.intent.proposal
    if state.same is not None:
        direction, asi = state.same.direction, state.same.asi
    elif proposal is not None and (proposal.by or "user") == by:
        known = {"hypothesis": proposal.hypothesis} if proposal.hypothesis else {}
        direction, asi = proposal.direction, {**known, **proposal.asi}
    else:
        return run
    return replace(run, direction=run.direction or direction, asi={**asi, **run.asi})


def decide_run(
    state: State, run: Run, from_file: dict[str, Any] | None = None, head: str | None = None
) -> list[Event]:
    """The events that record this run: it, numbered, and before it what `config.json` newly sets. Pure.

    from_file: the limits that `config.json` sets, None if that is not known. head: the commit of a run that
    names none. A run whose id the log has gets that one's number, so that the same is no second run. Raises
    BadInputError before there is a goal, and ConflictError when the session is switched off or the segment
    takes no more runs.
    """
    if state.same is not None:
        same = state.same
        commit = same.commit if run.commit is None else run.commit
        return [replace(run, run=same.run, segment=same.segment, confidence=same.confidence, commit=commit)]
    require_on(state.configured.halt)
    view = session.view(state.session)
    if state.configured.config is None and view.run_count == 0:
        raise BadInputError("the session has no goal yet", "ar init")
    copy = copied_limits(state.configured, from_file)
    configured = follow_up(state.configured, events_of(copy))
    most = configured.limits.get("max_iterations")
    if isinstance(most, int | float) and view.segment_run_count >= most:
        raise ConflictError(
            f"max_iterations: segment {view.segment} has its {number(most)} runs and takes no more",
            "ar init --new-segment begins another, ar init --max-iterations N raises the limit",
        )
    commit = head if run.commit is None else run.commit
    numbered = replace(run, run=view.run_count + 1, segment=view.segment, commit=commit)
    after = session.view(fold_view(session, (numbered,), state.session))
    return events_of(copy, replace(numbered, confidence=after.confidence))


def require_number(state: State, run: Run) -> None:
    """Raises BadInputError for a keep without a number where the segment has a metric: better than what?"""
    name = session.view(state.session).metric_name if state.configured.config is not None else None
    if run.status == "keep" and run.metric is None and name is not None and state.same is None:
        raise BadInputError(
            f"a keep needs a number: what {name} came to",
            "ar log --status keep --metric NUMBER ..., or --status crash if there is none",
        )


def require_secondary(state: State, run: Run, new_allowed: bool) -> None:
    """Raises BadInputError unless a judged run has all secondary metrics of its segment, and no others.

    Once a segment has some, a run without one could not be compared, and one that is new may be a slip of the
    pen: it has to be wanted. A run that failed needs none.
    """
    known = list(session.view(state.session).secondary)
    if not known or state.same is not None:
        return
    missing = [name for name in known if name not in run.metrics]
    if missing and run.status in ("keep", "discard"):
        raise BadInputError(
            f"the segment's runs have {', '.join(known)} as well; {', '.join(missing)} is missing",
            "ar log ... " + " ".join(f"--metrics {name}=NUMBER" for name in missing),
        )
    fresh = [name for name in run.metrics if name not in known]
    if fresh and not new_allowed:
        raise BadInputError(
            f"{', '.join(fresh)} is no secondary metric of the segment; they are {', '.join(known)}",
            "correct the name, or add a new metric with --force",
        )

"""The turns that no run answered."""

from __future__ import annotations

from eventstore.events import Config, Event, Flag, Note, Proposal, Resumed, Run
from reducers.core import fold
from reducers.laws import check
from reducers.turns import FAILED, NO_CHANGE, REFUSED, STALLED, Turns, turns


def note(event: str) -> Note:
    return Note(level="warn", event=event, detail="-")


def after(*events: Event) -> Turns:
    return fold(turns, events)


def test_laws() -> None:
    """It is a reducer like the others."""
    check(turns)


def test_turns_of_one_kind_in_a_row() -> None:
    """Each kind is counted by itself until a run, a resumption or a config."""
    three = after(note(NO_CHANGE), note(REFUSED), note(NO_CHANGE), note(FAILED), note("other"))

    assert (three.no_change, three.refused, three.failed) == (2, 1, 1)
    for end in (Run(run=1, status="crash"), Resumed(), Config(name="x")):
        fresh = fold(turns, [end], three)
        assert (fresh.no_change, fresh.refused, fresh.failed) == (0, 0, 0)


def test_proposal_of_a_turn_that_came_to_nothing() -> None:
    """It describes no later turn."""
    proposal = Proposal(description="arena")

    assert after(proposal).proposal == proposal
    for event in (note(NO_CHANGE), note(REFUSED), note(FAILED), Run(run=1, status="keep")):
        assert after(proposal, event).proposal is None
    assert after(proposal, note("other"), Resumed()).proposal == proposal


def test_flag_holds_until_something_is_kept() -> None:
    """Or until it is taken down; flags of other kinds are none of this."""
    flag = Flag(kind=STALLED)

    assert after(flag, Run(run=1, status="discard")).flagged
    assert not after(flag, Run(run=1, status="keep")).flagged
    assert not after(flag, Flag(kind=STALLED, cleared=True)).flagged
    assert not after(Flag(kind="harness")).flagged

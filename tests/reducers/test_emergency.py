"""When the guard sends for help (design, section 6.3)."""

from __future__ import annotations

import pytest

from eventstore.events import Event, Heartbeat, Note
from reducers import laws
from reducers.core import fold
from reducers.emergency import emergencies, emergency_due
from tests.reducers.given import HOUR, MINUTE, START


def beat(at: int, name: str = "patrol", **fields: object) -> Heartbeat:
    """A guardian's heartbeat."""
    return Heartbeat(by=f"guardian:{name}", timestamp=START + at, **fields)  # type: ignore[arg-type]


def sent(at: int, by: str = "guardian:guard") -> Note:
    """Help was sent for."""
    return Note(by=by, event="emergency", detail="help", timestamp=START + at)


@pytest.mark.parametrize(
    ("events", "hours", "due"),
    [
        ([], 9, None),
        ([beat(0)], 2, None),
        ([beat(0)], 3, "the patrol gave no sign for 3 h 00 min"),
        ([beat(0), beat(2 * HOUR)], 3, None),
        ([beat(0), sent(3 * HOUR)], 4, None),
        ([beat(0), sent(3 * HOUR)], 5, "the patrol gave no sign for 5 h 00 min"),
        ([beat(0), sent(3 * HOUR, by="worker:a")], 4, "the patrol gave no sign for 4 h 00 min"),
        ([beat(0, name="guard"), beat(4 * HOUR, name="guard")], 2, None),
        (
            [beat(0, name="guard"), beat(4 * HOUR, name="guard")],
            5,
            "the patrol never gave a sign of life, and was waited for 5 h 00 min",
        ),
        ([beat(0, state="stopped")], 9, None),
        ([beat(0, state="paused", until=START + 4 * HOUR)], 3, None),
        ([beat(0, state="paused", until=START + 4 * HOUR)], 5, "the patrol gave no sign for 5 h 00 min"),
        ([Heartbeat(by="worker:patrol", timestamp=START)], 9, None),
        ([beat(9 * HOUR)], 1, None),
    ],
)
def test_when_help_is_sent_for(events: list[Event], hours: int, due: str | None) -> None:
    """More than two hours after the patrol's last sign, once in that time; not for one that was ended."""
    assert emergency_due(fold(emergencies, events), START + hours * HOUR) == due


def test_time_asleep_is_not_counted() -> None:
    """A machine that slept gives the patrol its two hours from the waking on."""
    state = fold(emergencies, [beat(0)])

    assert emergency_due(state, START + 9 * HOUR, awake_since=START + 8 * HOUR) is None
    assert emergency_due(state, START + 11 * HOUR, awake_since=START + 8 * HOUR) is not None


def test_the_time_can_be_another() -> None:
    """Both for the silence and between two calls."""
    state = fold(emergencies, [beat(0), sent(10 * MINUTE)])

    assert emergency_due(state, START + 14 * MINUTE, after=5 * MINUTE) is None
    assert emergency_due(state, START + 15 * MINUTE, after=5 * MINUTE) is not None


def test_the_laws_hold() -> None:
    """As for every view."""
    laws.check(emergencies)

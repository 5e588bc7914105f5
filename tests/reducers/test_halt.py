"""What holds a session up: stops, and the switch."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from eventstore.events import Config, Resumed, Stopped
from reducers.halt import OFF, ON, Halt, after_halting

EVENTS = st.one_of(
    st.builds(
        Stopped, reason=st.sampled_from(["user", "target", "harness", OFF, ""]), by=st.just("worker:a")
    ),
    st.builds(Resumed, reason=st.sampled_from(["loop", "rolled_back", None])),
    st.just(Config(name="again")),
    st.builds(Stopped, reason=st.just("target"), by=st.just("guardian:patrol")),
    st.builds(Resumed, reason=st.just(ON), by=st.just("guardian:patrol")),
)
"""Everything but being switched on."""


@given(st.lists(EVENTS), st.integers(0, 3))
def test_what_is_off_stays_off_until_it_is_switched_on(
    events: list[Stopped | Resumed | Config], runs: int
) -> None:
    """Whatever happens in between; then nothing of it holds but a changed harness."""
    halt = Halt(off=True)
    for event in events:
        halt = after_halting(halt, event, runs)
        assert halt.stopped == OFF

    on = after_halting(halt, Resumed(reason=ON), runs)
    assert on == Halt("harness" if halt.reason == "harness" else None)


@given(st.lists(EVENTS.filter(lambda event: getattr(event, "reason", "") != OFF)), st.integers(0, 3))
def test_nothing_else_switches_off(events: list[Stopped | Resumed | Config], runs: int) -> None:
    """A stop is none."""
    halt = Halt()
    for event in events:
        halt = after_halting(halt, event, runs)

    assert not halt.off

"""Progress: steps, time and the last line of output, always growing."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from commands.effects.measuring import Step
from commands.mcp.progress import Progress, Sign


class Clock:
    """A clock that a test sets."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def test_steps_are_counted() -> None:
    """One before all commands and one after them; one command's end is the next one's beginning."""
    changes: list[None] = []
    progress = Progress(lambda: changes.append(None), Clock())
    assert progress.sign() is None

    signs = []
    for step in (
        Step("constraint", 1, 1),
        Step("sample", 1, 2),
        Step("sample", 1, 2, 41.5),
        Step("sample", 2, 2),
        Step("sample", 2, 2, 40),
    ):
        progress.tell(step)
        signs.append(progress.sign())

    assert signs == [
        Sign(1, None, "constraint"),
        Sign(2, 5, "sample 1 of 2"),
        Sign(3, 5, "sample 1 of 2: 41.5"),
        None,
        Sign(4, 5, "sample 2 of 2: 40"),
    ]
    assert len(changes) == 5


def test_what_takes_long_shows_its_time_and_its_last_line() -> None:
    """No step ever quite counts as done; what could steer a terminal is escaped, secrets are masked."""
    clock = Clock()
    progress = Progress(lambda: None, clock)
    clock.now = 3
    told = [progress.sign()]
    progress.tell(Step("sample", 1, 1))
    for passed, chunk in (
        (0.5, b"epoch 1\nepo"),
        (29.5, b"ch 2\r\n\n"),
        (60, b"\x1b[31mred " + b"ghp_" + b"a1B2" * 9 + b"\n"),
        (100_000, b"x" * 5000),
    ):
        clock.now += passed
        progress.hear(chunk)
        told.append(progress.sign())
    progress.tell(Step("sample", 1, 1, 40))
    clock.now += 12
    told.append(progress.sign())

    signs = [sign for sign in told if sign is not None]
    assert [int(sign.done) for sign in signs] == [0, 1, 1, 1, 1, 2]
    assert [sign.total for sign in signs] == [None, 3, 3, 3, 3, 3]
    messages = [sign.message for sign in signs]
    assert messages[:3] == ["at work, 3 s", "sample 1 of 1: epo", "sample 1 of 1, 30 s: epoch 2"]
    assert messages[3].startswith("sample 1 of 1, 2 min: \\x1b[31mred [redacted:")
    assert messages[4].endswith("x…")
    assert messages[5] == "sample 1 of 1: 40, 12 s"


@given(
    st.lists(st.tuples(st.floats(0, 1000), st.booleans(), st.binary(max_size=20)), min_size=1, max_size=30),
    st.integers(1, 5),
)
def test_it_only_ever_grows(moves: list[tuple[float, bool, bytes]], samples: int) -> None:
    """Whatever comes when, each sign says that more was done than the one before, and never more than all."""
    clock = Clock()
    progress = Progress(lambda: None, clock)
    steps = [
        Step("sample", number, samples, value) for number in range(1, samples + 1) for value in (None, 1.0)
    ]
    signs = []
    for passed, goes_on, chunk in moves:
        clock.now += passed
        if goes_on and steps:
            progress.tell(steps.pop(0))
        progress.hear(chunk)
        signs.append(progress.sign())

    done = [sign.done for sign in signs if sign is not None]
    assert done == sorted(set(done))
    assert all(value < samples + 2 for value in done)

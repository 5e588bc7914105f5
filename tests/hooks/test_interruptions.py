"""Signals to us: held back while something is being tidied up, delivered otherwise."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator

import pytest

from hooks.interruptions import Interruptions


@pytest.fixture
def handlers_kept() -> Iterator[None]:
    """Puts back whatever handlers a test changes."""
    held = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGPIPE)
    before = {signum: signal.getsignal(signum) for signum in held}
    yield
    for signum, handler in before.items():
        signal.signal(signum, handler)


pytestmark = pytest.mark.usefixtures("handlers_kept")


def test_a_signal_waits_for_the_next_open_stretch() -> None:
    """Ctrl-C outside `delivered` is remembered, and raised as soon as a stretch begins."""
    reached = []
    with Interruptions() as interruptions:
        os.kill(os.getpid(), signal.SIGINT)
        reached.append("held")
        with pytest.raises(KeyboardInterrupt), interruptions.delivered():
            reached.append("never")

    assert reached == ["held"]


def test_a_signal_without_a_stretch_comes_on_leaving() -> None:
    """What arrived last is not lost, and the program's own handler is back by then."""
    heard: list[object] = []
    own = signal.signal(signal.SIGTERM, lambda signum, _: heard.append((signum, signal.getsignal(signum))))
    handler = signal.getsignal(signal.SIGTERM)
    with Interruptions():
        os.kill(os.getpid(), signal.SIGTERM)
        assert heard == []

    assert own == signal.SIG_DFL
    assert heard == [(signal.SIGTERM, handler)]


@pytest.mark.parametrize(("signum", "code"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_a_deadly_signal_becomes_an_exit(signum: int, code: int) -> None:
    """Where the default is to die on the spot, `finally` gets its turn first."""
    with Interruptions() as interruptions, pytest.raises(SystemExit) as exit_:  # noqa: SIM117
        with interruptions.delivered():
            os.kill(os.getpid(), signum)

    assert exit_.value.code == code
    assert signal.getsignal(signum) == signal.SIG_DFL


def test_after_one_exception_the_next_signal_waits() -> None:
    """The signal that ends a stretch closes it: a second one cannot cut the tidying up short."""
    tidied = False
    with pytest.raises(KeyboardInterrupt), Interruptions() as interruptions:  # noqa: PT012
        try:
            with interruptions.delivered():
                os.kill(os.getpid(), signal.SIGINT)
        finally:
            os.kill(os.getpid(), signal.SIGINT)
            tidied = True

    assert tidied


def test_a_handler_that_does_not_raise_ends_nothing() -> None:
    """A program that only takes note of Ctrl-C is heard at once, and the stretch goes on."""
    heard: list[int] = []
    signal.signal(signal.SIGINT, lambda signum, _: heard.append(signum))
    with Interruptions() as interruptions, interruptions.delivered():
        for count in (1, 2):
            os.kill(os.getpid(), signal.SIGINT)
            assert heard == [signal.SIGINT] * count


def test_ignored_signals_stay_ignored_and_broken_pipes_harm_nobody() -> None:
    """`nohup` still holds inside; SIGPIPE is ignored there even if the program lets it kill."""
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    with Interruptions() as interruptions, interruptions.delivered():
        os.kill(os.getpid(), signal.SIGHUP)
        os.kill(os.getpid(), signal.SIGPIPE)

    assert signal.getsignal(signal.SIGHUP) == signal.SIG_IGN
    assert signal.getsignal(signal.SIGPIPE) == signal.SIG_DFL

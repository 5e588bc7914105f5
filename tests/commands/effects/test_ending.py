"""Being asked to end: noticed where one waits, raised nowhere else."""

from __future__ import annotations

import os
import signal
import threading
import time

import pytest

from commands.effects.ending import Asked


@pytest.mark.parametrize(
    ("number", "expected"),
    [(signal.SIGINT, KeyboardInterrupt), (signal.SIGTERM, SystemExit), (signal.SIGHUP, SystemExit)],
)
def test_a_signal_is_noticed_and_told(number: signal.Signals, expected: type[BaseException]) -> None:
    """It ends a wait, now and later, and raises nothing by itself; afterwards all is as it was."""
    before = signal.getsignal(number)
    with Asked(hangup=True) as asked:
        os.kill(os.getpid(), number)
        assert asked.wait(30)
        assert asked.wait(30)
        assert isinstance(asked.interruption(), expected)
        if expected is SystemExit:
            assert asked.interruption().args == (128 + number,)
    assert signal.getsignal(number) == before


def test_the_first_signal_says_why() -> None:
    """Whatever follows while things come to their end."""
    with Asked() as asked:
        os.kill(os.getpid(), signal.SIGTERM)
        os.kill(os.getpid(), signal.SIGINT)
        assert asked.wait(30)
        assert isinstance(asked.interruption(), SystemExit)


def test_an_ignored_hangup_stays_ignored() -> None:
    """As under `nohup`."""
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with Asked(hangup=True) as asked:
            os.kill(os.getpid(), signal.SIGHUP)
            assert not asked.wait(0.05)
    finally:
        signal.signal(signal.SIGHUP, before)


def test_being_woken_is_not_being_asked() -> None:
    """Another thread ends a doze; a wait goes on until its time is over."""
    with Asked() as asked:
        waker = threading.Timer(0.05, asked.wake)
        waker.start()
        asked.doze()
        waker.join()
        for _ in range(100_000):
            asked.wake()  # never blocks
        begun = time.monotonic()
        assert not asked.wait(0.1)
        assert time.monotonic() - begun >= 0.1


def test_another_thread_may_wait_too() -> None:
    """Python delivers it no signals, so there is none to be asked by."""
    waited: list[bool] = []

    def wait() -> None:
        with Asked() as asked:
            waited.append(asked.wait(0.01))

    thread = threading.Thread(target=wait)
    thread.start()
    thread.join()
    assert waited == [False]

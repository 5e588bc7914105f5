"""Work in a thread that is cancelled: its command is ended, and none starts after it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import pytest

from hooks.cancelling import Cancel, current, under

from .marked import DAEMON, PYTHON, Marked, linux_only

STUBBORN = 'trap "" TERM; echo ready; while true; do sleep 0.1; done'
OBEDIENT = "echo ready; exec sleep 60"


class Worker:
    """A thread that does `work` that can be cancelled, and keeps what became of it."""

    def __init__(self, work: Callable[[], object]) -> None:
        self.cancel = Cancel()
        self.outcome: object = None
        self._thread = threading.Thread(target=self._work, args=(work,))
        self._thread.start()

    def _work(self, work: Callable[[], object]) -> None:
        try:
            with under(self.cancel):
                self.outcome = work()
        except BaseException as error:
            self.outcome = error

    def join(self) -> object:
        self._thread.join(60)
        assert not self._thread.is_alive()
        self.cancel.close()
        return self.outcome


def when_ready(marked: Marked, script: str) -> Worker:
    """A worker whose command has said that it is ready."""
    ready = threading.Event()
    worker = Worker(lambda: marked.bash(script, on_output=lambda _: ready.set()))
    assert ready.wait(60)
    return worker


@pytest.mark.parametrize("script", [OBEDIENT, STUBBORN, f"{OBEDIENT} >/dev/null & echo ready; wait"])
def test_the_command_at_work_is_ended(marked: Marked, script: str) -> None:
    """As after Ctrl-C, also one that ignores TERM, and what it started."""
    worker = when_ready(marked, script)

    worker.cancel.ask()

    assert type(worker.join()) is KeyboardInterrupt


@linux_only
def test_what_got_away_is_ended_as_well(marked: Marked) -> None:
    """A daemon that ignores TERM does not outlive the command it came from."""
    ready = threading.Event()
    script = f"{DAEMON}\nprint('ready', flush=True)\ntime.sleep(60)\n"
    worker = Worker(lambda: marked.run(*PYTHON, "-c", script, on_output=lambda _: ready.set()))
    assert ready.wait(60)

    worker.cancel.ask()

    assert type(worker.join()) is KeyboardInterrupt


def test_a_command_that_obeys_says_its_last_words(marked: Marked) -> None:
    """TERM comes first, with time to tidy up; and asking twice is asking once."""
    worker = when_ready(
        marked, 'trap "echo tidy > tidied; exit" TERM; echo ready; while :; do sleep 0.05; done'
    )

    worker.cancel.ask()
    worker.cancel.ask()

    assert type(worker.join()) is KeyboardInterrupt
    assert (marked.folder / "tidied").read_text() == "tidy\n"


def test_the_grace_is_the_shorter_of_two(marked: Marked) -> None:
    """What would have had a minute to end is killed sooner, lest the asker be killed first."""
    ready = threading.Event()
    worker = Worker(lambda: marked.bash(STUBBORN, term_grace=60, on_output=lambda _: ready.set()))
    assert ready.wait(60)
    asked = time.monotonic()

    worker.cancel.ask()

    assert type(worker.join()) is KeyboardInterrupt
    assert time.monotonic() - asked < 50


def test_no_command_starts_any_more(marked: Marked) -> None:
    """Asked between two commands, the next one is not even started."""
    cancel = Cancel()
    with under(cancel):
        assert marked.bash("exit 3").exit_code == 3
        cancel.ask()
        with pytest.raises(KeyboardInterrupt):
            marked.bash("touch started")
    cancel.close()

    assert cancel.asked
    assert not (marked.folder / "started").exists()


def test_only_what_works_under_it_is_ended(marked: Marked) -> None:
    """Two workers at once: the one that nobody asked goes on to its end."""
    other = when_ready(marked, "echo ready; while [ ! -e go ]; do sleep 0.05; done; exit 7")
    worker = when_ready(marked, OBEDIENT)

    worker.cancel.ask()
    assert type(worker.join()) is KeyboardInterrupt
    (marked.folder / "go").touch()

    assert getattr(other.join(), "exit_code", None) == 7


def test_afterwards_nothing_can_halt() -> None:
    """`current` is the cancel within, and None outside; what is over can still be asked."""
    cancel = Cancel()
    with under(cancel):
        assert current() is cancel
    cancel.close()
    cancel.ask()

    assert current() is None

"""The shell of `ar hook error-capture`: reads a hook's input, answers, and always exits 0.

It runs after every tool call of an agent, so what it costs counts. Silent when no error text matches, and
until something in the input may be error text, neither `json` nor `re` is imported. It never waits longer
than `DEADLINE_SECONDS`, not for an input that stays open, not for a log that is locked. It writes nothing
into any agent's memory: it answers the hook, and hands an `error_seen` event to whoever records it.
"""

from __future__ import annotations

import os
import select
import time

from hooks.error_glance import may_hold_error

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from hooks.error_capture import Capture

DEADLINE_SECONDS = 2.0
"""For the whole process, whatever happens (design, section 6.2)."""

READ_SECONDS, SEARCH_SECONDS, RECORD_SECONDS = 1.0, 1.3, 1.6
"""When, counted from the start of `main`, reading, searching and waiting for the event's record end.

What is left until the deadline is for the interpreter, which has begun before on a machine that is busy.
"""

INPUT_LIMIT = 64 * 1024 * 1024
"""Bytes; a larger input is none that a hook sends."""

GLANCE_LIMIT = 1024 * 1024
"""Bytes up to which a glance for stems is cheaper than the imports that it saves."""

USAGE = """\
Usage: ar hook error-capture [OPTIONS]

  Look for error text in a tool's output and remind the agent to record the
  fix.

  Reads Claude Code's PostToolUse or PostToolUseFailure JSON for Bash from
  stdin. When a line holds error text, prints one JSON document for the agent
  and records error_seen if there is a session. It matches text and knows no
  exit code. Silent when no error text matches; exit code 0 always.

Options:
  --text      stdin is a tool's output itself, not an agent's JSON.
  -h, --help  Show this message and exit.

  Examples:
    make 2>&1 | ar hook error-capture --text
    ar hook install claude
"""


def main(
    argv: Sequence[str] = (),
    stdin_fd: int = 0,
    stdout_fd: int = 1,
    record: Callable[[dict[str, str]], object] | None = None,
    is_off: Callable[[], bool] | None = None,
) -> int:
    """Answer the hook whose input is on `stdin_fd`; returns 0, always, within `DEADLINE_SECONDS`.

    `record` is called with the fields of an `error_seen` event (`tool`, `pattern`, `context`, `command`)
    after the answer is written; it looks for a session itself, and what it raises is nobody's business
    here. `is_off` says whether that session is switched off, which silences this hook too. An input that is
    not closed in time says nothing: half an output is no output.
    """
    start = time.monotonic()
    try:
        if "--help" in argv or "-h" in argv:
            _write(stdout_fd, USAGE.encode())
            return 0
        raw = read_all(stdin_fd, start + READ_SECONDS)
        if raw is None or (len(raw) <= GLANCE_LIMIT and not may_hold_error(raw)):
            return 0
        capture = _captured(raw, "--text" in argv, start + SEARCH_SECONDS)
        if capture is None or (is_off is not None and _within(start + SEARCH_SECONDS, is_off)):
            return 0
        from hooks.error_capture import reminder

        _write(stdout_fd, reminder(capture))
        if record is not None:
            _within(start + RECORD_SECONDS, record, capture.fields())
    except Exception:
        # A hook that fails would be reported to the agent as a failure of its own command.
        return 0
    return 0


def read_all(fd: int, deadline: float) -> bytes | None:
    """Everything on `fd` until its end; None when that is not reached by `deadline` (`time.monotonic`)."""
    chunks: list[bytes] = []
    size = 0
    while size <= INPUT_LIMIT:
        left = deadline - time.monotonic()
        if left <= 0:
            return None
        ready, _, _ = select.select([fd], [], [], left)
        if not ready:
            return None
        try:
            chunk = os.read(fd, 1 << 20)
        except BlockingIOError:
            continue
        if not chunk:
            return b"".join(chunks)
        chunks.append(chunk)
        size += len(chunk)
    return None


def _captured(raw: bytes, plain: bool, deadline: float) -> Capture | None:
    from hooks.error_capture import capture_of, plain_text, text_of

    output = plain_text(raw) if plain else text_of(raw)
    return None if output is None else capture_of(output, lambda: time.monotonic() < deadline)


def _within(deadline: float, call: Callable[..., object], *given: object) -> object:
    """What `call` gives; None if it fails or takes beyond `deadline`: a locked log holds nobody up."""
    import threading
    from contextlib import suppress

    came: list[object] = []

    def attempt() -> None:
        with suppress(BaseException):
            came.append(call(*given))

    thread = threading.Thread(target=attempt, daemon=True)
    thread.start()
    thread.join(max(0.0, deadline - time.monotonic()))
    return came[0] if came else None


def _write(fd: int, answer: bytes) -> None:
    while answer:
        answer = answer[os.write(fd, answer) :]

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

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from hooks.error_capture import Capture

DEADLINE_SECONDS = 2.0
"""For the whole process, whatever happens (design, section 6.2)."""

READ_SECONDS, SEARCH_SECONDS, RECORD_SECONDS = 1.0, 1.4, 1.8
"""When, counted from the start of `main`, reading, searching and waiting for the event's record end."""

INPUT_LIMIT = 64 * 1024 * 1024
"""Bytes; a larger input is none that a hook sends."""

GLANCE_LIMIT = 1024 * 1024
"""Bytes up to which a glance for stems is cheaper than the imports that it saves."""

_STEMS = (
    "! extra|! latex|! missing|! package|! undefined|(char |** (|***|.go:|.pl line |.pm line |.py:|.pyi:"
    "|.t line |: missing|<err>|[alert|[crit|[err]|a directory|abort|allocate memory|already in use"
    "|ambiguous redirect|api key|assert |attempt to |authentication|backoff|bad file desc|bad gateway"
    "|bad interpreter|bad request|bad substitution|bad_alloc|breakpoint trap|broken pipe|build stopped"
    "|bus error|by signal|can merge|can't|cannot|caused by|certificate|cmake error|conflict (|connect to"
    "|connection |containerconfigerror|core dumped|could not|couldn't|credentials|critical|curl: (|denied"
    "|directory not|division by|does not exist|double free|duplicate symbol|eacces|eaddrinuse|eai_again"
    "|econnre|eexist|eisdir|elifecycle|emerg|emfile|enoent|enospc|enotdir|enotempty|enotfound|eperm"
    "|eresolve|err |err!|err(|err:|err[|err_|errimage|errno |error_message|errormessage|etimedout|exceeded"
    "|exception|exec format|exit|fatal|file exists|fixture |forbidden|format not|gateway time|git command"
    "|goroutine |halted|handshake|host key verif|http 4|http 5|http error|http status|http/|http: 4"
    "|http: 5|hung up|illegal|internal server|invalid|killed|level|list too long|match any file"
    "|memoryerror|merge conflict|multiple definition|name resolution|no matching|no module named"
    "|no required module|no route to|no rule to make|no space left|no such |non-zero|nonzero|not apply"
    "|not authorized|not defined|not found|not in |not known|not locate|not ok|not permitted"
    "|not recognized as|npm err|on signal|oom-kill|open files|os error |out of memory|outofmemory"
    "|output error|panic|parse error|password is required|rate limit|rc |rc:|rc=|read-only file|rejected]"
    "|requires an|resource busy|return code|return-code|return_code|returncode|returned|runcontainererror"
    "|sanitizer: |segfault|segmentation fault|service unavail|severe|severity=|sigabrt|sigbus|sigill"
    "|signal: |sigsegv|stack overflow|stack smashing|stack traceback|success|symbol(s) not|syntax error"
    "|temporarily unavail|terminate called|terminated|text file busy|timed out|trace trap"
    "|traceback (most recent|try |unable to|unauthorized|unbound variable|uncaught|undeclared|undefined "
    "|undefined: |unexpected |unhandled|unknown|unreachable|unrecognised|unrecognized|unresolved"
    "|unsupported|was refused|went wrong|were rejected|\u00d7|\u2716|\u2717|\u2718|\u274c"
)
"""Substrings of lower-case output, separated by `|`: what holds none of them is no error by any pattern."""

_MISHAPS = (b"error", b"errors", b"fail", b"failed", b"failure", b"failures", b"failing", b"fails")

USAGE = """\
Usage: ar hook error-capture [--text] < INPUT

  Reads Claude Code's PostToolUse or PostToolUseFailure JSON for Bash from standard input, or with --text
  plain output. When a line holds error text it prints one JSON document that reminds the agent to record
  the fix, and records error_seen if there is a session. It matches text, knows no exit status, and is
  silent when no error text matches. The exit status is always 0.

  Example: make 2> errors.txt; ar hook error-capture --text < errors.txt
"""


def main(
    argv: Sequence[str] = (),
    stdin_fd: int = 0,
    stdout_fd: int = 1,
    record: Callable[[dict[str, str]], object] | None = None,
) -> int:
    """Answer the hook whose input is on `stdin_fd`; returns 0, always, within `DEADLINE_SECONDS`.

    `record` is called with the fields of an `error_seen` event (`tool`, `pattern`, `context`, `command`)
    after the answer is written; it looks for a session itself, and what it raises is nobody's business
    here. An input that is not closed in time says nothing: half an output is no output.
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
        if capture is None:
            return 0
        from hooks.error_capture import reminder

        _write(stdout_fd, reminder(capture))
        if record is not None:
            _record(record, capture.fields(), start + RECORD_SECONDS)
    except Exception:
        # A hook that fails would be reported to the agent as a failure of its own command.
        return 0
    return 0


def may_hold_error(raw: bytes) -> bool:
    """False only if no text in `raw` (plain, or strings of one JSON document) can be an error.

    Works on the undecoded bytes. Escapes that can hide letters (`\\u0065`, the ESC of a colour inside a
    word) are not read: they make the answer True.
    """
    if b"\\u" in raw or b"\\/" in raw or b"\x1b" in raw:
        return True
    lower = raw.lower()
    return any(stem in lower for stem in _STEMS.encode().split(b"|")) or any(
        _tells(lower, stem) for stem in (b"error", b"fail")
    )


def _tells(lower: bytes, stem: bytes) -> bool:
    """Whether a word with `stem` in it stands by itself in `lower`: no name, no `0 errors`, no `failed: 0`.

    Test names, file names and counts of none are most of what these stems are found in.
    """
    start = lower.find(stem)
    while start >= 0:
        end = start + len(stem)
        while lower[end : end + 1].isalpha():
            end += 1
        after, second = lower[end : end + 1], lower[end + 1 : end + 2]
        is_name = after.isalnum() or after in (b"_", b"-", b"/") or (after == b"." and second.isalnum())
        if not is_name and not (lower[start:end] in _MISHAPS and _none_of_it(lower, start, end)):
            return True
        start = lower.find(stem, end)
    return False


def _none_of_it(lower: bytes, start: int, end: int) -> bool:
    """Whether the word at `start` is counted, before or after it, and the count is none."""
    if lower[max(start - 3, 0) : start] in (b" 0 ", b"(0 ", b"|0 ", b'"0 ', b"0 "):
        return True
    before, label, count = (
        lower[start - 1 : start],
        lower[end : end + 1],
        lower[end + 1 : end + 4].lstrip(b" "),
    )
    return (
        before in (b" ", b"(", b",")
        and label in (b":", b"=")
        and count[:1] == b"0"
        and count[1:2] in (b" ", b",", b")", b"\\", b"\n")
    )


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


def _record(record: Callable[[dict[str, str]], object], fields: dict[str, str], deadline: float) -> None:
    """Call `record`, but wait no longer than `deadline`: a locked log must not hold the agent up."""
    import threading
    from contextlib import suppress

    def call() -> None:
        with suppress(BaseException):
            record(fields)

    thread = threading.Thread(target=call, daemon=True)
    thread.start()
    thread.join(max(0.0, deadline - time.monotonic()))


def _write(fd: int, answer: bytes) -> None:
    while answer:
        answer = answer[os.write(fd, answer) :]

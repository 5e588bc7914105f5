"""The shell of error capture, as a process: it answers, or is silent, exits 0 and never waits."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from hooks import error_capture_main
from hooks.error_capture_main import (
    DEADLINE_SECONDS,
    INPUT_LIMIT,
    READ_SECONDS,
    RECORD_SECONDS,
    SEARCH_SECONDS,
    USAGE,
    main,
    read_all,
)
from tests.hooks.test_error_capture import failure, payload

ROOT = Path(__file__).parents[2]
PROGRAM = "import sys; from hooks.error_capture_main import main; sys.exit(main(sys.argv[1:]))"
PATIENCE = 10
"""Seconds until a process counts as stuck: far beyond the deadline, for a busy machine's sake."""


def start(*args: str, program: str = PROGRAM) -> subprocess.Popen[bytes]:
    """The hook as a process, its three streams pipes."""
    return subprocess.Popen(
        [sys.executable, "-c", program, *args],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=ROOT,
    )


def run(raw: bytes, *args: str) -> bytes:
    """What the hook prints for an input; it exits 0 and says nothing on stderr."""
    with start(*args) as process:
        out, err = process.communicate(raw, timeout=PATIENCE)
    assert (process.returncode, err) == (0, b"")
    return out


def answered(raw: bytes, *args: str, **more: Any) -> bytes:
    """What `main` writes for an input, in this process."""
    in_read, in_write = os.pipe()
    out_read, out_write = os.pipe()

    def write() -> None:
        with os.fdopen(in_write, "wb") as file:
            file.write(raw)

    writer = threading.Thread(target=write)
    writer.start()
    try:
        assert main(args, in_read, out_write, **more) == 0
    finally:
        os.close(in_read)
        os.close(out_write)
        writer.join()
    with os.fdopen(out_read, "rb") as out:
        return out.read()


def as_json(document: dict[str, Any]) -> bytes:
    """The document as Claude Code writes it."""
    return json.dumps(document).encode()


# -- as a process -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"   \n",
        b"{",
        b"{}",
        b"[]",
        b"\xff\x00",
        b'{"hook_event_name":"PostToolUse","tool_response":{"stdout":"error: x"',
        as_json({"hook_event_name": "PostToolUse", "note": "error: x"}),
        as_json(
            {"hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_response": {"error": "error: x"}}
        ),
        as_json(payload("12 passed, 0 failed")),
        as_json(payload("all good")),
    ],
)
def test_silent_output_prints_nothing(raw: bytes) -> None:
    """Malformed JSON, missing fields and output without an error: nothing printed, exit 0."""

    assert run(raw) == b""


def test_an_error_prints_one_document_without_a_session() -> None:
    """Nobody to record it is no obstacle: one JSON document, exit 0, nothing on stderr."""
    document = json.loads(run(as_json(failure("Exit code 1\nnpm ERR! build died"))))

    assert document["hookSpecificOutput"]["hookEventName"] == "PostToolUseFailure"
    assert "npm ERR! build died" in document["hookSpecificOutput"]["additionalContext"]


def test_plain_text_is_searched_alike() -> None:
    """`--text` takes the input as the output itself."""

    assert json.loads(run(b"web: ok\napi: Build failed with 3 errors\n", "--text"))
    assert run(b"web: ok\n0 errors\n", "--text") == b""


@pytest.mark.parametrize(
    "text",
    [
        "x" * 10_000_000,
        "compiling module 12\n" * 500_000,
        "12 passed, 0 failed\n" * 500_000,
        "\n" * 10_000_000,
    ],
    ids=["one line", "clean", "harmless", "empty lines"],
)
def test_ten_megabytes_are_silent(text: str) -> None:
    """10 MB of output without an error: read to the end, silent, exit 0, in time."""

    assert run(as_json(payload(text))) == b""
    assert run(text.encode(), "--text") == b""


@pytest.mark.parametrize("raw", [b"", as_json(payload("all good")), as_json(payload(stderr="error: x"))])
@pytest.mark.parametrize("args", [(), ("--text",)])
def test_an_input_that_stays_open_is_silent(raw: bytes, args: tuple[str, ...]) -> None:
    """A stdin that is never closed holds nobody: the process ends by itself, silent, exit 0."""
    with start(*args) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(raw)
        process.stdin.flush()
        assert process.wait(timeout=PATIENCE) == 0
        assert process.stdout.read() == b""


def test_an_input_without_end_is_given_up() -> None:
    """A writer that never stops is left, not read for ever."""
    with start("--text") as process:
        assert process.stdin is not None

        def flood() -> None:
            try:
                while True:
                    os.write(stdin, b"all good\n" * 7000)
            except BrokenPipeError:
                return

        stdin = process.stdin.fileno()
        writer = threading.Thread(target=flood)
        writer.start()
        assert process.wait(timeout=PATIENCE) == 0
        writer.join()


def test_the_deadline_is_the_designs() -> None:
    """Two seconds for all (design, section 6.2); each step ends before the next, and leaves it time."""

    assert DEADLINE_SECONDS == 2.0
    assert 0 < READ_SECONDS < SEARCH_SECONDS < RECORD_SECONDS < DEADLINE_SECONDS


def test_the_silent_path_imports_next_to_nothing() -> None:
    """Output without a stem of an error costs neither `json` nor `re` (design, section 8)."""
    program = (
        "import sys; before = set(sys.modules)\n"
        "from hooks.error_capture_main import main\n"
        "main(); print(' '.join(sorted(set(sys.modules) - before)))"
    )
    with start(program=program) as process:
        out, _ = process.communicate(as_json(payload("compiled 12 modules\nall good")), timeout=PATIENCE)

    loaded = set(out.decode().split())
    assert "hooks.error_capture_main" in loaded
    assert not loaded & {
        "json",
        "re",
        "typing",
        "hooks.error_patterns",
        "hooks.error_capture",
        "click",
        "msgspec",
        "threading",
    }


@pytest.mark.parametrize("stream", ["stdin", "stdout"])
def test_a_closed_stream_is_no_failure(stream: str) -> None:
    """Without stdin there is nothing to search; without a reader the answer is lost; both exit 0."""
    close = "<&-" if stream == "stdin" else ">&-"
    done = subprocess.run(
        ["sh", "-c", f'exec "$0" -c "$1" --text {close}', sys.executable, PROGRAM],
        input=None if stream == "stdin" else b"error: x",
        capture_output=True,
        cwd=ROOT,
        timeout=PATIENCE,
    )

    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_help_says_what_it_does_and_does_not() -> None:
    """The usage: an example, text matching, silent when no error text matches."""
    out = run(b"", "--help").decode()

    assert out == USAGE
    assert "Examples:" in out
    assert "Silent when no error text matches" in out


# -- the event ----------------------------------------------------------------------------------------------


def test_the_event_is_handed_over_after_the_answer() -> None:
    """`record` gets the four fields of `error_seen`, once, when something fired."""
    seen: list[dict[str, str]] = []
    document = payload("ok", "a.c:3:5: error: 'x' undeclared\n", command="make -j4")

    assert answered(as_json(document), record=seen.append)
    assert seen == [
        {
            "tool": "Bash",
            "pattern": "error-label",
            "context": "a.c:3:5: error: 'x' undeclared",
            "command": "make -j4",
        }
    ]


def test_nothing_is_recorded_for_silent_output() -> None:
    """No error, no event."""
    seen: list[dict[str, str]] = []

    assert answered(as_json(payload("0 errors")), record=seen.append) == b""
    assert seen == []


@pytest.mark.parametrize("error", [ValueError("no session"), SystemExit(4), KeyboardInterrupt()])
def test_a_recorder_that_fails_spoils_nothing(error: BaseException) -> None:
    """The answer stands, the exit status is 0, whatever recording ends with."""

    def record(_fields: dict[str, str]) -> None:
        raise error

    assert json.loads(answered(as_json(payload("error: x")), record=record))


def test_a_recorder_that_hangs_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    """A log that stays locked holds the agent up no longer than the deadline."""
    monkeypatch.setattr(error_capture_main, "RECORD_SECONDS", 0.2)
    release = threading.Event()
    begun = time.monotonic()

    assert json.loads(answered(as_json(payload("error: x")), record=lambda _: release.wait(60)))
    assert time.monotonic() - begun < 30
    release.set()


# -- reading ------------------------------------------------------------------------------------------------


def test_reading_ends_with_the_input() -> None:
    """Everything up to the end of the input, as it came."""
    read, write = os.pipe()
    os.write(write, b"a")
    os.write(write, b"b")
    os.close(write)

    assert read_all(read, time.monotonic() + 5) == b"ab"
    os.close(read)


def test_reading_ends_with_the_deadline() -> None:
    """Half an input is none; a deadline that has passed is not waited for."""
    read, write = os.pipe()
    os.write(write, b"a")

    assert read_all(read, time.monotonic() + 0.05) is None
    assert read_all(read, time.monotonic() - 1) is None
    os.close(read)
    os.close(write)


def test_an_input_beyond_every_measure_is_none(tmp_path: Path) -> None:
    """More than `INPUT_LIMIT` bytes are no hook's input."""
    path = tmp_path / "huge"
    with path.open("wb") as file:
        file.truncate(INPUT_LIMIT + 1)
    with path.open("rb") as file:
        assert read_all(file.fileno(), time.monotonic() + 60) is None

"""What a hook has to say to the agent: its output cut to size, or why there is none (design, section 6.2)."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from .process import Finished

Stage = Literal["before", "after"]

STEER_CAP = 8192
"""Bytes of a hook's stdout that reach the agent, before the truncation marker (design, section 6.2)."""


def cut_text(data: bytes, cap: int) -> tuple[bytes, bool]:
    """At most `cap` bytes from the head of `data`, and whether anything was cut off.

    Cut at the last newline at or before `cap`, which goes too; where there is none (or nothing before it), at
    the last place that splits no UTF-8 character. Needs to see one byte beyond `cap` to tell.
    """
    if len(data) <= cap:
        return data, False
    newline = data.rfind(b"\n", 0, cap + 1)
    if newline > 0:
        return data[:newline], True
    # A character is up to four bytes, all but its first of the form 10xxxxxx. Anything else is no UTF-8, and
    # has no better place than `cap`.
    for end in range(cap, max(cap - 4, -1), -1):
        if data[end] & 0xC0 != 0x80:
            return data[:end], True
    return data[:cap], True


def render_steer(stage: Stage, result: Finished) -> str:
    """The steer of a hook that ran: its stdout, or why there is none; empty if it had nothing to say.

    Of a hook that failed the exit code, stderr and stdout. stdout and stderr are each cut to `STEER_CAP`
    bytes of UTF-8 (what is no UTF-8 is replaced) with a marker as the last line, and lose their last
    newlines. `result` should have been captured from the head, with caps above `STEER_CAP`.
    """
    if result.error is not None:
        return f"[{stage} hook could not be run: {result.error}]"
    if result.timed_out:
        return f"[{stage} hook timed out after {result.timeout:g}s]"
    stdout = _text(result.stdout, result.stdout_bytes)
    if result.exit_code == 0:
        return stdout
    exited = f"[{stage} hook exited {_exit_name(result.exit_code)}]"
    return "\n".join(part for part in (exited, _text(result.stderr, result.stderr_bytes), stdout) if part)


def is_truncated(result: Finished) -> bool:
    """Whether the hook said more on stdout than its steer holds."""
    return _cut(result.stdout, result.stdout_bytes)[1]


def label(stage: Stage, steer: str) -> str:
    """A steer as it is shown, under the name of the script it came from; empty if it is."""
    return f"[hook {stage}.sh]\n{steer}" if steer else ""


def _text(data: bytes, total: int) -> str:
    kept, truncated = _cut(data, total)
    text = kept.decode("utf-8")
    if truncated:
        return f"{text}\n[truncated: the first {len(kept)} of {total} bytes]"
    return text if text.strip() else ""


def _cut(data: bytes, total: int) -> tuple[bytes, bool]:
    """The head of `data` as valid UTF-8, and whether any of the `total` bytes of output are missing in it."""
    missing = total > len(data)
    if not missing:
        data = data.rstrip(b"\r\n")
    valid = data[: STEER_CAP + 4].decode("utf-8", "replace").encode()
    kept, cut = cut_text(valid, STEER_CAP)
    return kept, cut or missing


def _exit_name(code: int | None) -> str:
    if code is None or code >= 0:
        return str(code)
    try:
        return f"{code} ({signal.Signals(-code).name})"
    except ValueError:
        return str(code)

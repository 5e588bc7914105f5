"""Bytes to lines: encodings, line ends, and the marks by which a line is known again."""

from __future__ import annotations

__all__ = ["bad_bytes", "count_lines", "first_change", "line_mark", "lines_of", "marks_of", "offset_after"]

_BOM = b"\xef\xbb\xbf"
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_MARK = 4
_MOST_LINES = 100_000


def lines_of(data: bytes) -> list[str]:
    """The lines without their ends, LF or CRLF; a byte order mark is left out.

    UTF-16 is known by its byte order mark, everything else is UTF-8. Bytes that are not come out as lone
    surrogates, which `bad_bytes` finds.
    """
    if data[:2] in _UTF16:
        text = data.decode("utf-16", "replace")
    else:
        text = data.removeprefix(_BOM).decode("utf-8", "surrogateescape")
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    return [line.removesuffix("\r") for line in lines]


def bad_bytes(line: str) -> bool:
    """Whether the line held bytes that are no UTF-8."""
    return not line.isascii() and any("\udc80" <= c <= "\udcff" for c in line)


def _raw_lines(data: bytes) -> list[bytes]:
    lines = data.split(b"\n")
    if lines[-1] == b"":
        lines.pop()
    return lines


def count_lines(data: bytes) -> int:
    """How many lines there are, a last one without an end included; as many as `lines_of` finds."""
    if data[:2] in _UTF16:
        return len(lines_of(data))
    text = data.removeprefix(_BOM)
    return text.count(b"\n") + (not text.endswith(b"\n") and text != b"")


def offset_after(data: bytes, lines: int) -> int:
    """Where line `lines` ends, its end included; the whole length if there are fewer."""
    at = 0
    for _ in range(lines):
        end = data.find(b"\n", at)
        if end < 0:
            return len(data)
        at = end + 1
    return at


def line_mark(line: bytes) -> str:
    """The first 4 hex digits of SHA-256 over a line without its end."""
    from hashlib import sha256

    return sha256(line.removesuffix(b"\r")).hexdigest()[:_MARK]


def marks_of(data: bytes) -> str | None:
    """The marks of all lines, one after the other; None for more than 100,000 lines.

    They tell which line changed when the digest of the whole has told that one did.
    """
    lines = _raw_lines(data)
    return "".join(map(line_mark, lines)) if len(lines) <= _MOST_LINES else None


def first_change(data: bytes, marks: str) -> int | None:
    """Number of the first line that differs from its mark, or is missing; None if all are as before."""
    lines = _raw_lines(data)
    for number in range(len(marks) // _MARK):
        if number >= len(lines) or line_mark(lines[number]) != marks[number * _MARK : (number + 1) * _MARK]:
            return number + 1
    return None

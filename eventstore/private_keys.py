"""Private-key blocks in text: whole ones, and those whose head or tail was cut off.

Outputs are kept by their last lines, so a key that was printed often lacks its `BEGIN`.
"""

from __future__ import annotations

import re

__all__ = ["redact_private_keys"]

_MARK = "[redacted:private-key]"
_ARMOUR = re.compile(r"-{4,5} ?(BEGIN|END) [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)? ?-{4,5}")
_GAP = r"(?:\s|\\[nrt])"  # white space, also as JSON text writes it
_RUN = re.compile(r"[A-Za-z0-9+/=]{16,}")
_BODY = re.compile(
    rf"(?:{_GAP}*+(?:(?:Proc-Type|DEK-Info|Version|Comment|Charset|Hash):[^\n\\]*+|[A-Za-z0-9+/=]{{16,}}+))*+"
    rf"(?:{_GAP}*+[A-Za-z0-9+/=]++{_GAP}*+\Z)?+"
)
_LINE_END = re.compile(r"\n|\\n")


def redact_private_keys(text: str) -> str:
    """The text with each private-key block replaced by `[redacted:private-key]`, in linear time.

    A block without its END goes as far as its lines look like a key's, one without its BEGIN begins there.
    A mention of the armour with no key in it stays.
    """
    pieces: list[str] = []
    done = 0  # up to where the text was dealt with
    begun: re.Match[str] | None = None
    for armour in _ARMOUR.finditer(text):
        if armour[1] == "BEGIN":
            if begun:
                done = _cut_tail(text, done, begun, armour.start(), pieces)
            begun = armour
            continue
        start = begun.start() if begun else _head(text, done, armour.start())
        body = begun.end() if begun else start
        if _RUN.search(text, body, armour.start()):
            pieces += (text[done:start], _MARK)
            done = armour.end()
        begun = None
    if begun:
        done = _cut_tail(text, done, begun, len(text), pieces)
    return "".join((*pieces, text[done:])) if pieces else text


def _cut_tail(text: str, done: int, begun: re.Match[str], limit: int, pieces: list[str]) -> int:
    """Replaces a block that has no END before `limit`; returns up to where the text is dealt with."""
    body = _BODY.match(text, begun.end(), limit)
    end = body.end() if body else begun.end()
    if not _RUN.search(text, begun.end(), end):
        return done
    pieces += (text[done : begun.start()], _MARK)
    return end


def _head(text: str, done: int, end: int) -> int:
    """Where the body of a block that has no BEGIN starts, going back from its END."""
    ends = [match.span() for match in _LINE_END.finditer(text, done, end)]
    start = end
    for number in range(len(ends) - 1, -2, -1):
        begin = ends[number][1] if number >= 0 else done
        line = text[begin:start].strip("\\nr \t\r\n")
        if line and not _RUN.fullmatch(line) and not (start == end and line.isalnum()):
            break
        start = begin
    return start

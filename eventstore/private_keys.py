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
_LAST = re.compile(r"[A-Za-z0-9+/=]+")  # the last line of a body may be short
_LINE_END = re.compile(r"\r?\n|(?:\\r)?\\n")


def redact_private_keys(text: str) -> str:
    """The text with each private-key block replaced by `[redacted:private-key]`, in linear time.

    A block without its END goes as far as its lines look like a key's, one without its BEGIN begins there.
    A mention of the armour with no key in it stays.
    """
    pieces: list[str] = []
    done = 0  # up to where the text is in the pieces
    seen = 0  # the end of the last armour
    begun: re.Match[str] | None = None
    for armour in _ARMOUR.finditer(text):
        if armour[1] == "BEGIN":
            if begun:
                done = _cut_tail(text, done, begun, armour.start(), pieces)
            begun = armour
        else:
            start, body = begun.span() if begun else (_head(text, seen, armour.start()),) * 2
            if _RUN.search(text, body, armour.start()):
                pieces += (text[done:start], _MARK)
                done = armour.end()
            begun = None
        seen = armour.end()
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


def _head(text: str, seen: int, end: int) -> int:
    """Where the body of a block that has no BEGIN starts, going back from its END, but not before `seen`."""
    start = cut = end
    shape = _LAST
    for begin in reversed([seen, *(match.end() for match in _LINE_END.finditer(text, seen, end))]):
        line = _LINE_END.sub("", text[begin:cut]).strip()
        if line:
            if not shape.fullmatch(line):
                break
            start, shape = begin, _RUN
        cut = begin
    return start

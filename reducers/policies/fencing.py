"""Text of programs and agents inside a text of ours: bounded, escaped, and unable to end its own quotation.

What is quoted is data. Nothing in it can steer a terminal, close the fence it stands in, or begin a line of
ours (design, sections 7 and 9).
"""

from __future__ import annotations

import re
from typing import Literal

from reducers.wording import escape

__all__ = ["clipped", "fenced", "one_line", "quoted"]

_BACKTICKS = re.compile("`+")


def clipped(text: str, cap: int) -> str:
    """At most `cap` characters of a text, an ellipsis as the last of them where something was cut off."""
    return text if len(text) <= cap else text[: max(cap - 1, 0)].rstrip() + "…"


def one_line(text: str, cap: int = 200) -> str:
    """A text in one line of at most `cap` characters: single blanks for white space, controls spelled out.

    `cap` counts what is shown, escapes included; from 1.
    """
    return clipped(escape(" ".join(text[: 8 * cap].split())), cap)


def quoted(text: str, cap: int = 200) -> str:
    """A text as data in a sentence: one line in double quotes, at most `cap` characters between them."""
    return '"' + one_line(text, cap).replace('"', "'") + '"'


def fenced(text: str, *, cap: int, keep: Literal["head", "tail"] = "head", rest: str = "") -> str:
    """A text as a block of data: controls escaped, about `cap` characters, in a fence longer than any in it.

    keep: which end is kept where it is too long; whole lines if there are any. rest: where all of it is to be
    found, told in the line that says how much is missing; empty if it is nowhere. Ends without a newline.
    """
    plain = text.replace("\r\n", "\n").strip("\n")
    cut = plain[:cap] if keep == "head" else plain[max(len(plain) - cap, 0) :]
    cut = _at_a_line(cut, keep) if len(cut) < len(plain) else cut
    shown = _shortened(escape(cut, lines=True), cap, keep)
    fence = "`" * max(3, 1 + max(map(len, _BACKTICKS.findall(shown)), default=0))
    block = f"{fence}text\n{shown}\n{fence}"
    missing = len(plain) - len(cut)
    if not missing:
        return block
    where = f"; all of it is in {rest}" if rest else ""
    end = "end" if keep == "head" else "beginning"
    return f"{block}\n({missing} characters are left out at its {end}{where}.)"


def _at_a_line(text: str, keep: Literal["head", "tail"]) -> str:
    """A piece of a text without the line that was cut in two; as it is where it is all one line."""
    whole = text.rpartition("\n")[0] if keep == "head" else text.partition("\n")[2]
    return whole or text


def _shortened(shown: str, cap: int, keep: Literal["head", "tail"]) -> str:
    """What escaping made longer than four times the cap is cut as well: noise is not worth the room."""
    most = 4 * cap
    if len(shown) <= most:
        return shown
    return shown[:most] if keep == "head" else shown[-most:]

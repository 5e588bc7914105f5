"""Values as words, for every text that people or agents read: escaped, rounded, signed. Pure.

Agents' text is data: whatever could steer a terminal or hide in a line is shown escaped (design, section 7).
"""

from __future__ import annotations

__all__ = ["ABSENT", "JOINERS", "delta", "duration", "escape", "number", "significance"]

ABSENT = "-"
"""What stands for a value that is not there."""

_SPACES = frozenset("\xa0\u1680\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B))))
JOINERS = frozenset("\u200c\u200d")
"""Characters that Python calls unprintable, but that scripts and emoji need and that harm nothing."""


def escape(text: str, *, lines: bool = False) -> str:
    """`text` without anything that a terminal obeys: ESC becomes `\\x1b`, a newline `\\n`.

    Controls (C0, C1), text direction overrides, invisible marks and lone surrogates are spelled out. With
    `lines`, newlines and tabs stay.
    """
    if text.isprintable():
        return text
    return "".join(c if _is_harmless(c) or (lines and c in "\n\t") else ascii(c)[1:-1] for c in text)


def _is_harmless(character: str) -> bool:
    return character.isprintable() or character in _SPACES or character in JOINERS


def number(value: object, unit: str | None = None) -> str:
    """A number with up to six significant digits, an integer with all of its own; its unit after a space.

    What is no number is shown as text, escaped; None as `-`.
    """
    if value is None:
        return ABSENT
    shown = _digits(value) if type(value) in (int, float) else escape(str(value))
    return f"{shown} {escape(unit)}" if unit else shown


def _digits(value: object) -> str:
    try:
        if isinstance(value, float):
            if value.is_integer() and abs(value) < 1e15:
                return str(int(value))
            return f"{value:.1f}" if 1e5 <= abs(value) < 1e15 else f"{value:.6g}"
        return str(value)
    except ValueError:  # Python refuses to spell integers of thousands of digits
        return "an integer of thousands of digits"


def delta(before: float | None, after: float | None) -> str:
    """The change from one value to another in percent, signed: `-4.2%`; `-` where there is none to tell."""
    if before is None or after is None or before == 0:
        return ABSENT
    try:
        percent = (after - before) / abs(before) * 100
    except OverflowError:
        return ABSENT
    if percent in (float("inf"), float("-inf")) or percent != percent:
        return ABSENT
    return f"{percent:+.1f}%" if abs(percent) < 1e6 else f"{percent:+.1e}%"


def duration(seconds: float) -> str:
    """A length of time: `0.8 s`, `45 s`, `12 min`, `3 h 05 min`, `2 d 4 h`. Negative reads as 0."""
    seconds = max(0.0, seconds)
    if seconds < 10:
        return f"{seconds:.3g} s"
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    if minutes < 60:
        return f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    if hours < 48:
        return f"{hours} h {minutes:02d} min"
    return f"{hours // 24} d {hours % 24} h"


def significance(confidence: float | None) -> str:
    """What a confidence means (design, section 5); empty where there is none."""
    if confidence is None:
        return ""
    return "likely real" if confidence >= 2 else "marginal" if confidence >= 1 else "within noise"

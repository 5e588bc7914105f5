"""Finding the metric in what a command printed (design, section 6.1).

Three ways, the first that applies: `METRIC name=value` lines; the pattern of the settings; the last number
on the output. What looks like a number but is none (a date, a time, a version, an address, a hash) is
passed over: a command that prints no clear number is told so, instead of being judged by a wrong one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

__all__ = ["Reading", "compile_pattern", "number", "read_metric"]

NO_METRIC = "no_metric"
NOT_FINITE = "not_finite"

_ANSI = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]"  # colours, cursor movements
    r"|\][^\x07\x1b]*(?:\x07|\x1b\\)"  # window titles, links
    r"|[@-Z\\^_])"
)

_METRIC_LINE = re.compile(r"^[ \t]*METRIC[ \t]+([\w.µ]+)[ \t]*=[ \t]*(\S*)[ \t\r]*$", re.MULTILINE)

_SEPARATORS = re.compile(r"[\s()\[\]{}<>|\"`=;]+")

_DIGITS = r"(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)"
_PLAIN = re.compile(rf"[+-]?(?:{_DIGITS}(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{{1,3}})?")
_NOT_FINITE = re.compile(r"[+-]?(?:nan|NaN|NAN|inf|Inf|infinity|Infinity)")

_HINT = re.compile(r"[0-9]|[nN][aA][nN]|[iI]nf")
"""What a line has to hold to be worth taking apart."""

_TIME = r"ns|[uµμ]s|ms|secs?|seconds?|s|mins?|minutes?|hrs?|hours?|h"
_SIZE = r"[kKMGT]i?[bB]|[bB]|bytes?|bits?"
_OTHER = r"ops?|req|reqs|rps|qps|tps|fps|it|tok|tokens?|[kMG]?Hz|pp|pts?|x|W|J|V"
_UNIT = re.compile(rf"%|(?:{_TIME}|{_SIZE}|{_OTHER})?(?:/[A-Za-zµ]+)?")
"""What may follow a number without a space. A bare `k`, `M` or `G` is none: 900k and 1.2M do not compare."""

_LABEL = re.compile(r"[:,]?(?:[A-Za-z_µ][\w.\-/']*[:,])*(?=\S)")
"""What may stand before a number without a space: `time:3.5`, `fast,cold,3.5`."""

_HASH = re.compile(r"(?=.*[a-fA-F])[0-9a-fA-F]{7,}")

_BEHIND = ".,:!?*'"
_BEFORE = "$€£~≈≤≥*'"


class Reading(msgspec.Struct, frozen=True):
    """What a command's output says.

    value: the metric, finite; None if there is none. metrics: all named metrics that are finite, by name.
    reason: why there is no value, `no_metric` or `not_finite`; None if there is one.
    """

    value: float | None
    metrics: dict[str, float] = {}
    reason: str | None = None


def compile_pattern(text: str) -> re.Pattern[str]:
    """The regular expression of a `metric_pattern`: searched line by line (`^`, `$`), with exactly one group.

    Raises ValueError, with what is wrong, if it is no expression or has not one group.
    """
    try:
        pattern = re.compile(text, re.MULTILINE)
    except re.error as error:
        raise ValueError(f"metric pattern {text!r} is no regular expression: {error}") from None
    if pattern.groups != 1:
        raise ValueError(
            f"metric pattern {text!r} has {pattern.groups} groups; it takes one, around the number"
        )
    return pattern


def read_metric(output: str, primary: str | None = None, pattern: re.Pattern[str] | None = None) -> Reading:
    """Read the metric called `primary` from what a command wrote to its standard output.

    With `METRIC name=value` lines nothing else counts: the last value a name wins, and the metric is the one
    called `primary`; without a name for it, the one of the last line. A value that is no number takes the
    earlier ones back. With `pattern` the last match counts.
    Otherwise the last number does. `nan` and `inf` are values, though not finite ones.
    """
    text = _ANSI.sub("", output) if "\x1b" in output else output
    named: dict[str, float] = {}
    last = None
    for match in _METRIC_LINE.finditer(text) if "METRIC" in text else ():
        last = match[1]
        value = number(match[2])
        if value is None:
            named.pop(last, None)
        else:
            named[last] = value
    if last is not None:
        return _reading(named.get(last if primary is None else primary), named)
    found = _last_match(text, pattern) if pattern is not None else next(_numbers_backwards(text), None)
    return _reading(found, {} if primary is None or found is None else {primary: found})


def _reading(value: float | None, named: dict[str, float]) -> Reading:
    metrics = {name: metric for name, metric in named.items() if _finite(metric)}
    if value is None:
        return Reading(None, metrics, NO_METRIC)
    return Reading(value, metrics) if _finite(value) else Reading(None, metrics, NOT_FINITE)


def _finite(value: float) -> bool:
    return value - value == 0.0


def _last_match(text: str, pattern: re.Pattern[str]) -> float | None:
    """The number in the group of the last match; None if there is no match or no number in it."""
    last = None
    for match in pattern.finditer(text):
        last = match[1]
    return None if last is None else number(last.strip())


def _numbers_backwards(text: str) -> Iterator[float]:
    """The numbers of a text, the last one first."""
    end = len(text)
    while end > 0:
        start = text.rfind("\n", 0, end)
        if _HINT.search(text, start + 1, end):
            for word in reversed(_SEPARATORS.split(text[start + 1 : end])):
                value = number(word)
                if value is not None:
                    yield value
        end = start


def number(word: str) -> float | None:
    """The number that a word is, finite or not; None if it is none.

    `.5`, `-4`, `+0.3`, `1e-05`, `1,234`, with a unit (`12ms`, `45%`), a currency or a label (`time:3.5`), and
    with a full stop behind it. Of a list without spaces (`0.5,0.7`) the last; `12,5` is refused: it is one
    number to some and two to others.
    """
    trimmed = word.replace("\N{MINUS SIGN}", "-").lstrip(_BEFORE).rstrip(_BEHIND)
    trimmed = trimmed[match.end() :] if (match := _LABEL.match(trimmed)) else trimmed
    trimmed = trimmed.lstrip(_BEFORE)
    if _HASH.fullmatch(trimmed) or not trimmed:
        return None
    if _NOT_FINITE.fullmatch(trimmed):
        return float(trimmed)
    match = _PLAIN.match(trimmed)
    if match is None:
        return None
    rest = trimmed[match.end() :]
    if not rest or _UNIT.fullmatch(rest):
        return float(match[0].replace(",", ""))
    items = trimmed.split(",")
    if len(items) > 2 or "." in trimmed:
        return (
            number(items[-1]) if len(items) > 1 and all(number(item) is not None for item in items) else None
        )
    return None

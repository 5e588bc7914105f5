"""Approaches by kind of target: what usually helps, how much, and which of it a search has not tried yet.

The strategies themselves are data, in the modules `approaches_…`. The kind of a target is guessed from words
in what the session says of it. The first of these that holds a hint of a kind decides: the metric's name, the
measuring command, the goal; within one text the kinds are asked in the order of `KINDS`. `runtime`, the
widest, is asked only after that. Where none fits, the metric's unit does: a time is `runtime`, a size
`memory`. Else there is no guess, and the strategies of `general` are offered.

Hints, and the words by which a strategy is recognised, are beginnings of words, case and punctuation aside;
of up to three letters they are whole words, and several in one stand side by side.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

import msgspec

from reducers.policies.directions import normal

__all__ = [
    "GENERAL",
    "IMPACTS",
    "KINDS",
    "Kind",
    "Strategy",
    "guessed",
    "kind_named",
    "known",
    "tried",
    "untried",
]

IMPACTS = ("high", "medium", "low")
"""Expected impacts, the greatest first."""

WIDEST = "runtime"
"""The kind whose hints say so little that those of all others come first."""

GENERAL = "general"
"""The kind of a target that none of the others is."""


class Strategy(msgspec.Struct, frozen=True):
    """One approach.

    name: a few words, unique in its kind. impact: `high`, `medium` or `low`, as a rule. what: what to do.
    why: why that should help. words: a text that holds one of them speaks of it.
    """

    name: str
    impact: str
    what: str
    why: str
    words: tuple[str, ...]


class Kind(msgspec.Struct, frozen=True):
    """A kind of target.

    name: in snake_case. about: what such targets are, in words. hints: words by which it is guessed.
    strategies: high impact first.
    """

    name: str
    about: str
    hints: tuple[str, ...]
    strategies: tuple[Strategy, ...]


KINDS: tuple[str, ...] = (
    "test_time",
    "build_time",
    "startup_time",
    "image_size",
    "bundle_size",
    "query_latency",
    "model_training",
    "prompt_quality",
    "page_score",
    "throughput",
    "memory",
    "runtime",
    GENERAL,
)
"""The kinds by name, in the order in which they are guessed: the narrower before the wider."""


@lru_cache(maxsize=1)
def known() -> dict[str, Kind]:
    """Every kind by its name, in the order of `KINDS`."""
    from reducers.policies import approaches_quality, approaches_size, approaches_speed, approaches_time

    modules = (approaches_time, approaches_speed, approaches_size, approaches_quality)
    by_name = {kind.name: kind for module in modules for kind in module.KINDS}
    return {name: by_name[name] for name in KINDS}


def kind_named(name: str) -> Kind | None:
    """The kind of this name, however it is spelled (`test-time`, `Test time`); None if there is none."""
    return known().get("_".join(name.casefold().replace("-", " ").replace("_", " ").split()))


_UNITS = {
    **dict.fromkeys(
        ("ns", "us", "µs", "μs", "ms", "s", "sec", "secs", "seconds", "min", "minutes"), "runtime"
    ),
    **dict.fromkeys(("b", "bytes", "kb", "kib", "mb", "mib", "gb", "gib"), "memory"),
}


def guessed(
    metric_name: str | None = None,
    measure: str | None = None,
    goal: str | None = None,
    unit: str | None = None,
) -> str:
    """The name of the kind that a target is of, as the module says; `general` where nothing tells."""
    texts = [_words(text or "") for text in (metric_name, measure, goal)]
    narrow = [kind for kind in known().values() if kind.name != WIDEST]
    for kinds in (narrow, [known()[WIDEST]]):
        for words in texts:
            for kind in kinds:
                if any(_holds(words, hint) for hint in kind.hints):
                    return kind.name
    return _UNITS.get((unit or "").strip().casefold(), GENERAL)


def _words(text: str) -> str:
    """The words of a text between blanks; names such as `p95_ms` and `testTime` are taken apart."""
    apart = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", text[:4000]).replace("_", " ").replace("-", " ")
    return f" {normal(apart)} "


def _holds(words: str, hint: str) -> bool:
    return (f" {hint} " if len(hint) <= 3 else f" {hint}") in words


def tried(strategies: Iterable[Strategy], texts: Iterable[str]) -> list[Strategy]:
    """The strategies that one of these texts speaks of: descriptions of runs, directions."""
    spoken = "\n".join(_words(text) for text in texts)
    return [strategy for strategy in strategies if any(_holds(spoken, word) for word in strategy.words)]


def untried(strategies: Sequence[Strategy], texts: Iterable[str]) -> list[Strategy]:
    """The strategies that none of these texts speaks of, by expected impact, else in their order."""
    done = tried(strategies, texts)
    rest = [strategy for strategy in strategies if strategy not in done]
    return sorted(rest, key=lambda strategy: IMPACTS.index(strategy.impact))

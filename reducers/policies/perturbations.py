"""Impulses for a search that circles: each says how the next direction is to differ (design, section 5).

A pivot at `structure` or `inject` carries one. Which one is chosen is a pure function of a seed and of those
that were used, so that the same log always gives the same, and none comes twice before all have come once.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from random import Random

import msgspec

__all__ = ["PERTURBATIONS", "Perturbation", "choose", "named"]


class Perturbation(msgspec.Struct, frozen=True, gc=False):
    """An impulse.

    name: in a word or two; what a `pivot` event's `perturbation` begins with.
    demand: what to do, in a sentence, for whoever works next.
    """

    name: str
    demand: str

    @property
    def text(self) -> str:
        """What a `pivot` event holds."""
        return f"{self.name}: {self.demand}"


PERTURBATIONS: tuple[Perturbation, ...] = (
    Perturbation(
        "invert an assumption",
        "write down what every attempt so far took for granted, and build on the opposite of one of it",
    ),
    Perturbation(
        "swap the subsystem",
        "leave the part that was worked on as it is, and change one that no attempt has touched",
    ),
    Perturbation(
        "relax one constraint",
        "name a limit that was kept without being asked for, drop it, and see what becomes possible",
    ),
    Perturbation(
        "tighten one constraint",
        "forbid yourself the means that were used most, and reach the goal without them",
    ),
    Perturbation(
        "borrow from another field",
        "find who else has a problem of this shape, and carry over how they solve it",
    ),
    Perturbation(
        "return to the second-best branch",
        "take up the best attempt that was not pursued, and go on from there",
    ),
    Perturbation(
        "shrink the problem",
        "cut it down until one case can be understood whole, solve that, and grow it back",
    ),
    Perturbation(
        "enlarge the problem",
        "solve the more general case of which this is one; a special rule may fall away",
    ),
    Perturbation(
        "remove instead of add",
        "take out a step, a layer or a parameter, and measure what it was worth",
    ),
    Perturbation(
        "change the representation",
        "keep what is computed, and change how the data is laid out, ordered or encoded",
    ),
    Perturbation(
        "move the work",
        "do it earlier, later, once for all, or not until it is asked for",
    ),
    Perturbation(
        "doubt the measure",
        "find out what the metric cannot see, and where it really comes from, before changing more",
    ),
    Perturbation(
        "combine two that failed",
        "put together two rejected attempts whose weaknesses cancel out",
    ),
    Perturbation(
        "start over",
        "forget the present solution, and write down how it would be built today from nothing",
    ),
)
"""All of them, in the order of the reference."""

_BY_NAME = {each.name: each for each in PERTURBATIONS}


def named(text: str | None) -> Perturbation | None:
    """The perturbation that the `perturbation` of a pivot begins with, or None for other words."""
    return _BY_NAME.get((text or "").partition(":")[0].strip().lower())


def choose(seed: int, used: Iterable[str | None]) -> Perturbation:
    """The perturbation to use next.

    seed: any integer; it decides among those that are left. used: what earlier pivots held, in any order;
    words that name none of ours do not count. Never one that was used more often than another.
    """
    counts = Counter(each.name for each in map(named, used) if each is not None)
    fewest = min(counts[each.name] for each in PERTURBATIONS)
    return Random(seed).choice([each for each in PERTURBATIONS if counts[each.name] == fewest])

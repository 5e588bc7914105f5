"""What the branches of a finalised session are called and say: names, gains, commit messages. Pure."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise
from math import inf

import msgspec

from reducers.policies.fencing import one_line
from reducers.policies.finalizing import KeptRun, Metric
from reducers.policies.metric import change, change_percent
from reducers.wording import number

__all__ = [
    "PREFIX",
    "REST",
    "Gain",
    "branch_name",
    "free_prefix",
    "gain_of",
    "message",
    "told_gain",
    "words_of",
]

PREFIX = "finalized"
"""What the names of the branches begin with, unless told otherwise."""

REST = "other changes"
"""What a branch of changes that belong to no kept run is called."""

SUBJECT = 72
"""Characters that the first line of a message has room for."""

SLUG = 40
"""Characters that a branch's name has for the words of a change."""


class Gain(msgspec.Struct, frozen=True):
    """What the runs of a group came to, in the metric's unit; None where it cannot be told.

    before: the value that the first one had to beat. after: the last one's own; what other groups gained in
    between is in it. change: the sum of what each run changed, which is this group's own share. change_pct:
    the same in per cent of |before|. apart: whether other groups' runs came in between, so that `change` is
    not `after` - `before`.
    """

    before: int | float | None = None
    after: int | float | None = None
    change: int | float | None = None
    change_pct: float | None = None
    apart: bool = False


def gain_of(runs: Sequence[KeptRun]) -> Gain:
    """The gain of these runs, in their order; of those that tell one. None over two segments."""
    told = [(each, step) for each in runs if (step := change(each.after, each.before)) is not None]
    if not told or any(each.segment != runs[0].segment for each in runs):
        return Gain()
    before, after = told[0][0].before, told[-1][0].after
    apart = any(one.after != later.before for (one, _), (later, _) in pairwise(told))
    total = change(sum(step for _, step in told), 0) if apart else change(after, before)
    if total is None or before is None:
        return Gain()
    return Gain(before, after, total, change_percent(before + total if apart else after, before), apart)


def told_gain(gain: Gain, unit: str | None) -> str:
    """A gain in words: `42 -> 38 ms (-9.5%)`, or the group's share of one; empty where there is none."""
    if gain.change is None:
        return ""
    if gain.apart:
        return _share(gain, unit)
    return f"{number(gain.before)} -> {number(gain.after, unit)}{_percent(gain)}"


def _share(gain: Gain, unit: str | None) -> str:
    value = gain.change or 0
    return ("+" if value > 0 else "") + number(value, unit) + _percent(gain)


def _percent(gain: Gain) -> str:
    value = gain.change_pct
    if value is None:
        return ""
    return f" ({value:+.1f}%)" if abs(value) < 1e6 else f" ({value:+.1e}%)"


def free_prefix(branches: Collection[str], prefix: str = PREFIX) -> str:
    """The prefix, or the prefix with a number, below which there is no branch yet.

    branches: names of all branches, without `refs/heads/`.
    """
    candidate, count = prefix, 1
    while any(name == candidate or name.startswith(candidate + "/") for name in branches):
        count += 1
        candidate = f"{prefix}-{count}"
    return candidate


def branch_name(prefix: str, place: int, count: int, words: str) -> str:
    """The name of the `place`th of `count` branches, from 1, after the words of its change."""
    return f"{prefix}/{place:0{len(str(count))}d}-{_slug(words) or 'change'}"


def _slug(words: str) -> str:
    """The words as letters that a reference, a file and a shell take without quotes."""
    from unicodedata import normalize

    plain = normalize("NFKD", words[: 8 * SLUG]).encode("ascii", "ignore").decode("ascii").lower()
    slug = ""
    for word in re.findall(r"[a-z0-9]+", plain):
        longer = f"{slug}-{word}" if slug else word
        if len(longer) > SLUG:
            return slug or word[:SLUG]
        slug = longer
    return slug


def headline(runs: Sequence[KeptRun]) -> str:
    """The words for these runs, and how many there are besides the one they are of."""
    more = f" (and {len(runs) - 1} more)" if len(runs) > 1 else ""
    return one_line(words_of(runs), SUBJECT - len(more)) + more


def words_of(runs: Sequence[KeptRun]) -> str:
    """The words of the run that gained most; `REST` for no run."""
    if not runs:
        return REST
    best = max(runs, key=_improvement)
    return best.description.strip() or f"the change of run {best.run}"


def _improvement(run: KeptRun) -> float:
    """How much better than before, in per cent; the least there is where it cannot be told."""
    percent = change_percent(run.after, run.before)
    if percent is None:
        return -inf
    return percent if run.metric.direction == "higher" else -percent


def message(runs: Sequence[KeptRun], head: str | None) -> str:
    """The commit message of a group: what it does, what it gained, run by run, and trailers.

    head: `seq:digest` of the log's last line, so that the record cannot be rewritten unseen; None for none.
    The agents' words stand in one line each, so that none of them reads as a trailer.
    """
    gain, metric = gain_of(runs), runs[0].metric if runs else Metric()
    paragraphs = [headline(runs)]
    if not runs:
        paragraphs.append("What belongs to no kept run of the session.")
    else:
        told = told_gain(gain, metric.unit)
        if told:
            between = ", while other changes were kept in between" if gain.apart else ""
            paragraphs.append(f"{one_line(metric.name or 'metric', 60)}: {told}{between}")
        paragraphs.append("\n".join(_steps(runs)))
    trailers = []
    if runs:
        trailers.append(f"Ar-Runs: {', '.join(str(each.run) for each in runs)}")
    if gain.change is not None:
        trailers.append(f"Ar-Gain: {one_line(_share(gain, metric.unit), 80)}")
    if head is not None:
        trailers.append(f"Ar-Head: {head}")
    return "\n\n".join([*paragraphs, *(["\n".join(trailers)] if trailers else [])]) + "\n"


def _steps(runs: Sequence[KeptRun]) -> Iterator[str]:
    """A line a run, each measured against the best before it."""
    yield "Kept in the session, each measured against the best before it:"
    for each in runs:
        told = told_gain(gain_of([each]), each.metric.unit)
        figures = f" {told}" if told else ""
        yield f"- run {each.run}:{figures} {one_line(each.description, 160)}".rstrip()

"""Which column of a table means what: the verdict, the metric, further measurements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

import msgspec

from eventstore.formats.fates import Options, Question
from eventstore.formats.measurements import is_measurement
from eventstore.formats.tables import Row, Section
from eventstore.formats.values import direction_of, is_nothing, number_of, plain_word, status_of
from eventstore.formats.words import AUXILIARY, RUN_FIELDS, STATUS_FIELDS

__all__ = ["Layout", "cells_of", "direction_shown", "layout_of", "metric_name"]

_METRIC_NAMES = (
    *(
        "metric",
        "metric_value",
        "metric_after",
        "primary_metric",
        "new_metric",
        "new_score",
        "score_after",
        "after",
    ),
    *("score", "value", "val_bpb", "result"),
)
_ENOUGH_VOTES = 3
_MOSTLY = 0.49


class Layout(msgspec.Struct, frozen=True):
    """The columns of a section by meaning, as their names.

    status: the verdict. metric: the metric, None if no column holds numbers. before: the metric as it was.
    measured: columns whose numbers are further measurements; each could be the metric too.
    """

    status: str | None
    metric: str | None
    before: str | None
    measured: tuple[str, ...]


def cells_of(section: Section, row: Row) -> dict[str, str]:
    """A row's cells by column, white space around them left out; missing ones are empty, surplus ones belong
    to the last, tabs between them."""
    names, cells = section.names, tuple(cell.strip() for cell in row.cells)
    if len(cells) > len(names):
        cells = (*cells[: len(names) - 1], "\t".join(cells[len(names) - 1 :]))
    return dict(zip(names, (*cells, *("",) * (len(names) - len(cells))), strict=True))


def layout_of(
    section: Section, rows: Sequence[Mapping[str, str]], options: Options, metric: str | None
) -> Layout | Question:
    """The columns' meanings, concluded from their names and from these rows' cells.

    metric: the column that a remark names. Asks when an option names a column that is not there.
    """
    names = section.names
    status = _status_column(names, rows, options)
    shares = {name: _share(rows, name) for name in names if name != status}
    measured = _measured(shares, _MOSTLY) or _measured(shares, 0.0)
    wanted = options.metric or metric
    chosen = _named(wanted, [name for name in names if name != status]) if wanted else None
    if options.metric and chosen is None:
        return Question(
            f"the table has no column {options.metric!r}; there are {', '.join(names)}",
            f"--metric {measured[0]}" if measured else "--columns with other names",
        )
    if chosen is None:
        telling = [name for want in _METRIC_NAMES for name in shares if plain_word(name) == want]
        chosen = next((name for name in telling if shares[name]), None)
    if chosen is None:
        pairs = [name for name in measured if _before(name, names)]
        chosen = next(iter(pairs or measured), None)
    others = tuple(name for name in measured if name != chosen)
    return Layout(status, chosen, _before(chosen, names) if chosen else None, others)


def _measured(shares: Mapping[str, float], more_than: float) -> list[str]:
    """The columns of measurements of whose cells more than this share are numbers."""
    return [
        name
        for name, share in shares.items()
        if share > more_than and is_measurement(name) and plain_word(name) not in _ids()
    ]


def _ids() -> frozenset[str]:
    return AUXILIARY | {name for key in ("number", "commit", "timestamp") for name in RUN_FIELDS[key]} - {
        "time"
    }


def _named(wanted: str, names: Sequence[str]) -> str | None:
    """The column of that name, or the later one of a pair of that name: `lint` is `lint_after`."""
    word = plain_word(wanted)
    by_word = {plain_word(name): name for name in names}
    return next((by_word[w] for w in (word, f"{word}_after", f"new_{word}") if w in by_word), None)


def _before(name: str, names: Sequence[str]) -> str | None:
    """The column that holds the same before the change: `x_before` to `x_after`, `old_x` to `new_x`."""
    by_word = {plain_word(n): n for n in names}
    word = plain_word(name)
    if word.endswith("after"):
        return by_word.get(word.removesuffix("after") + "before")
    return by_word.get("old_" + word.removeprefix("new_")) if word.startswith("new_") else None


def metric_name(column: str) -> str:
    """The metric's name as its column tells it: `combined_after` is `combined`, `new_score` is `score`."""
    word = plain_word(column)
    if word.endswith("_after"):
        return column[: -len("_after")]
    if word.startswith("new_"):
        return column[len("new_") :]
    return "metric" if word in ("after", "metric_value", "value", "result") else column


def _share(rows: Sequence[Mapping[str, str]], name: str) -> float:
    """How many of a column's cells that stand for something are numbers, from 0 to 1."""
    said = [row[name] for row in rows if not is_nothing(row[name])]
    return sum(number_of(cell) is not None for cell in said) / len(said) if said else 0.0


def _status_column(names: Sequence[str], rows: Sequence[Mapping[str, str]], options: Options) -> str | None:
    """The column of verdicts: of those with a telling name the one with most known words, else any full of
    them."""
    best: tuple[float, str | None] = (0.0, None)
    for want in STATUS_FIELDS:
        for name in names:
            if plain_word(name) == want:
                share = _verdicts(rows, name, options, only_strong=False)
                best = max(best, (share, name), key=lambda found: found[0])
    if best[0] >= 0.5:
        return best[1]
    named = next((name for name in names if plain_word(name) == "status"), None)
    texts = {word for key in ("description", "commit") for word in RUN_FIELDS[key]}
    full = (
        name
        for name in names
        if len(rows) > 1
        and plain_word(name) not in texts
        and _verdicts(rows, name, options, only_strong=True) >= 0.8
    )
    return next(full, best[1] or named)


def _verdicts(rows: Sequence[Mapping[str, str]], name: str, options: Options, *, only_strong: bool) -> float:
    said = [row[name] for row in rows if row[name]]
    known = sum(status_of(cell, options.words, only_strong=only_strong) is not None for cell in said)
    return known / len(said) if said else 0.0


def direction_shown(
    section: Section, rows: Sequence[Mapping[str, str]], layout: Layout, options: Options
) -> str | None:
    """The direction that a table itself proves, or None.

    A column may say it on each row. Or each row says what the metric was before, what it is after, and
    whether that was kept: where all rows agree on one direction, it is that. A table with a `verdict` was
    written by a tool that judges by this rule alone, so one row is proof; of other tables it takes three.
    Or the kept runs go one way, see `_way_of_keeps`.
    """
    for name in section.names:
        if plain_word(name) in ("metric_direction", "best_direction"):
            said = {direction_of(row[name]) for row in rows}
            if len(said) == 1 and (direction := said.pop()) is not None:
                return direction
            if len(said) > 1:
                return None
    if layout.metric is None or layout.status is None:
        return None
    if layout.before is None:
        return _way_of_keeps(rows, layout.metric, layout.status, options)
    votes: set[str] = set()
    count = kept = 0
    for row in rows:
        before, after = number_of(row[layout.before]), number_of(row[layout.metric])
        status = status_of(row[layout.status], options.words, only_strong=True)
        if before is None or after is None or before == after or status not in ("keep", "discard"):
            continue
        votes.add("lower" if (after < before) == (status == "keep") else "higher")
        count += 1
        kept += status == "keep"
    enough = 1 if plain_word(layout.status) == "verdict" else _ENOUGH_VOTES
    return votes.pop() if len(votes) == 1 and kept and count >= enough else None


def _way_of_keeps(
    rows: Sequence[Mapping[str, str]], metric: str, status: str, options: Options
) -> str | None:
    """The way the kept runs go from one to the next: a loop keeps what is better.

    All steps agree, or three quarters of four or more: a new baseline in the midst of a table steps back.
    """
    kept = [
        value
        for row in rows
        if status_of(row[status], options.words, only_strong=False) == "keep"
        and (value := number_of(row[metric])) is not None
    ]
    steps = [after < before for before, after in pairwise(kept) if after != before]
    down = sum(steps)
    for direction, agreeing in (("lower", down), ("higher", len(steps) - down)):
        if agreeing and (agreeing == len(steps) or (len(steps) >= 4 and agreeing >= 0.75 * len(steps))):
            return direction
    return None

"""Tables of runs, as many loops keep them: columns by name, verdicts by synonym, tabs or commas between."""

from __future__ import annotations

from collections.abc import Mapping

from eventstore.events import Config, Run
from eventstore.formats.collecting import Collector, extra
from eventstore.formats.columns import Layout, cells_of, direction_shown, layout_of, metric_name
from eventstore.formats.fates import PLAIN, Options, Question, Reading
from eventstore.formats.fields import Fields
from eventstore.formats.remarks import Remarks
from eventstore.formats.runs_csv import is_ours, take_rows
from eventstore.formats.tables import Row, Section, table_in
from eventstore.formats.text import count_lines, lines_of
from eventstore.formats.values import (
    clean,
    is_nothing,
    is_unfinished,
    moment_of,
    number_of,
    plain_word,
    status_of,
    whole_of,
)
from eventstore.formats.verdicts import keep_word
from eventstore.formats.words import RUN_FIELDS

__all__ = ["parse"]


def parse(data: bytes, options: Options = PLAIN) -> Reading | Question:
    """The runs of a table, after a goal made of its remarks, its header and `options`. Never raises.

    Asks for what it cannot tell: the columns' names where there is no header, the status where no column
    holds verdicts, which way is better where neither a remark nor the rows themselves say it.
    """
    table = table_in(lines_of(data), options.columns)
    if isinstance(table, Question):
        return table
    out = Collector()
    for fate in table.fates:
        out.put(fate)
    remarks = Remarks(table.comments)
    decided = count_lines(data[: options.decided]) if options.decided else None
    runs = 0
    for section in table.sections:
        found = _section(section, remarks, options, decided, runs, out)
        if isinstance(found, Question):
            return found
        runs += found
    for comment in table.comments:
        remarks.account(comment, out)
    return out.reading("csv" if table.delimiter == "," else "tsv")


def _section(
    section: Section, remarks: Remarks, options: Options, decided: int | None, runs: int, out: Collector
) -> int | Question:
    """Takes a section's goal and runs; how many runs, or what must be known first."""
    if is_ours(section):
        return take_rows(section, runs, out)
    every = [(row, cells_of(section, row)) for row in section.rows]
    known = [cells for row, cells in every if decided is None or row.last <= decided]
    layout = layout_of(section, known, options, remarks.first("metric"))
    if isinstance(layout, Question):
        return layout
    if not every:
        if section.line:
            out.mark(section.line, "header, no rows yet")
        return 0
    if layout.status is None and options.status is None:
        return Question(
            f"no column says whether a run was kept; there are {', '.join(section.names)}",
            "--status keep, or another status that holds for all of its runs",
        )
    direction = options.direction or remarks.direction or direction_shown(section, known, layout, options)
    if layout.metric is not None and direction is None:
        return Question(
            f"the table does not say which way {metric_name(layout.metric)} is better",
            "--direction lower or --direction higher",
        )
    config = _goal(layout, direction, remarks, options)
    out.take(section.line, config, "header")
    if section.line and (rest := remarks.rest()):
        out.take(section.line, extra("config", rest), "header", key="extra")
    if layout.metric and layout.measured and options.metric is None:
        out.note(f"the metric is {layout.metric}; --metric takes another: {', '.join(layout.measured)}")
    found = 0
    for row, cells in every:
        found += _take_row(row, cells, layout, remarks, options, runs + found + 1, out)
    return found


def _goal(layout: Layout, direction: str | None, remarks: Remarks, options: Options) -> Config:
    goal = options.goal or remarks.meant(remarks.first("goal") or "") or options.name
    if layout.metric is None:
        return Config(name=clean(goal))
    name = metric_name(layout.metric)
    if plain_word(name) == "metric" and remarks.metric:
        name = remarks.metric
    unit = options.unit or remarks.meant(remarks.first("unit") or "")
    return Config(
        name=clean(goal),
        metricName=clean(remarks.meant(name)),
        metricUnit=clean(unit),
        bestDirection=direction,
    )


def _take_row(
    row: Row,
    cells: Mapping[str, str],
    layout: Layout,
    remarks: Remarks,
    options: Options,
    ordinal: int,
    out: Collector,
) -> bool:
    """Takes a row as a run; whether it was one."""
    said = cells[layout.status] if layout.status else ""
    metric = number_of(cells[layout.metric]) if layout.metric else None
    status = status_of(said, options.words)
    width = sum(bool(cell) for cell in cells.values())
    if status is None and is_unfinished(said):
        out.skip(row.first, f"no verdict yet ({said[:40]})", last=row.last)
        return False
    if (status is None and metric is None) or width < 2:
        reason = f"no verdict and no metric in its {len(row.cells)} of {len(cells)} cells"
        out.skip(row.first, reason, last=row.last)
        return False
    reason = "run"
    if status is None and options.status is None:
        reason = f"run, taken for a discard: no verdict that is known ({said[:40] or 'empty'})"
        out.note("a run without a verdict that is known is never a keep; --map WORD=STATUS tells")
    run, number = _run(cells, layout, status or options.status or "discard", metric, remarks)
    whole = _replaced(run, ordinal)
    return out.take(row.first, whole, reason, last=row.last, number=number)


def _replaced(run: Run, ordinal: int) -> Run:
    from msgspec.structs import replace

    return replace(run, run=ordinal)


def _run(
    cells: Mapping[str, str], layout: Layout, status: str, metric: float | None, remarks: Remarks
) -> tuple[Run, int | None]:
    """The run that a row is, and the number it is given there."""
    text = {name: remarks.meant(cell) for name, cell in cells.items()}
    fields = Fields({name: None if is_nothing(cell) else cell for name, cell in text.items()})
    said = fields.use(layout.status) if layout.status else None
    held = fields.use(layout.metric) if layout.metric else None
    metrics = {
        remarks.meant(name): value
        for name in layout.measured
        if (value := number_of(fields.get(name))) is not None and fields.use(name)
    }
    number = fields.first(RUN_FIELDS["number"], whole_of)
    commit = fields.text(RUN_FIELDS["commit"])
    timed = fields.first(RUN_FIELDS["timestamp"], moment_of)
    seconds = fields.first(RUN_FIELDS["seconds"], number_of)
    description = fields.text(RUN_FIELDS["description"])
    guard = fields.get("guard")
    failed = isinstance(guard, str) and plain_word(guard).startswith("fail")
    asi = {name: _kept(value) for name, value in fields.rest().items()}
    if said is not None and keep_word(said):
        asi.setdefault(layout.status or "status", clean(said))
    if metric is None and held is not None:
        asi.setdefault(layout.metric or "metric", clean(held))
    run = Run(
        run=1,
        commit=clean(commit),
        metric=metric,
        metrics=metrics,
        status="checks_failed" if failed and status == "discard" else status,
        description=clean(description or ""),
        asi=asi,
        duration_seconds=seconds[1] if seconds else None,
        timestamp=timed[1] if timed else None,
    )
    return run, number[1] if number else None


def _kept(value: str) -> object:
    number = number_of(value)
    return clean(value) if number is None else number

"""Export, then import into a new log: the same views."""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, given, settings

from commands.exporting import LAST, exported, folder_of, rows_of
from commands.importing import Ledger, Source, follow, plan, plan_folder
from eventstore.events import Event
from eventstore.formats.fates import PLAIN, Options, Reading
from eventstore.formats.pi_writer import write_pi
from eventstore.formats.recognise import parse, recognise
from eventstore.formats.runs_csv import write_csv
from eventstore.formats.state import parse_folder
from eventstore.formats.table_writer import write_karpathy, write_v1
from eventstore.memory import MemoryLog
from reducers.core import fold, to_plain
from reducers.directions import directions
from reducers.findings import findings
from reducers.flags import flags
from reducers.iterations import iterations
from reducers.progress import progress
from reducers.runs import runs
from reducers.session import session
from reducers.stall import stall
from tests.eventstore.formats.histories import LOGS, RUN_LOGS

SLOW = settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
ALL = (session, runs, stall, findings, directions, iterations, progress, flags)


def numbered(log: MemoryLog) -> list[tuple[int, Event]]:
    return [(seq, r) for batch in log.read() for seq, r in batch.numbered() if isinstance(r, Event)]


def views(log: MemoryLog, *reducers: Any) -> dict[str, Any]:
    """What the views say, but for where a line stands and what it is called by."""
    events = [event for _, event in numbered(log)]
    shown = {reducer.name: to_plain(reducer.view(fold(reducer, events))) for reducer in reducers}
    if "session" in shown and shown["session"]["last_run"]:
        for name in ("seq", "prev", "id"):
            shown["session"]["last_run"].pop(name, None)
    return shown


def imported(form: str, data: bytes, options: Options = PLAIN) -> MemoryLog:
    """A new log that holds what a file holds."""
    reading = parse(form, data, options)
    assert isinstance(reading, Reading), reading
    planned = plan(Ledger(), Source("x", data), reading, None)
    log = MemoryLog()
    log.append(planned.events)
    return log


@SLOW
@given(LOGS)
def test_our_own_log(log: MemoryLog) -> None:
    """The log's bytes bring every view along."""
    assert views(imported("pi", log.content), *ALL) == views(log, *ALL)


@SLOW
@given(LOGS)
def test_pi(log: MemoryLog) -> None:
    """pi's lines bring the session and its runs along, and nothing else is in them."""
    data = b"".join(write_pi(exported(numbered(log))))

    assert views(imported("pi", data), session, runs) == views(log, session, runs)


@SLOW
@given(RUN_LOGS)
def test_csv(log: MemoryLog) -> None:
    """Our own table brings the session and its runs along, whatever stands in their texts."""
    data = "".join(write_csv(rows_of(exported(numbered(log))))).encode()

    assert recognise(data) == "csv"
    assert views(imported("csv", data), session, runs) == views(log, session, runs)


@SLOW
@given(LOGS)
def test_state_folder(log: MemoryLog) -> None:
    """The protocol's folder brings every view along."""
    files = folder_of(numbered(log))
    folder = parse_folder(files)
    sources = {path: Source(path, data) for path, data in files.items()}
    planned = plan_folder(Ledger(), sources, folder, dict.fromkeys(files))
    again = MemoryLog()
    again.append(planned.events)

    assert views(again, *ALL) == views(log, *ALL)


def told(log: MemoryLog, segment: int) -> list[tuple[Any, ...]]:
    """What a table tells of a segment's runs."""
    rows = views(log, runs)["runs"]["runs"]
    return [
        (row["status"], row["metric"], row["delta"], row["new_best"])
        for row in rows
        if row["segment"] == segment
    ]


@SLOW
@given(RUN_LOGS)
def test_tables(log: MemoryLog) -> None:
    """The other tables bring the last segment along, by themselves where remarks say what they leave out."""
    rows = rows_of(exported(numbered(log)), LAST)
    if rows[-1].aim.metric is None or all(row.run.metric is None for row in rows):
        return
    for write in (write_karpathy, write_v1):
        again = imported("tsv", "".join(write(rows, remarks=True)).encode())
        assert told(again, 0) == told(log, rows[-1].segment)
        best = [views(each, session)["session"]["best_metric"] for each in (again, log)]
        assert best[0] == best[1]


@SLOW
@given(LOGS)
def test_again_adds_nothing(log: MemoryLog) -> None:
    """What was imported is known again: the same file plans nothing."""
    data = log.content
    reading = parse("pi", data)
    assert isinstance(reading, Reading)
    again = MemoryLog()
    again.append(plan(Ledger(), Source("x", data), reading, None).events)
    ledger = Ledger()
    for batch in again.read():
        ledger = follow(ledger, batch.records)

    assert plan(ledger, Source("x", data), reading, None).events == ()

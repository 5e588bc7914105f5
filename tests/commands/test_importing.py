"""Taking over foreign history in steps comes to the same as taking it over at once."""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from commands.effects.importing import import_file, import_folder
from commands.exporting import exported, folder_of, rows_of
from commands.importing import Changed, Source, earlier
from eventstore.chain import verify
from eventstore.events import Imported
from eventstore.formats.fates import Options
from eventstore.formats.pi_writer import write_pi
from eventstore.formats.table_writer import write_karpathy
from eventstore.memory import MemoryLog
from reducers.findings import findings
from reducers.iterations import iterations
from reducers.runs import runs
from reducers.session import session
from tests.commands.test_round_trips import numbered, views
from tests.eventstore.formats.histories import LOGS, RUN_LOGS

SLOW = settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
LOWER = Options(direction="lower")


def cut(data: bytes, draw: st.DataObject) -> bytes:
    """The first lines of a file."""
    lines = data.splitlines(keepends=True)
    return b"".join(lines[: draw.draw(st.integers(0, len(lines)))])


@SLOW
@given(LOGS, st.data())
def test_a_log_in_steps(log: MemoryLog, draw: st.DataObject) -> None:
    """However often a growing log is imported, the views are those of one import, and the chain holds."""
    data = b"".join(write_pi(exported(numbered(log))))
    at_once, in_steps = MemoryLog(), MemoryLog()
    import_file(at_once, Source("x", data), LOWER)
    for part in sorted([cut(data, draw), cut(data, draw), data, data], key=len):
        if part:
            import_file(in_steps, Source("x", part), LOWER)

    assert views(in_steps, session, runs) == views(at_once, session, runs)


@SLOW
@given(RUN_LOGS, st.data())
def test_a_table_in_steps(log: MemoryLog, draw: st.DataObject) -> None:
    """So with a table, whose columns are concluded from what was there first."""
    rows = rows_of(exported(numbered(log)))
    data = "".join(write_karpathy(rows)).encode()
    first = b"".join(data.splitlines(keepends=True)[: draw.draw(st.integers(2, len(rows) + 1))])
    in_steps = MemoryLog()
    import_file(in_steps, Source("x", first), LOWER)
    import_file(in_steps, Source("x", data), LOWER)

    shown = views(in_steps, runs)["runs"]["runs"]
    assert [(row["status"], row["commit"]) for row in shown] == [(r.run.status, r.run.commit) for r in rows]


@SLOW
@given(LOGS, LOGS)
def test_a_folder_in_steps(log: MemoryLog, more: MemoryLog) -> None:
    """So with a state folder whose files that only grow have grown."""
    before = folder_of(numbered(log))
    grown = {path for path in before if path.endswith(".jsonl")}
    added = folder_of(numbered(more))
    after = {path: before[path] + added[path] if path in grown else before[path] for path in before}
    in_steps, at_once = MemoryLog(), MemoryLog()
    for files in (before, before, after):
        import_folder(in_steps, {path: Source(path, data) for path, data in files.items()}, LOWER)
    import_folder(at_once, {path: Source(path, data) for path, data in after.items()}, LOWER)

    for name, counted in ((findings, "findings"), (iterations, "iterations")):
        one, two = (views(each, name)[counted][counted] for each in (in_steps, at_once))
        assert sorted(map(told, one)) == sorted(map(told, two))


def told(row: dict[str, Any]) -> str:
    return repr([row.get("text"), row.get("summary"), row.get("iteration"), row["timestamp"]])


def imported(source: Source, log: MemoryLog) -> list[Imported]:
    import_file(log, source, LOWER)
    return [record for batch in log.read() for record in batch.records if isinstance(record, Imported)]


PI = b'{"run":1,"metric":3,"status":"keep"}\n{"run":2,"metric":2,"status":"keep"}\n'


def test_the_latest_beginning_counts() -> None:
    """Of several imports of a source the longest that is its beginning is the one that is carried on."""
    log = MemoryLog()
    imported(Source("x", PI[:37]), log)
    past = imported(Source("x", PI), log)

    assert [found.lines for found in past] == [1, 2]
    found = earlier(Source("y", PI + b"\n"), past)
    assert isinstance(found, Imported)
    assert found.lines == 2


def test_a_source_that_moves_as_it_grows() -> None:
    """It stays the same source wherever it lies, however little comes in at a time."""
    log = MemoryLog()
    lines = [b'{"run":1,"metric":%d,"status":"keep"}\n' % n for n in range(4)]
    for count in range(1, 5):
        past = imported(Source(f"place{count}", b"".join(lines[:count])), log)

    assert [found.events for found in past] == [2, 1, 1, 1]
    assert len(views(log, runs)["runs"]["runs"]) == 4


def test_what_is_no_beginning() -> None:
    """The same path with another beginning was changed; another path is another source."""
    past = imported(Source("x", PI), MemoryLog())

    assert earlier(Source("x", b"#" + PI), past) == Changed("x", 1)
    assert earlier(Source("x", PI[:37]), past) == Changed("x", 2, shorter=True)
    assert earlier(Source("y", b"#" + PI), past) is None
    assert earlier(Source("-", b"#" + PI), past) is None
    assert (
        earlier(
            Source(
                "x",
                b"#" + PI,
            ),
            past,
            appended=False,
        )
        is None
    )


def test_ids_and_chain() -> None:
    """Each imported event has an id of its own, and the log verifies."""
    log = MemoryLog()
    imported(Source("x", PI), log)

    ids = [event.id for _, event in numbered(log)]
    assert len(set(ids)) == len(ids) == 4
    assert all(name is not None and name.startswith("import:") for name in ids)
    assert verify([(0, log.content)]).ok


def test_what_was_left_out_is_told_in_one_line_however_much_it_is() -> None:
    """Thousands of lines that nobody knows leave room for the line that counts them."""
    noise = b"".join(b'{"note":%d}\nnot json\n' % n for n in range(3000))
    (record,) = imported(Source("x", PI + noise), MemoryLog())

    assert record.lines == 6002
    assert len(record.skipped) == 1001
    assert record.skipped[0] == {"line": 3, "reason": "no run, config or hook"}
    assert record.skipped[-1]["reason"] == "and 5000 more"

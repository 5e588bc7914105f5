"""Taking over what another program recorded: which events of a source are new to a log. Pure.

A source is known again by its content: what was read of it earlier must be how it begins. One that lies where
an earlier one lay, and does not begin like that, was changed, and is refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from pathlib import PurePosixPath
from typing import Any

import msgspec
from msgspec.structs import replace

from eventstore.events import Config, Event, Imported, Record, Run, Status
from eventstore.formats.fates import Fate, Placed, Reading, stretches
from eventstore.formats.state import Folder
from eventstore.formats.text import count_lines, first_change, marks_of, offset_after

__all__ = ["Changed", "Ledger", "Planned", "Source", "earlier", "follow", "key_of", "plan", "plan_folder"]
__all__ += ["readable"]

ID = "import:"
"""How the ids of imported events begin."""

_MOST_SKIPPED = 1000
_SAME_BEGINNING = 2  # events that a source must have brought for its content to be known again elsewhere


class Source(msgspec.Struct, frozen=True):
    """A file that is imported.

    path: what it is called in the log: from the session's folder on, or absolute; `-` for standard input.
    data: its content.
    """

    path: str
    data: bytes


class Ledger(msgspec.Struct, frozen=True):
    """What of a log decides how an import goes on; it grows in place.

    runs: how many there are. segment: the current one. config: the current goal. status: the task's, if told.
    imports: the earlier ones. ids: of all events that were imported.
    """

    runs: int = 0
    segment: int = 0
    config: Config | None = None
    status: str | None = None
    imports: list[Imported] = []
    ids: set[str] = set()


class Changed(msgspec.Struct, frozen=True):
    """A source that does not begin any more as it did when it was imported.

    path: the source's. line: the first line that differs or is missing, from 1.
    shorter: whether there is less of it.
    """

    path: str
    line: int
    shorter: bool = False


class Planned(msgspec.Struct, frozen=True):
    """What is to be appended.

    events: all of it; nothing where nothing is new. fresh: by source, how many of its events are new.
    runs: how many of them are runs.
    """

    events: tuple[Event, ...]
    fresh: dict[str, int]
    runs: int


def follow(ledger: Ledger, records: Iterable[Record]) -> Ledger:
    """The ledger after these records."""
    runs, segment, config, status = ledger.runs, ledger.segment, ledger.config, ledger.status
    for record in records:
        kind = type(record)
        if kind is Run:
            runs += 1
        elif isinstance(record, Config):
            segment += runs > 0
            config = record
        elif isinstance(record, Status):
            status = record.status
        elif isinstance(record, Imported):
            ledger.imports.append(record)
        if isinstance(record, Event) and record.id is not None and record.id.startswith(ID):
            ledger.ids.add(record.id)
    return Ledger(runs, segment, config, status, ledger.imports, ledger.ids)


def earlier(
    source: Source, imports: Sequence[Imported], *, appended: bool = True
) -> Imported | Changed | None:
    """The latest import of this source, None if there was none, `Changed` if it is not the same any more.

    `appended`: whether the source only ever grows; one that is rewritten as a whole never counts as changed.
    """
    digests: dict[int, str] = {}
    brought: dict[str, int] = {}
    found: Imported | None = None
    last: Imported | None = None
    for past in imports:
        last = past if past.source == source.path != "-" else last
        size = past.bytes
        key = (past.id or past.source).rpartition(":to:")[0]
        brought[key] = brought.get(key, 0) + past.events
        if size is None or size > len(source.data):
            continue
        if past.source != source.path and brought[key] < _SAME_BEGINNING:
            continue
        if size not in digests:
            digests[size] = sha256(source.data[:size]).hexdigest()
        if digests[size] == past.sha256 and _ends_line(source.data, size):
            found = past if found is None or size >= (found.bytes or 0) else found
    if found is not None or last is None or not appended:
        return found
    line = first_change(source.data, last.marks or "")
    return Changed(source.path, line or last.lines or 1, len(source.data) < (last.bytes or 0))


def _ends_line(data: bytes, size: int) -> bool:
    """Whether the first `size` bytes are whole lines."""
    if size in (0, len(data)) or data[size - 1 : size] == b"\n":
        return True
    return data[size : size + 1] in (b"\n", b"\r")


def readable(data: bytes, fates: Sequence[Fate]) -> bytes:
    """What of a source counts as read.

    Left for a later import are last lines that were cut off, whose writer may be at work, and last rows that
    wait for their verdict.
    """
    left = 0
    cut = not data.endswith(b"\n")
    for fate in reversed(fates):
        waits = fate.reason.startswith("no verdict yet")
        if fate.taken or not (waits or (cut and fate.reason.startswith("damaged"))):
            break
        left += 1
    return data[: offset_after(data, count_lines(data) - left)] if left else data


def key_of(source: Source, past: Imported | None = None) -> str:
    """What the ids of a source's events have in common: what they had at its first import.

    Then it is told by the path and the first line, so that an import that was broken off is carried on; by
    the whole content of standard input.
    """
    if past is not None and past.id is not None and past.id.startswith(ID):
        return past.id.removeprefix(ID).partition(":")[0]
    told = source.data if source.path == "-" else source.data.lstrip().partition(b"\n")[0]
    return sha256(source.path.encode("utf-8", "surrogateescape") + b"\0" + told).hexdigest()[:12]


def plan(ledger: Ledger, source: Source, reading: Reading, past: Imported | None) -> Planned:
    """What is to be appended for a source that was imported up to `past`.

    Runs get the next numbers; the source's own is kept in `asi` where it differs. A run whose goal is not the
    log's current one comes after that goal, set again.
    """
    planner = _Planner(ledger)
    known = past.lines or 0 if past else 0
    key = key_of(source, past)
    for placed in reading.events:
        planner.take(source.path, placed, known, key)
    planner.finish(source, reading, key)
    return planner.planned()


def plan_folder(
    ledger: Ledger, sources: Mapping[str, Source], folder: Folder, pasts: Mapping[str, Imported | None]
) -> Planned:
    """What is to be appended for the files of a state folder, `sources` and `pasts` by path within it.

    Of files that are rewritten as wholes, entries count as new that say what none did before, a goal or a
    status only if it is not the log's already.
    """
    planner = _Planner(ledger)
    keys = {
        file.path: key_of(sources[file.path], pasts[file.path])
        if file.appended
        else PurePosixPath(file.path).stem
        for file in folder.files
    }
    grown = {
        file.path: (past.lines or 0) for file in folder.files if file.appended and (past := pasts[file.path])
    }
    whole = {file.path for file in folder.files if not file.appended}
    for path, placed in folder.events:
        if path in whole and planner.is_said(placed.event):
            continue
        planner.take(sources[path].path, placed, grown.get(path, 0), keys[path])
    for file in folder.files:
        planner.finish(sources[file.path], file.reading, keys[file.path])
    return planner.planned()


class _Planner:
    """Gathers what is new, numbering it on from where the log stands."""

    def __init__(self, ledger: Ledger) -> None:
        self.runs, self.segment, self.config = ledger.runs, ledger.segment, ledger.config
        self.status = ledger.status
        self.ids = ledger.ids
        self.goal: Config | None = None
        self.events: list[Event] = []
        self.fresh: dict[str, int] = {}
        self.new_runs = 0
        self._uses: dict[str, int] = {}

    def take(self, path: str, placed: Placed, known: int, key: str) -> None:
        """Takes an event of a source if its line comes after line `known`."""
        name = f"{ID}{key}:{placed.line}" + (f":{placed.key}" if placed.key else "")
        self._uses[name] = uses = self._uses.get(name, 0) + 1
        name = name if uses == 1 else f"{name}.{uses}"
        event = placed.event
        if isinstance(event, Config):
            self.goal = event
        if (known and placed.line <= known) or name in self.ids:
            return
        if isinstance(event, Run) and self.goal is not None and not self._aims_at(self.goal):
            self._add(replace(self.goal, id=f"{name}:goal"))
            self.fresh[path] = self.fresh.get(path, 0) + 1
        self._add(replace(event, id=name), placed.number)
        self.fresh[path] = self.fresh.get(path, 0) + 1

    def is_said(self, event: Event) -> bool:
        """Whether the log has this goal or status already."""
        if isinstance(event, Status):
            return event.status == self.status
        if isinstance(event, Config) and self.config is not None:
            said = (self.config.milestones, self.config.success)
            return self._aims_at(event) and said == (event.milestones, event.success)
        return False

    def _aims_at(self, goal: Config) -> bool:
        return self.config is not None and _aim(self.config) == _aim(goal)

    def _add(self, event: Event, number: int | None = None) -> None:
        if isinstance(event, Config):
            self.segment += self.runs > 0
            self.config = event
        elif isinstance(event, Status):
            self.status = event.status
        elif isinstance(event, Run):
            self.runs += 1
            self.new_runs += 1
            event = _numbered(event, self.runs, number, self.segment)
        self.events.append(event)

    def finish(self, source: Source, reading: Reading, key: str) -> None:
        """Says what was imported of a source, if anything was."""
        if source.path in self.fresh:
            imported = _imported(source, reading, self.fresh[source.path])
            self.events.append(replace(imported, id=f"{ID}{key}:to:{(imported.sha256 or '')[:12]}"))

    def planned(self) -> Planned:
        return Planned(tuple(self.events), self.fresh, self.new_runs)


def _aim(config: Config) -> tuple[Any, ...]:
    return config.name, config.metricName, config.metricUnit or "", config.bestDirection


def _numbered(run: Run, ordinal: int, number: int | None, segment: int) -> Run:
    asi = run.asi
    if number is not None and number != ordinal:
        asi = {**asi, "source_run" if "run" in asi else "run": number}
    return replace(run, run=ordinal, segment=segment, asi=asi)


def _imported(source: Source, reading: Reading, events: int) -> Imported:
    counted = readable(source.data, reading.fates)
    lines = count_lines(counted)
    left = [f for f in reading.fates if not f.taken and f.reason != "blank line" and f.line <= lines]
    skipped: list[dict[str, Any]] = [
        {"line": stretch.first, "to": stretch.last, "reason": stretch.reason}
        if stretch.last > stretch.first
        else {"line": stretch.first, "reason": stretch.reason}
        for stretch in stretches(left)
    ]
    if len(skipped) > _MOST_SKIPPED:
        more = {"line": skipped[_MOST_SKIPPED]["line"], "reason": f"and {len(skipped) - _MOST_SKIPPED} more"}
        skipped = [*skipped[:_MOST_SKIPPED], more]
    return Imported(
        source=source.path,
        format=reading.format,
        sha256=sha256(counted).hexdigest(),
        events=events,
        skipped=tuple(skipped),
        bytes=len(counted),
        lines=lines,
        marks=marks_of(counted),
    )

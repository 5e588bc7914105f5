"""The long-horizon protocol's state folder: what its files say, file by file, as events in one order.

`findings.jsonl`, `iteration_log.jsonl` and `logs/*.jsonl` are appended to; `task_spec.md`, `progress.json`
and `directions_tried.json` are rewritten as wholes, so their entries are known again by what they say.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from heapq import merge
from pathlib import PurePosixPath
from typing import Any

import msgspec

from eventstore.events import Config, Iteration, Status, type_of
from eventstore.formats.collecting import Collector, extra
from eventstore.formats.fates import PLAIN, Fate, Options, Placed, Reading
from eventstore.formats.fields import Fields
from eventstore.formats.objects import Found, objects_in
from eventstore.formats.own import own_entry, own_event
from eventstore.formats.protocol import Entry, direction_in, finding_in, iteration_in, note_in
from eventstore.formats.task_spec import parse_task
from eventstore.formats.text import count_lines, lines_of
from eventstore.formats.values import clean, moment_of, text_of, whole_of
from eventstore.formats.words import RUN_FIELDS

__all__ = ["FILES", "FileReading", "Folder", "is_state_file", "parse_folder"]

FILES = ("task_spec.md", "progress.json", "findings.jsonl", "directions_tried.json", "iteration_log.jsonl")
"""The files of a state folder; beside them lies `logs/`."""

_SNAPSHOTS = frozenset(("task_spec.md", "progress.json", "directions_tried.json"))
_KEYS = ("directions", "directions_tried", "tried", "entries", "items", "history", "list")


class FileReading(msgspec.Struct, frozen=True):
    """One file of a state folder.

    path: within the folder. reading: what it holds. appended: whether it only ever grows.
    """

    path: str
    reading: Reading
    appended: bool


class Folder(msgspec.Struct, frozen=True):
    """A state folder. files: in a fixed order. events: of all in one order, each with its file's path."""

    files: tuple[FileReading, ...]
    events: tuple[tuple[str, Placed], ...]


def is_state_file(path: str) -> bool:
    """Whether a path, relative to the folder, is one of the protocol's: `findings.jsonl`, `logs/work.jsonl`.

    All of them may lie in a folder `state` of their own, and `logs` in it or beside it.
    """
    parts = PurePosixPath(path).parts
    if parts[:1] == ("state",):
        parts = parts[1:]
    if len(parts) == 2:
        return parts[0] == "logs" and parts[1].endswith(".jsonl")
    return len(parts) == 1 and parts[0] in FILES


def parse_folder(files: Mapping[str, bytes], options: Options = PLAIN) -> Folder:
    """What the files of a state folder say. Never raises.

    `files`: contents by path within the folder; those that are none of the protocol's are left out.
    """
    known = sorted((path for path in files if is_state_file(path)), key=_rank)
    read: dict[str, Reading] = {}
    so_far = _SoFar()
    for path in sorted(known, key=lambda p: PurePosixPath(p).name in _SNAPSHOTS):
        read[path] = _parse_file(PurePosixPath(path).name, path, files[path], options, so_far)
        so_far.add(read[path])
    readings = tuple(
        FileReading(path, read[path], PurePosixPath(path).name not in _SNAPSHOTS) for path in known
    )
    return Folder(readings, tuple(_in_order(readings)))


class _SoFar:
    """What the files that grow already say, which those that are rewritten only sum up."""

    def __init__(self) -> None:
        self.config: Config | None = None
        self.status: str | None = None
        self.iteration = 0
        self.findings = 0

    def add(self, reading: Reading) -> None:
        for placed in reading.events:
            event = placed.event
            if isinstance(event, Config):
                self.config = event
            elif isinstance(event, Status):
                self.status = event.status
            elif isinstance(event, Iteration):
                self.iteration = max(self.iteration, event.iteration)
                self.findings += max(0, event.findings)


def _rank(path: str) -> tuple[int, str]:
    name = PurePosixPath(path).name
    return (FILES.index(name) if name in FILES else len(FILES), path)


def _parse_file(name: str, path: str, data: bytes, options: Options, so_far: _SoFar) -> Reading:
    out = Collector()
    if not lines_of(data):
        return out.reading("state")
    if name == "task_spec.md":
        _task(data, out, options, so_far)
    elif name == "progress.json":
        _progress(data, out, so_far)
    elif name == "directions_tried.json":
        _directions(data, out)
    elif name == "findings.jsonl":
        _each(data, out, lambda source: _own("finding", source) or finding_in(source), "finding")
    elif name == "iteration_log.jsonl":
        _iterations(data, out)
    else:
        stem = PurePosixPath(path).stem
        _each(data, out, lambda source: _log_line(source, stem), "log line")
    return out.reading("state")


def _each(data: bytes, out: Collector, read: Callable[[Any], Entry | str], reason: str) -> None:
    """Takes each object of a file of lines."""
    for found in objects_in(lines_of(data)):
        if isinstance(found, Fate):
            out.put(found)
            continue
        entry = read(found.value)
        if isinstance(entry, str):
            out.skip(found.first, entry, last=found.last)
        else:
            _take(out, found, entry, reason)


def _take(out: Collector, found: Found, entry: Entry, reason: str, key: str = "") -> None:
    taken = out.take(found.first, entry.event, reason, last=found.last, order=entry.order, key=key)
    if taken and entry.rest:
        moment = entry.event.timestamp
        kept = extra(type_of(entry.event), entry.rest, moment if isinstance(moment, int) else None)
        out.take(found.first, kept, reason, last=found.last, order=entry.order, key=f"{key}extra")


def _own(kind: str, source: Mapping[str, Any]) -> Entry | None:
    """An entry that our own export wrote."""
    event = own_entry(kind, source)
    return None if event is None else Entry(event, {}, source["seq"])


def _log_line(source: Mapping[str, Any], stem: str) -> Entry | str:
    """A line of a log: an event of ours where our own export wrote it, else a note."""
    detail = source.get("detail")
    if isinstance(detail, dict) and isinstance(detail.get("seq"), int):
        told = {
            "timestamp": source.get("ts"),
            "by": source.get("source"),
            **detail,
            "type": source.get("event"),
        }
        own = own_event(told)
        if own is not None:
            return own if isinstance(own, str) else Entry(own, {}, detail["seq"])
    return note_in(source, stem)


def _iterations(data: bytes, out: Collector) -> None:
    last = -1

    def read(source: Mapping[str, Any]) -> Entry | str:
        nonlocal last
        entry = _own("iteration", source) or iteration_in(source, last)
        if isinstance(entry, Entry) and isinstance(entry.event, Iteration):
            last = entry.event.iteration
        return entry

    _each(data, out, read, "iteration")


def _task(data: bytes, out: Collector, options: Options, so_far: _SoFar) -> None:
    config = parse_task("\n".join(lines_of(data)).encode("utf-8", "replace").decode())
    lines = count_lines(data)
    if config is None:
        out.skip(1, "no goal in it", last=lines)
    elif so_far.config is not None and _same_goal(config, so_far.config):
        out.mark(1, "the goal that the logs tell", last=lines)
    else:
        goal = options.goal or config.name
        out.take(1, msgspec.structs.replace(config, name=goal), "goal", last=lines, key=_digest(config))


def _same_goal(one: Config, other: Config) -> bool:
    names = ("name", "metricName", "metricUnit", "bestDirection", "milestones", "success")
    return all((getattr(one, name) or None) == (getattr(other, name) or None) for name in names)


def _progress(data: bytes, out: Collector, so_far: _SoFar) -> None:
    """The status; and one iteration, where the files that grow tell of fewer than the progress counts."""
    lines = count_lines(data)
    found = next((f for f in objects_in(lines_of(data)) if isinstance(f, Found)), None)
    if found is None:
        out.skip(1, "no JSON object", last=lines)
        return
    fields = Fields(found.value)
    moment = fields.first(("updated_at", "last_seen", *RUN_FIELDS["timestamp"]), moment_of)
    timestamp = moment[1] if moment else None
    status, iteration = fields.text(("status",)), whole_of(fields.use("iteration")) or 0
    total = whole_of(fields.use("total_findings")) or 0
    stale = whole_of(fields.use("stale_count"))
    key = _digest(found.value)
    if status is not None and status != so_far.status:
        out.take(1, Status(status=clean(status), timestamp=timestamp), "status", last=lines, key=key)
    if iteration > so_far.iteration:
        pursued = fields.text(("last_direction", "direction"))
        missing = Iteration(
            iteration=iteration,
            summary="as progress.json counts; the iteration log does not tell of it",
            findings=max(0, total - so_far.findings) if stale == 0 else 0,
            direction=clean(pursued),
            timestamp=timestamp,
        )
        out.take(1, missing, "iteration", last=lines, key=key)
    rest = {str(name): clean(value) for name, value in fields.rest().items()}
    if rest:
        out.take(1, extra("progress", rest, timestamp), "progress", last=lines, key=f"{key}extra")
    out.mark(1, "sums up what the other files tell", last=lines)


def _directions(data: bytes, out: Collector) -> None:
    lines = count_lines(data)
    seen: dict[str, int] = {}
    for found in _documents(data):
        if isinstance(found, Fate):
            out.put(found)
            continue
        for value in _listed(found.value):
            if isinstance(value, dict) and _told_elsewhere(value):
                continue
            entry = (_own("direction", value) if isinstance(value, dict) else None) or direction_in(value)
            if isinstance(entry, str):
                out.note(f"{entry}: {text_of(value)[:60]}")
                continue
            digest = _digest(value)
            seen[digest] = seen.get(digest, 0) + 1
            _take(out, Found(1, lines, value), entry, "directions", f"{digest}.{seen[digest]}")
        out.mark(1, "directions", last=lines)


def _told_elsewhere(source: Mapping[str, Any]) -> bool:
    """Whether our own export wrote it for a run or an iteration, which stands in a file of its own."""
    return source.get("event") in ("run", "iteration") and isinstance(source.get("seq"), int)


def _documents(data: bytes) -> Iterator[Found | Fate]:
    from eventstore.formats.objects import values_in

    return values_in(lines_of(data))


def _listed(value: Any) -> list[Mapping[str, Any] | str]:
    """The entries of a list, of a list under a key, or of an object whose keys name them."""
    if isinstance(value, dict):
        inner = next((value[key] for key in _KEYS if isinstance(value.get(key), (list, dict))), None)
        if inner is None:
            inner = next((v for v in value.values() if isinstance(v, list)), None)
        if inner is not None:
            return _listed(inner)
        if value and all(isinstance(v, dict) for v in value.values()):
            return [{"direction": key, **v} for key, v in value.items()]
        return [value] if value else []
    items = value if isinstance(value, list) else [value]
    return [item for item in items if isinstance(item, (dict, str))]


def _digest(value: Any) -> str:
    """What an entry of a file that is rewritten as a whole is known again by."""
    from hashlib import sha256

    plain = msgspec.to_builtins(value) if isinstance(value, msgspec.Struct) else value
    return sha256(text_of(plain).encode()).hexdigest()[:12]


def _in_order(readings: tuple[FileReading, ...]) -> Iterator[tuple[str, Placed]]:
    """The events of all files, the order within each kept: the goal, then the rest in the order of the log
    that they came from, where they tell it, else by their times."""
    lists = {file.path: list(file.reading.events) for file in readings}
    for path, events in lists.items():
        if PurePosixPath(path).name == "task_spec.md":
            yield from ((path, placed) for placed in events)
            events.clear()
    told = any(placed.order is not None for events in lists.values() for placed in events)
    streams = [
        [(_place(p, told, events, n), path, p) for n, p in enumerate(events)]
        for path, events in lists.items()
    ]
    for _, path, placed in merge(*streams, key=lambda item: item[0]):
        yield path, placed


def _place(placed: Placed, told: bool, events: list[Placed], index: int) -> tuple[float, float]:
    moment = placed.event.timestamp
    time = float(moment) if isinstance(moment, int) else 0.0
    if not told:
        return (0.0, time)
    order = next((p.order for p in reversed(events[: index + 1]) if p.order is not None), None)
    return (float("inf") if order is None else float(order), time)

"""Reading foreign files, and appending what is new of them in one go (decided by `commands.importing`)."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import msgspec

from commands.effects.reading import read_named, read_stdin
from commands.errors import BadInputError
from commands.importing import Changed, Ledger, Planned, Source, earlier, follow, plan, plan_folder
from eventstore.errors import ConflictError
from eventstore.events import Event, Imported
from eventstore.formats.fates import Fate, Options, Question, Reading
from eventstore.formats.recognise import FORMATS, parse, recognise
from eventstore.formats.state import FILES, Folder, is_state_file, parse_folder
from eventstore.formats.values import clean
from eventstore.store import START, Appended, Log, Position

__all__ = [
    "FileOutcome",
    "Outcome",
    "import_file",
    "import_folder",
    "is_folder",
    "is_same",
    "read_file",
    "read_folder",
]

_MOST_FILES = 10_000


class FileOutcome(msgspec.Struct, frozen=True):
    """What became of one file.

    path: as the log names it. events: how many were new. fates: of its lines. known: how many lines from the
    beginning were imported before. notes: what the reader of the report should know.
    """

    path: str
    events: int
    fates: tuple[Fate, ...]
    known: int = 0
    notes: tuple[str, ...] = ()


class Outcome(msgspec.Struct, frozen=True):
    """What an import came to.

    format: the parser's name. files: one for each file. events, runs: how many are new in all.
    appended: what the log did; None where there was nothing to append, or nothing was to be.
    """

    format: str
    files: tuple[FileOutcome, ...]
    events: int
    runs: int
    appended: Appended | None = None


def is_folder(path: str) -> bool:
    """Whether a path names a folder."""
    return path != "-" and Path(path).is_dir()


def is_same(path: str, log: Path) -> bool:
    """Whether a path names the log itself."""
    try:
        return path != "-" and log.samefile(path)
    except OSError:
        return False


def read_file(path: str, root: Path) -> Source:
    """A file's content under the name that the log has for it; `-` is standard input, or a pipe of any name.

    `root`: the session's folder, from which files in it are named. Raises BadInputError for a file that is
    not there or is none, OSError for one that cannot be read.
    """
    if path == "-":
        return Source("-", read_stdin())
    try:
        data, is_file = read_named(Path(path))
    except FileNotFoundError:
        raise BadInputError(
            f"there is no file {path}", "give the path of a log, a table or a state folder"
        ) from None
    return Source(_named(Path(path), root) if is_file else "-", data)


def read_folder(path: str, root: Path) -> dict[str, Source]:
    """The protocol's files in a folder, by path within it. Raises BadInputError when there are none."""
    top = Path(path)
    found: dict[str, Source] = {}
    for pattern in ("*", "logs/*.jsonl", "state/*", "state/logs/*.jsonl"):
        for file in sorted(top.glob(pattern))[:_MOST_FILES]:
            inner = file.relative_to(top).as_posix()
            if is_state_file(inner) and file.is_file():
                found[inner] = Source(_named(file, root), file.read_bytes())
    if not found:
        logs = [name for name in (".auto/log.jsonl", "autoresearch.jsonl") if (top / name).is_file()]
        remedy = f"ar import {top / logs[0]}" if logs else "name the log or the table itself"
        raise BadInputError(f"{path} is no state folder: none of {', '.join(FILES)} is in it", remedy)
    return found


def _named(path: Path, root: Path) -> str:
    absolute = Path(os.path.abspath(path))
    inside = absolute.is_relative_to(root)
    named: str = clean((absolute.relative_to(root) if inside else absolute).as_posix())
    return named


def import_file(
    log: Log,
    source: Source,
    options: Options,
    form: str | None = None,
    *,
    begin: Callable[[], None] | None = None,
    dry: bool = False,
) -> Outcome:
    """Appends what is new of a file, as one batch; with `dry`, nothing.

    `begin` is called before the first byte is written, if any is, so that there is a place to write to.

    Raises BadInputError, and nothing is written, for a file in no known format, one that must be asked about,
    one in which nothing can be taken, and one whose beginning is not as it was; what `Log.transact` raises.
    """
    ledger, end = _ledger(log)
    past = _unchanged(earlier(source, ledger.imports))
    if past is not None and past.bytes == len(source.data):
        return Outcome(past.format, (FileOutcome(source.path, 0, (), past.lines or 0),), 0, 0)
    form = form or recognise(source.data)
    if form is None:
        raise BadInputError(
            f"{source.path} is {'empty' if not source.data.strip() else 'in none of the known formats'}",
            f"--format with one of {', '.join(FORMATS)}, or a state folder",
        )
    decided = past.bytes or 0 if past else 0
    reading = _answered(parse(form, source.data, msgspec.structs.replace(options, decided=decided)), source)

    def planned(state: Ledger) -> Planned:
        return plan(state, source, reading, past)

    made, appended = _append(log, ledger, end, planned, None if dry else begin or _nothing)
    known = past.lines or 0 if past else 0
    outcome = FileOutcome(source.path, made.fresh.get(source.path, 0), reading.fates, known, reading.notes)
    return Outcome(reading.format, (outcome,), sum(made.fresh.values()), made.runs, appended)


def import_folder(
    log: Log,
    sources: Mapping[str, Source],
    options: Options,
    *,
    begin: Callable[[], None] | None = None,
    dry: bool = False,
) -> Outcome:
    """Appends what is new of a state folder's files, as one batch; with `dry`, nothing.

    Raises what `import_file` raises.
    """
    ledger, end = _ledger(log)
    folder = parse_folder({path: source.data for path, source in sources.items()}, options)
    pasts = {
        file.path: _unchanged(earlier(sources[file.path], ledger.imports, appended=file.appended))
        for file in folder.files
    }

    def planned(state: Ledger) -> Planned:
        return plan_folder(state, sources, folder, pasts)

    made, appended = _append(log, ledger, end, planned, None if dry else begin or _nothing)
    files = tuple(_outcome(folder, sources, pasts, made))
    return Outcome("state", files, sum(made.fresh.values()), made.runs, appended)


def _outcome(
    folder: Folder, sources: Mapping[str, Source], pasts: Mapping[str, Imported | None], made: Planned
) -> list[FileOutcome]:
    outcomes = []
    for file in folder.files:
        past = pasts[file.path]
        known = (
            past.lines or 0 if past and (file.appended or past.bytes == len(sources[file.path].data)) else 0
        )
        path = sources[file.path].path
        reading = file.reading
        outcomes.append(FileOutcome(path, made.fresh.get(path, 0), reading.fates, known, reading.notes))
    return outcomes


def _ledger(log: Log) -> tuple[Ledger, Position]:
    """What the log says that an import must know, and up to where it was read."""
    ledger, end = Ledger(), START
    for batch in log.read():
        ledger = follow(ledger, batch.records)
        end = Position(batch.last, batch.end)
    return ledger, end


def _nothing() -> None:
    """There is a place to write to already."""


def _append(
    log: Log,
    ledger: Ledger,
    end: Position,
    planned: Callable[[Ledger], Planned],
    begin: Callable[[], None] | None,
) -> tuple[Planned, Appended | None]:
    """Appends what is planned at the moment of appending; only plans it where `begin` is None."""
    made = planned(ledger)
    if begin is None or not made.events:
        return made, None
    begin()
    imports = len(ledger.imports)

    def decide(state: Ledger) -> Sequence[Event]:
        nonlocal made
        if len(state.imports) != imports:
            raise ConflictError("another import came in meanwhile", "repeat the command")
        made = planned(state)
        return made.events

    appended = log.transact(decide, fold=follow, state=ledger, after=end)
    return made, appended


def _unchanged(past: Imported | Changed | None) -> Imported | None:
    if not isinstance(past, Changed):
        return past
    what = "is gone: the file is shorter than" if past.shorter else "is not as"
    raise BadInputError(
        f"{past.path}: line {past.line} {what} when it was imported",
        "put it back as it was, or import it under another name as something new",
    )


def _answered(reading: Reading | Question, source: Source) -> Reading:
    """The reading, if there is one and something was taken. Raises BadInputError."""
    if isinstance(reading, Question):
        raise BadInputError(f"{source.path}: {reading.message}", reading.remedy)
    if reading.events or any(fate.taken for fate in reading.fates):
        return reading
    reasons = [fate for fate in reading.fates if fate.reason != "blank line"]
    why = f"line {reasons[0].line}: {reasons[0].reason}" if reasons else "it is empty"
    folder = Path(source.path).name in FILES or Path(source.path).parent.name == "logs"
    remedy = (
        "import the state folder that it lies in" if folder else f"--format with one of {', '.join(FORMATS)}"
    )
    raise BadInputError(f"{source.path} holds nothing that can be imported; {why}", remedy)

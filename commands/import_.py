"""`ar import`: takes over what another program, or another session of ours, recorded."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import PurePath
from typing import Any

import click

from commands.context import Call
from commands.effects.appending import tell_mended
from commands.effects.beginning import keep_out_of_git, make_room
from commands.effects.importing import (
    FileOutcome,
    Outcome,
    import_file,
    import_folder,
    is_folder,
    is_same,
    read_file,
    read_folder,
)
from commands.errors import BadInputError
from commands.options import by_option, examples, json_option
from commands.output import emit, emit_json
from commands.render import escape
from eventstore.formats.fates import Options, stretches
from eventstore.formats.recognise import FORMATS
from eventstore.formats.values import clean, direction_of, plain_word, status_of
from eventstore.store import Log

__all__ = ["import_cmd"]

STATUSES = ("keep", "discard", "crash", "checks_failed")
_STATE = "state"


@click.command(
    "import",
    epilog=examples(
        "ar import autoresearch.jsonl",
        "ar import results.tsv --direction lower",
        "ar import runs.tsv --columns commit,score,verdict --direction higher",
        "ar import state/",
        "ssh box cat results.tsv | ar import - --direction lower --dry-run",
    ),
)
@click.argument("path", metavar="PATH")
@click.option(
    "--format", "form", type=click.Choice([*FORMATS, _STATE]), help="Told by the content if left out."
)
@click.option(
    "--direction", metavar="lower|higher", help="Which way is better, where the source does not say."
)
@click.option("--metric", metavar="NAME", help="The column or field that is the metric.")
@click.option("--unit", metavar="TEXT", help="The metric's unit.")
@click.option("--goal", metavar="TEXT", help="The goal, where the source names none or another is meant.")
@click.option("--columns", metavar="A,B,...", help="A table's columns in order, in the place of its header.")
@click.option("--status", metavar="STATUS", help="The status of runs that have none.")
@click.option(
    "--map", "words", metavar="WORD=STATUS", multiple=True, help="What a verdict means; repeatable."
)
@click.option("--dry-run", is_flag=True, help="Show what would be taken; write nothing.")
@by_option
@json_option
@click.pass_obj
def import_cmd(
    call: Call,
    path: str,
    form: str | None,
    direction: str | None,
    metric: str | None,
    unit: str | None,
    goal: str | None,
    columns: str | None,
    status: str | None,
    words: tuple[str, ...],
    dry_run: bool,
    by: str | None,
    as_json: bool,
) -> None:
    """Take over a log, a table or a state folder that another program wrote.

    PATH is a pi-autoresearch log or one like it, a log of ours, a table (tab or comma between cells), the
    folder of the long-horizon protocol, or - for standard input. Every line's fate is told. What was imported
    before is not imported again; a file that grew adds the rest; one whose beginning changed is refused.
    """
    if form == _STATE and not is_folder(path):
        raise BadInputError(f"{path} is no folder", "name the folder that holds progress.json")
    session = call.session_to_init()
    options = Options(
        source="standard input" if path == "-" else clean(PurePath(path).name),
        goal=goal,
        metric=metric,
        unit=unit,
        direction=_direction(direction),
        columns=tuple(name.strip() for name in columns.split(",")) if columns else (),
        status=None if status is None else _status("--status", status),
        words=_words(words),
    )
    log: Log = call.writer(by, session)
    if is_same(path, session.log):
        raise BadInputError(
            f"{path} is this session's own log, which every view reads as it is",
            "ar view, or ar --log FILE import to begin another log with what it holds",
        )
    fresh = not session.log.exists()
    begin = partial(make_room, session)
    if is_folder(path):
        sources = read_folder(path, session.root)
        outcome = import_folder(log, sources, options, begin=begin, dry=dry_run)
    else:
        source = read_file(path, session.root)
        outcome = import_file(log, source, options, form, begin=begin, dry=dry_run)
    if outcome.appended is not None and fresh:
        keep_out_of_git(session)
    if outcome.appended is not None:
        tell_mended(outcome.appended)
    if as_json:
        emit_json(_document(outcome, path, dry_run))
    else:
        emit(_told(outcome, path, dry_run))


def _direction(text: str | None) -> str | None:
    if text is None:
        return None
    direction = direction_of(text)
    if direction is None:
        raise BadInputError(f"--direction: {text!r} is neither lower nor higher", "--direction lower")
    return direction


def _status(option: str, word: str) -> str:
    status = plain_word(word) if plain_word(word) in STATUSES else status_of(word)
    if status is None:
        raise BadInputError(f"{option}: {word!r} is no status", f"one of {', '.join(STATUSES)}")
    return status


def _words(pairs: tuple[str, ...]) -> Mapping[str, str]:
    """What the user's own verdicts mean, by plain word."""
    words: dict[str, str] = {}
    for pair in pairs:
        word, equals, status = pair.rpartition("=")
        if not equals or not word.strip():
            raise BadInputError(f"--map: {pair!r} is not WORD=STATUS", "--map shipped=keep")
        words[plain_word(word)] = _status("--map", status)
    return words


def _document(outcome: Outcome, path: str, dry_run: bool) -> dict[str, Any]:
    """The JSON document: what was taken, and the fate of every line."""
    head = outcome.appended.head if outcome.appended else None
    return {
        "path": path,
        "format": outcome.format,
        "events": outcome.events,
        "runs": outcome.runs,
        "dry_run": dry_run,
        "seq": head.seq if head else None,
        "head": str(head) if head else None,
        "files": [_file(file) for file in outcome.files],
    }


def _file(file: FileOutcome) -> dict[str, Any]:
    new = [fate for fate in file.fates if fate.line > file.known]
    return {
        "source": file.path,
        "events": file.events,
        "known_lines": file.known,
        "taken": sum(fate.taken for fate in new),
        "skipped": [{"line": fate.line, "reason": fate.reason} for fate in new if not fate.taken],
        "lines": [{"line": f.line, "taken": f.taken, "reason": f.reason} for f in new],
        "notes": list(file.notes),
    }


def _told(outcome: Outcome, path: str, dry_run: bool) -> str:
    """What was taken, for people; lines that met the same fate are told together."""
    verb = "would import" if dry_run else "imported"
    counts = f"{_count(outcome.events, 'event')}, {_count(outcome.runs, 'run')}"
    if not outcome.events:
        lines = [f"nothing new in {path}"]
    else:
        lines = [f"{verb} {path} ({outcome.format}): {counts}"]
    for file in outcome.files:
        own = _file_lines(file)
        if own and len(outcome.files) > 1:
            lines.append(f"{file.path}: {_count(file.events, 'event')}")
        lines += own
    return "".join(f"{escape(line)}\n" for line in lines)


def _file_lines(file: FileOutcome) -> list[str]:
    before = [f"  {_lines(1, file.known)}  imported before"] if file.known else []
    new = [fate for fate in file.fates if fate.line > file.known]
    told = [
        f"  {_lines(s.first, s.last)}  {'' if s.taken else 'skipped: '}{s.reason}" for s in stretches(new)
    ]
    lines = [*before, *told, *(f"  note: {note}" for note in file.notes)]
    return lines if file.events or not all(fate.taken for fate in new) else []


def _lines(first: int, last: int) -> str:
    return f"line {first}" if first == last else f"lines {first}-{last}"


def _count(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"

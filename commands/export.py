"""`ar export`: the log for other programs, and for people who keep tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import click

from commands.context import Call
from commands.errors import BadInputError
from commands.options import examples, json_option
from commands.output import emit, emit_json, emit_pieces, warn
from commands.render import escape
from eventstore.events import Event, Record
from eventstore.filelog import FileLog
from eventstore.formats.rows import RunRow

if TYPE_CHECKING:
    from commands.effects.exporting import WrittenFolder

__all__ = ["export_cmd"]

FORMATS = ("jsonl", "pi", "tsv", "v1-tsv", "csv", "state")
_ONE_SEGMENT = ("tsv", "v1-tsv")

POLL_SECONDS = 0.5
"""How often `--watch` looks at the log and at the folder, seconds."""


@click.command(
    "export",
    epilog=examples(
        "ar export pi > autoresearch.jsonl",
        "ar export tsv -o results.tsv",
        "ar export csv --redact -o runs.csv",
        "ar export state state/ --watch",
    ),
)
@click.argument("form", metavar="FORMAT", type=click.Choice(FORMATS))
@click.argument("directory", metavar="[DIR]", required=False)
@click.option("-o", "--output", metavar="FILE", help="Write to FILE, not to stdout.")
@click.option("--redact", is_flag=True, help="Mask secrets, home folders, hosts and addresses.")
@click.option("--force", is_flag=True, help="Overwrite what is there; edited state files are kept as .bak.")
@click.option(
    "--segment", type=click.IntRange(0), metavar="N", help="tsv, v1-tsv: this segment, not the last."
)
@click.option("--remarks", is_flag=True, help="tsv, v1-tsv: goal and direction on # lines before the header.")
@click.option("--watch", is_flag=True, help="state: keep DIR up to date, until interrupted.")
@json_option
@click.pass_obj
def export_cmd(
    call: Call,
    form: str,
    directory: str | None,
    output: str | None,
    redact: bool,
    force: bool,
    segment: int | None,
    remarks: bool,
    watch: bool,
    as_json: bool,
) -> None:
    """Write the log in another format.

    jsonl is the log's bytes; pi what pi-autoresearch reads; tsv, v1-tsv and csv are tables of runs (csv of
    all segments, the others of the last one with runs); state writes the long-horizon protocol's state and
    log files into DIR. With --watch it keeps them: they follow the log, and what a person edits there is
    reported, kept as .bak and written anew, for only the log is believed.
    """
    if watch and form != "state":
        raise BadInputError("--watch keeps a state folder", "ar export state DIR --watch")
    _check(form, directory, output, segment, remarks, as_json)
    log = call.log()
    if form == "state":
        assert directory is not None
        if watch:
            _keep_state(log, directory, redact, force, as_json)
        else:
            _tell_state(_export_state(log, directory, redact, force), directory, as_json)
        return
    chunks = _chunks(call, log, form, redact, segment, remarks)
    from commands.effects.exporting import to_file

    if output is None:
        emit_pieces(chunks)
        return
    size = to_file(output, chunks, log.path, force=force)
    if as_json:
        emit_json({"format": form, "file": output, "bytes": size})
    else:
        emit(f"{escape(output)}: {size:,} bytes\n")


def _check(
    form: str, directory: str | None, output: str | None, segment: int | None, remarks: bool, as_json: bool
) -> None:
    """Raises BadInputError for options that say nothing of this format."""
    if form == "state":
        if directory is None:
            raise BadInputError("the state folder needs a directory to be written to", "ar export state DIR")
        if output is not None:
            raise BadInputError("-o names a file; state files go into a directory", "ar export state DIR")
    elif directory is not None:
        raise BadInputError(f"{form} goes to stdout or one file, not to {directory}", f"-o {directory}")
    if form not in _ONE_SEGMENT and (segment is not None or remarks):
        option = "--segment" if segment is not None else "--remarks"
        raise BadInputError(f"{option} is for {' and '.join(_ONE_SEGMENT)}", f"ar export {form}")
    if as_json and form != "state" and output is None:
        raise BadInputError(
            "--json tells what was written to a file; here the export is the output", "-o FILE"
        )


def _chunks(
    call: Call, log: FileLog, form: str, redact: bool, segment: int | None, remarks: bool
) -> Iterable[bytes]:
    if form == "jsonl":
        from commands.effects.exporting import log_lines, mask_here

        return log_lines(call.stretches(), mask_here(log) if redact else None)
    from commands.exporting import exported, rows_of

    events = exported(_numbered(log, redact))
    if form == "pi":
        from eventstore.formats.pi_writer import write_pi

        return write_pi(events)
    return (line.encode() for line in _table(form, rows_of(events, _segment(form, segment)), remarks))


def _segment(form: str, segment: int | None) -> int | None:
    from commands.exporting import LAST

    return segment if segment is not None or form not in _ONE_SEGMENT else LAST


def _table(form: str, rows: Sequence[RunRow], remarks: bool) -> Iterator[str]:
    if form == "csv":
        from eventstore.formats.runs_csv import write_csv

        return write_csv(rows)
    from eventstore.formats.table_writer import write_karpathy, write_v1

    return (write_karpathy if form == "tsv" else write_v1)(rows, remarks=remarks)


def _numbered(log: FileLog, redact: bool) -> Iterator[tuple[int, Record]]:
    """The records of the log with their lines' numbers, masked if they are to be; damage is told."""
    from commands.effects.exporting import mask_here
    from commands.exporting import masked

    def read() -> Iterator[tuple[int, Record]]:
        for batch in log.read():
            for damaged in batch.damaged:
                warn(f"line {damaged.line} is damaged and left out: {damaged.reason}")
            yield from batch.numbered()

    return masked(read(), mask_here(log)) if redact else read()


def _export_state(log: FileLog, directory: str, redact: bool, force: bool) -> WrittenFolder:
    from commands.effects.exporting import write_state

    return write_state(directory, _state(log, redact), force=force)


def _state(log: FileLog, redact: bool) -> dict[str, bytes]:
    from commands.exporting import folder_of

    return folder_of([(seq, record) for seq, record in _numbered(log, redact) if isinstance(record, Event)])


def _tell_state(done: WrittenFolder, directory: str, as_json: bool) -> bool:
    """Says what was done to a state folder; False when nobody reads it any more."""
    if as_json:
        return emit_json({"format": "state", "directory": directory, **_fields(done)})
    count = len(done.written)
    files = "1 file" if count == 1 else f"{count} files"
    told = f"{escape(directory)}: {files} written, {len(done.unchanged)} as they were\n"
    return emit(told + "".join(f"kept what was edited as {escape(backup)}\n" for backup in done.backups))


def _keep_state(log: FileLog, directory: str, redact: bool, force: bool, as_json: bool) -> None:
    """Writes a state folder again whenever the log has grown or somebody touched a file of it."""
    import time

    from commands.effects.exporting import marks_of, write_state

    files: dict[str, bytes] = {}
    marks: object = None
    stale = True

    def catch_up() -> bool:
        """Called when all that the log holds was read; whether to go on."""
        nonlocal files, marks, stale, force
        if stale or marks != marks_of(directory, files):
            files = _state(log, redact) if stale else files
            done = write_state(directory, files, force=force)
            stale, force, marks = False, True, marks_of(directory, files)
            for backup in done.backups:
                warn(
                    f"{directory}: a file was edited; it is kept as {backup}, and is what the log says again"
                )
            if not _tell_state(done, directory, as_json):
                return False
        time.sleep(POLL_SECONDS)
        return True

    for _ in log.follow(kinds=(), wait=catch_up):
        stale = True


def _fields(done: object) -> dict[str, object]:
    import msgspec

    fields: dict[str, object] = msgspec.structs.asdict(done)  # type: ignore[arg-type]
    return fields

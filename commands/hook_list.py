"""`ar hook list`: which hooks there are, which would fire, and how they fared last."""

from __future__ import annotations

import os
from pathlib import Path

import click
import msgspec

from commands.context import Call
from commands.damage import tell_damage
from commands.hook_places import parts_folder, runs_parts
from commands.options import examples, json_option
from commands.output import emit_json, emit_table
from commands.render import ABSENT, Column, duration, escape, when
from eventstore.events import Hook
from eventstore.filelog import FileLog
from eventstore.timestamps import epoch_ms
from hooks.runner import STAGES, is_executable, script_sha256

__all__ = ["list_cmd"]


class Listed(msgspec.Struct, frozen=True):
    """A hook of a session, or a part that a `run-parts` hook runs.

    stage: before or after. path: where its script is, or would be. present: whether anything is there.
    fires: whether it would fire: a regular file with the execute bit. state: the same in words.
    last: its last fire; None if it never fired, and for a part, which is not recorded by itself.
    changed: whether the script is another one since then.
    """

    stage: str
    path: str
    present: bool
    fires: bool
    state: str
    last: Hook | None
    changed: bool


@click.command("list", epilog=examples("ar hook list", "ar hook list --json"))
@json_option
@click.pass_obj
def list_cmd(call: Call, as_json: bool) -> None:
    """List the session's hooks: whether they are there, would fire, and how they fared last."""
    last, damaged = last_fires(call.log())
    hooks = call.session.hooks
    listed = [each for stage in STAGES for each in look_at(hooks, stage, last.get(stage))]
    if as_json:
        emit_json({"hooks": listed, "damaged_lines": damaged})
    else:
        columns = (Column("stage"), Column("script"), Column("state", flexible=True), Column("last fire"))
        emit_table(columns, [_row(each) for each in listed])
    tell_damage(damaged)


def last_fires(log: FileLog) -> tuple[dict[str, Hook], list[int]]:
    """The last fire of each stage, and the numbers of damaged lines."""
    last: dict[str, Hook] = {}
    damaged: list[int] = []
    for batch in log.read(kinds=(Hook,)):
        last |= {record.stage: record for record in batch.records if type(record) is Hook}
        damaged += [record.line for record in batch.damaged]
    return last, damaged


def look_at(hooks: Path, stage: str, last: Hook | None) -> list[Listed]:
    """The hook of a stage, and its parts if it has any."""
    hook = look(hooks / f"{stage}.sh", stage, last)
    if not (hook.fires and runs_parts(hooks, stage)):
        return [hook]
    parts = sorted(parts_folder(hooks, stage).glob("[!.]*.sh"), key=lambda path: os.fsencode(path.name))
    return [hook, *(look(path, stage, None) for path in parts)]


def look(path: Path, stage: str, last: Hook | None) -> Listed:
    """What is at the place of a hook's script."""
    fires = is_executable(path)
    state = "fires" if fires else _why_not(path)
    known = last.script_sha256 if last is not None and fires else None
    return Listed(
        stage=stage,
        path=str(path),
        present=os.path.lexists(path),
        fires=fires,
        state=state,
        last=last,
        changed=known is not None and script_sha256(path) != known,
    )


def _why_not(path: Path) -> str:
    """Why what is there, or not there, would not fire."""
    try:
        path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return "absent"
    except OSError as error:
        return f"out of reach: {(error.strerror or '').lower()}"
    if os.path.isfile(path):
        return "not executable (chmod +x), so it would not fire"
    return "no regular file" if os.path.exists(path) else "a link to nothing"


def _row(listed: Listed) -> tuple[str, ...]:
    state = f"{listed.state}, changed since" if listed.changed else listed.state
    return listed.stage, escape(os.path.relpath(listed.path)), state, _told(listed.last)


def _told(event: Hook | None) -> str:
    """How a fire went, in a line."""
    if event is None:
        return ABSENT
    took = "" if event.duration_ms is None else f" after {duration(event.duration_ms / 1000)}"
    if event.timed_out:
        ended = f"timed out{took}"
    elif event.exit_code is None:
        ended = "could not be run"
    else:
        ended = f"exit {event.exit_code}{took}"
    said = "" if event.steer else ", silent"
    return f"{when(epoch_ms(event.timestamp))}: {ended}{said}"

"""`ar hook add`: puts a shipped example in a hook's place."""

from __future__ import annotations

import os
import re
from pathlib import Path

import click

from commands.context import Call
from commands.errors import BadInputError
from commands.hook_places import PARTS, parts_folder, runs_parts
from commands.options import examples, json_option
from commands.output import emit, emit_json, emit_table
from commands.render import Column, escape
from eventstore.errors import ConflictError, StorageError
from hooks.examples import EXAMPLES, UnknownExampleError, find, read
from hooks.runner import STAGES, is_executable

__all__ = ["add_cmd"]


@click.command(
    "add",
    epilog=examples(
        "ar hook add                       # which there are",
        "ar hook add anti-thrash",
        "ar hook add run-parts --as after",
    ),
)
@click.argument("name", metavar="[NAME]", required=False)
@click.option("--as", "stage", type=click.Choice(STAGES), help="Its stage, if not the one it is made for.")
@click.option("--force", is_flag=True, help="Replace the hook that is there.")
@json_option
@click.pass_obj
def add_cmd(call: Call, name: str | None, stage: str | None, force: bool, as_json: bool) -> None:
    """Copy an example hook into the session, executable; without NAME, list the examples.

    The copy is yours: its constants are at its top. A hook that is there is not replaced without --force. For
    several concerns at once add run-parts first: what is added after it goes into before.d/ or after.d/.
    """
    if name is None:
        _list(as_json)
        return
    try:
        example, script = find(name), read(name)
    except UnknownExampleError as error:
        near = error.nearest
        message = f"there is no example {name!r}; there are {', '.join(each.name for each in EXAMPLES)}"
        raise BadInputError(message, f"ar hook add {near or 'anti-thrash'}") from error
    path = place_of(call.session_to_init().hooks, stage or example.stage, example.name)
    added = place(path, script, force)
    needs = needs_of(script)
    if as_json:
        emit_json({"name": example.name, "path": str(path), "added": added, "needs": needs})
        return
    shown = escape(os.path.relpath(path))
    emit(f"{shown} is now {example.name}\n" if added else f"{shown} is {example.name} already\n")
    emit(f"needs: {needs}\ntry: ar hook test {shown} --mock\n")


def place_of(hooks: Path, stage: str, name: str) -> Path:
    """Where an example goes: the stage's hook, or, where that is `run-parts`, a part of it."""
    if name != PARTS and runs_parts(hooks, stage):
        return parts_folder(hooks, stage) / f"{name}.sh"
    return hooks / f"{stage}.sh"


def place(path: Path, script: bytes, force: bool) -> bool:
    """Puts a script in its place, executable and in one step; False if it stood there already.

    Raises ConflictError when another is there and is not to be replaced, StorageError when it cannot be
    written.
    """
    try:
        if is_executable(path) and path.read_bytes() == script:
            return False
        if os.path.lexists(path) and not force:
            raise ConflictError(f"{path} is there already", _way_out(path))
        path.parent.mkdir(parents=True, exist_ok=True)
        fresh = path.with_name(f".{path.name}.{os.getpid()}.new")
        try:
            fresh.write_bytes(script)
            fresh.chmod(0o755)
            os.replace(fresh, path)
        finally:
            fresh.unlink(missing_ok=True)
    except OSError as error:
        where = error.filename or path
        raise StorageError(f"cannot write {where}: {error.strerror}", "check what is there") from error
    return True


def _way_out(path: Path) -> str:
    """How to add an example although another script is in its place: a part has but one place."""
    if path.stem not in STAGES:
        return "--force replaces it; to keep it, rename it"
    return (
        f"--force replaces it; to keep it, move it to {path.stem}.d/ and ar hook add {PARTS} --as {path.stem}"
    )


def needs_of(script: bytes) -> str:
    """What the header of an example says that it needs."""
    found = re.search(r"^# Needs: (.+)$", script.decode(), re.MULTILINE)
    return found[1].rstrip(".") if found else ""


def _list(as_json: bool) -> None:
    if as_json:
        emit_json({"examples": [each._asdict() for each in EXAMPLES]})
        return
    emit_table(
        (Column("name"), Column("stage"), Column("what it does", flexible=True)),
        [tuple(each) for each in EXAMPLES],
    )

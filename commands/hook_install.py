"""`ar hook install`: registers error capture with a coding agent."""

from __future__ import annotations

import os
from pathlib import Path

import click

from commands.claude_settings import (
    EVENTS,
    Document,
    SettingsError,
    capture_command,
    install,
    parse,
    remove,
    render,
)
from commands.effects.own_program import own_argv
from commands.effects.settings_file import read_if_there, replace_file
from commands.errors import BadInputError
from commands.options import examples, json_option
from commands.output import emit, emit_json
from commands.render import escape
from eventstore.errors import StorageError

__all__ = ["install_cmd"]


@click.command(
    "install",
    epilog=examples(
        "ar hook install claude --dry-run",
        "ar hook install claude --user",
        "ar hook install claude --remove",
    ),
)
@click.argument("agent", type=click.Choice(["claude"]))
@click.option("--remove", "removing", is_flag=True, help="Take it out again.")
@click.option("--user", is_flag=True, help="For all of your projects: ~/.claude/settings.json.")
@click.option("--dry-run", is_flag=True, help="Show what would change, and change nothing.")
@json_option
def install_cmd(agent: str, removing: bool, user: bool, dry_run: bool, as_json: bool) -> None:
    """Register error capture with Claude Code, for its Bash tool.

    Merges an absolute command into the project's .claude/settings.json, for the events PostToolUse and
    PostToolUseFailure; everything else in the file stays. Doing it twice changes nothing more. What was
    there is kept in settings.json.bak.
    """
    path = settings_path(Path.cwd(), user)
    before = read_if_there(path)
    document = _parse(path, before)
    command = None if removing else _command()
    changed = remove(document) if command is None else install(document, command)
    backup = None
    after = before if changed is document else render(changed)
    if changed is not document and not dry_run:
        backup = replace_file(path, render(changed), before)
    if as_json:
        emit_json(
            {
                "agent": agent,
                "path": str(path),
                "changed": changed is not document,
                "dry_run": dry_run,
                "events": list(EVENTS),
                "command": command,
                "backup": None if backup is None else str(backup),
            }
        )
    elif dry_run and changed is not document:
        emit(_difference(path, before or b"", after or b""))
    else:
        emit(_told(path, changed is not document, removing, backup))


def settings_path(start: Path, user: bool) -> Path:
    """The settings to change: the user's, or those at the root of the repository around `start`."""
    if user:
        configured = os.environ.get("CLAUDE_CONFIG_DIR")
        return (Path(configured).absolute() if configured else _home() / ".claude") / "settings.json"
    root = next((each for each in (start, *start.parents) if (each / ".git").exists()), start)
    return root / ".claude" / "settings.json"


def _home() -> Path:
    """The user's home directory; without HOME the one that the system knows of."""
    given = os.environ.get("HOME")
    if given is not None and not os.path.isabs(given):
        raise StorageError(f"HOME is no absolute path: {given!r}", "set HOME")
    try:
        return Path.home()
    except RuntimeError as error:
        raise StorageError("there is no home directory", "set HOME") from error


def _parse(path: Path, data: bytes | None) -> Document:
    try:
        return parse(data or b"")
    except SettingsError as error:
        raise BadInputError(f"{path} is left as it is: {error}", "mend it, then repeat") from error


def _command() -> str:
    program = own_argv()
    try:
        "".join(program).encode()
    except UnicodeEncodeError as error:
        raise BadInputError(
            f"{program[0]!a} is no UTF-8, which JSON cannot hold", "install ar elsewhere"
        ) from error
    return capture_command(program)


def _difference(path: Path, before: bytes, after: bytes) -> str:
    from difflib import unified_diff

    lines = unified_diff(
        before.decode().splitlines(keepends=True),
        after.decode().splitlines(keepends=True),
        f"{path} (as it is)",
        f"{path} (as it would be)",
    )
    return "".join(escape(line.rstrip("\r\n"), lines=True) + "\n" for line in lines)


def _told(path: Path, changed: bool, removing: bool, backup: Path | None) -> str:
    shown = escape(str(path))
    if not changed:
        state = "has no error capture of ours" if removing else "has it already"
        return f"{shown} {state}: nothing to change\n"
    done = "error capture is no longer in" if removing else "error capture is in"
    kept = f"what was there is in {escape(str(backup))}\n" if backup is not None else ""
    when = "" if removing else "it runs after each Bash call, and is silent when no error text matches\n"
    return f"{done} {shown}\n{when}{kept}"

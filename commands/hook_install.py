"""`ar hook install`: registers error capture with a coding agent."""

from __future__ import annotations

from pathlib import Path

import click

from commands.effects.registering import changes_of, make, program, scope_of
from commands.options import examples, json_option
from commands.output import emit, emit_json
from commands.registering.claude import CAPTURE_EVENTS, capture_settings, settings_path
from commands.registering.ours import ERROR_CAPTURE, shell_command
from commands.registering.recipe import Part
from commands.registering_text import difference
from commands.render import escape

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
    """Register error capture alone with Claude Code, for its Bash tool.

    Merges an absolute command into the project's .claude/settings.json, for the events PostToolUse and
    PostToolUseFailure; everything else in the file stays, byte for byte. Doing it twice changes nothing more.
    What was there is kept in a dated .bak beside it. `ar setup` registers all that there is.
    """
    scope = scope_of(Path.cwd(), user)
    argv = program()
    path = settings_path(scope)
    change = changes_of([Part("hooks", path, capture_settings(argv))], removing=removing)[0]
    backup = None
    if change.changes and not dry_run:
        backup = make(change, path.parent.parent)
    if as_json:
        emit_json(
            {
                "agent": agent,
                "path": str(path),
                "changed": change.changes,
                "dry_run": dry_run,
                "events": list(CAPTURE_EVENTS),
                "command": None if removing else shell_command(argv, ERROR_CAPTURE),
                "backup": None if backup is None else str(backup),
            }
        )
    elif dry_run and change.changes:
        emit(difference(change))
    else:
        emit(_told(path, change.changes, removing, backup))


def _told(path: Path, changed: bool, removing: bool, backup: Path | None) -> str:
    shown = escape(str(path))
    if not changed:
        state = "has no error capture of ours" if removing else "has it already"
        return f"{shown} {state}: nothing to change\n"
    done = "error capture is no longer in" if removing else "error capture is in"
    kept = f"what was there is in {escape(str(backup))}\n" if backup is not None else ""
    when = "" if removing else "it runs after each Bash call, and is silent when no error text matches\n"
    return f"{done} {shown}\n{when}{kept}"

"""`ar setup`: gives a coding agent the whole of `ar`."""

from __future__ import annotations

from pathlib import Path

import click

from commands.effects.registering import changes_of, make, moved_harness, program, require_writable, scope_of
from commands.options import examples, json_option
from commands.output import emit, emit_json
from commands.registering.recipe import Change
from commands.registering.recipes import AGENTS, recipe_of
from commands.registering_text import difference, told
from commands.verb import Verb

__all__ = ["setup_cmd"]


@click.command(
    "setup",
    cls=Verb,
    epilog=examples(
        "ar setup claude --dry-run", "ar setup codex", "ar setup gemini --user", "ar setup claude --remove"
    ),
)
@click.argument("agent", metavar="AGENT", type=click.Choice(AGENTS))
@click.option("--user", is_flag=True, help="For all of your projects, in your home directory.")
@click.option("--remove", "removing", is_flag=True, help="Take out again what was put in.")
@click.option("--dry-run", is_flag=True, help="Show what would change, and change nothing.")
@json_option
def setup_cmd(agent: str, user: bool, removing: bool, dry_run: bool, as_json: bool) -> None:
    """Give a coding agent the whole of ar: its MCP server, hooks and skills.

    AGENT is claude, codex, gemini, opencode or pi.

    Writes into the files that the agent reads, in this project or for all of your projects, with absolute
    commands: error capture, the brief after a compaction, and four skills. What is there stays, comments and
    order too; a dated .bak of it is kept beside it. Doing it twice changes nothing more; --remove leaves the
    files as they were. Files that are malformed or read-only are refused, and then nothing is written at all.
    """
    from autoresearch_ledger import __version__

    scope = scope_of(Path.cwd(), user)
    argv = program()
    recipe = recipe_of(agent, scope, argv, __version__)
    changes = changes_of(recipe.parts, removing=removing)
    if not dry_run:
        require_writable(changes)
    backups = [None if dry_run or not each.changes else make(each, recipe.base) for each in changes]
    notes = () if removing else recipe.missing
    steps = () if removing else (*needs(), *recipe.next)
    if not user and not dry_run and any(each.changes for each in changes) and moved_harness(scope.root):
        steps = ("ar init --new-segment: skills belong to the harness of the session under way", *steps)
    if as_json:
        emit_json(
            {
                "agent": agent,
                "scope": "user" if user else "project",
                "root": str(scope.home if user else scope.root),
                "remove": removing,
                "changed": any(each.changes for each in changes),
                "dry_run": dry_run,
                "command": argv,
                "files": [_document(each, backup) for each, backup in zip(changes, backups, strict=True)],
                "missing": notes,
                "next": steps,
            }
        )
    elif dry_run:
        emit("".join(difference(each) for each in changes if each.changes) or "nothing to change\n")
    else:
        emit(told(agent, scope, changes, backups, notes, steps))


def needs() -> list[str]:
    """What is to be installed before what was registered works, a sentence each."""
    from importlib.util import find_spec

    if find_spec("mcp") is not None:
        return []
    return ["the MCP server needs the extra mcp: pip install 'autoresearch-ledger[mcp]'"]


def _document(change: Change, backup: Path | None) -> dict[str, object]:
    """The JSON document of a change."""
    return {
        "kind": change.part.kind,
        "path": str(change.part.path),
        "outcome": change.outcome,
        "note": change.note,
        "backup": None if backup is None else str(backup),
    }

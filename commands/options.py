"""Options that several verbs share, and how a verb's examples are shown in its help."""

from __future__ import annotations

import click

__all__ = ["at_option", "by_option", "cache_option", "examples", "json_option", "view_option"]

json_option = click.option("--json", "as_json", is_flag=True, help="One JSON document, for programs.")
"""`as_json`: whether to print JSON in the place of text."""

by_option = click.option(
    "--by",
    metavar="ROLE[:NAME]",
    help="Who appends: user, worker, orchestrator, guardian or verifier. [AR_BY]",
)
"""`by`: the author, or None; `Call.author` finds out the rest."""

at_option = click.option(
    "--at", "where", metavar="WHERE", help="Look back: a line, run:N, an ISO time (UTC) or head."
)
"""`where`: a WHERE as text, or None."""

cache_option = click.option("--no-cache", is_flag=True, help="Replay the log, ignoring snapshots.")
"""`no_cache`: whether snapshots are neither read nor written."""

view_option = click.option(
    "--view", "view", metavar="VIEW", default="session", show_default=True, help="The view that is looked at."
)
"""`view`: the name of a view."""


def examples(*lines: str) -> str:
    """An epilog for a verb's help that shows how it is called."""
    return "\b\nExamples:\n" + "\n".join(f"  {line}" for line in lines)

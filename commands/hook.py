"""`ar hook`: scripts at iteration boundaries, and error capture. One module a subcommand."""

from __future__ import annotations

import click

from commands.options import examples
from commands.output import emit
from commands.verb import VerbGroup

__all__ = ["hook_cmd"]

SUBCOMMANDS = ("fire", "payload", "test", "list", "add", "install", "error-capture", "brief")
"""In the order of the reference; `test` is `commands.hook_test:test_cmd`."""


class Subcommands(VerbGroup):
    """The subcommands, imported when they are called."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """The subcommands, in the order of the reference."""
        return list(SUBCOMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """The subcommand, or None if there is no such one."""
        if cmd_name not in SUBCOMMANDS:
            return None
        from importlib import import_module

        name = cmd_name.replace("-", "_")
        command: click.Command = getattr(import_module(f"commands.hook_{name}"), f"{name}_cmd")
        return command


@click.group(
    "hook",
    cls=Subcommands,
    invoke_without_command=True,
    subcommand_metavar="COMMAND ...",
    epilog=examples(
        "ar hook add anti-thrash",
        "ar hook test .auto/hooks/before.sh --mock",
        "ar hook payload after --at run:5 | jq .run_entry",
    ),
)
@click.pass_context
def hook_cmd(ctx: click.Context) -> None:
    """Scripts that fire between iterations, and error capture for agents.

    .auto/hooks/before.sh fires before an iteration, after.sh when a run is closed; each gets a line of JSON
    on stdin, and what it prints reaches the agent.
    """
    if ctx.invoked_subcommand is None:
        emit(ctx.get_help() + "\n")

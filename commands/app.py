"""`ar` itself: the group of all verbs, of which only the one that is called is imported."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import click

from commands.context import Call
from commands.errors import BadInputError, nearest, report
from commands.verb import help_option
from commands.verbs import GROUPS, VERBS, place_of

__all__ = ["COMPLETE", "cli", "run"]

COMPLETE = "_AR_COMPLETE"
"""The environment variable by which a shell asks for completions (`ar completion`)."""


_WHOLE = 200
"""Longer than any summary: one that does not fit a line is wrapped, not cut."""


class Verbs(click.Group):
    """The verbs, imported when they are called."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """The verbs, in the order of the reference."""
        return [verb for verbs in GROUPS.values() for verb in verbs]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """The verb's command, or None if there is no such verb."""
        if cmd_name not in VERBS:
            return None
        from importlib import import_module

        module, attribute = place_of(cmd_name)
        command: click.Command = getattr(import_module(module), attribute)
        return command

    def get_help_option(self, ctx: click.Context) -> click.Option | None:
        """The option that shows the help; see `Verb`."""
        return help_option(self.get_help_option_names(ctx))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click does it, but an unknown verb is answered with the nearest one."""
        name = args[0]
        if name not in VERBS and not name.startswith("-"):
            near = nearest(name, self.list_commands(ctx))
            raise BadInputError(f"there is no command {name!r}", f"ar {near}" if near else "ar --help")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The verbs under the headings of their groups."""
        width = max(map(len, VERBS))
        for heading, verbs in GROUPS.items():
            commands = [(verb.ljust(width), self.get_command(ctx, verb)) for verb in verbs]
            with formatter.section(heading):
                formatter.write_dl(
                    [(verb, c.get_short_help_str(_WHOLE)) for verb, c in commands if c is not None]
                )


def _show_version(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted and not ctx.resilient_parsing:
        from autoresearch_ledger import __version__
        from commands.output import emit

        emit(f"ar {__version__}\n")
        ctx.exit()


@click.group(
    cls=Verbs,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 80},
    invoke_without_command=True,
    options_metavar="[-C DIR] [--log FILE]",
    subcommand_metavar="COMMAND ...",
    epilog="A call of the archiver of the same name (`ar rcs lib.a x.o`) goes on to the next `ar` on PATH.",
)
@click.option("-C", "directory", metavar="DIR", help="Work as if started in DIR.")
@click.option("--log", "log_file", metavar="FILE", help="Use this log instead of the session's.")
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_show_version,
    help="Show the version and exit.",
)
@click.pass_context
def cli(ctx: click.Context, directory: str | None, log_file: str | None) -> None:
    """The flight recorder and control desk of autonomous optimisation sessions.

    Whatever happens is an event in one append-only log; all else is a view of it.
    """
    if directory is not None:
        _enter(directory)
    ctx.obj = Call(log_file, in_place=directory is not None)
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


def _enter(directory: str) -> None:
    try:
        os.chdir(directory)
    except OSError as error:
        raise BadInputError(f"-C {directory}: {error.strerror}", "name a directory that exists") from error


def run(argv: Sequence[str]) -> int:
    """Runs one call of `ar` in this process and returns its exit code; errors are told on stderr.

    Raises only what nobody raises on purpose, for the launcher to report.
    """
    try:
        instruction = os.environ.get(COMPLETE)
        if instruction:
            from click.shell_completion import shell_complete

            return shell_complete(cli, {}, "ar", COMPLETE, instruction)
        with cli.make_context("ar", list(argv)) as ctx:
            outcome: Any = cli.invoke(ctx)
        return outcome if type(outcome) is int else 0
    except BaseException as error:
        return report(error)

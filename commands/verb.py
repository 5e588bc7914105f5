"""What every command of ours is made of."""

from __future__ import annotations

import click

from commands.errors import BadInputError, nearest

__all__ = ["Verb", "VerbGroup", "help_option"]


class Verb(click.Command):
    """A command whose help option is made without click's translations.

    There is none of ours, and the search for the locale's costs as much as all the rest of the parsing.
    """

    def get_help_option(self, ctx: click.Context) -> click.Option | None:
        """The option that shows the help."""
        return help_option(self.get_help_option_names(ctx))


_WHOLE = 200
"""Longer than any summary: one that does not fit a line is wrapped, not cut."""


class VerbGroup(click.Group):
    """A command with commands of its own below it; an unknown one is answered with the nearest."""

    def get_help_option(self, ctx: click.Context) -> click.Option | None:
        """The option that shows the help; see `Verb`."""
        return help_option(self.get_help_option_names(ctx))

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """The commands, in the order they were added."""
        return list(self.commands)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The commands with their whole summaries."""
        with formatter.section("Commands"):
            commands = [(name, self.get_command(ctx, name)) for name in self.list_commands(ctx)]
            formatter.write_dl(
                [(name, c.get_short_help_str(_WHOLE)) for name, c in commands if c is not None]
            )

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click does it, but the error names the nearest command."""
        name, known = args[0], self.list_commands(ctx)
        if name not in known and not name.startswith("-"):
            near = nearest(name, known)
            path = f"{self.name} {near}" if near else f"{self.name} --help"
            raise BadInputError(f"there is no command '{self.name} {name}'", f"ar {path}")
        return super().resolve_command(ctx, args)


def help_option(names: list[str]) -> click.Option:
    """An option that shows the help of its command and ends the call."""

    def show(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
        if wanted and not ctx.resilient_parsing:
            click.echo(ctx.get_help(), color=ctx.color)
            ctx.exit()

    return click.Option(
        names,
        is_flag=True,
        is_eager=True,
        expose_value=False,
        callback=show,
        help="Show this message and exit.",
    )

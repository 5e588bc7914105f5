"""What every command of ours is made of."""

from __future__ import annotations

import click

__all__ = ["Verb", "help_option"]


class Verb(click.Command):
    """A command whose help option is made without click's translations.

    There is none of ours, and the search for the locale's costs as much as all the rest of the parsing.
    """

    def get_help_option(self, ctx: click.Context) -> click.Option | None:
        """The option that shows the help."""
        return help_option(self.get_help_option_names(ctx))


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

"""`ar completion`: the script by which a shell completes our commands and options."""

from __future__ import annotations

import click

from commands.options import examples
from commands.output import emit
from commands.verb import Verb

__all__ = ["completion_cmd"]


@click.command(
    "completion",
    cls=Verb,
    epilog=examples(
        'eval "$(ar completion bash)"      # in ~/.bashrc',
        'eval "$(ar completion zsh)"       # in ~/.zshrc',
        "ar completion fish > ~/.config/fish/completions/ar.fish",
    ),
)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion_cmd(shell: str) -> None:
    """Print the completion script of a shell.

    bash (4.4 or newer), zsh or fish. It asks `ar` itself, so it needs no renewal.
    """
    from click.shell_completion import get_completion_class

    from commands.app import COMPLETE, cli

    kind = get_completion_class(shell)
    assert kind is not None, "click knows these shells"
    emit(kind(cli, {}, "ar", COMPLETE).source() + "\n")

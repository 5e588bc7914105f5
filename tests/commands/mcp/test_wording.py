"""What an error's advice for a shell is called among the tools."""

from __future__ import annotations

import click
import pytest

from commands.app import cli
from commands.mcp.schemas import input_schema
from commands.mcp.tools import TOOLS
from commands.mcp.wording import TOOL_OF, here


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("ar why best_metric", ""),
        ("ar on switches it on again", ""),
        ("undo it, or say that it is yours: ar cycle --allow-dirty", ""),
        ("ar init, ar -C DIR ..., or ar --log FILE ...", "ar init is init_experiment"),
        (
            "ar init needs --unit and --direction ar init 'x' --metric total --unit s --direction lower",
            "ar init is init_experiment, --metric is metric_name, --unit is metric_unit",
        ),
        ("ar cycle -m 'what I changed', or ar propose first", "-m is description"),
        ("ar log ... --metrics rss_kb=NUMBER", "ar log is log_experiment"),
        ("the star logs of ar logic", ""),
    ],
)
def test_names_that_differ_are_told(text: str, said: str) -> None:
    """Tools and arguments whose names one could not guess, and no others."""
    assert here(text) == said


@pytest.mark.parametrize("command", TOOL_OF)
def test_the_names_are_there(command: str) -> None:
    """Each command with its options, each tool with its arguments; every tool that has a command."""
    found: click.Command = cli
    for word in command.split():
        assert isinstance(found, click.Group)
        next_one = found.get_command(click.Context(found), word)
        assert next_one is not None
        found = next_one
    tool, arguments = TOOL_OF[command]
    options = {name for param in found.params for name in (*param.opts, *param.secondary_opts)}
    assert set(arguments) <= options
    for argument in arguments.values():
        schema = input_schema(TOOLS[tool].takes)
        for step in argument.split("."):
            schema = schema["properties"][step]
    assert {tool for tool, _ in TOOL_OF.values()} == set(TOOLS) - {"run_experiment"}


def test_options_called_alike_are_arguments_called_alike() -> None:
    """Of the commands that have a tool: what is not told to be otherwise has the option's name."""
    left_out = {
        *("help", "as_json", "by", "git_hooks", "no_cache", "follow", "count", "pid", "register", "interval"),
        *("level", "argv", "text", "key", "where", "name", "resume"),
        "turn",  # for agents that a loop starts; who calls a tool drives the session itself
    }
    for command, (tool, arguments) in TOOL_OF.items():
        found = cli.get_command(click.Context(cli), command.partition(" ")[0])
        if " " in command or found is None:
            continue
        known = set(input_schema(TOOLS[tool].takes)["properties"])
        for param in found.params:
            names = {option.removeprefix("--").replace("-", "_") for option in param.opts if "--" in option}
            if names and param.name not in left_out and not set(param.opts) & set(arguments):
                assert names & known, (command, param.opts)

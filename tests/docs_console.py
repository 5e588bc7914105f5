"""Consoles in the docs: commands and what they print, run again to see that they still print it.

`python -m tests.docs_console docs/hooks.md` puts what they print today into the page.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from tests.commands.conftest import environment, install

_BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)


class Step(NamedTuple):
    """A command of a console, and what it is said to print on stdout and stderr."""

    command: str
    output: str


def steps_of(page: str) -> list[Step]:
    """The steps of every console of a page, in order.

    A command starts with `$ `, its further lines with `> `; what stands below, up to the next one, is output.
    """
    steps: list[Step] = []
    for block in _BLOCK.findall(page):
        for line in block.splitlines(keepends=True):
            if line.startswith("$ "):
                steps.append(Step(line[2:], ""))
            elif line.startswith(("> ", ">\n")) and steps and not steps[-1].output:
                steps[-1] = Step(steps[-1].command + line[1:].removeprefix(" "), "")
            else:
                steps[-1] = Step(steps[-1].command, steps[-1].output + line)
    return steps


def run_steps(steps: list[Step], scratch: Path) -> list[str]:
    """What the commands print when bash runs them, one after the other in one project with our `ar`."""
    script = install(scratch / "bin")
    places = (str(script.parent), str(Path(sys.executable).parent), os.environ["PATH"])
    env = environment(PATH=os.pathsep.join(places))
    project = scratch / "project"
    project.mkdir()
    outputs = []
    for step in steps:
        done = subprocess.run(
            ["bash", "-c", step.command],
            cwd=project,
            env=env,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        outputs.append(done.stdout.decode())
    return outputs


def with_outputs(page: str, outputs: list[str]) -> str:
    """The page with these outputs in the place of those that it shows; one for each step."""
    rest = iter(outputs)

    def fresh(block: re.Match[str]) -> str:
        commands = [
            step.command.rstrip("\n").replace("\n", "\n> ").replace("> \n", ">\n")
            for step in steps_of(block[0])
        ]
        return "```console\n" + "".join(f"$ {command}\n{next(rest)}" for command in commands) + "```"

    return _BLOCK.sub(fresh, page)


def _rewrite(path: Path) -> None:
    from tempfile import TemporaryDirectory

    page = path.read_text()
    with TemporaryDirectory() as scratch:
        path.write_text(with_outputs(page, run_steps(steps_of(page), Path(scratch))))


if __name__ == "__main__":
    for name in sys.argv[1:]:
        _rewrite(Path(name))

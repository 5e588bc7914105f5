"""The shipped skills: their front matter, and that every command in them exists and runs."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import click
import pytest

from commands.app import cli
from commands.mcp.tools import TOOLS
from commands.registering.sealed import OPEN, seal
from commands.registering.servers import NAME
from commands.registering.skills import CODEX_METADATA, SKILLS, read, skill_parts
from tests.commands.conftest import environment, install
from tests.commands.sandbox import plain_git

__all__ = ["plain_git"]

SECONDS = 120


def body(name: str) -> str:
    """A skill's text below its front matter."""
    text = read(name)
    assert text is not None
    return text.split("\n---\n", 1)[1]


def front_matter(name: str) -> dict[str, str]:
    """A skill's front matter, one line a field; texts that hold a colon are quoted, as YAML wants them."""
    text = read(name)
    assert text is not None
    assert text.startswith("---\n")
    fields = {}
    for line in text[4:].split("\n---\n", 1)[0].splitlines():
        key, _, value = line.partition(":")
        assert value == "" or value.startswith(" ")
        value = value.strip()
        fields[key.strip()] = json.loads(value) if value.startswith('"') else value
        assert value.startswith('"') or ": " not in value
    return fields


@pytest.mark.parametrize("name", SKILLS)
def test_the_front_matter_is_what_the_standard_asks_for(name: str) -> None:
    """The name of its folder, a description of at most 1,024 characters that says when to use it."""
    fields = front_matter(name)

    assert fields["name"] == name
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name)
    assert 50 < len(fields["description"]) <= 1024
    assert fields["origin"] == OPEN


def test_only_the_loop_is_never_chosen_by_the_agent_itself() -> None:
    """It runs for hours; the others are instructions."""
    explicit = [name for name in SKILLS if front_matter(name).get("disable-model-invocation") == "true"]
    fields = front_matter("autoresearch")

    assert explicit == ["autoresearch"]
    assert fields["argument-hint"] == "[metric command]"
    allowed = set(fields["allowed-tools"].split())
    assert {"Bash", "Edit", "Write"} <= allowed
    assert {each for each in allowed if "__" in each} == {f"mcp__{NAME}__{tool}" for tool in TOOLS}


@pytest.mark.parametrize("name", SKILLS)
def test_a_tool_that_is_named_exists(name: str) -> None:
    """Those in brackets behind a step, and those called so."""
    named = re.findall(r"^ *\(((?:`\w+`(?:, )?)+)\.\)$|\(tool `(\w+)`\)", body(name), re.MULTILINE)
    tools = {tool for several, one in named for tool in [one, *re.findall(r"\w+", several)] if tool}

    assert tools <= set(TOOLS)
    assert tools or name in ("autoresearch-hooks", "autoresearch-finalize")


def test_codex_is_told_so_in_its_own_file() -> None:
    """Of the loop alone."""
    having = [name for name in SKILLS if read(name, CODEX_METADATA) is not None]
    metadata = read("autoresearch", CODEX_METADATA) or ""

    assert having == ["autoresearch"]
    assert "policy:\n  allow_implicit_invocation: false\n" in metadata
    assert "$autoresearch" in metadata


def test_every_file_is_sealed_where_it_is_put() -> None:
    """Codex's own file only where Codex is meant."""
    parts = skill_parts(Path("/x"), "9", codex=True)
    others = skill_parts(Path("/x"), "9")

    assert [part.path for part in parts if part not in others] == [Path("/x/autoresearch") / CODEX_METADATA]
    assert others[0].text == seal(read("autoresearch") or "", "9")
    assert len(others) == len(SKILLS)


def inline(text: str) -> list[str]:
    """The commands of ours that are named within sentences and tables."""
    prose = re.sub(r"^ *```.*?^ *```$", "", text, flags=re.MULTILINE | re.DOTALL)
    return [command for command in re.findall(r"`([^`]+)`", prose) if command.split()[0] == "ar"][:]


@pytest.mark.parametrize(
    ("name", "command"), [(name, each) for name in SKILLS for each in inline(body(name)) if each != "ar"]
)
def test_a_command_that_is_named_exists(name: str, command: str) -> None:
    """With these options and arguments; a bare name is the name of a command."""
    words = shlex.split(command)[1:]
    if words[0].startswith("-"):
        assert words == ["--version"]
        return
    found: click.Command = cli
    context = click.Context(cli, info_name="ar")
    while isinstance(found, click.Group) and words:
        below = found.get_command(context, words[0])
        assert below is not None, words[0]
        found, words = below, words[1:]
    if words:
        found.make_context(command, words)


def blocks(text: str) -> list[str]:
    """The shell commands of a skill, in order: a command a line, or a whole block that is no list of them."""
    found = []
    for indent, block in re.findall(r"^( *)```bash\n(.*?)^ *```$", text, re.MULTILINE | re.DOTALL):
        lines = "".join(line.removeprefix(indent) for line in block.splitlines(keepends=True))
        found += lines.splitlines() if lines.startswith("ar ") else [lines]
    return found


PRELUDES = {
    "autoresearch": """
        mkdir src && echo 9 > src/value
        echo "print(open('src/value').read())" > bench.py
        echo 'float(open("src/value").read())' > check.py
        git init -q && git add . && git commit -qm start
    """,
    "autoresearch-hooks": """
        ar init 'sort faster' --metric seconds --unit s --direction lower > begun.txt
        ar log --status crash -m baseline > logged.txt
    """,
    "autoresearch-finalize": """
        mkdir src && echo 9 > src/value
        echo "print(open('src/value').read())" > bench.py
        echo 'float(open("src/value").read())' > check.py
        git init -q -b main && git add . && git commit -qm start && git switch -qc smaller
        ar init 'smaller' --metric value --unit v --direction lower --measure 'python bench.py' --asset src
        echo 8 > src/value
        ar cycle -m 'eight'
    """,
    "autoresearch-protocol": "git init -q",
}
"""What is there when a skill is begun with."""

BEFORE = {"ar cycle -m": "echo 8 > src/value"}
"""What an agent does before a line that begins so."""

CODES = {
    ("autoresearch", "ar brief"): 2,
    ("autoresearch-protocol", "ar beat --by worker:w1"): 2,
    ("autoresearch-protocol", "ar brief"): 2,
    ("autoresearch-protocol", "ar check iteration"): 1,
}
"""Lines that say no in what goes before them: there is no session yet; nobody checked the iteration."""


@pytest.mark.usefixtures("plain_git")
@pytest.mark.parametrize("name", SKILLS)
def test_its_commands_run(name: str, tmp_path: Path) -> None:
    """One after the other, as they stand there, in a project of that kind."""
    script = install(tmp_path / "bin")
    places = (str(script.parent), str(Path(sys.executable).parent), os.environ["PATH"])
    identity = {f"GIT_{who}_{what}": "a@b.c" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
    env = environment(PATH=os.pathsep.join(places), **identity)
    project = tmp_path / "tasks" / "project"
    project.mkdir(parents=True)

    def run(command: str) -> tuple[int, str]:
        done = subprocess.run(
            ["bash", "-c", command], cwd=project, env=env, capture_output=True, text=True, timeout=SECONDS
        )
        return done.returncode, done.stdout + done.stderr

    assert run(f"set -e\n{PRELUDES[name]}")[0] == 0
    lines = blocks(body(name))
    assert len(lines) >= 4
    for line in lines:
        for start, deed in BEFORE.items():
            assert not line.startswith(start) or run(deed)[0] == 0
        code, printed = run(line)
        assert code == CODES.get((name, line), 0), f"{line}\n{printed}"
        assert "fails by itself" not in printed

"""A session directory in which shipped example hooks are fired as the runner fires them.

PATH holds a closed set of tools and the test's own fakes, nothing else: a script that needs one tool more
fails here, and no test reaches this machine's real notifier, search engine or model.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

import hooks.examples
from hooks.examples import EXAMPLES, find

SCRIPTS = Path(hooks.examples.__file__).parent / "examples"
NAMES = [example.name for example in EXAMPLES]

TOOLS = ("cat", "cmp", "cp", "grep", "head", "mkdir", "mktemp", "mv", "rm", "sed", "tail", "tr", "wc")
"""What POSIX promises (and mktemp, which macOS and Linux both have)."""

HOSTILE = (
    "- he said \"don't\"\nthen 'x'; $(touch pwned) `touch pwned` \\n 100% %s\ttab \x1b[31mred\x00\u2028"
    "<b>&amp; 😀 --help | touch pwned & \\"
)

needs_jq = pytest.mark.skipif(shutil.which("jq") is None, reason="jq is not installed")
needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


@dataclass
class Fired:
    """What one fire left behind."""

    code: int
    stdout: str
    stderr: str


def script(name: str) -> Path:
    """The shipped file of an example."""
    return SCRIPTS / find(name).stage / f"{name}.sh"


def session_part(**known: Any) -> dict[str, Any]:
    """The payload's `session`, all null but for what is given."""
    blank = {
        "metric_name": None,
        "metric_unit": None,
        "direction": "lower",
        "baseline_metric": None,
        "best_metric": None,
        "run_count": 0,
        "goal": None,
    }
    return blank | known


def before(last_run: dict[str, Any] | None = None, **session: Any) -> dict[str, Any]:
    """A `before` payload."""
    number = last_run["run"] + 1 if last_run else 1
    return {
        "event": "before",
        "cwd": "/",
        "next_run": number,
        "last_run": last_run,
        "session": session_part(**session),
    }


def after(entry: dict[str, Any], **session: Any) -> dict[str, Any]:
    """An `after` payload."""
    return {"event": "after", "cwd": "/", "run_entry": entry, "session": session_part(**session)}


def run(number: int = 1, status: str = "keep", metric: Any = 38.9, **more: Any) -> dict[str, Any]:
    """A recorded run line, without its envelope."""
    return {"run": number, "status": status, "metric": metric, "description": "sort first"} | more


class Session:
    """One session directory, a closed PATH, and fake commands that record what they were given."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.directory = root / "session"
        self.bin = root / "bin"
        self.directory.mkdir()
        self.bin.mkdir()
        for tool in ("bash", "jq", "git", *TOOLS):
            found = shutil.which(tool)
            if found:
                (self.bin / tool).symlink_to(found)
        self.env = {
            "PATH": str(self.bin),
            "HOME": str(root),
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CEILING_DIRECTORIES": str(root),
            "GIT_AUTHOR_NAME": "a",
            "GIT_AUTHOR_EMAIL": "a@example.org",
            "GIT_COMMITTER_NAME": "a",
            "GIT_COMMITTER_EMAIL": "a@example.org",
        }

    def without(self, tool: str) -> None:
        """Takes a tool off PATH."""
        (self.bin / tool).unlink(missing_ok=True)

    def fake(self, name: str, body: str = "") -> None:
        """Puts a command on PATH that records its arguments and stdin, then runs `body`."""
        path = self.bin / name
        record = f"printf '%s\\0' \"$@\" >>'{path}.args'\ncat >>'{path}.stdin'\n"
        path.write_text(f"#!/usr/bin/env bash\n{record}{body}\n")
        path.chmod(0o755)

    def arguments(self, name: str) -> list[str] | None:
        """What the fake was called with; None if it was not called."""
        path = Path(f"{self.bin / name}.args")
        return path.read_text().split("\0")[:-1] if path.exists() else None

    def stdin_of(self, name: str) -> str:
        """What the fake read."""
        return Path(f"{self.bin / name}.stdin").read_text()

    def write(self, name: str, text: str) -> Path:
        """Writes a file of the session, with the folders it needs; newlines as given."""
        path = self.directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
        return path

    def text(self, name: str) -> str:
        """A file of the session; newlines as they are."""
        return (self.directory / name).read_bytes().decode()

    def files(self) -> set[str]:
        """Every file of the session outside `.git`, as relative paths."""
        paths = (path.relative_to(self.directory) for path in self.directory.rglob("*") if path.is_file())
        return {str(path) for path in paths if path.parts[0] != ".git"}

    def log(self, *lines: dict[str, Any] | str, name: str = ".auto/log.jsonl") -> None:
        """Writes the log; strings are taken as they are, whole objects as compact JSON."""
        shown = [line if isinstance(line, str) else json.dumps(line, separators=(",", ":")) for line in lines]
        self.write(name, "".join(f"{line}\n" for line in shown))

    def fire(self, what: str | Path, payload: Any, cwd: Path | None = None) -> Fired:
        """Runs a script (an example's name, or a path) with a payload; bytes are sent as they are."""
        path = script(what) if isinstance(what, str) else what
        data = payload if isinstance(payload, bytes) else json.dumps(payload).encode() + b"\n"
        done = subprocess.run(
            [path],
            input=data,
            capture_output=True,
            cwd=cwd or self.directory,
            env=self.env,
            timeout=60,
            start_new_session=True,
        )
        return Fired(done.returncode, done.stdout.decode(), done.stderr.decode())

    def edited(self, name: str, old: str, new: str) -> Path:
        """A copy of an example in which one constant was changed, as its user would."""
        text = script(name).read_text()
        assert text.count(old) == 1
        path = self.root / f"{name}.sh"
        path.write_text(text.replace(old, new))
        path.chmod(0o755)
        return path

    def git(self, *arguments: str, cwd: Path | None = None) -> str:
        """Runs git in the session; the output without its last newline."""
        done = subprocess.run(
            ["git", *arguments],
            cwd=cwd or self.directory,
            env=self.env,
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout.rstrip("\n")

    def repository(self) -> str:
        """Makes the session a git repository with one commit, and names that commit."""
        self.git("init", "-q")
        self.write("code.py", "print(1)\n")
        return self.commit("start")

    def commit(self, message: str) -> str:
        """Commits `code.py` as it is, with a line added; the commit's hash."""
        with (self.directory / "code.py").open("a") as code:
            code.write(f"# {message}\n")
        self.git("add", "code.py")
        self.git("commit", "-q", "-m", message)
        return self.git("rev-parse", "HEAD")

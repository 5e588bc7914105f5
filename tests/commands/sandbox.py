"""A real repository with somebody's unfinished work in it, which no test may disturb."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from commands.effects.git import Repo, find_repo

AWKWARD = [
    "two words",
    " leading and trailing ",
    "-rf",
    "--hard",
    'it\'s "quoted"',
    "new\nline",
    "tab\tand $(touch pwned) `x`",
    ":(top)magic",
    "star*[a]?",
    "back\\slash",
    "ünï",
    "\N{SNOWMAN}",
    *([] if sys.platform == "darwin" else [os.fsdecode(b"caf\xe9")]),
]
"""File names that a shell, a line-based protocol or a pathspec would trip over."""


class Sandbox:
    """A repository on branch `main` with one commit, assets in `src/`, and a user at work elsewhere.

    The user's: `notes.txt` (untracked), `.env` (ignored), in `elsewhere/`: `half.txt` (edited), `staged.txt`
    (staged), `both.txt` (staged, then edited again), `new.txt` (added), `gone.txt` (its deletion staged);
    and a tag.
    """

    def __init__(self, top: Path) -> None:
        self.top = top
        self.theirs: object = None

    def build(self) -> None:
        """Make the repository and leave the user's work in it."""
        self.top.mkdir()
        self.git("init", "-q", "-b", "main")
        self.git("config", "user.name", "A User")
        self.git("config", "user.email", "user@example.com")
        self.write("src/kernel.c", "int f(void) { return 1; }\n")
        self.write("src/data.bin", bytes(range(256)))
        self.write("src/run.sh", "#!/bin/sh\n")
        self.write("README.md", "read me\n")
        self.write(".gitignore", ".env\n*.pyc\n")
        for name in ("half", "staged", "both", "gone"):
            self.write(f"elsewhere/{name}.txt", f"{name}\n")
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "start")
        self.git("tag", "v1")
        self.write("notes.txt", "untracked notes\n")
        self.write(".env", "KEY=value\n")
        self.write("elsewhere/half.txt", "half\ndone, no newline")
        self.write("elsewhere/staged.txt", "staged version\n")
        self.write("elsewhere/both.txt", "staged version\n")
        self.write("elsewhere/new.txt", "new\n")
        self.git("add", "elsewhere/staged.txt", "elsewhere/both.txt", "elsewhere/new.txt")
        self.git("rm", "-q", "elsewhere/gone.txt")
        self.write("elsewhere/both.txt", "and edited again\n")

    @property
    def repo(self) -> Repo:
        return find_repo(self.top)

    @property
    def head(self) -> str:
        return self.git("rev-parse", "HEAD")

    def git(self, *arguments: str, stdin: bytes = b"", accept: tuple[int, ...] = (0,)) -> str:
        """Run git as the user would; its output without the last newline."""
        done = subprocess.run(["git", *arguments], cwd=self.top, input=stdin, capture_output=True)
        assert done.returncode in accept, done.stderr.decode()
        return os.fsdecode(done.stdout).removesuffix("\n")

    def write(self, path: str, content: str | bytes, mode: int | None = None) -> Path:
        """Write a file, making its directories."""
        file = self.top / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
        if mode is not None:
            file.chmod(mode)
        return file

    def read(self, path: str) -> bytes:
        return (self.top / path).read_bytes()

    def commit(self, *paths: str, message: str = "user commits") -> str:
        """Commit these paths, as the user would, leaving what else is staged; the commit's name."""
        self.git("add", "-A", "--", *paths)
        self.git("commit", "-q", "--no-verify", "-m", message, "--only", "--", *paths)
        return self.head

    def status(self, *paths: str) -> str:
        """`git status` of these paths, short."""
        return self.git("status", "--porcelain", "--untracked-files=all", "--", *paths)

    def files(self, commit: str) -> list[str]:
        """The paths that a commit changed."""
        out = self.git(
            "diff-tree", "-r", "-z", "--root", "--no-commit-id", "--name-only", "--no-renames", commit
        )
        return sorted(path for path in out.split("\0") if path)

    def snapshot(self, directory: str) -> dict[str, tuple[str, int, bytes]]:
        """All files below a directory: kind, permissions and content; `.git` and `.auto` are left out."""
        found = {}
        for file in sorted((self.top / directory).rglob("*")):
            path = str(file.relative_to(self.top))
            if {".git", ".auto"} & set(Path(path).parts):
                continue
            if file.is_symlink():
                found[path] = ("link", 0, os.fsencode(os.readlink(file)))
            elif file.is_file():
                found[path] = ("file", file.stat().st_mode & 0o777, file.read_bytes())
        return found

    def work(self) -> object:
        """All of the user's own: the bytes of their files, what they staged, their tag."""
        return (
            self.read("notes.txt"),
            self.read(".env"),
            self.snapshot("elsewhere"),
            self.git("ls-files", "-s", "-z", "--", "elsewhere", "notes.txt", ".env"),
            self.git("diff", "--cached", "--raw", "HEAD", "--", "elsewhere"),
            self.git("rev-parse", "v1"),
        )


@pytest.fixture(scope="session")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A sandbox to copy from, for making one takes git a while."""
    home = tmp_path_factory.mktemp("prepared")
    with pytest.MonkeyPatch.context() as patch:
        _isolate(patch, home)
        Sandbox(home / "repo").build()
    return home / "repo"


def _isolate(patch: pytest.MonkeyPatch, home: Path) -> None:
    for name in list(os.environ):
        if name.startswith("GIT_"):
            patch.delenv(name)
    patch.setenv("HOME", str(home))
    patch.setenv("XDG_CONFIG_HOME", str(home / "config"))
    patch.setenv("GIT_CONFIG_NOSYSTEM", "1")


@pytest.fixture
def plain_git(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Git without the configuration and the variables of whoever runs the tests."""
    _isolate(monkeypatch, tmp_path)


@pytest.fixture
def sandbox(plain_git: None, prepared: Path, tmp_path: Path) -> Iterator[Sandbox]:
    """A repository; afterwards the user's work is byte for byte as it was and nothing of ours is left."""
    box = Sandbox(tmp_path / "repo")
    shutil.copytree(prepared, box.top, symlinks=True)
    box.git("update-index", "-q", "--refresh", accept=(0, 1))
    box.theirs = box.work()
    yield box
    assert box.work() == box.theirs
    left = [name for name in os.listdir(box.repo.git_dir) if name.startswith("ar-") or name.endswith(".lock")]
    assert left == []

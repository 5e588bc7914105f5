"""The demo's scratch directory: a repository with a small program in it, and an agent beside it."""

from __future__ import annotations

from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path

from commands.effects.git import run
from commands.errors import BadInputError

__all__ = ["lay_out"]

_SUFFIX = ".txt"
"""What the names of the files have more here, so that nothing takes them for modules or tests of ours."""

_IGNORED = "__pycache__/\n"


def lay_out(directory: Path) -> tuple[Path, Path]:
    """Makes the repository and the agent in a directory; gives the paths of both.

    Raises BadInputError for a directory that has something in it, GitError when git cannot do its part.
    """
    if directory.exists() and (not directory.is_dir() or any(directory.iterdir())):
        raise BadInputError(f"{directory} is not an empty directory", "ar demo --keep DIR, DIR being new")
    project, agent = directory / "project", directory / "agent" / "agent.py"
    data = files("commands") / "demo_project"
    _copy(data / "wordstats", project / "wordstats")
    for name in ("bench.py", "test_wordstats.py"):
        _write(data / f"{name}{_SUFFIX}", project / name)
    _copy(data / "hooks", project / ".auto" / "hooks", mode=0o755)
    _write(data / f"agent.py{_SUFFIX}", agent)
    (project / ".gitignore").write_text(_IGNORED)
    top = str(project)
    run(top, "init", "-q")
    run(top, "config", "user.name", "Demo")
    run(top, "config", "user.email", "demo@example.invalid")
    run(top, "add", "--", ".gitignore", "bench.py", "test_wordstats.py", "wordstats")
    run(top, "commit", "-q", "-m", "a program that counts words")
    return project, agent


def _copy(source: Traversable, target: Path, mode: int = 0o644) -> None:
    for entry in source.iterdir():
        if entry.name.endswith(_SUFFIX):
            _write(entry, target / entry.name.removesuffix(_SUFFIX), mode)


def _write(source: Traversable, target: Path, mode: int = 0o644) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(source.read_bytes())
    target.chmod(mode)

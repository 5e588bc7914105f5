"""The harness: what measuring relies on, which no agent may change (design, section 6.1)."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from commands.effects.reading import without_waiting
from commands.registering.skills import SKILL_FOLDERS, SKILLS
from eventstore.sessions import Session

__all__ = ["harness_changes", "harness_files", "scripts_in"]


_INTERPRETER = re.compile(
    r"(?:ba|da|k|z|fi)?sh|pythonw?[\d.]*|pypy[\d.]*|node|deno|bun|tsx|ts-node|ruby|perl|php|lua[\d.]*|Rscript"
    r"|julia|run|npx|time|env|nice|exec|xargs|source|\."
)
"""Programs whose next argument that is a file is what they run; the wrappers among them run a command."""

_OPERATORS = frozenset((";", "&&", "||", "|", "&", "(", ")", "{", "}", "!"))


def scripts_in(command: str, root: Path) -> tuple[list[str], list[str]]:
    """The files below `root` that a command names, relative to it: what it runs, and what else it names.

    What it runs is a file in the place of a program, one with its execute bit, and the first file behind an
    interpreter. `cat src/v` runs none; `python bench.py data.csv` runs `bench.py` and reads `data.csv`.
    """
    run: list[str] = []
    read: list[str] = []
    first, interpreted = True, False
    for word in _words(command, root):
        if word in _OPERATORS:
            first, interpreted = True, False
            continue
        path = _below(root / word, root)
        if path is None:
            value = _below(root / word.partition("=")[2], root) if "=" in word else None
            read += [value] if value is not None else []
            interpreted = interpreted or _INTERPRETER.fullmatch(os.path.basename(word)) is not None
        elif first or interpreted or os.access(root / path, os.X_OK):
            run.append(path)
            interpreted = False
        else:
            read.append(path)
        first = first and "=" in word
    return list(dict.fromkeys(run)), list(dict.fromkeys(path for path in read if path not in run))


def _words(command: str, root: Path) -> list[str]:
    """A command's words and operators, quotes taken off; by white space where the quoting is odd."""
    import shlex

    lexer = shlex.shlex(command, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    lexer.commenters = ""
    try:
        return [part for word in lexer for part in ([word] if _below(root / word, root) else _inner(word))]
    except ValueError:
        return command.split()


def _inner(word: str) -> list[str]:
    """A word, or the words of a command line that stands in one: `sh -c 'bash bench.sh'`."""
    return ["&&", *word.split()] if " " in word.strip() else [word]


def harness_files(
    session: Session,
    commands: Iterable[str | None],
    named: Iterable[str],
    may_change: Callable[[str], bool] = lambda _: False,
) -> dict[str, str]:
    """SHA-256 (hex) by path, relative to the session's root, of everything measuring relies on.

    What the commands run, the session's own `measure.sh` and `checks.sh`, our skills where `ar setup` puts
    them, and what was named, directories with all their files; and what else the commands name, but for files
    that `may_change`: those are what is measured. Raises FileNotFoundError for a named path that is not
    there.
    """
    root = session.root
    paths: set[str] = set()
    for command in commands:
        run, read = scripts_in(command, root) if command else ([], [])
        paths |= {*run, *(path for path in read if not may_change(path))}
    paths |= {p for p in (_below(session.measure, root), _below(session.checks, root)) if p is not None}
    for name in named:
        if not (root / name).exists():
            raise FileNotFoundError(name)
    installed = (f"{folder}/{skill}" for folder in SKILL_FOLDERS for skill in SKILLS)
    for name in (*named, *installed):
        start = root / name
        inside = [start] if start.is_file() else [p for p in sorted(start.rglob("*")) if p.is_file()]
        paths |= {os.path.relpath(p, root) for p in inside}
    return {path: digest for path in sorted(paths) if (digest := _digest(root / path)) is not None}


def harness_changes(recorded: Mapping[str, str], root: Path) -> list[str]:
    """Those of the recorded files that are no longer as they were, or are gone."""
    return [path for path, digest in recorded.items() if _digest(root / path) != digest]


def _below(path: Path, root: Path) -> str | None:
    """A file's path relative to `root`; None if it is no file or does not lie below."""
    try:
        if not path.is_file():
            return None
        relative = os.path.relpath(path, root)
    except (OSError, ValueError):
        return None
    return None if relative.startswith(os.pardir) else relative


def _digest(path: Path) -> str | None:
    from hashlib import file_digest

    try:
        with open(path, "rb", opener=without_waiting) as file:
            return file_digest(file, "sha256").hexdigest()
    except OSError:
        return None

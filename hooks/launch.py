"""How a program that is not ours is started, with what environment, and why it could not be."""

from __future__ import annotations

import errno
import os
import re
from collections.abc import Mapping, Sequence

_HEAD = 4096
"""Bytes read of a file to see how it wants to be run."""

_OWN_VARIABLE = re.compile(r"AR_[A-Z0-9_]+|AUTORESEARCH_LEDGER_\w+")
_FOREIGN_VARIABLES = frozenset({"AR_FLAGS"})
"""Names of ours in shape, but of the archiver in meaning: a build looks at them."""


def strip_own_environment(env: Mapping[str, str]) -> dict[str, str]:
    """`env` without our own variables: `AR_DIR` and its kin, the launcher's guard (design, section 6.2).

    `AR` and `AR_FLAGS`, by which builds name the archiver, and its per-target forms, as in
    `AR_x86_64_unknown_linux_gnu`, are not ours and stay.
    """
    return {
        name: value
        for name, value in env.items()
        if name in _FOREIGN_VARIABLES or _OWN_VARIABLE.fullmatch(name) is None
    }


def shell_argv(command: str) -> list[str]:
    """The argv by which a command line of the user's is run: by bash, or by sh where there is no bash."""
    return [_shell(), "-c", "--", command]


def script_argv(path: str | os.PathLike[str]) -> list[str]:
    """The argv by which a file is run: its shebang honoured; without one by bash; a binary as it is."""
    absolute = os.path.abspath(path)
    head = _head(absolute)
    if head is None or head.startswith(b"#!") or b"\0" in head:
        return [absolute]
    return [_shell(), absolute]


def known_problem(argv: Sequence[str], cwd: str | os.PathLike[str], env: Mapping[str, str]) -> str | None:
    """A sentence on why `argv` cannot run, if that shows beforehand, for what would fail obscurely."""
    if not os.path.isdir(cwd):
        return f"the working directory {_shown(os.fspath(cwd))} does not exist or is no directory"
    program = _find(argv[0], cwd, env)
    interpreter = _shebang(program) if program is not None else None
    if interpreter is not None and interpreter.endswith("\r"):
        return (
            f"{_shown(argv[0])} has Windows line endings (CRLF), so that its interpreter reads "
            f"{_shown(interpreter)}; convert it with: sed -i.bak 's/\\r$//'"
        )
    return None


def script_problem(
    path: str | os.PathLike[str], cwd: str | os.PathLike[str], env: Mapping[str, str]
) -> str | None:
    """A sentence on why a script with its execute bit would not run, if that shows beforehand."""
    argv = script_argv(path)
    known = known_problem(argv, cwd, env)
    shebang = _shebang(argv[-1])
    if known is not None or shebang is None:
        return known
    name, words = _shown(argv[-1]), shebang.split()
    if not words:
        return f"{name} has an empty shebang line"
    if not os.path.exists(os.path.join(cwd, words[0])):
        return _explain_missing(name, argv[-1])
    if os.path.basename(words[0]) == "env":
        program = next((word for word in words[1:] if not word.startswith("-") and "=" not in word), None)
        if program is not None and _find(program, cwd, env) is None:
            return f"{name} is run by {_shown(program)}, which is not found on PATH"
    return None


def explain(
    error: OSError | ValueError, argv: Sequence[str], cwd: str | os.PathLike[str], env: Mapping[str, str]
) -> str:
    """A sentence on why starting `argv` failed with `error`."""
    name = _shown(argv[0])
    if not isinstance(error, OSError):
        return f"{name} cannot be started: its arguments or environment hold a NUL byte or no valid text"
    program = _find(argv[0], cwd, env)
    if error.errno == errno.ENOENT:
        return _explain_missing(name, program)
    if error.errno == errno.ENOEXEC:
        return f"{name} is no program, and has no shebang line (such as #!/bin/bash) to say what runs it"
    if error.errno == errno.EACCES and program is not None:
        if os.path.isdir(program):
            return f"{name} is a directory, not a program"
        if not os.access(program, os.X_OK):
            return f"{name} is not executable; make it so with: chmod +x {name}"
        if (interpreter := _shebang(program)) is not None:
            return f"{name} names an interpreter that may not be run: {_shown(interpreter)}"
    return f"{name} cannot be started: {error.strerror or error}"


def _explain_missing(name: str, program: str | None) -> str:
    if program is None:
        return f"{name} is not found on PATH" if "/" not in name else f"{name} does not exist"
    if not os.path.exists(program):
        return f"{name} is a symbolic link to nothing"
    if (interpreter := _shebang(program)) is not None:
        return f"{name} names an interpreter that does not exist: {_shown(interpreter)}"
    return f"{name} exists, but the loader it was built for does not"


def _find(name: str, cwd: str | os.PathLike[str], env: Mapping[str, str]) -> str | None:
    """The file that the system would run for `name`; None if there is none."""
    if "/" in name:
        path = os.path.join(cwd, name)
        return path if os.path.lexists(path) else None
    for folder in os.get_exec_path(env):
        path = os.path.join(cwd, folder, name)
        if os.path.isfile(path) and os.access(path, os.X_OK):
            return path
    return None


def _shell() -> str:
    return _find("bash", os.curdir, os.environ) or "sh"


def _shebang(path: str) -> str | None:
    """What follows `#!` in the file's first line, a carriage return included; None without a shebang."""
    head = _head(path)
    if head is None or not head.startswith(b"#!"):
        return None
    return os.fsdecode(head[2:].split(b"\n", 1)[0]).strip(" \t")


def _head(path: str) -> bytes | None:
    if not os.path.isfile(path):  # opening a named pipe would wait for a writer
        return None
    try:
        with open(path, "rb", buffering=0) as file:
            return file.read(_HEAD)
    except OSError:
        return None


def _shown(text: str) -> str:
    """Text of others as it may be shown: as it is if plain, else quoted with escapes."""
    return text if text.isprintable() and text.strip() == text != "" else ascii(text)

"""Running git, the one way this program does it.

Every call goes through `run`: a list of arguments, never a shell; paths NUL-separated and literal; no
prompt, no editor, no terminal; the caller's `GIT_DIR`, `GIT_INDEX_FILE` and the like are not inherited
(git sets them for its hooks, and they would point our calls at another repository). Unless a caller opts
in, none of the user's hooks run and nothing is signed (design, section 6.1).

Paths are text relative to the top of the working tree, with `/`, decoded by the file system's rules: a
name that is not UTF-8 holds surrogate escapes. `shown` makes any of them fit for people.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from eventstore.errors import LedgerError

if TYPE_CHECKING:
    import subprocess

__all__ = [
    "SUBMODULE",
    "Entries",
    "Entry",
    "GitError",
    "Ran",
    "Repo",
    "describe",
    "find_repo",
    "join_paths",
    "run",
    "shown",
    "split_paths",
]

TIMEOUT = 600.0
"""Seconds after which a git that does not end (a filter that hangs, a dead network disk) is killed."""

_INHERITED = frozenset(
    (
        "GIT_AUTHOR_EMAIL",
        "GIT_AUTHOR_NAME",
        "GIT_CEILING_DIRECTORIES",
        "GIT_COMMITTER_EMAIL",
        "GIT_COMMITTER_NAME",
        "GIT_CONFIG_COUNT",
        "GIT_CONFIG_GLOBAL",
        "GIT_CONFIG_NOSYSTEM",
        "GIT_CONFIG_SYSTEM",
        "GIT_DISCOVERY_ACROSS_FILESYSTEM",
        "GIT_EXEC_PATH",
    )
)
"""The only `GIT_*` variables of the caller that reach git: who the user is and where git lives."""

_FIXED = {
    "GIT_ASKPASS": "true",
    "GIT_EDITOR": "true",
    "GIT_LITERAL_PATHSPECS": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
}

_ALWAYS = (
    "core.editor=true",
    "core.fsmonitor=false",  # would run the user's hook, or leave a daemon behind
    "core.fsync=committed,reference",  # the log will say that this commit exists
    "core.filesRefLockTimeout=5000",
    "color.ui=false",
    "gc.auto=0",
    "maintenance.auto=false",
    "i18n.commitEncoding=UTF-8",
    "submodule.recurse=false",
)

_NO_HOOKS = ("core.hooksPath=/dev/null", "commit.gpgSign=false")

SUBMODULE = "160000"
"""The mode of an entry that is a submodule."""

Entry = tuple[str, str]
"""A file as git knows it: its mode (`100644`, `100755`, `120000`, or `SUBMODULE`) and its object's name."""

Entries = Mapping[str, Entry | None]
"""Files by path; None where there is none."""


class GitError(LedgerError):
    """Git cannot do what is needed; unless the message says otherwise, nothing was changed.

    what: what is wrong. where: the repository, commit or paths it is about. remedy: what to do about it.
    """

    def __init__(self, what: str, where: str = "", remedy: str = "") -> None:
        super().__init__(f"{what} ({where})" if where else what, remedy)
        self.what = what
        self.where = where


class Repo(msgspec.Struct, frozen=True):
    """A working tree and the session's place in it.

    top: its top directory, absolute. git_dir: where its HEAD and index are, absolute (a linked worktree has
    its own). prefix: the session's directory below the top, "" for the top itself.
    """

    top: str
    git_dir: str
    prefix: str = ""


class Ran(NamedTuple):
    """What a git that ended with an accepted code left behind."""

    code: int
    out: bytes

    @property
    def text(self) -> str:
        """The output as text, without its last newline."""
        return os.fsdecode(self.out.removesuffix(b"\n"))


def shown(path: str) -> str:
    """The path, or any text, for people: as it is if printable, else quoted and escaped. Never fails."""
    if path.isprintable():
        return path
    escaped = (
        c if c.isprintable() else c.encode("unicode_escape", "surrogatepass").decode("ascii") for c in path
    )
    return '"' + "".join(escaped) + '"'


def split_paths(out: bytes) -> list[str]:
    """The paths of a NUL-terminated list."""
    return [os.fsdecode(path) for path in out.split(b"\0") if path]


def join_paths(paths: Iterable[str]) -> bytes:
    """A NUL-terminated list of paths."""
    return b"".join(os.fsencode(path) + b"\0" for path in paths)


def describe(paths: Iterable[str], most: int = 5) -> str:
    """Some paths for a message: the first few, and how many more there are."""
    names = [shown(path) for path in paths]
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def environment(index: str | None = None) -> dict[str, str]:
    """The variables git gets: the caller's, without its `GIT_*`, with ours; `index` is another index file."""
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("GIT_")
        or name in _INHERITED
        or name.startswith(("GIT_CONFIG_KEY_", "GIT_CONFIG_VALUE_"))
    }
    kept.pop("LANGUAGE", None)
    kept |= _FIXED
    if index is not None:
        kept["GIT_INDEX_FILE"] = index
    return kept


def run(
    place: Repo | str,
    *arguments: str,
    stdin: bytes | None = None,
    index: str | None = None,
    accept: tuple[int, ...] = (0,),
    hooks: bool = False,
) -> Ran:
    """Run `git arguments…` at the top of `place` and return its code and output.

    stdin: what it reads; closed if None. index: another index file to work on. accept: exit codes that are
    an answer. hooks: the user's hooks and signing are as configured, instead of off.

    It runs in a session of its own, so that Ctrl-C at the terminal reaches us and not a git at work: that
    one is given 5 s to end. Raises GitError on any other exit code and after `TIMEOUT`.
    """
    import subprocess

    top = place if isinstance(place, str) else place.top
    verb = next(word for word in arguments if not word.startswith("-"))
    settings = [*_ALWAYS, *(() if hooks else _NO_HOOKS)]
    if index is not None:
        settings.append("core.splitIndex=false")
    command = ["git", "--no-pager", "-C", top]
    for setting in settings:
        command += ("-c", setting)
    try:
        process = subprocess.Popen(
            [*command, *arguments],
            stdin=subprocess.DEVNULL if stdin is None else subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment(index),
            start_new_session=True,
        )
    except FileNotFoundError:
        raise GitError("git is not installed", top, "install git and see that it is on PATH") from None
    with process:
        try:
            out, err = process.communicate(stdin, timeout=TIMEOUT)
        except BaseException as broken:
            _end(process, 5.0 if isinstance(broken, KeyboardInterrupt) else 0.0)
            if isinstance(broken, subprocess.TimeoutExpired):
                what = f"git {verb} did not end within {TIMEOUT:g} s and was killed"
                raise GitError(what, top, "see which filter or disk hangs, then run it again") from None
            raise
    if process.returncode not in accept:
        raise _failure(top, verb, process.returncode, err.decode("utf-8", "backslashreplace"))
    return Ran(process.returncode, out)


def _end(process: subprocess.Popen[bytes], grace: float) -> None:
    """Wait `grace` seconds for a git to end by itself, then kill it and what it started."""
    import signal
    import subprocess

    try:
        process.communicate(timeout=grace)
    except (subprocess.TimeoutExpired, KeyboardInterrupt):
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)


def _failure(top: str, verb: str, code: int, err: str) -> GitError:
    """The error that says what git said, with a way out where one is known."""
    lines = [line.strip() for line in err.splitlines() if line.strip()]
    start = next((i for i, line in enumerate(lines) if line.startswith(("fatal: ", "error: "))), 0)
    # What a hook or a filter said stands before git's own words.
    told = lines[max(0, start - 2) :]
    kept = [line for line in told if not line.startswith(("warning:", "hint:"))][:4]
    said = shown("; ".join(line.removeprefix("fatal: ").removeprefix("error: ") for line in kept))
    if "not a git repository" in err or "must be run in a work tree" in err:
        return GitError("not in a working tree of a git repository", top, "run `git init` and commit once")
    if "dubious ownership" in err:
        return GitError(
            "git refuses a repository of another owner",
            top,
            f"git config --global --add safe.directory '{top}'",
        )
    if ".lock': File exists" in err:
        return GitError(
            said.partition(";")[0],
            top,
            "let the other git end; if none is running, remove the lock file it names",
        )
    ended = f"was killed by signal {-code}" if code < 0 else f"failed ({code})"
    return GitError(f"git {verb} {ended}: {said}" if said else f"git {verb} {ended}", top)


def find_repo(directory: str | os.PathLike[str]) -> Repo:
    """The repository that the session's `directory` lies in.

    Raises GitError outside of a working tree (a bare repository and the inside of `.git` included).
    """
    place = os.path.realpath(directory)
    top = run(place, "rev-parse", "--show-toplevel").text
    git_dir = run(place, "rev-parse", "--absolute-git-dir").text
    prefix = os.path.relpath(place, os.path.realpath(top))
    return Repo(top, git_dir, "" if prefix == "." else prefix)

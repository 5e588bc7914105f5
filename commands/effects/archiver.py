"""The other program called `ar`: the archiver that builds static libraries (design, section 1).

An activated environment puts ours first on PATH, where `make`, `cargo` and `pip` find it in the place of the
archiver. So a call that is none of ours but fits the archiver's grammar goes on to the next `ar` on PATH.

The grammar is that of GNU, LLVM and BSD: `[-]OPERATION[MODIFIERS]`, long options before it, `@file`, `-M`.
Of what both programs know, `ar --version`, `ar --help` and `ar -h` are ours and `ar -V` is the archiver's.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence

__all__ = ["TRIED", "fits", "hand_over"]

TRIED = "AR_ARCHIVERS_TRIED"
"""The guard: paths of every `ar` that the call went through already, each program's real path.

It makes two of ours on PATH, or a shim that calls ours again, go on to the next one and not in circles.
"""

_ANY = frozenset("cDflPsSTUvV")
_MODIFIERS = {
    "d": _ANY | set("N"),
    "m": _ANY | set("abiN"),
    "p": _ANY | set("N"),
    "q": _ANY | set("L"),
    "r": _ANY | set("abiNouL"),
    "s": _ANY,
    "t": _ANY | set("oON"),
    "x": _ANY | set("oNuC"),
}
"""Operations, and the modifiers each of them takes. `s` is both: `ar s` indexes, `ar rs` does so too."""

_WITH_VALUE = ("--plugin", "--target", "--output", "--record-libdeps", "--format", "--rsp-quoting")
_ALONE = ("--thin",)
_SNIFFED = 16_384
"""Bytes of a script that are searched for our launcher's name, which the scripts of every installer hold."""


def fits(argv: Sequence[str]) -> bool:
    """Whether these arguments, none of which is a command of ours, are a call of the archiver."""
    if not argv:
        return False
    first = argv[0]
    if first.startswith("@") and len(first) > 1:
        return True
    if first.startswith("--"):
        return first.partition("=")[0] in _WITH_VALUE or first in _ALONE
    if first in ("-M", "-V", "-X32", "-X64", "-X32_64", "-Xany"):  # a script on stdin; version; AIX's modes
        return True
    if not first.startswith("-"):
        return _is_operation(first)
    letters = ""  # `-rcs`, or as getopt allows too: `-r -c -s`
    for word in argv:
        if not word.startswith("-") or word.startswith("--"):
            break
        letters += word[1:]
    return _is_operation(letters)


def _is_operation(letters: str) -> bool:
    """Whether these are one operation with modifiers it takes; only `v` may come more than once."""
    letters = letters.replace("v", "")
    if not letters or len(set(letters)) != len(letters):
        return False
    operations = [c for c in letters if c in _MODIFIERS and c != "s"] or [c for c in letters if c == "s"]
    if len(operations) != 1:
        return False
    operation = operations[0]
    return all(c in _MODIFIERS[operation] for c in letters if c != operation)


def hand_over(argv: Sequence[str]) -> int:
    """Becomes the next `ar` on PATH that is not ours; returns, with exit code 4, only if there is none."""
    tried = [p for p in os.environ.get(TRIED, "").split(os.pathsep) if p]
    tried.append(os.path.realpath(sys.argv[0]))
    for path in _on_path():
        real = os.path.realpath(path)
        if real in tried or _is_ours(real):
            continue
        _default_signals()
        environment = {**os.environ, TRIED: os.pathsep.join([*tried, real])}
        try:
            os.execve(path, [path, *argv], environment)
        except OSError:  # not a program of this machine after all
            tried.append(real)
    print(
        f"ar: `ar {argv[0]}` is a call of the archiver, and PATH has no other `ar` than this one\n"
        "try: install binutils or llvm; `ar --help` lists the commands of this one",
        file=sys.stderr,
    )
    return 4


def _on_path() -> Iterator[str]:
    for directory in os.environ.get("PATH", os.defpath).split(os.pathsep):
        path = os.path.join(directory or os.curdir, "ar")
        if os.path.isfile(path) and os.access(path, os.X_OK):
            yield path


def _is_ours(path: str) -> bool:
    """Whether a program is a script that starts our launcher, of this environment or another."""
    try:
        with open(path, "rb") as file:
            start = file.read(_SNIFFED)
    except OSError:
        return False
    return start.startswith(b"#!") and b"autoresearch_ledger" in start


def _default_signals() -> None:
    """Python ignores these, and what a process ignores stays ignored in the program it becomes."""
    import signal

    for name in ("SIGPIPE", "SIGXFSZ"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_DFL)

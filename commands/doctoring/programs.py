"""What is to be said of versions, and of who answers to our names. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import PurePath

from commands.doctoring.finding import Finding
from commands.doctoring.observed import OnPath, Programs

__all__ = ["EXTRA", "of_path", "of_versions"]

EXTRA = "pip install 'autoresearch-ledger[mcp]'"
"""What makes `ar mcp` work."""


def of_versions(programs: Programs) -> Iterator[Finding]:
    """Of us, Python, git, the extra, the platform."""
    yield Finding("versions", "ok", f"ar {programs.ours}, Python {programs.python}: {' '.join(programs.own)}")
    if programs.git is None:
        yield Finding(
            "versions", "error", "git is not there; without it nothing is measured", "install git, on PATH"
        )
    else:
        yield Finding("versions", "ok", f"git {programs.git}")
    if programs.sdk is not None:
        yield Finding("versions", "ok", f"MCP SDK {programs.sdk}")
    else:
        yield Finding("versions", "ok", f"no `ar mcp`: {programs.sdk_problem}", EXTRA)
    if not programs.has_locks:
        yield Finding(
            "versions",
            "warn",
            "this platform has no flock: one process at a time may write",
            "let one agent work at a time",
        )


def of_path(programs: Programs) -> Iterator[Finding]:
    """Of the programs called `ar`, of which one is the archiver."""
    first = programs.ar[0] if programs.ar else None
    archiver = next((each.path for each in programs.ar if each.whose == "other"), None)
    if first is None or all(each.whose == "other" for each in programs.ar):
        yield _not_first(programs, archiver)
    elif first.whose == "this":
        passes = (
            f"; it shadows the archiver {archiver} and passes that one's calls on"
            if archiver is not None
            else "; there is no archiver for it to shadow"
        )
        yield Finding("path", "ok", f"`ar` is {first.path}{passes}")
    elif first.whose == "ours":
        yield Finding(
            "path",
            "warn",
            f"`ar` is another installation, {first.path}, and not this one",
            f"put {_directory(programs)} first on PATH, or uninstall the other",
        )
    else:
        yield _not_first(programs, archiver)


def _not_first(programs: Programs, archiver: str | None) -> Finding:
    """The archiver answers, or nobody."""
    name = "autoresearch" if _is_ours(programs.autoresearch) else None
    there = next((each.path for each in programs.ar if each.whose != "other"), None)
    if archiver is None:
        said = "there is no `ar` on PATH"
    elif there is None:
        said = f"`ar` is the archiver {archiver}; ours is not on PATH"
    else:
        said = f"`ar` is the archiver {archiver}, which comes before {there}"
    remedy = f"put {_directory(programs)} first on PATH"
    return Finding("path", "warn", said, f"say `{name}`, or {remedy}" if name else remedy)


def _is_ours(found: Sequence[OnPath]) -> bool:
    return bool(found) and found[0].whose != "other"


def _directory(programs: Programs) -> str:
    """Where our script lies, beside the interpreter that runs us."""
    return str(PurePath(programs.own[0]).parent)

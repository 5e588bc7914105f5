"""What one iteration may be: the protocol's engineering limits. Pure.

An iteration stays small enough to be understood, is verified before the next, and cites nothing unchecked for
long. What exceeds a limit is a value: `ar check iteration` shows it, others may refuse on it.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from reducers.findings import FindingsView
from reducers.iterations import IterationsView
from reducers.wording import escape

__all__ = [
    "CITATIONS",
    "FILE_LINES",
    "LARGE_BYTES",
    "LARGE_FILES",
    "LARGE_LINES",
    "LIMITS",
    "Excess",
    "FileChange",
    "excesses",
    "is_large",
]

LIMITS = "limits"
"""Why a strict loop stops, and the kind of an orchestrator's flag, over what exceeds a limit."""

LARGE_FILES = 5
"""How many large files an iteration may change."""

LARGE_LINES = 100
"""A file of which more lines than this were changed is large."""

LARGE_BYTES = 64 * 1024
"""A changed file of more bytes than this is large."""

FILE_LINES = 300
"""How many lines a changed file may have."""

CITATIONS = 20
"""How many cited items may be unverified: they are checked as they come, never in one heap."""


class FileChange(msgspec.Struct, frozen=True, gc=False):
    """What an iteration did to a file.

    path: relative to the repository's top. changed: lines added and removed, from 0; 0 for a binary file.
    lines: how many it has now; None for a binary file, and for one that is gone. size: bytes now, from 0.
    """

    path: str
    changed: int
    lines: int | None = None
    size: int = 0


class Excess(msgspec.Struct, frozen=True):
    """A limit that is exceeded.

    kind: `large_files`, `long_file`, `unverified` or `citations`. detail: what was found, in words.
    paths: the files it is about. value, limit: what was counted, and how many there may be.
    """

    kind: str
    detail: str
    value: int
    limit: int
    paths: tuple[str, ...] = ()


def is_large(change: FileChange) -> bool:
    """Whether a changed file is large."""
    return change.changed > LARGE_LINES or change.size > LARGE_BYTES


def excesses(
    changes: Sequence[FileChange], iterations: IterationsView, findings: FindingsView
) -> list[Excess]:
    """Every limit that is exceeded, files first.

    changes: of the iteration's commits, one a path. iterations, findings: the views of these names. Only the
    last iteration is asked to be verified: for those before it no check can come in time any more.
    """
    found: list[Excess] = []
    large = tuple(change.path for change in changes if is_large(change))
    if len(large) > LARGE_FILES:
        detail = f"{len(large)} large files were changed, at most {LARGE_FILES} may be"
        found.append(Excess("large_files", detail, len(large), LARGE_FILES, large))
    for change in changes:
        if change.lines is not None and change.lines > FILE_LINES:
            detail = f"{escape(change.path)} has {change.lines} lines, at most {FILE_LINES} may be"
            found.append(Excess("long_file", detail, change.lines, FILE_LINES, (change.path,)))
    if iterations.iterations and not iterations.iterations[-1].verified:
        detail = f"no ok check followed iteration {iterations.iterations[-1].iteration}"
        found.append(Excess("unverified", detail, 1, 0))
    if findings.citations_unverified > CITATIONS:
        detail = f"{findings.citations_unverified} cited items are unverified, at most {CITATIONS} may be"
        found.append(Excess("citations", detail, findings.citations_unverified, CITATIONS))
    return found

from __future__ import annotations

from typing import Any

import pytest

from eventstore.events import Finding, Iteration, Verified
from reducers.core import fold
from reducers.findings import findings
from reducers.iterations import iterations
from reducers.policies.iteration_limits import Excess, FileChange, excesses


def found(changes: list[FileChange], log: list[Any]) -> list[Excess]:
    """The excesses of these changes after this log."""
    return excesses(changes, iterations.view(fold(iterations, log)), findings.view(fold(findings, log)))


def kinds(changes: list[FileChange], log: list[Any] | None = None) -> list[str]:
    return [excess.kind for excess in found(changes, log or [])]


def test_nothing_is_too_much_of_nothing() -> None:
    """A log without iterations asks for no check."""
    assert found([], []) == []


@pytest.mark.parametrize(
    ("changed", "size", "large"),
    [(100, 65_536, False), (101, 0, True), (0, 65_537, True)],
)
def test_what_is_a_large_file(changed: int, size: int, large: bool) -> None:
    """More than 100 changed lines, or more than 64 KiB; of these there may be five."""
    files = [FileChange(f"{n}.c", changed, 10, size) for n in range(6)]

    assert kinds(files) == (["large_files"] if large else [])
    assert kinds(files[:5]) == []


def test_the_large_files_are_named() -> None:
    """As data, with what was counted."""
    files = [FileChange(f"{n}.c", 200, 10, 10) for n in range(6)]
    (excess,) = found([*files, FileChange("small", 1)], [])

    assert (excess.value, excess.limit, excess.paths) == (6, 5, tuple(f"{n}.c" for n in range(6)))
    assert excess.detail == "6 large files were changed, at most 5 may be"


def test_a_file_may_have_300_lines() -> None:
    """Of a binary file nobody knows."""
    files = [FileChange("a", 1, 300), FileChange("b\x1b", 1, 301), FileChange("c", 0, None, 10)]
    (excess,) = found(files, [])

    assert (excess.kind, excess.value, excess.paths) == ("long_file", 301, ("b\x1b",))
    assert excess.detail == "b\\x1b has 301 lines, at most 300 may be"


def test_the_last_iteration_must_be_verified() -> None:
    """By a check that was ok, after it."""
    ok, failed = Verified(kind="test", ok=True), Verified(kind="test", ok=False)

    assert kinds([], [ok, Iteration(iteration=1)]) == ["unverified"]
    assert kinds([], [Iteration(iteration=1), failed]) == ["unverified"]
    assert kinds([], [Iteration(iteration=1), ok]) == []
    assert kinds([], [Iteration(iteration=1), Iteration(iteration=2), ok]) == []


def test_at_most_20_citations_are_unverified() -> None:
    """Those before an ok check of all do not count; findings without a source never do."""
    cited = [Finding(text="x", source=f"arXiv:{n}") for n in range(21)]
    plain = [Finding(text="x")] * 30
    check = Verified(kind="citation", target="all", ok=True)

    assert kinds([], [*cited, *plain]) == ["citations"]
    assert kinds([], [*cited[:20], *plain]) == []
    assert kinds([], [*cited, check, *cited[:20]]) == []
    assert kinds([], [*cited, Verified(kind="test", ok=True)]) == ["citations"]
    assert kinds([], [*cited, Verified(kind="citation", target="arXiv:3", ok=True)]) == []

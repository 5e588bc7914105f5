"""Which kept changes belong together."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from reducers.policies.finalizing import (
    Group,
    KeptRun,
    Overlap,
    grouped,
    overlaps,
    uncovered,
    vacated,
)


def kept(run: int, *paths: str) -> KeptRun:
    return KeptRun(run, 0, f"change {run}", f"{run:040x}", 10, 9, paths)


PATHS = st.sampled_from(["a", "a/b", "a/b/c", "b", "b/a", "c", "d/e", "d/f"])
RUNS = st.lists(st.lists(PATHS, unique=True, max_size=4), max_size=7)


def test_runs_that_share_a_file_are_one_group() -> None:
    """Also by way of a third one. Groups come in the order of their first runs."""
    runs = [kept(2, "z", "y"), kept(3, "b"), kept(5, "y", "x"), kept(6, "c"), kept(8, "x")]

    assert grouped(runs, {"x", "y", "z", "b", "c"}) == [
        Group((2, 5, 8), ("x", "y", "z")),
        Group((3,), ("b",)),
        Group((6,), ("c",)),
    ]


def test_a_run_without_changes_is_in_no_group() -> None:
    """Nothing is a group of nothing."""
    assert grouped([kept(2), kept(3, "a")], {"a"}) == [Group((3,), ("a",))]
    assert grouped([], set()) == []


def test_a_file_and_a_directory_of_its_name_belong_together() -> None:
    """One branch cannot have the one where another has the other."""
    runs = [kept(2, "lib"), kept(3, "lib/new.py"), kept(4, "library.py")]

    assert [group.runs for group in grouped(runs, {"lib", "lib/new.py", "library.py"})] == [(2, 3), (4,)]


def test_a_directory_that_was_emptied_and_filled_anew_stays_whole() -> None:
    """Git would take it for renamed, and move what another branch adds there."""
    fates = {"old/a": "deleted", "new/a": "added", "old/fresh": "added", "other": "changed"}
    runs = [kept(2, "old/a", "new/a"), kept(3, "old/fresh"), kept(4, "other")]
    vacant = vacated(fates, ["old/a", "other", "kept/x"])

    assert vacant == {"old"}
    assert [group.runs for group in grouped(runs, fates, vacant)] == [(2, 3), (4,)]


def test_a_directory_that_keeps_a_file_is_not_emptied() -> None:
    """Nor is one that gets nothing new, or that had nothing."""
    base = ["old/a", "old/b", "gone/c", "top"]

    assert vacated({"old/a": "deleted", "old/new": "added"}, base) == frozenset()
    assert vacated({"gone/c": "deleted"}, base) == frozenset()
    assert vacated({"fresh/d": "added", "gone/c": "deleted"}, base) == frozenset()
    assert vacated({"old/a": "deleted", "old/b": "deleted", "old/x/y": "added"}, base) == {"old"}
    assert vacated(dict.fromkeys(base, "deleted") | {"n": "added"}, base) == {""}


def test_what_belongs_to_no_kept_run_can_be_a_group() -> None:
    """The last one, without a run; what is tied to a kept change goes with that."""
    runs = [kept(2, "lib")]
    changed = {"lib", "lib/x", "notes", "a"}

    assert grouped(runs, changed, rest=True) == [Group((2,), ("lib", "lib/x")), Group((), ("a", "notes"))]
    assert grouped(runs, changed) == [Group((2,), ("lib",))]


def test_a_file_in_two_groups_is_an_overlap() -> None:
    """So is one that stands in another group's way."""
    assert overlaps([["a", "b"], ["c"], ["b", "c/d"]]) == [
        Overlap(0, 2, "b", "b"),
        Overlap(1, 2, "c", "c/d"),
    ]
    assert overlaps([["old/a"], ["old/b"]], {"old"}) == [Overlap(0, 1, "old/a", "old/b")]
    assert overlaps([["old/a"], ["old/b"]]) == []


def test_what_no_group_takes_is_uncovered() -> None:
    """Unless it, or a directory above it, is left out on purpose."""
    changed = {"a", "docs/x", "docs/y/z", "doc", "b"}

    assert uncovered(changed, [["a"]], []) == ["b", "doc", "docs/x", "docs/y/z"]
    assert uncovered(changed, [["a"]], ["docs/", "b"]) == ["doc"]
    assert uncovered(changed, [], ["."]) == []


@given(RUNS)
def test_groups_never_overlap_and_hold_every_change_once(runs: Sequence[list[str]]) -> None:
    """Law: whatever runs touched, groups are disjoint, cover all, and each run is whole in one."""
    each = [kept(number, *paths) for number, paths in enumerate(runs, 1)]
    changed = {path for paths in runs for path in paths}

    groups = grouped(each, changed)

    assert overlaps([group.files for group in groups]) == []
    assert uncovered(changed, [group.files for group in groups], []) == []
    assert sorted(path for group in groups for path in group.files) == sorted(changed)
    assert sorted(run for group in groups for run in group.runs) == [run.run for run in each if run.paths]
    for run in each:
        assert sum(bool(set(run.paths) & set(group.files)) for group in groups) == (1 if run.paths else 0)


@given(RUNS, st.randoms(use_true_random=False))
def test_groups_are_as_small_as_can_be(runs: Sequence[list[str]], random: object) -> None:
    """Law: no group can be split into two sets of runs that could be merged apart; order plays no part."""
    each = [kept(number, *paths) for number, paths in enumerate(runs, 1) if paths]
    changed = {path for paths in runs for path in paths}
    groups = grouped(each, changed)
    shuffled = list(each)
    random.shuffle(shuffled)  # type: ignore[attr-defined]

    assert grouped(shuffled, changed) == groups
    paths = {run.run: run.paths for run in each}
    for group in groups:
        first, reached = group.runs[0], {group.runs[0]}
        pending = [first]
        while pending:
            mine = pending.pop()
            for other in set(group.runs) - reached:
                if overlaps([paths[mine], paths[other]]):
                    reached.add(other)
                    pending.append(other)
        assert reached == set(group.runs)

"""Which kept changes belong together, so that each group can be a branch of its own. Pure.

The kept runs of a branch are grouped by the files they touch: runs that share a file are one group, so that
groups can be merged in any order, without a conflict, and together are the branch they came from.

Besides a shared file two things tie paths together, for git would not merge them independently: a file where
the other has a directory of the same name; and a directory that lost all it held at the base and got new
files, which git takes for renamed, so that it would move or refuse what another branch adds there.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

import msgspec

__all__ = [
    "Fate",
    "Group",
    "KeptRun",
    "Metric",
    "Overlap",
    "grouped",
    "overlaps",
    "uncovered",
    "vacated",
]

Fate = str
"""What became of a path between the base and the tip: `added`, `deleted` or `changed`."""


class Metric(msgspec.Struct, frozen=True):
    """A metric: its name (None in a task without one), its unit, which way is better."""

    name: str | None = None
    unit: str | None = None
    direction: str | None = None


class KeptRun(msgspec.Struct, frozen=True):
    """A kept run and what its commit changed.

    run: its ordinal among all runs of the log. segment: the one it belongs to. description: in the agent's
    words. commit: its commit, in full. before, after: the value it had to beat and its own, in the metric's
    unit, None where there is none. paths: what the commit changed and what still differs from the base;
    session files are not among them. undone: what it changed, but is as in the base again. metric: what was
    measured.
    """

    run: int
    segment: int
    description: str
    commit: str
    before: int | float | None
    after: int | float | None
    paths: tuple[str, ...]
    undone: tuple[str, ...] = ()
    metric: Metric = Metric()


class Group(msgspec.Struct, frozen=True):
    """What becomes one branch: kept runs, in order, and the files that it takes over from the tip, sorted."""

    runs: tuple[int, ...]
    files: tuple[str, ...]


class Overlap(msgspec.Struct, frozen=True):
    """Two groups, by their places from 0, that cannot be two branches, and why.

    path: of the first one. other: of the second one; the same where both have it.
    """

    first: int
    second: int
    path: str
    other: str


def grouped(
    kept: Sequence[KeptRun],
    changed: Collection[str],
    vacant: Collection[str] = (),
    *,
    rest: bool = False,
) -> list[Group]:
    """The groups of these runs, by their first runs; a run whose changes are all undone is in none.

    changed: all paths that differ between base and tip, session files left out. vacant: see `vacated`. rest:
    what belongs to no kept run is taken in too: into the group that it is tied to, else into one without a
    run, which comes last.
    """
    sets = _Sets()
    for each in kept:
        for path in each.paths:
            sets.join(each.paths[0], path)
    for one, other in _ties(changed, vacant):
        sets.join(one, other)
    owned = {path for each in kept for path in each.paths}
    runs: dict[str, list[int]] = {}
    for each in sorted(kept, key=lambda each: each.run):
        if each.paths:
            runs.setdefault(sets.top(each.paths[0]), []).append(each.run)
    files: dict[str, list[str]] = {top: [] for top in runs}
    others: list[str] = []
    for path in sorted(changed):
        top = sets.top(path)
        if path in owned or (rest and top in runs):
            files[top].append(path)
        elif rest:
            others.append(path)
    found = [Group(tuple(runs[top]), tuple(files[top])) for top in runs]
    return [*found, *([Group((), tuple(others))] if others else [])]


def overlaps(groups: Sequence[Collection[str]], vacant: Collection[str] = ()) -> list[Overlap]:
    """What keeps these groups of paths from being branches that can be merged in any order; sorted by path.

    Of each pair of groups the first thing that stands in the way, in the order of paths.
    """
    owners: dict[str, list[int]] = {}
    for place, paths in enumerate(groups):
        for path in dict.fromkeys(paths):
            owners.setdefault(path, []).append(place)
    found: dict[tuple[int, int], Overlap] = {}

    def clash(one: int, other: int, path: str, its: str) -> None:
        if one > other:
            one, other, path, its = other, one, its, path
        if one != other:
            found.setdefault((one, other), Overlap(one, other, path, its))

    for path in sorted(owners):
        for place in owners[path][1:]:
            clash(owners[path][0], place, path, path)
    for path, its in _ties(owners, vacant):
        for one in owners[path]:
            for other in owners[its]:
                clash(one, other, path, its)
    return sorted(found.values(), key=lambda overlap: (overlap.path, overlap.first, overlap.second))


def uncovered(changed: Collection[str], groups: Iterable[Collection[str]], leave: Iterable[str]) -> list[str]:
    """The changed paths that are in no group and are not left out on purpose; sorted.

    leave: paths, or directories above them; "" and "." are everything.
    """
    taken = {path for group in groups for path in group}
    roots = {root.strip("/") for root in leave}
    if roots & {"", "."}:
        return []
    return sorted(
        path for path in changed if path not in taken and path not in roots and not roots & {*_above(path)}
    )


def vacated(changed: Mapping[str, Fate], base: Iterable[str]) -> frozenset[str]:
    """The directories that lost every file they had at the base and got new ones; "" is the top.

    changed: what became of each path. base: all paths of the base.
    """
    came = {directory for path, fate in changed.items() if fate == "added" for directory in _above(path)}
    if not any(fate == "deleted" for fate in changed.values()):
        return frozenset()
    stayed: set[str] = set()
    had: set[str] = set()
    for path in base:
        above = [directory for directory in _above(path) if directory in came]
        had.update(above)
        if changed.get(path) != "deleted":
            stayed.update(above)
    return frozenset(had - stayed)


def _ties(paths: Collection[str], vacant: Collection[str]) -> Iterator[tuple[str, str]]:
    """Pairs of these paths that must stay together."""
    known = set(paths)
    firsts: dict[str, str] = {}
    for path in sorted(known):
        for directory in _above(path):
            if directory in known:
                yield directory, path
            if directory in vacant:
                first = firsts.setdefault(directory, path)
                if first != path:
                    yield first, path


def _above(path: str) -> Iterator[str]:
    """The directories that a path lies in, the nearest first, the top ("") last."""
    while path:
        path = path.rpartition("/")[0]
        yield path


class _Sets:
    """Sets of paths that are joined (union-find)."""

    def __init__(self) -> None:
        self._parent: dict[str, str] = {}

    def top(self, path: str) -> str:
        """The path that stands for this one's set."""
        while (parent := self._parent.setdefault(path, path)) != path:
            self._parent[path] = self._parent[parent]
            path = parent
        return path

    def join(self, one: str, other: str) -> None:
        """Makes one set of theirs."""
        self._parent[self.top(other)] = self.top(one)

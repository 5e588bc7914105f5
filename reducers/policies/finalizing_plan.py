"""How a branch is to be taken apart: the plan that is shown and edited, and what is wrong with one. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

import msgspec
from msgspec.structs import replace

from reducers.policies.finalizing import Fate, KeptRun, grouped, overlaps, uncovered
from reducers.policies.finalizing_text import (
    PREFIX,
    Gain,
    branch_name,
    free_prefix,
    gain_of,
    message,
    words_of,
)

__all__ = [
    "Draft",
    "DraftGroup",
    "Facts",
    "OtherCommit",
    "Plan",
    "PlannedGroup",
    "Problem",
    "Remark",
    "Uncovered",
    "draft_of",
    "plan_of",
    "problems",
    "settled",
]


class OtherCommit(msgspec.Struct, frozen=True):
    """A commit of the branch that belongs to none of the kept runs in question, nor was taken back.

    commit: in full. subject: the first line of its message. run: ordinal of the run that it belongs to, None
    for somebody's own. status: how that one was judged. paths: what it changed.
    """

    commit: str
    subject: str
    run: int | None
    status: str | None
    paths: tuple[str, ...]


class Remark(msgspec.Struct, frozen=True):
    """Something worth knowing that stops nothing.

    kind: `no_commit`, `unknown_commit`, `not_on_branch`, `in_base` (the commit of a kept run), `same_commit`,
    `no_effect`, `taken_back`, `undone` (its changes), `shared`, `outside_assets` (a path). run: ordinal of
    the run that it is about. path: the path. detail: in words.
    """

    kind: str
    detail: str
    run: int | None = None
    path: str | None = None


class Facts(msgspec.Struct, frozen=True):
    """All that a plan is made from.

    base, tip: the commits that the branch began and ends at; base_name, tip_name: as people know them.
    fates: what became of each path from the one to the other, session files left out. vacant: see `vacated`.
    kept: the kept runs with a commit of their own on the branch. others: the other commits. remarks: what was
    found on the way. session_files: what was changed of these. head: `seq:digest` of the log's last line.
    branches: the names of all there are.
    """

    base: str
    base_name: str
    tip: str
    tip_name: str
    fates: Mapping[str, Fate]
    kept: tuple[KeptRun, ...]
    vacant: frozenset[str] = frozenset()
    others: tuple[OtherCommit, ...] = ()
    remarks: tuple[Remark, ...] = ()
    session_files: tuple[str, ...] = ()
    head: str | None = None
    branches: tuple[str, ...] = ()


class PlannedGroup(msgspec.Struct, frozen=True):
    """A branch to be made: its name, its commit's message, its runs and files, and what the runs gained."""

    branch: str
    message: str
    runs: tuple[int, ...]
    files: tuple[str, ...]
    gain: Gain = Gain()


class Uncovered(msgspec.Struct, frozen=True):
    """A changed path that no group takes over. commits: whose it is, those that changed it."""

    path: str
    fate: Fate
    commits: tuple[OtherCommit, ...]


class Plan(msgspec.Struct, frozen=True):
    """How the branch is to be taken apart.

    groups: one a branch. leave: what is left out on purpose: paths, or directories. uncovered: what is in
    neither. remarks: what is worth knowing.
    """

    groups: tuple[PlannedGroup, ...]
    leave: tuple[str, ...]
    uncovered: tuple[Uncovered, ...]
    remarks: tuple[Remark, ...]


class DraftGroup(msgspec.Struct, frozen=True):
    """A group as somebody wants it; a message or files of None are what its runs give."""

    branch: str
    runs: tuple[int, ...] = ()
    message: str | None = None
    files: tuple[str, ...] | None = None


class Draft(msgspec.Struct, frozen=True):
    """A plan as somebody wants it; see `Plan`."""

    groups: tuple[DraftGroup, ...]
    leave: tuple[str, ...] = ()


class Problem(msgspec.Struct, frozen=True):
    """Why a draft cannot be carried out, and what to do about it; taken: a branch is there already."""

    what: str
    remedy: str
    taken: bool = False


def plan_of(
    facts: Facts, *, prefix: str | None = None, rest: bool = False, leave: Sequence[str] = ()
) -> Plan:
    """The plan for a branch: kept runs by the files they share; all other changes are uncovered.

    prefix: what the branches' names begin with; None is the usual one, numbered if it is taken. rest: the
    other changes become a branch too. leave: what is left out on purpose, also of kept runs.
    """
    start = free_prefix(facts.branches, PREFIX) if prefix is None else prefix
    changed = dict.fromkeys(uncovered(facts.fates, (), leave))
    kept = [replace(each, paths=tuple(path for path in each.paths if path in changed)) for each in facts.kept]
    groups = grouped(kept, changed, facts.vacant, rest=rest)
    planned = []
    for place, group in enumerate(groups, 1):
        runs = _runs(facts, group.runs)
        name = branch_name(start, place, len(groups), words_of(runs))
        text = message(runs, facts.head)
        planned.append(PlannedGroup(name, text, group.runs, group.files, gain_of(runs)))
    missing = _uncovered(facts, [group.files for group in groups], leave)
    return Plan(tuple(planned), tuple(leave), missing, (*facts.remarks, *_shared(facts, planned)))


def draft_of(plan: Plan) -> Draft:
    """The plan as a draft that asks for just it."""
    groups = (DraftGroup(each.branch, each.runs, each.message, each.files) for each in plan.groups)
    return Draft(tuple(groups), plan.leave)


def settled(facts: Facts, draft: Draft) -> list[PlannedGroup]:
    """The groups of a draft with all that it leaves to its runs; `problems` tells what is wrong."""
    paths = {each.run: each.paths for each in facts.kept}
    found = []
    for each in draft.groups:
        files = each.files
        if files is None:
            files = tuple(sorted({path for run in each.runs for path in paths.get(run, ())}))
        runs = _runs(facts, each.runs)
        text = message(runs, facts.head) if each.message is None else each.message
        found.append(PlannedGroup(each.branch, text, each.runs, files, gain_of(runs)))
    return found


def problems(facts: Facts, groups: Sequence[PlannedGroup], leave: Sequence[str] = ()) -> list[Problem]:
    """Why these groups cannot be made into branches that together are the branch; empty where they can."""
    return [
        *_faults(facts, groups),
        *_overlapping(facts, groups),
        *_missing(_uncovered(facts, [group.files for group in groups], leave)),
    ]


def _runs(facts: Facts, wanted: Collection[int]) -> list[KeptRun]:
    return [each for each in sorted(facts.kept, key=lambda each: each.run) if each.run in wanted]


def _uncovered(
    facts: Facts, groups: Sequence[Collection[str]], leave: Sequence[str]
) -> tuple[Uncovered, ...]:
    return tuple(
        Uncovered(path, facts.fates[path], tuple(each for each in facts.others if path in each.paths))
        for path in uncovered(facts.fates, groups, leave)
    )


def _shared(facts: Facts, groups: Sequence[PlannedGroup]) -> Iterator[Remark]:
    """The files of kept runs that other commits changed as well: their branch holds that too."""
    owners = {path: group for group in groups if group.runs for path in group.files}
    for path in sorted(owners):
        others = [each for each in facts.others if path in each.paths]
        if others:
            whose = ", ".join(_whose(each) for each in others[:3])
            more = f" and {len(others) - 3} more" if len(others) > 3 else ""
            yield Remark("shared", f"{path} was also changed by {whose}{more}", path=path)


def _whose(commit: OtherCommit) -> str:
    words = f'{commit.commit[:12]} "{commit.subject[:60]}"'
    if commit.run is None:
        return f"{words}, of no run"
    return f"{words}, of run {commit.run} ({commit.status})"


def _faults(facts: Facts, groups: Sequence[PlannedGroup]) -> Iterator[Problem]:
    """What is wrong with the groups one by one."""
    kept = {each.run for each in facts.kept}
    own = set(facts.session_files)
    named: set[str] = set()
    if not groups:
        yield Problem("there is nothing to make a branch of", "ar finalize plan tells what was found")
    for group in groups:
        name = group.branch
        if name in named:
            yield Problem(f"two groups are called {name}", "give one of them another name")
        named.add(name)
        above = [name[:at] for at, character in enumerate(name) if character == "/"]
        for other in facts.branches:
            if other == name:
                yield Problem(f"there is a branch {name} already", "name the group otherwise", taken=True)
            elif other in above or other.startswith(name + "/"):
                what = f"there cannot be a branch {name} beside {other}"
                yield Problem(what, "name the group otherwise", taken=True)
        unknown = [run for run in group.runs if run not in kept]
        if unknown:
            what = f"{name}: run {unknown[0]} is no kept run with a commit on this branch"
            yield Problem(what, "ar finalize plan lists those that are")
        if not group.files:
            yield Problem(f"{name}: it has no file", "give it files, or take the group out")
        if not group.message.strip() or "\0" in group.message:
            yield Problem(f"{name}: its message is empty or holds a NUL", "say what it changes")
        for path in group.files:
            if path in own:
                yield Problem(f"{name}: {path} is a session file, which no branch gets", "take it out")
            elif path not in facts.fates:
                what = f"{name}: {path} is at the tip as at the base"
                yield Problem(what, "take it out: there is no change to take over")
    for one in named:
        if any(other.startswith(one + "/") for other in named):
            yield Problem(f"there cannot be a branch {one} and others below it", "give it another name")


def _overlapping(facts: Facts, groups: Sequence[PlannedGroup]) -> Iterator[Problem]:
    paths = [group.files for group in groups]
    for clash in overlaps(paths, facts.vacant):
        one, other = groups[clash.first].branch, groups[clash.second].branch
        remedy = f"merge the groups {one} and {other}"
        if clash.path == clash.other:
            yield Problem(f"{clash.path} is in two groups, {one} and {other}", remedy)
        else:
            what = f"{clash.path} ({one}) and {clash.other} ({other}) cannot be merged apart"
            yield Problem(f"{what}: a file or directory takes the other's place", remedy)
    taken = {path for group in paths for path in group}
    left = [path for path in facts.fates if path not in taken]
    for clash in overlaps([*paths, left]):
        if clash.second == len(paths):
            what = f"{clash.other} is left out, but {clash.path} needs its place"
            name = groups[clash.first].branch
            yield Problem(what, f"take {clash.other} into {name}, or leave both out")


def _missing(found: Sequence[Uncovered]) -> Iterator[Problem]:
    if not found:
        return
    first, count = found[0], len(found)
    whose = f" ({_whose(first.commits[-1])})" if first.commits else ""
    files = "file is" if count == 1 else "files are"
    more = f" and {count - 1} more" if count > 1 else ""
    yield Problem(
        f"{count} changed {files} of no kept run: {first.path}{whose}{more}",
        "--others branch makes a branch of it, --others leave leaves it out, --base COMMIT begins later",
    )

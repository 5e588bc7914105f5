"""The plan that is shown and edited, and what is wrong with one."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from reducers.policies.finalizing import KeptRun, Metric
from reducers.policies.finalizing_plan import (
    Draft,
    DraftGroup,
    Facts,
    OtherCommit,
    draft_of,
    plan_of,
    problems,
    settled,
)

MS = Metric("ms", "ms", "lower")
FACTS = Facts(
    base="b" * 40,
    base_name="main",
    tip="c" * 40,
    tip_name="speed",
    fates={"a": "changed", "b": "added", "c": "deleted", "lib": "deleted", "lib/x": "added"},
    kept=(
        KeptRun(2, 0, "cache", "2" * 40, 40, 30, ("a", "b"), metric=MS),
        KeptRun(4, 0, "arena", "4" * 40, 30, 20, ("c",), metric=MS),
        KeptRun(5, 0, "library", "5" * 40, 20, 10, ("lib", "lib/x"), metric=MS),
    ),
    session_files=(".auto/prompt.md",),
    head="9:abcd",
    branches=("main", "speed"),
)
OTHER = OtherCommit("d" * 40, "notes", None, None, ("notes", "a"))
WITH_OTHER = replace(FACTS, fates={**FACTS.fates, "notes": "added"}, others=(OTHER,))


def wrong(facts: Facts, *groups: DraftGroup, leave: tuple[str, ...] = ()) -> list[str]:
    """What is wrong with a draft of these groups."""
    draft = Draft(groups, leave)
    return [problem.what for problem in problems(facts, settled(facts, draft), leave)]


def group(branch: str, *runs: int, **more: Any) -> DraftGroup:
    return DraftGroup(branch, runs, **more)


def test_every_plan_can_be_carried_out() -> None:
    """Nothing is wrong with what was planned."""
    plan = plan_of(FACTS)

    assert [(each.branch, each.runs, each.files) for each in plan.groups] == [
        ("finalized/1-cache", (2,), ("a", "b")),
        ("finalized/2-arena", (4,), ("c",)),
        ("finalized/3-library", (5,), ("lib", "lib/x")),
    ]
    assert plan.uncovered == ()
    assert settled(FACTS, draft_of(plan)) == list(plan.groups)
    assert problems(FACTS, plan.groups) == []


def test_what_a_draft_leaves_out_its_runs_give() -> None:
    """Files and message; so that runs alone can be put together."""
    (one, other) = settled(FACTS, Draft((group("x", 2, 4), group("y", 5))))

    assert (one.files, one.gain.after) == (("a", "b", "c"), 20)
    assert one.message.startswith("arena (and 1 more)\n")
    assert other.files == ("lib", "lib/x")
    assert problems(FACTS, [one, other]) == []


def test_files_of_no_kept_run_are_uncovered_and_told_whose() -> None:
    """Also that a kept run's file holds somebody else's change as well."""
    plan = plan_of(WITH_OTHER)

    assert [(each.path, each.fate, each.commits) for each in plan.uncovered] == [("notes", "added", (OTHER,))]
    assert [(each.kind, each.path) for each in plan.remarks] == [("shared", "a")]
    assert 'dddddddddddd "notes", of no run' in plan.remarks[0].detail
    (problem,) = problems(WITH_OTHER, plan.groups)
    assert problem.what == '1 changed file is of no kept run: notes (dddddddddddd "notes", of no run)'
    assert "--others branch" in problem.remedy


def test_they_can_become_a_branch_or_be_left_out() -> None:
    """Then the plan can be carried out."""
    branch = plan_of(WITH_OTHER, rest=True)
    leave = plan_of(WITH_OTHER, leave=["notes"])

    assert branch.groups[-1].branch == "finalized/4-other-changes"
    assert (branch.groups[-1].runs, branch.groups[-1].files) == ((), ("notes",))
    assert problems(WITH_OTHER, branch.groups) == []
    assert problems(WITH_OTHER, leave.groups, leave.leave) == []


def test_kept_files_can_be_left_out_too() -> None:
    """A group that has none left is none."""
    plan = plan_of(FACTS, leave=["c", "b"])

    assert [each.files for each in plan.groups] == [("a",), ("lib", "lib/x")]
    assert problems(FACTS, plan.groups, plan.leave) == []


def test_a_taken_prefix_is_left_alone() -> None:
    """Unless it was asked for: then the branch that is there is the problem."""
    facts = replace(FACTS, branches=("main", "finalized/1-cache"))

    assert plan_of(facts).groups[0].branch == "finalized-2/1-cache"
    plan = plan_of(facts, prefix="finalized")
    (problem,) = problems(facts, plan.groups)
    assert (problem.what, problem.taken) == ("there is a branch finalized/1-cache already", True)


@pytest.mark.parametrize(
    ("groups", "leave", "expected"),
    [
        ([], ["."], "there is nothing to make a branch of"),
        (
            [group("x", 2), group("y", 4, files=("c", "a")), group("z", 5)],
            [],
            "a is in two groups, x and y",
        ),
        (
            [group("x", 2, 4), group("y", 5, files=("lib",)), group("z", 5, files=("lib/x",))],
            [],
            "lib (y) and lib/x (z) cannot be merged apart: a file or directory takes the other's place",
        ),
        (
            [group("x", 2, 4), group("y", 5, files=("lib/x",))],
            ["lib"],
            "lib is left out, but lib/x",
        ),
        ([group("x", 2, 4), group("y", 5), group("y", files=())], [], "two groups are called y"),
        ([group("x", 2, 4, 5), group("y")], [], "y: it has no file"),
        ([group("x", 2, 4, 5, message=" \n")], [], "x: its message is empty"),
        ([group("x", 2, 3, 4, 5)], [], "x: run 3 is no kept run"),
        ([group("x", 2, 4, 5, files=("a", "b", "c", "lib", "lib/x", "q"))], [], "x: q is at the tip as at"),
        ([group("x", files=(".auto/prompt.md",))], ["."], "x: .auto/prompt.md is a session file"),
        ([group("main/x", 2, 4, 5)], [], "there cannot be a branch main/x beside main"),
        ([group("x", 2), group("x/y", 4, 5)], [], "there cannot be a branch x and others below it"),
        ([group("x", 2), group("y", 4)], [], "2 changed files are of no kept run: lib and 1 more"),
        ([group("main", 2, 4, 5)], [], "there is a branch main already"),
    ],
)
def test_what_is_wrong_is_named(groups: list[DraftGroup], leave: list[str], expected: str) -> None:
    """With the file, the groups and the branch that it is about."""
    found = wrong(FACTS, *groups, leave=tuple(leave))

    assert any(what.startswith(expected) for what in found), found


def test_overlapping_groups_are_to_be_merged() -> None:
    """The remedy says which."""
    groups = settled(FACTS, Draft((group("x", 2, 4, 5), group("y", 2))))

    problem = problems(FACTS, groups)[0]

    assert (problem.what, problem.remedy) == ("a is in two groups, x and y", "merge the groups x and y")


def test_a_branch_below_a_group_s_name_is_in_its_way() -> None:
    """Git keeps branches as files and directories."""
    facts = replace(FACTS, branches=("x/y",))

    assert wrong(facts, group("x", 2, 4, 5)) == ["there cannot be a branch x beside x/y"]

"""Whatever happened on a branch, the branches made of it are independent, and together they are it again."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from random import Random

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tests.commands.branches import (
    CONTENTS,
    EDITS,
    STEPS,
    Edit,
    State,
    Step,
    build,
    commits_of,
    edited,
    git,
    is_session_file,
    record,
    tree,
)
from tests.commands.conftest import Ar

EXAMPLES = settings(
    max_examples=12,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@pytest.fixture
def template(plain_git: None, tmp_path: Path) -> Path:
    """An empty repository, to be copied."""
    top = tmp_path / "template"
    git(tmp_path, "init", "-q", "-b", "main", str(top))
    git(top, "config", "user.name", "A")
    git(top, "config", "user.email", "a@example.com")
    return top


class Case:
    """A branch and its log, and what is known of it without `ar`."""

    def __init__(self, template: Path, base: State, steps: list[Step], later: bool, foreign: bool) -> None:
        count = len(list(template.parent.iterdir()))
        self.top = template.parent / f"case-{count}"
        shutil.copytree(template, self.top)
        self.commits = commits_of(base, steps)
        self.names = build(self.top, base, self.commits, later)
        self.kept = record(self.top, self.commits, self.names, foreign)
        self.base = tree(self.top, self.names[0])
        self.tip = tree(self.top, "HEAD")
        self.changed = {
            path
            for path in self.base.keys() | self.tip.keys()
            if self.base.get(path) != self.tip.get(path) and not is_session_file(path)
        }

    def paths_of(self, place: int) -> set[str]:
        """What a commit changed that is still to be seen at the tip."""
        before, after = (tree(self.top, self.names[n]) for n in (place - 1, place))
        touched = {p for p in before.keys() | after.keys() if before.get(p) != after.get(p)}
        return touched & self.changed

    def wanted(self, left: set[str] = frozenset()) -> State:  # type: ignore[assignment]
        """What all branches together have to hold: the tip, but for session files and what is left out."""
        as_at_base = {path for path in self.base.keys() | self.tip.keys() if is_session_file(path)} | left
        found = {path: entry for path, entry in self.tip.items() if path not in as_at_base}
        return found | {path: entry for path, entry in self.base.items() if path in as_at_base}

    def has_swaps(self) -> bool:
        """Whether a file became a directory, or the other way round: git's octopus trips on that."""
        return any(path.startswith(f"{other}/") for path in self.changed for other in self.changed)

    def refs(self) -> dict[str, str]:
        lines = git(self.top, "for-each-ref", "--format=%(refname:short) %(objectname)").splitlines()
        return dict(line.split(" ") for line in lines) | {"HEAD": git(self.top, "symbolic-ref", "HEAD")}

    def merged(self, branches: list[str], at_once: bool) -> State:
        """What a merge of all of them gives, from the base."""
        side = self.top.parent / f"{self.top.name}-merge-{at_once}"
        git(self.top, "worktree", "add", "-q", "--detach", str(side), self.names[0])
        for heads in [branches] if at_once else [[branch] for branch in branches]:
            command = ["git", "merge", "-q", "--no-edit", "--no-ff", *heads]
            done = subprocess.run(command, cwd=side, capture_output=True, text=True)
            assert done.returncode == 0, done.stdout + done.stderr
        return tree(side, "HEAD")


def moved(case: Case, before: dict[str, str]) -> dict[str, str]:
    """The branches that were made; all else is where it was."""
    after = case.refs()
    assert {name: after[name] for name in before} == before
    assert not (case.top / ".git/index").exists()
    assert sorted(path.name for path in case.top.iterdir()) == [".auto", ".git"]
    assert not [path for path in (case.top / ".git").iterdir() if path.name.startswith("ar-")]
    return {name: commit for name, commit in after.items() if name not in before}


LINES, OTHERS = CONTENTS[3], CONTENTS[4]
FILE = ("100644", LINES)


@EXAMPLES
@given(
    base=EDITS,
    steps=STEPS,
    later=st.booleans(),
    foreign=st.booleans(),
    seed=st.integers(min_value=0, max_value=99),
)
@example(  # a directory that moves, and a new file in its old place
    base=[Edit("write", path, "", LINES) for path in ("d/x", "d/y")],
    steps=[
        Step("keep", [Edit("rename", "d/x", "e/x", b""), Edit("rename", "d/y", "e/deep/y", b"")]),
        Step("keep", [Edit("write", "d/z", "", b"one\n")]),
        Step("keep", [Edit("write", "f", "", b"one\n")]),
    ],
    later=True,
    foreign=False,
    seed=0,
)
@example(  # a file that becomes a directory by another run than the one that removes it
    base=[Edit("write", "a", "", LINES)],
    steps=[Step("keep", [Edit("remove", "a", "", b"")]), Step("keep", [Edit("write", "a/b", "", b"one\n")])],
    later=False,
    foreign=True,
    seed=1,
)
def test_the_branches_together_are_the_branch(
    template: Path, ar: Ar, base: list[Edit], steps: list[Step], later: bool, foreign: bool, seed: int
) -> None:
    """Law: from the base, one group a branch, merged in any order, without a conflict; also all at once."""
    case = Case(template, edited({}, [*base, Edit("write", "seed", "", b"x\n")]), steps, later, foreign)
    before = case.refs()

    ran = ar("-C", str(case.top), "finalize", "apply", "--others", "branch", "--json")

    made = moved(case, before)
    if not case.changed:
        assert (ran.code, made) == (2, {}), ran.err
        return
    assert ran.code == 0, ran.err
    document = json.loads(ran.out)
    assert {each["branch"]: each["commit"] for each in document["branches"]} == made
    for commit in made.values():
        assert git(case.top, "rev-list", "--parents", "-1", commit).split()[1:] == [case.names[0]]
    kept = [number for number, place in enumerate(case.kept) if case.paths_of(place)]
    assert sum(bool(each["runs"]) for each in document["branches"]) <= len(kept)
    assert sum(len(each["runs"]) for each in document["branches"]) == len(kept)
    shuffled = list(made)
    Random(seed).shuffle(shuffled)
    assert case.merged(shuffled, at_once=False) == case.wanted()
    if not case.has_swaps():
        assert case.merged(shuffled, at_once=True) == case.wanted()


@EXAMPLES
@given(base=EDITS, steps=STEPS, foreign=st.booleans())
def test_what_is_of_no_kept_run_is_told_and_can_be_left_out(
    template: Path, ar: Ar, base: list[Edit], steps: list[Step], foreign: bool
) -> None:
    """Law: uncovered is exactly what no kept commit touched; without it, the branches are the rest."""
    case = Case(template, edited({}, [*base, Edit("write", "seed", "", b"x\n")]), steps, False, foreign)
    before = case.refs()
    covered = {path for place in case.kept for path in case.paths_of(place)}

    plan = ar("-C", str(case.top), "finalize", "plan", "--json")
    document = json.loads(plan.out)
    refused = ar("-C", str(case.top), "finalize", "apply") if document["uncovered"] else None
    assert case.refs() == before
    ran = ar("-C", str(case.top), "finalize", "apply", "--others", "leave")

    assert plan.err == ""
    left = {each["path"].replace("%25", "%") for each in document["uncovered"]}
    assert left == case.changed - covered
    for each in document["uncovered"]:
        assert each["commits"]
    assert document["ok"] == (bool(covered) and not left) == (plan.code == 0)
    assert refused is None or refused.code == 2
    made = moved(case, before)
    if ran.code == 2:  # nothing was kept, or what is left out is in the way of what was
        assert made == {}
        assert not covered or "needs its place" in ran.err
        return
    assert ran.code == 0, ran.err
    assert case.merged(list(made), at_once=False) == case.wanted(left)


def test_names_of_64_digits(plain_git: None, ar: Ar, tmp_path: Path) -> None:
    """A repository may name its objects by SHA-256."""
    top = tmp_path / "template"
    git(tmp_path, "init", "-q", "-b", "main", "--object-format=sha256", str(top))
    git(top, "config", "user.name", "A")
    git(top, "config", "user.email", "a@example.com")
    steps = [
        Step("keep", [Edit("write", "f", "", b"one\n"), Edit("remove", "d/x", "", b"")]),
        Step("discard", [Edit("write", "f", "", b"two\n")]),
        Step("keep", [Edit("write", "b", "", b"one\n")]),
    ]
    case = Case(top, {"d/x": FILE, "e/x": FILE}, steps, False, False)
    before = case.refs()

    ran = ar("-C", str(case.top), "finalize", "apply")

    assert (ran.code, ran.err) == (0, "")
    made = moved(case, before)
    assert [len(commit) for commit in made.values()] == [64, 64]
    assert case.merged(list(made), at_once=True) == case.wanted()

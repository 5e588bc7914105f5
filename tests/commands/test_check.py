"""`ar check iteration`: whether an iteration keeps to the protocol's limits, in a real repository."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from commands.effects.commit_sizes import changes_at_work, changes_in, commits_of
from commands.effects.git import find_repo
from reducers.policies.iteration_limits import FileChange
from tests.commands.conftest import Ar
from tests.commands.protocol import begin, refused
from tests.commands.sandbox import Sandbox, prepared, sandbox

__all__ = ["prepared", "sandbox"]


@pytest.fixture
def box(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch, ar: Ar) -> Sandbox:
    """A repository with a session in it."""
    monkeypatch.chdir(sandbox.top)
    begin(ar, sandbox.top)
    return sandbox


Commit = Callable[[Mapping[str, str | bytes]], str]


@pytest.fixture
def commit(box: Sandbox) -> Commit:
    """Writes files and commits them; the commit."""

    def write(files: Mapping[str, str | bytes]) -> str:
        for path, content in files.items():
            box.write(path, content)
        return box.commit(*files)

    return write


def test_a_small_commit_is_in_order(ar: Ar, commit: Commit) -> None:
    """The last one is looked at."""
    made = commit({"src/a.c": "one\n", "src/b.c": "two\n"})

    assert ar("check", "iteration") == (0, "ok  1 commit, 2 files\n", "")
    document = json.loads(ar("check", "iteration", "--json").out)
    assert (document["ok"], document["commits"], document["findings"]) == (True, [made], [])


def test_too_much_is_found_with_exit_1(ar: Ar, commit: Commit) -> None:
    """Files, verification, citations: as text, and as data."""
    commit({f"src/{n}.c": "line\n" * 150 for n in range(5)} | {"src/long.c": "line\n" * 301})
    assert ar("iteration", "-m", "much").code == 0
    for number in range(21):
        assert ar("finding", "x", "--source", f"arXiv:{number}").code == 0
    ran = ar("check", "iteration")
    document = json.loads(ar("check", "iteration", "--json").out)

    assert (ran.code, ran.err) == (1, "")
    assert ran.out == (
        "large_files: 6 large files were changed, at most 5 may be\n"
        "long_file: src/long.c has 301 lines, at most 300 may be\n"
        "unverified: no ok check followed iteration 1\n"
        "citations: 21 cited items are unverified, at most 20 may be\n"
        "NOT OK  1 commit, 6 files\n"
    )
    assert document["ok"] is False
    assert [each["kind"] for each in document["findings"]] == [
        "large_files",
        "long_file",
        "unverified",
        "citations",
    ]
    assert ar("verified", "citation", "all", "--ok").code == 0
    assert [each["kind"] for each in json.loads(ar("check", "iteration", "--json").out)["findings"]] == [
        "large_files",
        "long_file",
    ]


def test_commits_add_up(ar: Ar, box: Sandbox, commit: Commit) -> None:
    """Lines by file, over a range or commits one by one in any order; the rest as the last one left it."""
    start = box.head
    first = commit({"src/a.c": "x\n" * 60})
    second = commit({"src/a.c": "y\n" * 60, "src/data.bin": b"\0" * 70_000})
    repo = find_repo(box.top)
    expected = [
        FileChange("src/a.c", 180, 60, 120),
        FileChange("src/data.bin", 0, None, 70_000),
    ]

    for asked in ((f"{start}..HEAD",), (f"{start}..",), (second, first), (first, "HEAD", first)):
        commits = commits_of(repo, asked)
        assert [each.id for each in commits] == [first, second]
        assert changes_in(repo, commits) == expected
    assert commits_of(repo, ("HEAD..HEAD",)) == []


def test_what_is_moved_removed_or_oddly_named_is_understood(box: Sandbox, commit: Commit) -> None:
    """A move counts as what was changed of it; what is gone has no lines."""
    odd = 'src/new\nline "\t:(top)*'
    commit({"src/a.c": "".join(f"{n}\n" for n in range(200)), odd: "1\n"})
    box.git("mv", "src/a.c", "src/moved.c")
    box.git("rm", "-q", "src/run.sh")
    box.git("commit", "-q", "-m", "move", "--only", "--", "src/a.c", "src/moved.c", "src/run.sh")
    repo = find_repo(box.top)
    found = {change.path: change for change in changes_in(repo, commits_of(repo, ("HEAD~1", "HEAD")))}

    assert found["src/moved.c"] == FileChange("src/moved.c", 0, 200, 690)
    assert found["src/run.sh"] == FileChange("src/run.sh", 1)
    assert found[odd] == FileChange(odd, 1, 1, 2)


def test_what_would_be_committed_is_measured_alike(box: Sandbox, commit: Commit) -> None:
    """Changed, new, moved and removed files, before and after they are committed."""
    commit({"src/a.c": "".join(f"{n}\n" for n in range(200)), "src/gone.c": "1\n"})
    (box.top / "src/a.c").rename(box.top / "src/moved.c")
    (box.top / "src/gone.c").unlink()
    box.write("src/new.bin", b"\0" * 70_000)
    box.write("src/run.sh", "one\ntwo\n")
    paths = ["src/a.c", "src/gone.c", "src/moved.c", "src/new.bin", "src/run.sh"]
    repo = find_repo(box.top)
    before = changes_at_work(repo, paths)

    box.git("add", "--", *paths)
    box.git("commit", "-q", "-m", "all of it", "--only", "--", *paths)

    assert before == changes_in(repo, commits_of(repo, ("HEAD",)))
    assert len(before) == 4
    assert changes_at_work(repo, paths) == changes_at_work(repo, []) == []


def test_the_first_commit_has_files_too(box: Sandbox) -> None:
    """It has no parent to be compared with."""
    repo = find_repo(box.top)
    found = changes_in(repo, commits_of(repo, (box.git("rev-list", "--max-parents=0", "HEAD"),)))

    assert FileChange("src/run.sh", 1, 1, 10) in found


@pytest.mark.parametrize("revision", ["nowhere", "--all", "HEAD...HEAD", "HEAD..nowhere", "a\nb"])
def test_what_names_no_commit_is_refused(ar: Ar, box: Sandbox, revision: str) -> None:
    """Nothing of it reaches git as an option."""
    told = refused(ar, box.top / ".auto" / "log.jsonl", "check", "iteration", "--", revision)

    assert told.startswith("ar: ")
    assert "\ntry: " in told


def test_without_a_repository_the_log_is_looked_at_all_the_same(
    ar: Ar, plain_git: None, tmp_path: Path
) -> None:
    """Unless commits were asked for."""
    log = begin(ar, tmp_path)
    ran = ar("check", "iteration")

    assert (ran.code, ran.out) == (0, "ok  0 commits, 0 files\n")
    assert ran.err == "ar: not in a working tree of a git repository: no files are looked at\n"
    assert "not in a working tree" in refused(ar, log, "check", "iteration", "HEAD", code=4)
    assert ar("check").out.startswith("Usage: ar check")


def test_one_is_one(ar: Ar, box: Sandbox) -> None:
    """A commit of one file is told in the singular."""
    begin(ar, box.top)
    box.write("src/run.sh", "one\n")
    box.git("commit", "-q", "-m", "one file", "--only", "--", "src/run.sh")

    assert ar("check", "iteration").out == "ok  1 commit, 1 file\n"

"""Branches that are made up: a model of what each commit holds, and a repository and a log like it.

The repository is written by `git fast-import`, in one go; nothing is checked out.
"""

from __future__ import annotations

import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec
from hypothesis import strategies as st

from eventstore.events import Committed, Config, Event, Reverted, Run, Started
from eventstore.filelog import FileLog

State = dict[str, tuple[str, bytes]]
"""What a commit holds: mode and content (of a submodule its commit) by path."""

SESSION = [".auto/prompt.md", "autoresearch.md", "autoresearch.hooks/after.sh", "d/autoresearch-results.tsv"]
PATHS = ["a", "a/b", "b", "b/a", "b/a/a", "d/x", "d/y", "d/z", "e/x", "e/deep/y", "f", "w ü", "d/%41"]
FOLDERS = ["a", "b", "d", "e", "g"]
CONTENTS = [
    b"",
    b"one\n",
    b"two\n",
    b"".join(b"line %d\n" % n for n in range(30)),
    b"".join(b"line %d\n" % n for n in range(29)) + b"end\n",
    bytes(range(256)),
    bytes(reversed(range(256))),
]


class Edit(NamedTuple):
    """A change to files. kind: what is done. path, other: to which, or from which to which. content: with."""

    kind: str
    path: str
    other: str
    content: bytes


class Step(NamedTuple):
    """What happens on the branch: `keep`, `discard` (with its revert), `user`, or `undo` of all since."""

    kind: str
    edits: list[Edit]


EDITS = st.lists(
    st.builds(
        Edit,
        st.sampled_from(
            ["write"] * 4 + ["remove", "remove", "rename", "move", "mode", "link", "module", "session"]
        ),
        st.sampled_from(PATHS),
        st.sampled_from(PATHS),
        st.sampled_from(CONTENTS),
    ),
    min_size=1,
    max_size=4,
)
STEPS = st.lists(
    st.builds(Step, st.sampled_from(["keep"] * 5 + ["discard", "user", "undo"]), EDITS),
    min_size=1,
    max_size=8,
)


def is_session_file(path: str) -> bool:
    return path in SESSION


def edited(state: State, edits: Sequence[Edit]) -> State:
    """What is there after these edits; where one makes no sense, nothing happens."""
    after = dict(state)
    for number, edit in enumerate(edits):
        path = edit.path
        if edit.kind == "write":
            put(after, path, ("100644", edit.content))
        elif edit.kind == "session":
            put(after, SESSION[len(path) % len(SESSION)], ("100644", edit.content))
        elif edit.kind == "link":
            put(after, path, ("120000", edit.other.encode()))
        elif edit.kind == "module":
            put(after, path, ("160000", f"{len(edit.other) + number:040x}".encode()))
        elif edit.kind == "move":
            source, target = (
                FOLDERS[len(path) % len(FOLDERS)] + "/",
                FOLDERS[len(edit.other) % len(FOLDERS)] + "/",
            )
            for name in [name for name in after if name.startswith(source) and source != target]:
                put(after, target + name.removeprefix(source), after.pop(name))
        elif path in after and edit.kind == "remove":
            del after[path]
        elif path in after and edit.kind == "rename" and path != edit.other:
            put(after, edit.other, after.pop(path))
        elif path in after and edit.kind == "mode" and after[path][0].startswith("100"):
            after[path] = ("100755" if after[path][0] == "100644" else "100644", after[path][1])
    return after


def put(state: State, path: str, entry: tuple[str, bytes]) -> None:
    """Puts a file in its place, and takes away what cannot be there beside it."""
    for name in list(state):
        if name.startswith(path + "/") or path.startswith(name + "/"):
            del state[name]
    state[path] = entry


class Commit(NamedTuple):
    """A commit to be made: what it holds, and the run that it belongs to (its status), if any."""

    state: State
    status: str | None = None


def commits_of(base: State, steps: Sequence[Step]) -> list[Commit]:
    """The commits of these steps; those that would hold no change are none."""
    found: list[Commit] = []
    state = base
    for step in steps:
        after = dict(base) if step.kind == "undo" else edited(state, step.edits)
        if after == state:
            continue
        if step.kind == "discard":
            found += [Commit(after, "discard"), Commit(state, "revert")]
            continue
        found.append(Commit(after, "keep" if step.kind == "keep" else None))
        state = after
    return found


def build(top: Path, base: State, commits: Sequence[Commit], later: bool) -> list[str]:
    """Makes the repository: `main` at the base, or later, and HEAD on `speed` at the last commit.

    Returns the commits' names, the base first.
    """
    stream = [_commit(1, "main", base, None)]
    for mark, commit in enumerate(commits, 2):
        stream.append(_commit(mark, "speed", commit.state, mark - 1))
    if not commits:
        stream.append(b"reset refs/heads/speed\nfrom :1\n\n")
    if later:
        stream.append(_commit(len(commits) + 2, "main", {**base, "later": ("100644", b"x\n")}, 1))
    marks = top / ".git/marks"
    git(top, "fast-import", "--quiet", f"--export-marks={marks}", stdin=b"".join(stream))
    git(top, "symbolic-ref", "HEAD", "refs/heads/speed")
    names = dict(line.split() for line in marks.read_text().splitlines())
    marks.unlink()
    return [names[f":{mark}"] for mark in range(1, len(commits) + 2)]


def _commit(mark: int, branch: str, state: State, parent: int | None) -> bytes:
    words = b"commit %d" % mark
    lines = [b"commit refs/heads/%s\nmark :%d\n" % (branch.encode(), mark)]
    lines.append(b"committer A <a@example.com> %d +0000\ndata %d\n%s\n" % (10**9 + mark, len(words), words))
    lines.append(b"from :%d\n" % parent if parent else b"")
    lines.append(b"deleteall\n")
    for path, (mode, content) in state.items():
        name = path.encode()
        if mode == "160000":
            lines.append(b"M 160000 %s %s\n" % (content, name))
        else:
            lines.append(b"M %s inline %s\ndata %d\n%s\n" % (mode.encode(), name, len(content), content))
    return b"".join(lines) + b"\n"


def record(top: Path, commits: Sequence[Commit], names: Sequence[str], foreign: bool) -> list[int]:
    """Writes the log: each kept and discarded commit is a run. Returns the kept runs' commits, by place.

    foreign: as pi writes it, with nothing but runs.
    """
    events: list[Event] = [Config(name="g", metricName="m", metricUnit="", bestDirection="lower")]
    events.append(Run(run=1, commit=names[0][:7], metric=100, status="keep", description="baseline"))
    runs, cycle, kept = 1, 0, []
    for place, commit in enumerate(commits, 1):
        if commit.status in ("keep", "discard"):
            runs, cycle = runs + 1, cycle + 1
            metric = 100 - place if commit.status == "keep" else 200
            run = Run(
                run=runs,
                commit=names[place if commit.status == "keep" or not foreign else place - 1][:7],
                metric=metric,
                status=commit.status,
                description=f"change {place}",
            )
            made = Committed(cycle=cycle, commit=names[place], parent=names[place - 1])
            events += [run] if foreign else [Started(cycle=cycle, parent=names[place - 1]), made, run]
            kept += [place] if commit.status == "keep" else []
        elif commit.status == "revert" and not foreign:
            was = names[place - 1]
            events.append(Reverted(cycle=cycle, commit=was, revert_commit=names[place], verified=True))
    log = top / ".auto/log.jsonl"
    log.parent.mkdir()
    if foreign:
        log.write_bytes(b"".join(msgspec.json.encode(event) + b"\n" for event in events))
    else:
        FileLog(log, by="user").append(events)
    return kept


def git(top: Path, *arguments: str, stdin: bytes = b"", accept: tuple[int, ...] = (0,)) -> str:
    done = subprocess.run(["git", *arguments], cwd=top, input=stdin, capture_output=True)
    assert done.returncode in accept, (arguments, done.stdout, done.stderr)
    return done.stdout.decode().removesuffix("\n")


def tree(top: Path, revision: str) -> State:
    """What a commit holds, read from git: mode and object by path."""
    lines = git(top, "ls-tree", "-r", "-z", revision).split("\0")
    return {
        path: (facts.split(" ")[0], facts.split(" ")[2].encode())
        for facts, _, path in (line.partition("\t") for line in lines if line)
    }

"""A session on a branch of its own: runs recorded as cycles record them, over real commits."""

from __future__ import annotations

import json
from typing import Any

import pytest

from commands.logged_paths import as_logged
from eventstore.events import Committed, Measured, Reverted, Run, Started
from tests.commands.bench import BASELINE, Bench
from tests.commands.conftest import Ar, Ran
from tests.commands.sandbox import Sandbox

Edits = dict[str, "str | bytes | None"]
"""Content by path; None for a file that is deleted."""


class Trail:
    """The session of a bench on branch `speed`, which left `main` at the baseline's commit."""

    def __init__(self, box: Sandbox, ar: Ar) -> None:
        self.box = box
        self.bench = Bench(box, ar)
        self.bench.configure()
        self.base = box.head
        box.git("switch", "-q", "-c", "speed")
        self.runs = 1
        self.cycles = 0
        self.best: float = BASELINE

    def ar(self, *argv: str) -> Ran:
        return self.bench.ar(*argv)

    def commit(self, edits: Edits, message: str = "somebody's own") -> str:
        """Somebody commits these files, whatever else is in the working tree; the commit's name."""
        for path, content in edits.items():
            if content is None:
                (self.box.top / path).unlink()
            else:
                self.box.write(path, content)
        return self.box.commit(*edits, message=message)

    def keep(self, metric: float, words: str, edits: Edits, **fields: Any) -> str:
        """A cycle that is kept; its commit."""
        commit = self._cycle(metric, edits, Run(run=1, status="keep", description=words, **fields))
        self.best = metric
        return commit

    def discard(self, metric: float, words: str, edits: Edits, *, gone: bool = True) -> str:
        """A cycle that is rolled back, or only said to be; its commit."""
        commit = self._cycle(metric, edits, Run(run=1, status="discard", description=words))
        if not gone:
            self.bench.add(Reverted(cycle=self.cycles, commit=commit, verified=True))
            return commit
        self.take_back(commit)
        self.bench.add(Reverted(cycle=self.cycles, commit=commit, revert_commit=self.box.head, verified=True))
        return commit

    def take_back(self, commit: str) -> None:
        """Reverts a commit, around what the user has staged."""
        paths = self.box.files(commit)
        self.box.git("restore", "--source", f"{commit}~", "--staged", "--worktree", "--", *paths)
        self.box.git("commit", "-q", "--no-verify", "-m", f"Revert {commit}", "--only", "--", *paths)

    def _cycle(self, metric: float, edits: Edits, run: Run) -> str:
        from msgspec.structs import replace

        parent = self.box.head
        self.cycles += 1
        self.runs += 1
        commit = self.commit(edits, f"autoresearch cycle {self.cycles}: {run.description}")
        self.bench.add(
            Started(cycle=self.cycles, parent=parent),
            Committed(cycle=self.cycles, commit=commit, parent=parent, files=as_logged(sorted(edits))),
            Measured(cycle=self.cycles, commit=commit, samples=(metric,), median=metric),
            replace(run, run=self.runs, commit=commit[:7], metric=metric),
        )
        return commit

    def foreign(self, commit: str | None, metric: float, words: str, status: str = "keep") -> None:
        """A run of another program, which names a commit."""
        self.runs += 1
        self.bench.add(Run(run=self.runs, commit=commit, metric=metric, status=status, description=words))

    def refs(self) -> dict[str, str]:
        """All references and where they are, HEAD among them."""
        lines = self.box.git("for-each-ref", "--format=%(refname) %(objectname)").splitlines()
        found = dict(line.split(" ") for line in lines)
        return {
            **found,
            "HEAD": self.box.git("rev-parse", "--symbolic-full-name", "HEAD"),
            "at": self.box.head,
        }

    def made(self) -> dict[str, str]:
        """The branches that were made, with their commits."""
        refs = self.refs()
        return {
            name.removeprefix("refs/heads/"): commit
            for name, commit in refs.items()
            if name.startswith("refs/heads/finalized")
        }

    def tree(self, revision: str) -> dict[str, str]:
        """What a commit holds, by path."""
        out = self.box.git("ls-tree", "-r", "-z", revision)
        return {line.partition("\t")[2]: line.partition("\t")[0] for line in out.split("\0") if line}


def planned(trail: Trail, *options: str) -> dict[str, Any]:
    """The plan as a document."""
    ran = trail.ar("finalize", "plan", "--json", *options)
    assert ran.err == ""
    document: dict[str, Any] = json.loads(ran.out)
    assert ran.code == (0 if document["ok"] else 1)
    return document


@pytest.fixture
def trail(sandbox: Sandbox, ar: Ar) -> Trail:
    """A session on a branch, no run but the baseline yet; the user's work elsewhere has to stay as it is."""
    return Trail(sandbox, ar)

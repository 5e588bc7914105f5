"""A fortnight of an orchestrator, three tasks and a patrol, by a clock of its own (design, section 6.3).

Everything is real but the time, the workers and the processes: rounds, decisions, logs on disk, patrols.
"""

from __future__ import annotations

import itertools
import json
import random
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from commands import orchestrate
from commands.effects import errand, patrolling
from commands.effects.agents import agent_of
from commands.effects.dispatching import CameBack
from commands.effects.ending import Asked
from commands.effects.errand import Errand
from commands.effects.patrolling import Guardian, patrol_once
from eventstore.disk import Disk
from eventstore.events import (
    Config,
    Event,
    Finding,
    Flag,
    Heartbeat,
    Iteration,
    Note,
    Pivot,
    Restart,
    Verified,
)
from eventstore.filelog import FileLog
from hooks.process import Finished
from reducers.core import fold
from reducers.policies.patrol import Observed
from reducers.policies.patrol_actions import RestartLoop
from reducers.policies.perturbations import PERTURBATIONS, named
from reducers.policies.stall import rank
from reducers.stall import stall
from tests.commands.conftest import Ar

START, MINUTE, HOUR, DAYS = 1_764_547_200_000, 60_000, 3_600_000, 14
TASKS = ("cache", "parser", "solver")
EVERY = 2 * HOUR
ARGV = ("ar", "orchestrate", "--every", "2h")


class Died(BaseException):
    """The orchestrator's process is gone: nothing after this is done, not even what always is."""


class Unsynced(Disk):
    """A disk that need not survive a power loss."""

    def sync(self, fd: int) -> None:
        """Nothing."""


class World:
    """Time, processes and workers, as the dice have it; `lines` of a log as they stand."""

    def __init__(self, root: Path) -> None:
        self.root, self.now, self.dice = root, START, random.Random(7)
        self.pid, self.lives = 100, True
        self.sent: Counter[str] = Counter()
        self.ended: Counter[tuple[str, str]] = Counter()
        self.stalled: Counter[str] = Counter()
        self.died_at: list[int] = []
        self.back_after: list[int] = []
        for folder in (root, *(root / name for name in TASKS)):
            (folder / ".auto").mkdir(parents=True)
            self.log(folder / ".auto" / "log.jsonl").append([Config(name=f"the goal of {folder.name}")])

    def log(self, path: Path, *, by: str = "user", cache_dir: Path | None = None) -> FileLog:
        return FileLog(path, by=by, cache_dir=cache_dir, clock=lambda: self.now, disk=Unsynced())

    def beat(self, by: str, state: str = "working") -> Heartbeat:
        return Heartbeat(by=by, pid=self.pid, pid_started="s", host="box", state=state)

    def work(self, prompt: Any, argv: Any, place: Path, cwd: Path, by: str, *_: Any) -> CameBack:
        """A worker: it finds something, or nothing for a while, asks, or dies; at times all of us die."""
        name = cwd.name
        self.now += 20 * MINUTE
        assert f"the goal of {name}" in prompt.text
        assert not any(f"the goal of {other}" in prompt.text for other in TASKS if other != name)
        assert (by, argv) == ("worker", agent_of("x", 15).argv)
        self.sent[name] += 1
        fate = self.dice.random()
        if fate < 0.012:
            self.lives = False
            self.died_at.append(self.now)
            raise Died
        if fate < 0.06:
            self.ended[name, "died"] += 1
            return CameBack(prompt.name, False, "exited 137: killed", "")
        if self.stalled[name] == 0 and fate < 0.12:
            self.stalled[name] = self.dice.randrange(3, 8)
        if self.stalled[name]:
            self.stalled[name] -= 1
            self.ended[name, "stalled"] += 1
            return CameBack(prompt.name, True, "All is done.", "")
        if fate < 0.2:
            self.ended[name, "asked"] += 1
            return CameBack(prompt.name, True, "Shall I go on?", "")
        self.ended[name, "found"] += 1
        self.log(cwd / ".auto" / "log.jsonl", by="worker").append([Finding(text=f"at {self.now}")])
        return CameBack(prompt.name, True, "found it", "")

    def check(self, argv: Sequence[str], **options: Any) -> Finished:
        """A verification, which fails at times."""
        self.now += MINUTE
        ok = self.dice.random() < 0.9
        return Finished(exit_code=0 if ok else 1, timeout=options["timeout"], duration_ms=MINUTE)

    def start(self, argv: Sequence[str], **_: Any) -> None:
        """A patrol brings the orchestrator back."""
        assert tuple(argv) == ARGV
        assert not self.lives
        self.back_after.append(self.now - self.died_at[-1])
        self.lives, self.pid = True, self.pid + 1

    def lines(self, folder: Path) -> list[Event]:
        read = self.log(folder / ".auto" / "log.jsonl").read()
        return [each for batch in read for each in batch.records if isinstance(each, Event)]


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> World:
    """What it is put into."""
    made = World(tmp_path / "root")
    for module in (errand, orchestrate, patrolling):
        monkeypatch.setattr(module, "FileLog", made.log)
        monkeypatch.setattr(module, "own_beat", made.beat)
    for module in (errand, patrolling):
        monkeypatch.setattr(module, "now_ms", lambda: made.now)
    monkeypatch.setattr(errand, "run_prompt", made.work)
    monkeypatch.setattr(errand, "run", made.check)
    monkeypatch.setattr(patrolling, "start_detached", made.start)
    monkeypatch.setattr(patrolling, "awake_since", lambda *_, **__: None)

    def observe(_: Any) -> Observed:
        return Observed(host="box", started={made.pid: "s"} if made.lives else {})

    monkeypatch.setattr(patrolling, "observe", observe)
    return made


def live_through(world: World, asked: Asked) -> Counter[str]:
    """A fortnight: a round every two hours while the orchestrator lives, a patrol every hour; what it did."""
    errand_ = Errand(agent_of("x", 15), "x", 1800.0, "make check", "orchestrator", every=EVERY / 1000)
    done: Counter[str] = Counter()
    service, next_round, next_patrol = None, START, START + HOUR // 2
    broken = world.root / "parser" / ".auto" / "log.jsonl"
    while world.now < START + DAYS * 24 * HOUR:
        day = (world.now - START) // (24 * HOUR)
        if day == 6 and broken.is_file():
            broken.rename(broken.with_name("kept"))
            broken.mkdir()
        elif day == 7 and broken.is_dir():
            broken.rmdir()
            broken.with_name("kept").rename(broken)
        world.now = max(world.now, min(next_round, next_patrol) if world.lives else next_patrol)
        if world.lives and next_round <= next_patrol:
            service = service or orchestrate._Service(world.root, errand_, 1, ARGV)
            next_round = world.now + EVERY
            try:
                came = {each.task: each.state for each in service.round(asked)}
            except Died:
                service = None
                continue
            done.update(came.values())
            assert came.keys() == set(TASKS)
            assert (came["parser"] == "failed") >= broken.is_dir()
        else:
            next_patrol = world.now + HOUR
            looked = patrol_once(world.root, Guardian("patrol"))
            done.update(type(each.action).__name__ for each in looked.done)
            assert set(looked.failed) <= {"parser"}
            if any(isinstance(each.action, RestartLoop) for each in looked.done):
                next_round = world.now
    return done


def test_a_fortnight_goes_by_and_every_task_goes_on(world: World, ar: Ar) -> None:
    """Deaths, stalls and questions, of the orchestrator too, a log that is away: all logs are sound."""
    with Asked() as asked:
        done = live_through(world, asked)

    assert min(done[state] for state in ("worked", "failed", "waiting", "RestartLoop", "FlagTask")) > 0
    assert len(world.back_after) == done["RestartLoop"] == len(world.died_at) > 1
    assert max(world.back_after) <= 3 * EVERY + HOUR + 2 * HOUR
    restarts = [each for each in world.lines(world.root) if isinstance(each, Restart)]
    assert {(each.by, each.target) for each in restarts} == {("guardian:patrol", "orchestrator")}
    assert len(restarts) == done["RestartLoop"]
    for name in TASKS:
        assert min(world.ended[name, fate] for fate in ("died", "stalled", "asked", "found")) > 0
        audit(world, name)
    for folder in (world.root, *(world.root / name for name in TASKS)):
        checked = ar("-C", str(folder), "verify", "--json")
        assert (checked.code, json.loads(checked.out)["ok"]) == (0, True)


def audit(world: World, name: str) -> None:
    """A task's log tells of every worker, of a check between any two iterations, of every stall's answer."""
    log = world.lines(world.root / name)
    told = Counter(type(each) for each in log)
    ok = sum(world.ended[name, fate] for fate in ("stalled", "asked", "found"))
    cut = world.sent[name] - ok - world.ended[name, "died"]
    iterations = [each for each in log if isinstance(each, Iteration)]
    assert [each.iteration for each in iterations] == list(range(1, ok + 1))
    assert 0 <= cut <= len(world.died_at)
    died = [each for each in log if isinstance(each, Note) and each.event == "worker_failed"]
    assert len(died) == world.ended[name, "died"]
    assert told[Finding] == sum(each.findings or 0 for each in iterations) == world.ended[name, "found"]

    places = [place for place, each in enumerate(log) if isinstance(each, Iteration)]
    for before, after in itertools.pairwise(places):
        between = log[before:after]
        assert any(isinstance(each, Verified) and each.ok for each in between)
        stale = stall.view(fold(stall, log[: before + 1])).stale_count
        levels = [rank(each.level) for each in between if isinstance(each, Pivot)]
        assert levels == ([stale - 1] if stale in (2, 3) else []), (stale, levels)
        told_of = [each.cleared for each in between if isinstance(each, Flag) and each.kind == "stalled"]
        assert (False in told_of) == (stale == 4), stale
        assert (True in told_of) <= (stale == 0), stale
    impulses = [named(each.perturbation) for each in log if isinstance(each, Pivot)]
    for first in range(0, len(impulses), len(PERTURBATIONS)):
        some = impulses[first : first + len(PERTURBATIONS)]
        assert len(set(some)) == len(some)
    away = (START + 6 * 24 * HOUR, START + 7 * 24 * HOUR) if name == "parser" else (0, 0)
    silent = [at for at in long_silences(log) if not away[0] - 6 * HOUR < at < away[1]]
    assert [at for at in silent if not has_flag_in_time(log, at)] == []
    up: dict[str, bool] = {}
    for each in log:
        if isinstance(each, Flag):
            assert each.cleared == up.get(each.kind, False) or each.kind == "unverified"
            up[each.kind] = not each.cleared


def long_silences(log: Sequence[Event]) -> list[int]:
    """When four hours and a patrol more had gone by without progress, milliseconds."""
    steps = [
        _at(each) for each in log if isinstance(each, Finding) or (isinstance(each, Verified) and each.ok)
    ]
    return [before for before, after in itertools.pairwise(steps) if after - before > 6 * HOUR]


def has_flag_in_time(log: Sequence[Event], since: int) -> bool:
    """Whether the task was flagged as stuck within a patrol or two of the fourth hour."""
    flags = [each for each in log if isinstance(each, Flag) and each.kind == "stuck" and not each.cleared]
    return any(4 * HOUR <= _at(each) - since <= 6 * HOUR for each in flags)


def _at(event: Event) -> int:
    assert isinstance(event.timestamp, int)
    return event.timestamp

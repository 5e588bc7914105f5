"""A fortnight of three tasks and their guardians, by a clock of its own (design, section 6.3)."""

from __future__ import annotations

import random
from collections import Counter
from itertools import pairwise

import msgspec

from eventstore import chain
from eventstore.events import Event, Finding, Heartbeat, Nudge, Pivot, Registered, Restart
from eventstore.memory import MemoryLog
from eventstore.store import START as BEGINNING
from eventstore.store import Position
from reducers.core import fold
from reducers.policies.patrol import Observed, patrol
from reducers.policies.patrol_actions import Action, FlagTask, NudgeLoop, PivotTask, RestartLoop, event_of
from reducers.watch import Watch, watch
from tests.reducers.given import HOUR, MINUTE, START

DAYS = 14
INTERVAL = 20 * MINUTE
ARGV = ("ar", "loop")


class Clock:
    """What time it is."""

    now = START

    def __call__(self) -> int:
        return self.now


class Agent:
    """A loop that works, and at times dies, asks, or circles, as its dice have it."""

    def __init__(self, name: str, seed: int, clock: Clock) -> None:
        self.log = MemoryLog(clock=clock)
        self.dice = random.Random(seed)
        self.name, self.pid, self.mood = name, 1, "works"
        self.after, self.state = BEGINNING, watch.initial
        self.deaths = self.questions = self.stalls = 0
        self.died_at: int | None = None
        self.outages: list[int] = []
        registered = Registered(by=f"user:{name}", argv=ARGV, interval_seconds=INTERVAL / 1000)
        self.log.append([registered])

    def turn(self, now: int) -> None:
        """One callback: life first, then whatever it is in the mood for."""
        if self.mood == "dead":
            return
        if self.mood == "works" and (fate := self.dice.random()) < 0.03:
            self.mood = "dead" if fate < 0.015 else "asks" if fate < 0.025 else "circles"
            self.deaths += self.mood == "dead"
            self.questions += self.mood == "asks"
            self.stalls += self.mood == "circles"
        if self.mood == "dead":
            self.died_at = now
            return
        said = "Shall I go on?" if self.mood == "asks" else "on it"
        events: list[Event] = [Heartbeat(pid=self.pid, pid_started="s", host="box", last_output=said)]
        if self.mood == "works" and self.dice.random() < 0.4:
            events.append(Finding(text=f"{now}"))
        self.log.append([msgspec.structs.replace(event, by=f"worker:{self.name}") for event in events])

    def suffer(self, action: Action, now: int) -> None:
        """What an action does to it: a restart always helps, a nudge at times, a pivot if it restarts too."""
        if isinstance(action, RestartLoop):
            assert action.argv == ARGV
            if self.died_at is not None:
                self.outages.append(now - self.died_at)
            self.died_at, self.pid, self.mood = None, self.pid + 1, "works"
            self.turn(now)
        elif isinstance(action, NudgeLoop) and self.dice.random() < 0.3:
            self.mood = "works"
        elif isinstance(action, FlagTask) and action.kind == "stuck" and not action.cleared:
            self.mood = "works"  # a person came by

    def seen(self, now: int) -> Watch:
        """What a guardian sees of it; only what is new is folded."""
        for batch in self.log.read(self.after, tuple(watch.handlers)):
            self.state = fold(watch, batch.records, self.state)
            self.after = Position(batch.last, batch.end)
        return watch.view(self.state, now)

    @property
    def events(self) -> list[Event]:
        """All of its log."""
        return [each for batch in self.log.read() for each in batch.records if isinstance(each, Event)]


def test_a_fortnight_goes_by_and_nobody_is_lost() -> None:
    """Deaths, questions and stalls are answered within the protocol's times, each once, on sound logs."""
    clock = Clock()
    agents = {name: Agent(name, seed, clock) for seed, name in enumerate(("parser", "solver", "cache"))}
    passes = 0
    done: Counter[str] = Counter()
    while clock.now < START + DAYS * 24 * HOUR:
        clock.now += 10 * MINUTE
        minute = (clock.now - START) // MINUTE
        for offset, agent in enumerate(agents.values()):
            if (minute + 10 * (offset % 2)) % 20 == 0:
                agent.turn(clock.now)
        if minute % 60 == 0:
            passes += 1
            for name, agent in agents.items():
                own = {agent.pid: "s"} if agent.mood != "dead" else {}
                observed = Observed(host="box", started=own)
                before = agent.seen(clock.now)
                actions = patrol({name: before}, observed, clock.now, me="patrol")
                agent.log.append(
                    [msgspec.structs.replace(event_of(a), by="guardian:patrol") for a in actions]
                )
                after = agent.seen(clock.now)
                again = patrol({name: after}, observed, clock.now, me="patrol")
                assert [each for each in again if not isinstance(each, FlagTask)] == []
                assert signs(after) == signs(before), "no guardian makes a loop look alive"
                for action in actions:
                    done[type(action).__name__] += 1
                    agent.suffer(action, clock.now)

    assert passes == DAYS * 24
    for agent in agents.values():
        assert min(agent.deaths, agent.questions, agent.stalls) > 0
        assert max(agent.outages) <= 3 * INTERVAL + HOUR + 10 * MINUTE
        assert len(agent.outages) >= agent.deaths - 1
        audit(agent)
    assert min(done[kind.__name__] for kind in (RestartLoop, NudgeLoop, PivotTask, FlagTask)) > 0


def signs(seen: Watch) -> list[object]:
    """When its loops were last seen, and when it last made progress."""
    return [seen.liveness.last_progress, *(row.last_seen for row in seen.liveness.loops)]


def audit(agent: Agent) -> None:
    """The log's chain is whole; no restart or nudge within an interval of the last, no fourth nudge."""
    found = chain.verify([(0, agent.log.content)])
    assert found.ok, found
    events = agent.events
    for kind in (Restart, Nudge):
        times = [event.timestamp for event in events if isinstance(event, kind)]
        gaps = [later - earlier for earlier, later in pairwise(times)]  # type: ignore[operator]
        assert all(gap >= INTERVAL for gap in gaps)
    since_progress = 0
    for event in events:
        if isinstance(event, Finding):
            since_progress = 0
        elif isinstance(event, Nudge):
            since_progress += 1
            assert since_progress <= 3, "no nudges after the third"
        elif isinstance(event, Pivot):
            assert since_progress == 3

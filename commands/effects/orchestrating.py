"""One round of an orchestrator: each task gets what it needs, and none of them touches another (design, 6.3).

What is decided is decided by the pure `reducers.policies.orchestrating` from the task's own log, so that an
orchestrator that was killed goes on where it was.
"""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from functools import partial

import msgspec

from commands.brief import texts_for
from commands.effects.agents import Agent
from commands.effects.dispatching import run_prompt
from commands.effects.exceeding import by_files, by_the_log, committed_since, head_in, told
from commands.effects.git import Repo
from commands.effects.own_program import own_argv
from commands.effects.running import end_recorded, recording
from commands.effects.side_by_side import OnStart, side_by_side
from commands.effects.tasks import Task
from commands.effects.tree_lock import tree_locked
from commands.flag import decide_flag
from commands.iteration import decide_iteration
from eventstore.errors import LedgerError
from eventstore.events import Config, Event, Flag, Iteration, Note, Stopped, Verified
from eventstore.filelog import FileLog
from eventstore.sessions import Session
from eventstore.store import now_ms
from hooks.process import run, shell_argv, strip_own_environment
from reducers.core import fold
from reducers.flags import flags
from reducers.policies import looping
from reducers.policies.brief import brief, text_of
from reducers.policies.dispatching import Prompt
from reducers.policies.iteration_limits import LIMITS
from reducers.policies.looping import Course, last_line
from reducers.policies.orchestrating import UNVERIFIED, Hold, Leave, Send, step
from reducers.rounds import LIMITS_TARGET, rounds
from reducers.situation import sight_of

__all__ = ["Came", "Errand", "go_round"]

LOOP_SECONDS = 6 * 3600.0
"""How long a measured turn may take beside its agent's own time: a cycle, and pauses between attempts."""

VERIFY_SECONDS = 1800.0
"""How long a verification may take, seconds."""


class Errand(msgspec.Struct, frozen=True):
    """What every task of a round gets.

    agent: what is started. command: the same as it was named. seconds: how long a worker may take.
    verify: the command that verifies an iteration; None for the task's constraint. by: the orchestrator.
    strict: whether what exceeds the protocol's engineering limits is refused.
    """

    agent: Agent
    command: str
    seconds: float
    verify: str | None
    by: str
    strict: bool = False


class Came(msgspec.Struct, frozen=True):
    """What came of a task in a round.

    state: `worked`, `failed`, `refused` (its iteration exceeds the limits), `waiting` or `stopped`.
    detail: the same in more words.
    """

    task: str
    state: str
    detail: str


def go_round(tasks: Sequence[Task], errand: Errand, width: int) -> list[Came]:
    """Sees to every task, `width` at a time; what goes wrong with one is its own result."""
    ended = side_by_side([partial(_visit, task, errand) for task in tasks], width)
    return [
        came if isinstance(came, Came) else Came(task.name, "failed", str(came) or type(came).__name__)
        for task, came in zip(tasks, ended, strict=True)
    ]


def _visit(task: Task, errand: Errand, on_start: OnStart) -> Came:
    session = task.session
    if session is None:
        return Came(task.name, "failed", task.problem or "it cannot be read")
    try:
        with tree_locked(session.rejected.with_name("orchestrate.lock")):
            running = session.rejected.with_name("cache") / "orchestrate.running"
            end_recorded(running)  # of an orchestrator that was killed
            with recording(running) as note:
                state, detail = _Visit(session, errand, _both(note, on_start)).go()
    except LedgerError as error:
        return Came(task.name, "failed", error.message)
    return Came(task.name, state, detail)


def _both(note: OnStart, on_start: OnStart) -> OnStart:
    def started(pid: int, stamp: str) -> None:
        note(pid, stamp)
        on_start(pid, stamp)

    return started


class _Visit:
    """A task while it is seen to; its lock is held."""

    def __init__(self, session: Session, errand: Errand, on_start: OnStart) -> None:
        self.session, self.errand, self.on_start = session, errand, on_start
        self.log = FileLog(session.log, by=errand.by, cache_dir=session.cache)
        self.records: list[Event] = []

    def go(self) -> tuple[str, str]:
        """What is due for the task; its state and what came of it."""
        self._look()
        decided = self._decided()
        if isinstance(decided, Hold) and decided.verifiable and self._verify():
            self._look()
            decided = self._decided()
        self._record([*decided.events, *(self._down() if isinstance(decided, Send) else [])])
        if isinstance(decided, Leave):
            return "stopped", decided.reason
        if isinstance(decided, Hold):
            return "waiting", decided.reason
        self._look()
        begun, before = time.monotonic(), head_in(self.session.root)
        ok, said = self._measured_turn() if self._is_measured() else self._turn()
        if not ok:
            self._record([Note(level="error", event="worker_failed", detail=said)])
            return "failed", said
        ended = Iteration(iteration=0, summary=said, duration_seconds=round(time.monotonic() - begun, 3))
        self.log.transact(
            lambda state: [decide_iteration(state, ended)],
            fold=lambda state, records: fold(rounds, records, state),
            state=rounds.initial,
            kinds=tuple(rounds.handlers),
        )
        exceeded = self._exceeded(before)
        if exceeded:
            self._refuse(exceeded)
            return "refused", f"{said} ({exceeded})"
        verified = self._verify()
        return "worked", said if verified else f"{said} (not verified yet)"

    def _look(self) -> None:
        self.records = [
            each for batch in self.log.read() for each in batch.records if isinstance(each, Event)
        ]
        self.course = looping.after(Course(), self.records)

    def _decided(self) -> Leave | Hold | Send:
        stops = [each for each in self.records if isinstance(each, Stopped)]
        exceeded = by_the_log(self.log, self.session) if self.errand.strict else []
        return step(self.course, stops[-1] if stops else None, fold(rounds, self.records), now_ms(), exceeded)

    def _record(self, events: Sequence[Event]) -> None:
        """Records events; a flag that is up with the same words is not raised again."""
        raised = fold(flags, self.records)
        wanted: list[Event] = []
        for event in events:
            wanted += decide_flag(raised, event) if isinstance(event, Flag) else [event]
        if wanted:
            self.log.append(wanted)

    @property
    def _config(self) -> Config | None:
        return self.course.situation.trail.config

    def _is_measured(self) -> bool:
        return self._config is not None and bool(self._config.assets and self._config.measure)

    def _turn(self) -> tuple[bool, str]:
        """A fresh worker with the task's brief; whether it ended well, and what it said."""
        text = text_of(brief(sight_of(self.course.situation), texts_for(self.session)))
        came = run_prompt(
            Prompt("brief", text),
            self.errand.agent.argv,
            self.session.rejected.with_name("cache") / "orchestrate",
            self.session.root,
            "worker",
            self.errand.seconds,
            self.on_start,
        )
        return came.ok, came.said

    def _measured_turn(self) -> tuple[bool, str]:
        """One turn of the task's loop, which briefs, measures, and keeps or takes back."""
        asked = ["--agent", self.errand.command, "--agent-timeout", f"{self.errand.seconds}s"]
        asked += ["--strict"] if self.errand.strict else []
        finished = run(
            [*own_argv(), "-C", os.fspath(self.session.root), "loop", *asked, "--iterations", "1"],
            cwd=self.session.root,
            timeout=LOOP_SECONDS + 4 * self.errand.seconds,
            stdout_cap=1 << 16,
            stderr_cap=1 << 16,
            keep="tail",
            env={**strip_own_environment(os.environ), "AR_BY": "worker"},
            on_start=self.on_start,
        )
        line = last_line(finished.stderr) if finished.exit_code else last_line(finished.stdout)
        return finished.exit_code == 0, finished.error or line or "the loop's turn ended"

    def _exceeded(self, before: tuple[Repo, str] | None) -> str:
        """What of the limits the commits since `before` exceed, in words; empty for nothing, or if not asked.

        A measured task's turn has refused it already, before it was committed.
        """
        if not self.errand.strict or self._is_measured():
            return ""
        return told(by_files(committed_since(before, self.session.root)))

    def _refuse(self, exceeded: str) -> None:
        """Records that the iteration is too large: no check of ours makes it good."""
        check = Verified(kind="check", target=LIMITS_TARGET, ok=False, detail=exceeded)
        self._record([check, Flag(kind=LIMITS, detail=exceeded)])

    def _verify(self) -> bool:
        """Runs the verification and records how it ended; False where there is none, or it failed."""
        config = self._config
        command = self.errand.verify or (config.constraint if config is not None else None)
        if command is None:
            return False
        finished = run(
            shell_argv(command),
            cwd=self.session.root,
            timeout=VERIFY_SECONDS,
            stdout_cap=4096,
            stderr_cap=4096,
            keep="tail",
            env=strip_own_environment(os.environ),
            on_start=self.on_start,
        )
        ok = finished.exit_code == 0
        said = finished.error or last_line(finished.stderr) or last_line(finished.stdout)
        self.log.append([Verified(kind="check", target=command, ok=ok, detail=said)])
        return ok

    def _down(self) -> list[Flag]:
        """What takes down the flags over what was not verified: by now it is, by whomever."""
        raised = flags.view(fold(flags, self.records)).flags
        up = [row.kind for row in raised if row.up and row.kind in (UNVERIFIED, LIMITS)]
        return [Flag(kind=kind, cleared=True) for kind in up]

"""What an orchestrator does in one task: a fresh worker, its result, its verification (design, section 6.3).

What is decided is decided by the pure `reducers.policies.orchestrating` from the task's own log.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Sequence

import msgspec

from commands.brief import texts_for
from commands.effects.agents import Agent
from commands.effects.dispatching import run_prompt
from commands.effects.exceeding import by_files, by_the_log, committed_since, head_in, told
from commands.effects.git import Repo
from commands.effects.living import expectation, name_of, own_beat
from commands.effects.own_program import own_argv
from commands.effects.side_by_side import OnStart
from commands.flag import decide_flag
from commands.iteration import decide_iteration
from eventstore.events import (
    Config,
    Event,
    Flag,
    Heartbeat,
    Iteration,
    Note,
    Record,
    Verified,
)
from eventstore.filelog import FileLog
from eventstore.sessions import Session
from eventstore.store import START, Position, now_ms
from hooks.process import run, shell_argv, strip_own_environment
from reducers.core import fold
from reducers.flags import flags
from reducers.liveness import liveness
from reducers.policies.brief import brief, text_of
from reducers.policies.dispatching import Prompt
from reducers.policies.iteration_limits import LIMITS
from reducers.policies.looping import last_line
from reducers.policies.orchestrating import UNVERIFIED, Hold, Leave, Send, step
from reducers.policies.task_seen import Seen, pursued, seen_after
from reducers.rounds import LIMITS_TARGET, WORKER_FAILED, Rounds, rounds
from reducers.situation import sight_of
from reducers.turns import STALLED

__all__ = ["Errand", "Visit", "say_off"]

LOOP_SECONDS = 6 * 3600.0
"""How long a measured turn may take beside its agent's own time: a cycle, and pauses between attempts."""

VERIFY_SECONDS = 1800.0
"""How long a verification may take, seconds."""


class Errand(msgspec.Struct, frozen=True):
    """What every task of a round gets.

    agent: what is started. command: the same as it was named. seconds: how long a worker may take.
    verify: the command that verifies an iteration; None for the task's constraint. by: the orchestrator.
    strict: whether what exceeds the protocol's engineering limits is refused.
    every: seconds from round to round. returns: whether there is to be another round.
    """

    agent: Agent
    command: str
    seconds: float
    verify: str | None
    by: str
    strict: bool = False
    every: float = 7200.0
    returns: bool = True


def say_off(session: Session, by: str) -> None:
    """The orchestrator's last heartbeat in a task; none where it never gave one, or said so already."""
    log = FileLog(session.log, by=by, cache_dir=session.cache)
    states = [
        each.state
        for batch in log.read(kinds=(Heartbeat,))
        for each in batch.records
        if isinstance(each, Heartbeat) and each.by == by
    ]
    if states and states[-1] != "stopped":
        log.append([own_beat(by, "stopped")])


def _trouble(told: bytes) -> str:
    """What a program of ours says is wrong; what to try about it is for people."""
    return last_line(b"\n".join(line for line in told.splitlines() if not line.startswith(b"try: ")))


class Visit:
    """A task while it is seen to; its lock is held.

    ending: whether the orchestrator is asked to end. What it ends on its way out has not failed.
    """

    def __init__(
        self, session: Session, errand: Errand, on_start: OnStart, ending: Callable[[], bool] = lambda: False
    ) -> None:
        self.session, self.errand, self.on_start, self.ending = session, errand, on_start, ending
        self.log = FileLog(session.log, by=errand.by, cache_dir=session.cache)
        self.seen, self.after = Seen(), START

    def go(self) -> tuple[str, str]:
        """What is due for the task; its state and what came of it."""
        self._look()
        decided = self._decided()
        if isinstance(decided, Leave):
            return self._leave(decided)
        self._live()
        try:
            return self._see_to(decided)
        finally:
            self.log.append([own_beat(self.errand.by, "waiting" if self.errand.returns else "stopped")])

    def _leave(self, decided: Leave) -> tuple[str, str]:
        """A stopped task's log is let be, but for a word that nobody works on it any more."""
        gone = self.seen.state not in (None, "stopped")
        self._record([*decided.events, *([own_beat(self.errand.by, "stopped")] if gone else [])])
        return "stopped", decided.reason

    def _live(self) -> None:
        """The sign of life that comes before everything, and how often such are to be expected."""
        name = name_of(self.errand.by)
        rows = liveness.view(self.seen.liveness).loops
        row = next((row for row in rows if row.loop == name), None)
        self.log.append([own_beat(self.errand.by), *expectation(row, self.errand.every, firm=True)])

    def _see_to(self, decided: Hold | Send) -> tuple[str, str]:
        """What a task needs that has not stopped."""
        if isinstance(decided, Hold) and decided.verifiable and self._verify():
            self._look()
            again = self._decided()
            if isinstance(again, Leave):
                self._record(again.events)
                return "stopped", again.reason
            decided = again
        if self.ending():
            return "waiting", "interrupted"
        self._record([*decided.events, *(self._down() if isinstance(decided, Send) else [])])
        if isinstance(decided, Hold):
            return "waiting", decided.reason
        self._look()
        begun, before = time.monotonic(), head_in(self.session.root)
        ok, said = self._measured_turn() if self._is_measured() else self._turn()
        if not ok and self.ending():
            self._record(
                [Note(level="info", event="interrupted", detail="the orchestrator ended its worker")]
            )
            return "waiting", "interrupted"
        if not ok:
            flag = [Flag(kind=WORKER_FAILED, detail=said)] if self.seen.rounds.failed else []
            self._record([Note(level="error", event=WORKER_FAILED, detail=said), *flag])
            return "failed", said
        self._end_iteration(said, time.monotonic() - begun, pursued(self._look()))
        exceeded = self._exceeded(before)
        if exceeded:
            self._refuse(exceeded)
            return "refused", f"{said} ({exceeded})"
        verified = self._verify()
        return "worked", said if verified else f"{said} (not verified yet)"

    def _end_iteration(self, summary: str, seconds: float, direction: str | None) -> None:
        ended = Iteration(
            iteration=0, summary=summary, direction=direction, duration_seconds=round(seconds, 3)
        )

        def carry_on(state: Rounds, records: Iterable[Record]) -> Rounds:
            return fold(rounds, records, state)

        self.log.transact(
            lambda state: [decide_iteration(state, ended)],
            fold=carry_on,
            state=self.seen.rounds,
            after=self.after,
            kinds=tuple(rounds.handlers),
        )

    def _look(self) -> list[Record]:
        """Takes in what the log has gained, and gives it."""
        gained: list[Record] = []
        for batch in self.log.read(self.after):
            gained += batch.records
            self.seen = seen_after(self.seen, batch.records, self.errand.by)
            self.after = Position(batch.last, batch.end)
        return gained

    def _decided(self) -> Leave | Hold | Send:
        exceeded = by_the_log(self.log, self.session) if self.errand.strict else []
        return step(self.seen.course, self.seen.last_stop, self.seen.rounds, now_ms(), exceeded)

    def _record(self, events: Sequence[Event]) -> None:
        """Records events; a flag that is up with the same words is not raised again."""
        wanted: list[Event] = []
        for event in events:
            wanted += decide_flag(self.seen.flags, event) if isinstance(event, Flag) else [event]
        if wanted:
            self.log.append(wanted)

    @property
    def _config(self) -> Config | None:
        return self.seen.course.situation.trail.config

    def _is_measured(self) -> bool:
        return self._config is not None and bool(self._config.assets and self._config.measure)

    def _turn(self) -> tuple[bool, str]:
        """A fresh worker with the task's brief; whether it ended well, and what it said."""
        text = text_of(brief(sight_of(self.seen.course.situation), texts_for(self.session)))
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
        asked += ["--iterations", "1", "--leave-open"]
        asked += ["--strict"] if self.errand.strict else []
        finished = run(
            [
                *own_argv(),
                "-C",
                os.fspath(self.session.root),
                "loop",
                *asked,
            ],
            cwd=self.session.root,
            timeout=LOOP_SECONDS + 4 * self.errand.seconds,
            stdout_cap=1 << 16,
            stderr_cap=1 << 16,
            keep="tail",
            env={**strip_own_environment(os.environ), "AR_BY": "worker"},
            on_start=self.on_start,
        )
        line = _trouble(finished.stderr) if finished.exit_code else last_line(finished.stdout)
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
        """Runs the verification and records how it ended; False where there is none, or it failed.

        A measured task that has no constraint is verified by its loop: that measures and judges, not the
        worker.
        """
        config = self._config
        command = self.errand.verify or (config.constraint if config is not None else None)
        if command is None:
            measure = config.measure if config is not None and self._is_measured() else None
            if measure is not None:
                told = "its loop has measured and judged it"
                self.log.append([Verified(kind="check", target=measure, ok=True, detail=told)])
            return measure is not None
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
        if not ok and self.ending():
            return False  # ended by us: nothing was found wrong, and the next round verifies it
        late = f"was ended after {VERIFY_SECONDS:g} s" if finished.timed_out else None
        said = finished.error or late or last_line(finished.stderr) or last_line(finished.stdout)
        self.log.append([Verified(kind="check", target=command, ok=ok, detail=said)])
        return ok

    def _down(self) -> list[Flag]:
        """What takes down the flags over what is past by now: not verified, stalled, failing."""
        past = {UNVERIFIED, LIMITS}
        if self.seen.rounds.stall.stale_count == 0:
            past.add(STALLED)
        if self.seen.rounds.failed == 0:
            past.add(WORKER_FAILED)
        up = [row for row in flags.view(self.seen.flags).flags if row.up and row.kind in past]
        return [Flag(kind=row.kind, cleared=True) for row in up if row.by == self.errand.by]

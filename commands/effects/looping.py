"""The unattended loop: brief, agent, cycle, hooks, over and over, until a stop rule holds (design, 6.1).

Every turn is a fresh process of the agent. What is decided between two turns is decided by the pure
`reducers.policies.looping`, from the log alone, so that a loop which was killed goes on where it was. The
caller holds the tree lock for as long as the loop lasts.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from commands.brief import texts_for
from commands.effects.agent_turn import Said, run_agent
from commands.effects.commit_sizes import changes_at_work
from commands.effects.cycling import Attempt, Outcome, begin, finish
from commands.effects.exceeding import by_files, by_the_log, told
from commands.effects.firing import activate
from commands.effects.git import GitError, describe
from commands.effects.git_queries import Head, head_of
from commands.effects.ground import Ground, assets_of, require_config, take_bearings
from commands.effects.guarding import in_turn
from commands.effects.living import Life
from commands.effects.log_guard import guarded
from commands.effects.loop_terms import Ended, Plan, Watch, Wish
from commands.effects.owed import fire_closed, fire_owed
from commands.effects.running import end_recorded
from commands.effects.turning import Left, Turn, begin_turn, end_turn, put_back, survey, unfinished
from commands.effects.worktree import changed_within
from commands.errors import BadInputError
from eventstore.errors import ConflictError, InvalidEventError, LedgerError
from eventstore.events import Event, Note, Settings, Stopped
from eventstore.roles import check_role
from eventstore.store import START, Position, now_ms
from reducers.policies import looping
from reducers.policies.brief import brief, text_of
from reducers.policies.iteration_limits import LIMITS
from reducers.policies.looping import Course, Refusal, Stop
from reducers.policies.pace import TIMEOUTS
from reducers.situation import sight_of
from reducers.turns import FAILED, NO_CHANGE, REFUSED

if TYPE_CHECKING:
    from hooks.runner import Fired

__all__ = ["BACKOFF", "loop"]

BACKOFF = (10.0, 60.0, 300.0)
"""Seconds to wait before each new attempt of an agent that failed; after the last of them it has failed."""


def loop(ground: Ground, plan: Plan, watch: Watch, wish: Wish) -> Ended:
    """Runs turns until a stop rule holds, the turns are used up, or it is asked to end; records why.

    First it finishes what an earlier loop or cycle left open. Raises BadInputError when the assets are not
    clean, ConflictError when the session has stopped over something that starting again does not answer,
    RoleError for an author who may not append runs, and what `begin` and `finish` of a cycle raise.
    """
    check_role(ground.log.by, "run")
    return _Loop(ground, plan, watch, wish).run()


class _Loop:
    """A loop that is running; `course` is what its log says so far."""

    def __init__(self, ground: Ground, plan: Plan, watch: Watch, wish: Wish) -> None:
        self.ground, self.plan, self.watch, self.wish = ground, plan, watch, wish
        self.course = Course()
        self.after = START
        self.turns = 0
        self.ended: Stop | None = None
        self.life = Life(ground.log)

    def run(self) -> Ended:
        try:
            ended = self._run()
        except LedgerError:
            with suppress(LedgerError):
                self.life.end()
            raise
        self.life.end()
        return ended

    def _run(self) -> Ended:
        self._tidy()
        self._go_on()
        self.life.begin(self.plan.seconds, self.plan.register)
        self.life.beat()  # before any hook, and so the first turn's as well
        self._tell_fired(activate(self.ground.session, self.ground.log))
        while not self._is_over():
            self._record(looping.stall_answer(self.course))
            try:
                failed = self._turn()
            except GitError as error:
                self._stop(Stop("agent_failed", f"git cannot go on: {error.message}"))
                raise
            if failed is not None:
                self._stop(failed)
        assert self.ended is not None, "it is over for a reason"
        return Ended(self.ended, self.turns)

    def _is_over(self) -> bool:
        """Whether the loop has stopped; the stop rule that holds by now is recorded."""
        self._look()
        if self.ended is None:
            self.ended = looping.recorded(self.course)
            if self.ended is not None:  # by whoever switched it off, or by the cycle
                self.watch.happened(Stopped(reason=self.ended.reason, detail=self.ended.detail))
        if self.ended is None:
            stop = looping.due(self.course, now_ms()) or self._asked_to_end() or self._beyond_limits()
            if stop is not None and self.plan.leave_open and stop == self._turns_used_up():
                self.ended = stop
            elif stop is not None:
                self._stop(stop)
        return self.ended is not None

    def _look(self) -> None:
        """Takes in what the log has gained."""
        for batch in self.ground.log.read(self.after):
            self.course = looping.after(self.course, batch.records)
            self.after = Position(batch.last, batch.end)
        self.watch.stands(self.course)

    def _record(self, events: Sequence[Event]) -> None:
        if events:
            for event in self.ground.log.append(events).events:
                self.watch.happened(event)

    def _stop(self, stop: Stop) -> None:
        self.ended = stop
        self._record([Stopped(reason=stop.reason, detail=stop.detail)])

    def _asked_to_end(self) -> Stop | None:
        if self.wish.asked:
            return Stop("user", "Ctrl-C")
        return self._turns_used_up()

    def _turns_used_up(self) -> Stop | None:
        if self.plan.turns is not None and self.turns >= self.plan.turns:
            return Stop("user", f"{self.turns} {'turn' if self.turns == 1 else 'turns'}, as asked for")
        return None

    def _beyond_limits(self) -> Stop | None:
        """What keeps a strict loop from another turn: an iteration or citations that nobody verified."""
        if not self.plan.strict:
            return None
        found = by_the_log(self.ground.log, self.ground.session)
        return Stop(LIMITS, told(found)) if found else None

    def _tidy(self) -> None:
        """Finishes an open cycle, or puts back what a killed turn left; then the assets must be clean."""
        end_recorded(self.ground.running)
        standing = take_bearings(self.ground.log)
        turn = unfinished(self.ground)
        if standing.cycle.open is not None or turn is not None:
            self.life.beat()
        if standing.cycle.open is not None:
            end_turn(self.ground)
            self.watch.doing(f"cycle {standing.cycle.open.cycle} is open and is finished first")
            outcome = finish(self.ground, self.watch.measuring, standing)
            if outcome is not None:
                self.watch.happened(outcome)
                self._tell_fired(fire_closed(self.ground, outcome.seq))
            standing = take_bearings(self.ground.log, standing)
        elif turn is not None:
            here = (standing.session.run_count + 1, standing.cycle.last_cycle)
            left = _survey_unmoved(self.ground, turn) if here == (turn.run, turn.cycle) else None
            if left is not None and not left.nothing:
                self._put_back(turn, left, "turn_interrupted", "a turn was not finished")
            end_turn(self.ground)
        self._tell_fired(fire_owed(self.ground))
        config = require_config(standing)
        dirty = changed_within(self.ground.repo, assets_of(self.ground, config)).inside
        if dirty:
            raise BadInputError(
                f"uncommitted changes inside the assets: {describe(dirty)}",
                "ar cycle -m 'what I changed' measures them; or commit or stash them",
            )

    def _go_on(self) -> None:
        """Sets what was given, and goes on from where the log stands, or says why it may not."""
        self._look()
        known = self.course.situation.budget
        limits = {name: value for name, value in self.plan.limits.items() if known.limits.get(name) != value}
        is_new = {**TIMEOUTS, **known.timeouts}["agent"] != self.plan.seconds
        settings = Settings(limits=limits, timeouts={"agent": self.plan.seconds} if is_new else {})
        given: list[Event] = [settings] if settings != Settings() else []
        answer = looping.resumption(looping.after(self.course, given), now_ms(), self.plan.pivot)
        if isinstance(answer, Refusal):
            raise ConflictError(answer.message, answer.remedy)
        self._record([*given, *answer])

    def _turn(self) -> Stop | None:
        """One iteration, the agent started anew while it fails; a reason to stop if it keeps failing."""
        self.turns += 1
        for attempt, seconds in enumerate((*BACKOFF, None)):
            if self.turns > 1 or attempt:
                self.life.beat()
            if self.plan.root is not None and attempt == 0:
                for seen in in_turn(self.ground.log, self.plan.root):
                    self._record([Note(level="warn", event="guardian", detail=seen)])
            self._look()
            standing = take_bearings(self.ground.log)
            assets = assets_of(self.ground, require_config(standing))
            run_number = standing.session.run_count + 1
            turn = begin_turn(self.ground, assets, run_number, standing.cycle.last_cycle)
            with guarded(self.ground.log.path, self.ground.rejected(run_number)) as guard:
                said = self._start_agent(run_number)
            left = survey(self.ground, turn)
            if guard.fate is not None:
                return self._lost_log(turn, left, guard.fate)
            if said.failure is None:
                return self._take(turn, said, left)
            trouble = self._put_back(turn, left, FAILED, f"{said.failure}{_quoted(said.line)}", level="error")
            if trouble is not None or self.wish.asked:
                return trouble
            if seconds is None:
                return Stop("agent_failed", f"{len(BACKOFF) + 1} attempts; the last {said.failure}")
            self.watch.doing(f"the agent failed; the next attempt is in {seconds:g} s")
            if self.wish.wait(seconds):
                return None
        return None

    def _start_agent(self, run_number: int) -> Said:
        self.watch.doing(f"run {run_number}: the agent is at work")
        text = text_of(brief(sight_of(self.course.situation), texts_for(self.ground.session)))
        return run_agent(self.plan.agent, text, self.ground, timeout=self.plan.seconds, by=self.plan.by)

    def _take(self, turn: Turn, said: Said, left: Left) -> Stop | None:
        """What becomes of a turn that ended well: a cycle, or a note."""
        if left.outside:
            return self._put_back(
                turn, left, REFUSED, f"changed outside the assets: {describe(left.outside)}"
            )
        if not left.inside:
            end_turn(self.ground)
            self._record(
                [Note(level="warn", event=NO_CHANGE, detail=f"the agent changed nothing{_quoted(said.line)}")]
            )
            return None
        exceeded = by_files(changes_at_work(self.ground.repo, left.inside)) if self.plan.strict else []
        if exceeded:
            return self._put_back(turn, left, REFUSED, f"more than an iteration may: {told(exceeded)}")
        self._look()
        try:
            begin(self.ground, self._attempt(said), even_off=True)
        except (InvalidEventError, ConflictError) as error:
            return self._put_back(turn, left, REFUSED, error.message)
        end_turn(self.ground)
        outcome = finish(self.ground, self.watch.measuring)
        if outcome is not None:
            self._close(outcome)
        return None

    def _attempt(self, said: Said) -> Attempt:
        """What was tried, as the agent proposed it, else in the words it ended with."""
        proposal = self.course.turns.proposal
        if proposal is None:
            return Attempt(said.line or "no description")
        return Attempt(proposal.description, proposal.hypothesis, proposal.direction, proposal.asi)

    def _put_back(
        self, turn: Turn, left: Left, kind: str, detail: str, *, level: str = "warn"
    ) -> Stop | None:
        """Puts back what a turn left and notes it; a reason to stop if something could not be put back."""
        cleared = put_back(self.ground, turn, left)
        end_turn(self.ground)
        if cleared.saved:
            root = self.ground.session.root
            detail += f"; saved in {' and '.join(os.path.relpath(place, root) for place in cleared.saved)}"
        self._record([Note(level=level, event=kind, detail=detail)])
        if cleared.remains:
            return Stop("agent_failed", f"could not be put back: {describe(cleared.remains)}")
        return None

    def _lost_log(self, turn: Turn, left: Left, fate: str) -> Stop:
        """What becomes of a turn that took the log away, which is back: put back, and the loop ends."""
        lost = f"the session's log was {fate} in the agent's turn, and is back as it was before"
        return self._put_back(turn, left, REFUSED, lost, level="error") or Stop("agent_failed", lost)

    def _close(self, outcome: Outcome) -> None:
        """Tells of a cycle and fires its hooks; the stop rules are looked at before the next turn's hook."""
        self.watch.happened(outcome)
        self._tell_fired(fire_closed(self.ground, outcome.seq, self._is_over))

    def _tell_fired(self, fired: Sequence[Fired]) -> None:
        for each in fired:
            self.watch.happened(each)


def _survey_unmoved(ground: Ground, turn: Turn) -> Left | None:
    """What a killed turn left; None if HEAD has moved since, for that may be a person's work."""
    return survey(ground, turn) if head_of(ground.repo) == Head(turn.commit, turn.branch) else None


def _quoted(line: str) -> str:
    return f": {line}" if line else ""

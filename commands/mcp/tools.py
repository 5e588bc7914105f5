"""The tools: what each is called, what it says of itself, what it takes and gives, and what does it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from commands.mcp import arguments as takes
from commands.mcp import experimenting, looking, recording
from commands.mcp import results as gives
from commands.mcp.served import Answer, Work

__all__ = ["TOOLS", "Tool"]


class Tool(msgspec.Struct, frozen=True, kw_only=True):
    """A tool.

    name, title: what it is called. does: the description that an agent chooses and uses it by. takes: the
    type of its arguments. gives: of its structured content. run: does it.
    reads_only: whether it changes nothing. destructive: whether it may undo work; it saves that first.
    idempotent: whether doing it again changes nothing more. runs_commands: whether commands of the session
    are run by it, which may reach anything and take long; progress is told, and it can be cancelled.
    """

    name: str
    title: str
    does: str
    takes: type[takes.Arguments]
    gives: type[msgspec.Struct]
    run: Callable[[Work, Any], Answer]
    reads_only: bool = False
    destructive: bool = False
    idempotent: bool = False
    runs_commands: bool = False


def _said(text: str) -> str:
    """A description without the line breaks that only serve the source; blank lines stay as line breaks."""
    return "\n".join(" ".join(paragraph.split()) for paragraph in text.split("\n\n"))


_ALL = (
    Tool(
        name="init_experiment",
        title="Configure the session",
        does=_said("""
            Configure a session, a new segment of it, or its limits. Call it once before the
            first run; on a session that exists, what is named changes, the rest stays, and,
            unless only limits, thresholds, timeouts or metric_pattern change, a new segment
            begins with a new baseline.

            Two ways to work: with `measure` and `assets`, `cycle` commits, measures and judges
            (best where the directory is a git repository): the preconditions are checked, the
            baseline is measured, and only if all is well the session begins. Without `measure`
            you run the command with run_experiment and record with log_experiment.
        """),
        takes=takes.InitArguments,
        gives=gives.InitResult,
        run=experimenting.init_experiment,
        runs_commands=True,
    ),
    Tool(
        name="run_experiment",
        title="Measure without recording",
        does=_said("""
            Run the session's constraint and metric command on the working tree as it is, and
            say what a cycle would make of it. Gives the parsed metrics, the end of the output,
            a verdict, and the arguments to call log_experiment with. Records nothing and
            changes no file by itself. Progress is told while it runs; cancelling it ends the
            command and all it started. In a session with `measure` and `assets` prefer `cycle`,
            which does all of it in one step.
        """),
        takes=takes.RunArguments,
        gives=gives.RunResult,
        run=experimenting.run_experiment,
        idempotent=True,
        runs_commands=True,
    ),
    Tool(
        name="log_experiment",
        title="Record a run",
        does=_said("""
            Record a run that you measured and judged. Call it after every run_experiment, also
            after a crash. Where the session has assets, a keep commits their changes, and for
            any other status they are saved in .auto/rejected/ and undone, so do not commit or
            revert yourself. Fires the session's hooks, and gives their steer, where the session
            stands, and what the stop rules and the stall rules say: obey them. Give what you
            learned in `asi`: what is undone is remembered by it alone.
        """),
        takes=takes.LogArguments,
        gives=gives.LogResult,
        run=experimenting.log_experiment,
        destructive=True,
        runs_commands=True,
    ),
    Tool(
        name="cycle",
        title="Measure the change, keep it or undo it",
        does=_said("""
            Take the uncommitted change inside the assets through a whole cycle: commit it, run
            the constraint and the samples, keep it only if the median is strictly better than
            the best so far, otherwise roll it back and prove it gone; record the run, fire the
            hooks. Make one focused change, leave it uncommitted, and call this. Needs a session
            with `measure` and `assets`. A cycle that was cancelled or killed stays open; the
            next call finishes it first, or `resume` alone does.
        """),
        takes=takes.CycleArguments,
        gives=gives.CycleResult,
        run=experimenting.cycle,
        destructive=True,
        runs_commands=True,
    ),
    Tool(
        name="view",
        title="Look at the session",
        does=_said("""
            Show a view of the session's log, now or at any place in its past: where it stands
            (session), every run (runs), whether the search circles (stall), what is left of the
            budget (budget), directions, findings, and more. Changes nothing.
        """),
        takes=takes.ViewArguments,
        gives=gives.ViewResult,
        run=looking.view,
        reads_only=True,
        idempotent=True,
    ),
    Tool(
        name="brief",
        title="Brief for a fresh agent",
        does=_said("""
            All you need to go on with a session you do not remember: goal and rules, where the
            metric stands, what was kept, tried and learned, what the rules demand, ideas, what
            is left of the budget, which files you may touch. Call it first, and again whenever
            your context was cut. Changes nothing.
        """),
        takes=takes.BriefArguments,
        gives=gives.BriefResult,
        run=looking.brief,
        reads_only=True,
        idempotent=True,
    ),
    Tool(
        name="propose",
        title="Say what is tried next",
        does=_said("""
            Say what you are about to try, before you change anything; the next cycle takes its
            words from it. With a direction it is claimed for you for 15 minutes; one that was
            tried is refused with what came of it, unless `reason` says why again.
        """),
        takes=takes.ProposeArguments,
        gives=gives.ProposeResult,
        run=recording.propose,
    ),
    Tool(
        name="record_finding",
        title="Record what was learned",
        does=_said("""
            Record something that was learned, also when it did not help: it outlives undone
            changes and your context, and later briefs hold it. It counts as progress.
        """),
        takes=takes.RecordFindingArguments,
        gives=gives.RecordResult,
        run=recording.record_finding,
    ),
    Tool(
        name="check_direction",
        title="Ask whether a direction is free",
        does=_said("""
            Ask whether a direction of the search was tried before or is held by another agent.
            Compared without case, accents, white space and punctuation; one much like an
            earlier one is told. Changes nothing; only `propose` claims it.
        """),
        takes=takes.CheckDirectionArguments,
        gives=gives.CheckDirectionResult,
        run=looking.check_direction,
        reads_only=True,
        idempotent=True,
    ),
    Tool(
        name="pivot",
        title="Force the search elsewhere",
        does=_said("""
            Record that the search is forced elsewhere, when the stall rules demand it or you
            see it circle. Gives an impulse for what comes next; the next brief demands it. Then
            make a change of that kind, not another variant of the last ones.
        """),
        takes=takes.PivotArguments,
        gives=gives.RecordResult,
        run=recording.pivot,
    ),
    Tool(
        name="heartbeat",
        title="Say that the loop lives",
        does=_said("""
            Say that your loop lives and what it is at. In long unattended work call it first
            thing in every turn, and before a pause: guardians restart a loop that is silent for
            three of its intervals.
        """),
        takes=takes.HeartbeatArguments,
        gives=gives.RecordResult,
        run=recording.heartbeat,
    ),
    Tool(
        name="why",
        title="Why a field is what it is",
        does=_said("""
            Name the events that gave a field of a view its value, now or in the past, the
            newest first: which run made best_metric what it is, what raised stale_count.
            Changes nothing.
        """),
        takes=takes.WhyArguments,
        gives=gives.WhyResult,
        run=looking.why,
        reads_only=True,
        idempotent=True,
    ),
)

TOOLS: dict[str, Tool] = {tool.name: tool for tool in _ALL}
"""Every tool by its name, in the order they are listed."""

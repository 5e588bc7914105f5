"""Prompts that a person picks: to start a session, to resume one, to finalise it.

Each is one message to the agent. What a person filled in stands in it as given; where there is a session, its
brief or its sum follows, in which the words of agents are quoted as data.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from textwrap import dedent
from typing import NamedTuple

from commands.brief import briefing
from commands.debrief import debriefing
from commands.errors import BadInputError, nearest
from commands.mcp.served import Served
from eventstore.secrets import redact
from reducers.policies.brief import UNATTENDED, text_of
from reducers.policies.debrief_text import text as debrief_text
from reducers.wording import escape

__all__ = ["PROMPTS", "Argument", "Prompt", "prompt_text"]


class Argument(NamedTuple):
    """Something that a person may fill in."""

    name: str
    does: str
    required: bool = False


class Prompt(NamedTuple):
    """A prompt: its name, title, what it is for, what may be filled in, and its text from what was."""

    name: str
    title: str
    does: str
    arguments: tuple[Argument, ...]
    text: Callable[[Served, Mapping[str, str]], str]


_CWD = Argument("cwd", "Directory of the session. Left out: where the server was started.")


def _start(_: Served, given: Mapping[str, str]) -> str:
    labels = {
        "goal": "Goal",
        "metric": "Metric",
        "direction": "Better",
        "measure": "Metric command",
        "constraint": "Constraint",
        "assets": "Files that may be changed",
        "cwd": "Directory (pass it as cwd with every call)",
    }
    lines = [f"{label}: {given[name]}" for name, label in labels.items() if given.get(name)]
    return "\n".join([_START, "What was asked for:", "", *lines, "", _WORK])


_START = dedent("""\
    Start an autonomous optimisation session with the tools of the server `ar`, and drive it.

    1. Call `brief`. If there is a session already, resume it instead of beginning another.
    2. Read what the goal is about until you know which command measures it and which files may be changed.
       A good metric command prints one number last (or `METRIC name=value`), is steady, takes less than five
       minutes, fails when it fails, and lies outside of the files that may be changed. Write it to
       .auto/measure.sh if it is long, and what matters for later agents to .auto/prompt.md.
    3. Call `init_experiment` with name, metric_name, metric_unit, direction, measure, constraint and assets.
       If a check fails, do what it says and call it again.
    4. Go on with the loop below.
    """)

_LOOP = dedent("""\
    The loop, until a stop rule holds:

    - Call `check_direction`, then `propose` what you are about to try and why.
    - Make one focused change inside the assets, as small as it can be, and leave it uncommitted.
    - Call `cycle`. It commits, measures, keeps what is strictly better and undoes the rest. In a session
      without a metric command of its own call `run_experiment`, then `log_experiment` with what it says.
    - Obey its answer: the steer of the hooks, the stop rules, the stall rules (`pivot` when one is due).
    - Call `record_finding` with what was learned, also when it did not help.
    """)

_WORK = f"{_LOOP}\n{UNATTENDED}\n"


def _resume(served: Served, given: Mapping[str, str]) -> str:
    _, sections = briefing(served.call(given.get("cwd") or None), None)
    return "\n".join([_RESUME, _WORK, text_of(sections)])


_RESUME = """\
Go on with the optimisation session whose brief stands below, with the tools of the server `ar`. If a cycle is
open (view `cycle`), call `cycle` with resume first.
"""


def _finalise(served: Served, given: Mapping[str, str]) -> str:
    call = served.call(given.get("cwd") or None)
    _, view = debriefing(call)
    return "\n".join([_FINALISE, debrief_text(view, str(call.session.log)), ""])


_FINALISE = dedent("""\
    Finalise the optimisation session whose sum stands below.

    1. If a cycle is open (view `cycle`), call `cycle` with resume. Begin no other.
    2. Check the record: `ar audit` in a shell. If it finds something wrong, say so first and stop there.
    3. Is the gain real? Look at confidence in the view `session`; below 1 it is within noise. Call
       `run_experiment` once more on the tree as it is, and compare.
    4. Turn the kept runs into clean, independent branches: `ar finalize plan`, read it, then
       `ar finalize apply`. Move no tag, rewrite no history yourself.
    5. Call `record_finding` for what the next session should know.
    6. Report: the gain with its confidence, what was kept and why it helped, what was tried and did not,
       what to do next.
    """)

PROMPTS: dict[str, Prompt] = {
    prompt.name: prompt
    for prompt in (
        Prompt(
            "start",
            "Start a session",
            "Set up a measured optimisation session and drive it.",
            (
                Argument("goal", "What should become better, in words.", required=True),
                Argument("metric", "The metric and its unit, if known: total, in s."),
                Argument("direction", "lower or higher, if known."),
                Argument("measure", "Command that prints the metric, if known."),
                Argument("constraint", "Command that must succeed for a change to be kept."),
                Argument("assets", "Files and directories that may be changed."),
                _CWD,
            ),
            _start,
        ),
        Prompt(
            "resume",
            "Resume the session",
            "Go on with the session where its log stands.",
            (_CWD,),
            _resume,
        ),
        Prompt(
            "finalise",
            "Finalise the session",
            "Check the record, make clean branches of what was kept, and report.",
            (_CWD,),
            _finalise,
        ),
    )
}
"""Every prompt by its name."""


def prompt_text(served: Served, name: str, given: Mapping[str, str] | None) -> str:
    """The message of a prompt. Raises BadInputError for one that is not there and for what it lacks."""
    prompt = PROMPTS.get(name)
    if prompt is None:
        near = nearest(name, list(PROMPTS))
        raise BadInputError(f"there is no prompt {name[:60]!r}", near or f"one of {', '.join(PROMPTS)}")
    known = {argument.name for argument in prompt.arguments}
    values = {key: value.strip() for key, value in (given or {}).items()}
    unknown = next((key for key in values if key not in known), None)
    if unknown is not None:
        raise BadInputError(f"{name}: there is no argument {unknown[:60]!r}", f"one of {', '.join(known)}")
    for argument in prompt.arguments:
        if argument.required and not values.get(argument.name):
            raise BadInputError(f"{name}: {argument.name} is missing", f"{argument.name}: {argument.does}")
    return redact(escape(prompt.text(served, values), lines=True))

"""The report of what cannot be solved from here, for whoever can: Markdown, from the log (design, 6.3). Pure.

It says what is wrong, what was tried, what the logs say, under which versions, and what is to happen next, so
that nobody has to ask back.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from reducers.policies import brief_history, brief_parts
from reducers.policies.fencing import fenced, one_line, quoted
from reducers.situation import Sight

__all__ = ["KIND", "Case", "Extract", "report"]

KIND = "escalated"
"""The kind of the flag over what was escalated."""

EXTRACT_CHARACTERS = 8_192
"""How many characters of a log are told, from its end."""


class Extract(msgspec.Struct, frozen=True):
    """The end of a file. name: the file's. text: what it holds, of which the last part is told."""

    name: str
    text: str


class Case(msgspec.Struct, frozen=True):
    """What is escalated.

    what: what is wrong. tried: attempts at it, in words. next: what is to happen. by, at: who escalates, and
    when, as text. head: of the log, `seq:digest`. versions: by program. logs: files that show it. events: the
    last ones of the log, one a line. reply: where an answer is looked for; None for nowhere.
    """

    what: str
    tried: Sequence[str]
    next: str
    by: str
    at: str
    head: str | None
    versions: Mapping[str, str]
    logs: Sequence[Extract] = ()
    events: Sequence[str] = ()
    reply: str | None = None


def report(case: Case, sight: Sight) -> str:
    """The report; ends with a newline."""
    parts = (
        (f"Escalation: {one_line(case.what, 120)}", _facts(case)),
        ("What", fenced(case.what, cap=4_000)),
        ("The task", f"{brief_parts.goal(sight)}\n\n{brief_parts.metric(sight)}"),
        ("Tried", _tried(case, sight)),
        ("Logs", _logs(case)),
        ("Versions", "\n".join(f"- {one_line(k, 40)}: {one_line(v, 200)}" for k, v in case.versions.items())),
        ("Next step", _next(case)),
    )
    marks = ("#", *("##" for _ in parts[1:]))
    return "\n".join(f"{mark} {title}\n\n{text}\n" for mark, (title, text) in zip(marks, parts, strict=True))


def _facts(case: Case) -> str:
    return f"By {one_line(case.by, 80)}, {case.at}; the log's head is {case.head or 'none'}."


def _tried(case: Case, sight: Sight) -> str:
    lines = [f"- {quoted(each, 1000)}" for each in case.tried] or ["- nothing was named"]
    learned = brief_history.learned(sight)
    runs, failed = brief_history.recent_runs(sight), brief_history.failure(sight)
    parts = ("\n".join(lines), f"Runs so far:\n\n{runs}", failed, learned and f"Learned:\n\n{learned}")
    return "\n\n".join(part for part in parts if part)


def _logs(case: Case) -> str:
    parts = [f"The end of {quoted(each.name, 200)}:\n\n{_extract(each)}" for each in case.logs]
    events = "\n".join(case.events)
    return "\n\n".join([*parts, f"The last events:\n\n{fenced(events, cap=EXTRACT_CHARACTERS, keep='tail')}"])


def _extract(extract: Extract) -> str:
    return fenced(extract.text, cap=EXTRACT_CHARACTERS, keep="tail", rest=one_line(extract.name, 200))


def _next(case: Case) -> str:
    answer = f"\n\nAn answer is looked for in {quoted(case.reply, 400)}." if case.reply else ""
    return f"{fenced(case.next, cap=4_000)}{answer}\n\nWork goes on meanwhile wherever it can."

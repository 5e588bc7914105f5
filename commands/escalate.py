"""`ar escalate`: what cannot be solved from here goes to whoever can, with a full report."""

from __future__ import annotations

import os
from pathlib import Path

import click

from commands.context import Call, author
from commands.effects.escalating import (
    await_reply,
    extract_of,
    last_events,
    notify,
    place_for,
    said_in,
    versions,
    write_report,
)
from commands.effects.recording import enter, enter_decided
from commands.effects.situations import situation_at
from commands.errors import BadInputError
from commands.given import length, words
from commands.options import by_option, examples, json_option
from commands.output import emit, emit_json, warn
from commands.render import escape, when
from commands.verb import Verb
from eventstore.events import Event, Flag, Note
from eventstore.secrets import redact
from eventstore.store import now_ms
from reducers.flags import FlagsState, flags
from reducers.policies.escalation import KIND, Case, report
from reducers.policies.fencing import one_line

__all__ = ["escalate_cmd"]


@click.command(
    "escalate",
    cls=Verb,
    epilog=examples(
        "ar escalate 'the cluster refuses our jobs' --tried 'resubmitted twice'",
        "ar escalate 'no licence' --notify 'mail -s ar me@example.org'",
        "ar escalate 'which data?' --wait reply.txt --for 4h",
    ),
)
@click.argument("what", metavar="WHAT")
@click.option("--tried", metavar="TEXT", multiple=True, help="An attempt at it; may be repeated.")
@click.option("--next", "next_step", metavar="TEXT", help="What is to happen next.")
@click.option("--attach", metavar="FILE", multiple=True, help="A log that shows it; may be repeated.")
@click.option("--version-of", metavar="NAME=V", multiple=True, help="A version that matters.")
@click.option("--notify", "command", metavar="CMD", help="Tell somebody: gets the report on stdin.")
@click.option("--wait", "reply", metavar="FILE", help="Look for an answer in this file.")
@click.option("--for", "patience", metavar="TIME", default="1h", show_default=True, help="How long.")
@by_option
@json_option
@click.pass_obj
def escalate_cmd(
    call: Call,
    what: str,
    tried: tuple[str, ...],
    next_step: str | None,
    attach: tuple[str, ...],
    version_of: tuple[str, ...],
    command: str | None,
    reply: str | None,
    patience: str,
    by: str | None,
    as_json: bool,
) -> int:
    """Hand on what cannot be solved from here, with a full report; never drop it.

    The report (what, tried, logs, versions, next step) goes to .auto/escalations/, the flag `escalated` goes
    up (`escalated-2` and so on beside others). With --wait the answer is recorded and the flag taken down;
    exit 1 if none came in time. Work that does not hang on it goes on meanwhile.
    """
    words("WHAT", what)
    seconds = length("--for", patience)
    session = call.session
    if session.layout == "file":
        raise BadInputError("a report needs a session, not just a log", "leave --log out, or use -C DIR")
    if reply is not None and said_in(Path(reply)) is not None:
        raise BadInputError(
            f"--wait: {reply} says something already, which cannot be the answer", "name another file"
        )
    writer, now = call.writer(by), now_ms()
    head = writer.head()
    case = Case(
        what=what,
        tried=tried,
        next=next_step or "Somebody who can change it looks at it, and answers.",
        by=author(by),
        at=when(now),
        head=str(head) if head.seq else None,
        versions=versions(version_of, session.root),
        logs=[extract_of(name) for name in attach],
        events=last_events(writer),
        reply=None if reply is None else str(Path(reply).absolute()),
    )
    text = redact(report(case, situation_at(writer).sight))
    place = place_for(session, "".join(filter(str.isdigit, when(now))))
    write_report(session, place, text)
    shown = os.path.relpath(place, session.root)
    flag = _raised(call, by, f"{one_line(what, 200)} ({shown})")
    trouble = None if command is None else notify(command, place, text, session.root)
    if trouble is not None:
        warn(f"--notify {trouble}")
        enter(call, by, Note(level="error", event="notify_failed", detail=trouble))
    if not as_json:
        emit(f"{escape(shown)} is the report; {flag} is up\n")
    answer = None if reply is None else await_reply(Path(reply), seconds)
    if answer is not None:
        told = Note(level="decision", event="answered", detail=answer, source=reply)
        enter(call, by, told, Flag(kind=flag, detail="answered", cleared=True))
    if as_json:
        emit_json({"report": str(place), "flag": flag, "notify_failed": trouble, "answer": answer})
    elif reply is not None:
        emit(f"{escape(answer, lines=True)}\n" if answer is not None else "no answer came in time\n")
    return 1 if reply is not None and answer is None else 0


def _raised(call: Call, by: str | None, detail: str) -> str:
    """Raises a flag of its own for this escalation, beside those of others that are up; its kind."""

    def decide(state: FlagsState) -> list[Event]:
        up = {row.kind for row in flags.view(state).flags if row.up}
        kinds = (KIND if number == 1 else f"{KIND}-{number}" for number in range(1, len(up) + 2))
        return [Flag(kind=next(kind for kind in kinds if kind not in up), detail=detail)]

    (flag,) = enter_decided(call, by, Flag, flags, decide).events
    assert isinstance(flag, Flag)
    return flag.kind

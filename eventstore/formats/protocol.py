"""Entries of the long-horizon protocol's state files, as other programs word them, as events of ours."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import msgspec

from eventstore.events import Direction, Event, Finding, Iteration, Note
from eventstore.formats.fields import Fields
from eventstore.formats.values import clean, moment_of, number_of, plain_word, text_of, whole_of
from eventstore.formats.words import RUN_FIELDS
from eventstore.roles import MAX_NAME, is_author, may, role_of

__all__ = [
    "LOG_ROLES",
    "NOT_YET",
    "Entry",
    "author_of",
    "direction_in",
    "finding_in",
    "iteration_in",
    "note_in",
]


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


_TEXTS = (
    *(
        "finding",
        "text",
        "detail",
        "summary",
        "description",
        "content",
        "claim",
        "insight",
        "learned",
        "title",
    ),
    *("result", "message", "note"),
)
_EVIDENCE = ("evidence", "proof", "support", "basis", "data", "artifact", "artifacts")
_CITED = ("citation", "url", "doi", "source_url", "reference", "ref", "paper", "link", "arxiv")
_NUMBERS = ("iteration", "iter", "iteration_number", "round", "cycle")
_SUMMARIES = (
    *("summary", "detail", "outcome", "result", "deliverable", "attempted", "description", "what", "title"),
    *("message", "status"),
)
_FOUND = ("findings", "new_findings", "findings_count", "num_findings", "n_findings", "findings_added")
_METRICS = ("metric", "score", "value", "last_metric", "metric_value")
_DIRECTIONS = ("direction", "text", "name", "title", "description", "approach", "idea", "hypothesis", "id")
_STATES = ("state", "status", "decision", "outcome", "result", "verdict")
_REASONS = ("reason", "why", "lesson", "note", "notes", "detail", "outcome", "result")
_ABANDONED = _set("""
    abandoned dropped closed rejected killed dead discarded failed cancelled canceled exhausted
    invalidated deprecated refuted
""")
_CLAIMED = _set("claimed active in_progress running current ongoing wip started")
NOT_YET = _set("""
    backlog deferred queued planned pending todo proposed candidate next selected_next
    selected_medium_term future idea
""")
"""States of a direction that nobody went in yet."""

_LEVELS = {"warning": "warn", "critical": "error", "fatal": "error", "debug": "info", "notice": "info"}
_CITATION = re.compile(
    r"https?://|\bdoi\b|10\.\d{4,9}/|arxiv|\bet al\b|\((?:19|20)\d\d\)|\bisbn\b", re.IGNORECASE
)

LOG_ROLES = {
    "work": "worker",
    "orchestrator": "orchestrator",
    "heartbeat": "guardian",
    "patrol": "guardian",
    "guard": "guardian",
    "watchdog": "guardian",
}
"""Whose lines each log of the protocol holds, by the file's name."""


class Entry(msgspec.Struct, frozen=True):
    """An event made of an entry. rest: what else that says. order: its place in the log it came from."""

    event: Event
    rest: dict[str, Any]
    order: int | None = None


def finding_in(source: Mapping[str, Any]) -> Entry | str:
    """The finding that an entry of `findings.jsonl` is, or why it is none.

    A `source` is a citation where it looks like one; many write there who found it.
    """
    fields = Fields(source)
    text = fields.text(_TEXTS)
    if text is None:
        return "a finding without text"
    evidence = fields.first(_EVIDENCE, lambda v: text_of(v) if v not in ("", [], {}) else None)
    cited = fields.text(_CITED)
    if cited is None and _CITATION.search(str(fields.get("source") or "")):
        cited = fields.text(("source",))
    number = fields.first(_NUMBERS, whole_of)
    event = Finding(
        text=clean(text),
        evidence=evidence[1] if evidence else None,
        source=clean(cited),
        iteration=number[1] if number else None,
        **_envelope(fields, "finding"),
    )
    return _entry(event, fields, "finding")


def iteration_in(source: Mapping[str, Any], after: int) -> Entry | str:
    """The iteration that an entry of `iteration_log.jsonl` tells of; `after` is the one before's number."""
    fields = Fields(source)
    number = fields.first(_NUMBERS, whole_of)
    found = fields.first(_FOUND, _count)
    metric = fields.first(_METRICS, number_of)
    pursued = fields.text(("direction", "strategy", "approach"))
    rounds = fields.first(("rounds", "turns"), whole_of)
    seconds = fields.first(RUN_FIELDS["seconds"], number_of)
    summary = fields.text(_SUMMARIES)
    if number is None and summary is None and pursued is None:
        return "an iteration that says nothing we know"
    event = Iteration(
        iteration=number[1] if number else after + 1,
        summary=clean(summary or ""),
        findings=found[1] if found else 0,
        metric=metric[1] if metric else None,
        direction=clean(pursued),
        rounds=rounds[1] if rounds else None,
        duration_seconds=seconds[1] if seconds else None,
        **_envelope(fields, "iteration"),
    )
    return _entry(event, fields, "iteration")


def direction_in(source: Mapping[str, Any] | str) -> Entry | str:
    """The direction that an entry of `directions_tried.json` is, or why it is none.

    What stands there was tried, unless its state says that it was given up, is under way, or has not begun.
    """
    if isinstance(source, str):
        text = clean(source.strip())
        return Entry(Direction(text=text, state="tried"), {}) if text else "an empty direction"
    fields = Fields(source)
    text = fields.text(_DIRECTIONS)
    if text is None:
        return "a direction without text"
    said = fields.text(_STATES)
    word = plain_word(said or "")
    if word in NOT_YET:
        return f"a direction that nobody went in yet ({word})"
    state = "abandoned" if word in _ABANDONED else "claimed" if word in _CLAIMED else "tried"
    reason = fields.text(_REASONS)
    if reason is None and said is not None and word not in (state, "claimed", "tried", "abandoned"):
        reason, said = said, None
    kind = plain_word(fields.text(("kind", "type", "level")) or "")
    rest = (
        {"state": clean(said)} if said is not None and word not in ("tried", "abandoned", "claimed") else {}
    )
    event = Direction(
        text=clean(text),
        kind=kind if kind in ("tactical", "structural") else None,
        state=state,
        reason=clean(reason),
        until=moment_of(fields.use("until")),
        **_envelope(fields, "direction"),
    )
    entry = _entry(event, fields, "direction")
    return Entry(entry.event, rest | entry.rest, entry.order)


def note_in(source: Mapping[str, Any], log: str) -> Entry:
    """The line of a protocol's log as a note; `log` is the file's name without its ending.

    Its author is the one it names as `source`, if that is one of ours, else the role whose log it is.
    """
    fields = Fields(source)
    detail = fields.first(("detail", "details", "message", "msg", "text", "description", "summary"), _detail)
    level = plain_word(str(fields.use("level") or fields.use("severity") or "info"))
    event = fields.text(("event", "type", "action", "kind"))
    by = _author(fields.get("source"), "note")
    role = LOG_ROLES.get(log)
    said = fields.text(("source", "agent", "actor", "role"))
    made = by or (author_of(role, said) if role else None)
    signed: dict[str, Any] = {"by": made} if made else {}
    note = Note(
        level=level if level in ("info", "warn", "error", "decision") else _LEVELS.get(level, "info"),
        event=None if event is None or event == "note" else clean(event),
        detail=detail[1] if detail else clean(event or "") or text_of(dict(source)),
        source=clean(said if by is None else None) or (None if role else log),
        timestamp=_time(fields),
        **signed,
    )
    return Entry(note, {str(k): clean(v) for k, v in fields.rest().items()})


def author_of(role: str, name: object) -> str:
    """`role:name`, the name made printable; the role alone where there is none."""
    plain = "".join(c if c.isprintable() and c != " " else "_" for c in str(name or "").strip())[:MAX_NAME]
    made = f"{role}:{plain}"
    return made if plain and plain != role and is_author(made) else role


def _author(value: object, kind: str) -> str | None:
    """Who appended, where an entry names one that may have."""
    return value if isinstance(value, str) and is_author(value) and may(role_of(value), kind) else None


def _time(fields: Fields) -> int | None:
    found = fields.first(RUN_FIELDS["timestamp"], moment_of)
    return found[1] if found else None


def _envelope(fields: Fields, kind: str) -> dict[str, Any]:
    by = _author(fields.get("source"), kind)
    return {"timestamp": _time(fields)} | ({"by": fields.use("source")} if by else {})


def _entry(event: Event, fields: Fields, kind: str) -> Entry:
    """The event with what is left, but for what every line of ours says of itself."""
    order = whole_of(fields.use("seq"))
    if fields.get("event") == kind:
        fields.use("event")
        if fields.get("level") == "info":
            fields.use("level")
    return Entry(event, {str(k): clean(v) for k, v in fields.rest().items()}, order)


def _detail(value: Any) -> str | None:
    return None if value in ("", [], {}) else text_of(value)


def _count(value: Any) -> int | None:
    return len(value) if isinstance(value, list) else whole_of(value)

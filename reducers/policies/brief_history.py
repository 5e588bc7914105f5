"""The parts of a brief that tell what was tried and what came of it: pure functions of a sight to text.

Every text of agents and programs is quoted on one line or fenced, and every list is bounded.
"""

from __future__ import annotations

from collections.abc import Iterable

from eventstore.events import Iteration
from reducers.directions import DirectionRow
from reducers.policies.approaches import Kind, guessed, known, tried, untried
from reducers.policies.brief_parts import bounded, signed
from reducers.policies.fencing import fenced, one_line, quoted
from reducers.runs import RunRow
from reducers.situation import RECENT, REMEMBERED, Sight

__all__ = [
    "approaches",
    "directions_tried",
    "failure",
    "kept",
    "kind_of",
    "last_iterations",
    "learned",
    "recent_runs",
    "refusal",
    "texts_of",
]

OUTPUT_CHARACTERS = 4_096
TEXT_CHARACTERS = 200
"""How many characters of a program's output, and of a description or the like, are told."""

REFUSAL_CHARACTERS = 1_000
"""How many characters of why a turn was refused are told."""

KEPT = 50
DIRECTIONS = 60
STRATEGIES = 8
"""How many kept runs, directions and untried strategies are told."""

TEXTS = 500
"""How many directions, and how many kept runs, are looked at for what was tried."""


def kept(sight: Sight) -> str:
    """What was kept in the segment, in order, each with its change against the one before it."""
    rows, unit = sight.trail.kept, sight.session.metric_unit
    if not rows:
        return "Nothing yet."
    first = max(len(rows) - KEPT, 0)
    lines = [f"({first} earlier ones are left out: `ar view runs`.)"] if first else []
    for place in range(first, len(rows)):
        row = rows[place]
        before = rows[place - 1].metric if place else None
        lines.append(
            f"{place + 1}. run {row.run}: {bounded(row.metric, unit)}{signed(before, row.metric)} "
            f"{quoted(row.description, TEXT_CHARACTERS)}"
        )
    return "\n".join(lines)


def recent_runs(sight: Sight) -> str:
    """The last runs: status, change against their own segment's baseline, and what was said of them."""
    rows = sight.trail.recent[-RECENT:]
    if not rows:
        return "None yet."
    count, unit = sight.trail.run_count, sight.session.metric_unit
    lines = [f"(The last {len(rows)} of {count}; `ar view runs` shows all.)"] if count > len(rows) else []
    return "\n".join([*lines, *(_told_run(row, unit) for row in rows)])


_SAID = (
    ("hypothesis", "hypothesis"),
    ("learned", "learned"),
    ("next_focus", "next"),
    ("next_action_hint", "next"),
    ("rollback_reason", "rolled back because"),
)
"""What of a run's `asi` is told, and under which words."""


def _told_run(row: RunRow, unit: str | None) -> str:
    change = "" if row.delta_pct is None else f" ({row.delta_pct:+.1f}%)" if abs(row.delta_pct) < 1e6 else ""
    value = f" {bounded(row.metric, unit)}{change}" if row.metric is not None else ""
    reason = f" [{one_line(row.reason, 40)}]" if row.reason else ""
    tried = quoted(row.description, TEXT_CHARACTERS)
    line = f"- run {row.run}: {one_line(row.status, 20)}{reason}{value} {tried}"
    said = [
        f"{words}: {quoted(text, TEXT_CHARACTERS)}"
        for key, words in _SAID
        if isinstance(text := row.asi.get(key), str) and text.strip()
    ]
    return line + (f" -- {'; '.join(said)}" if said else "")


def failure(sight: Sight) -> str:
    """What the last run's commands printed, if it failed or its constraint did; empty if it did not."""
    measured, rows = sight.trail.measured, sight.trail.recent
    if measured is None or not rows or rows[-1].status not in ("crash", "checks_failed"):
        return ""
    error = f"{quoted(measured.error, 400)}\n\n" if measured.error else ""
    tail = fenced(measured.output_tail, cap=OUTPUT_CHARACTERS, keep="tail") if measured.output_tail else ""
    return f"Run {rows[-1].run} failed. {error}{tail}".rstrip() if error or tail else ""


def refusal(sight: Sight) -> str:
    """Why nothing of the last turn was measured, if it was refused; empty if it was not."""
    told = sight.trail.refused
    return "" if told is None else f"Nothing of it was measured: {quoted(told, REFUSAL_CHARACTERS)}."


def last_iterations(sight: Sight) -> str:
    """What the last iterations came to; empty where the segment has runs, by which it is told."""
    ended = sight.trail.iterations[-REMEMBERED:]
    if sight.session.segment_run_count or not ended:
        return ""
    return "\n".join(_told_iteration(each) for each in ended)


def _told_iteration(ended: Iteration) -> str:
    found = "1 finding" if ended.findings == 1 else f"{bounded(ended.findings)} findings"
    found = found if ended.findings else "nothing found"
    where = f" in direction {quoted(ended.direction, TEXT_CHARACTERS)}" if ended.direction else ""
    said = f": {quoted(ended.summary, TEXT_CHARACTERS)}" if ended.summary else ""
    return f"- iteration {bounded(ended.iteration)}: {found}{where}{said}"


def directions_tried(sight: Sight) -> str:
    """Where the search has been, is, and gave up going."""
    rows = sight.directions.directions
    if not rows:
        return "None named yet."
    missing = len(rows) - DIRECTIONS
    lines = [f"({missing} earlier ones are left out: `ar view directions`.)"] if missing > 0 else []
    lines += [_told_direction(row, sight.last_at) for row in rows[-DIRECTIONS:]]
    return "\n".join(
        [*lines, "", "A new direction must differ from every one of these; `ar propose` checks it."]
    )


def _told_direction(row: DirectionRow, last_at: int | None) -> str:
    state = row.state
    if state == "claimed":
        ended = row.until is not None and last_at is not None and row.until <= last_at
        state = "claim expired" if ended else f"claimed by {one_line(row.by or '', 60)}: leave it to them"
    parts = [one_line(state, 120)]
    if row.kind:
        parts.append(one_line(row.kind, 20))
    if row.outcome:
        parts.append(f"outcome {one_line(row.outcome, 20)}")
    if row.runs:
        shown = ", ".join(str(run) for run in row.runs[-5:])
        parts.append(f"{'run' if len(row.runs) == 1 else 'runs'} {shown}")
    if row.reason:
        parts.append(f"because {quoted(row.reason, 120)}")
    return f"- {quoted(row.text, TEXT_CHARACTERS)}: {'; '.join(parts)}"


def learned(sight: Sight) -> str:
    """The last findings and the last decisions taken alone; empty if there are none."""
    found = sight.trail.findings[-REMEMBERED:]
    decided = sight.trail.decisions[-REMEMBERED:]
    lines = [f"- found: {quoted(text, TEXT_CHARACTERS)}" for text in found]
    lines += [f"- decided: {quoted(text, TEXT_CHARACTERS)}" for text in decided]
    return "\n".join(lines)


def kind_of(sight: Sight) -> Kind:
    """The kind of target that the session's metric, measuring command and goal speak of."""
    view, config = sight.session, sight.trail.config
    measure = config.measure if config is not None else None
    return known()[guessed(view.metric_name, measure, view.goal, view.metric_unit)]


def texts_of(sight: Sight) -> list[str]:
    """What tells what was tried: directions, kept runs and all runs, of each the last ones."""
    rows = sight.directions.directions[-TEXTS:]
    runs: Iterable[RunRow] = (*sight.trail.kept[-TEXTS:], *sight.trail.recent)
    return [*(row.text for row in rows), *(run.description for run in runs)]


def approaches(sight: Sight) -> str:
    """The strategies for this kind of target that nothing tried speaks of, and the kin of what was kept."""
    kind = kind_of(sight)
    rest = untried(kind.strategies, texts_of(sight))
    worked = tried(
        kind.strategies,
        [row.description for row in sight.trail.kept[-TEXTS:] if row.run != sight.session.baseline_run],
    )
    heading = f"For a target of the kind {kind.name}, not tried yet."
    lines = [f"{heading} Choose by expected impact, then what is untried, then kin of what worked."]
    lines += [f"- {each.impact}: {each.name}. {each.what} {each.why}" for each in rest[:STRATEGIES]]
    if not rest:
        lines.append("All of the reference were tried: look beyond it (`ar strategies --list`).")
    if worked:
        lines.append(f"Kin of what worked here: {'; '.join(each.name for each in worked)}.")
    return "\n".join(lines)

"""A plan of `ar finalize`, and what came of it, for people. Everybody's words are shown escaped."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from commands.effects.finalizing import Survey
from commands.effects.making_branches import Made
from commands.output import paint
from commands.render import escape, pairs
from reducers.policies.finalizing import Fate, KeptRun
from reducers.policies.finalizing_plan import Plan, PlannedGroup, Uncovered
from reducers.policies.finalizing_text import told_gain

__all__ = ["told_branches", "told_plan"]

_NAMED = 8
"""How many files, remarks or commits are named before the rest is counted."""

_FATES = {"added": " (new)", "deleted": " (gone)"}


def told_plan(found: Survey, plan: Plan) -> str:
    """What would become of the branch: a paragraph a group, then what is to be said of the rest."""
    facts = found.facts
    ends = [("base", facts.base, facts.base_name), ("tip", facts.tip, facts.tip_name)]
    paragraphs = [pairs((label, f"{commit[:12]}  {escape(name)}") for label, commit, name in ends)]
    for place, group in enumerate(plan.groups, 1):
        title = f"{place}  {paint(escape(group.branch), 'bold')}\n"
        paragraphs.append(title + _indented(pairs(_rows(found, group))))
    rest = [("note", escape(each.detail)) for each in plan.remarks[:_NAMED]]
    if len(plan.remarks) > _NAMED:
        rest.append(("note", f"{len(plan.remarks) - _NAMED} more; --json has them all"))
    if facts.session_files:
        rest.append(("left out", f"session files: {_list(facts.session_files)}"))
    if plan.leave:
        rest.append(("left out", _list(plan.leave)))
    rest += [(paint("open", "red"), _open(each)) for each in plan.uncovered[:_NAMED]]
    if len(plan.uncovered) > _NAMED:
        rest.append((paint("open", "red"), f"{len(plan.uncovered) - _NAMED} more; --json has them all"))
    if rest:
        paragraphs.append("".join(f"{label}: {words}\n" for label, words in rest))
    paragraphs.append(_end(plan))
    return "\n".join(paragraphs)


def _rows(found: Survey, group: PlannedGroup) -> list[tuple[str, str]]:
    """What a group holds, by labels."""
    fates = found.facts.fates
    rows = []
    if group.runs:
        rows.append(("runs", ", ".join(map(str, group.runs))))
    metric = _metric(found.facts.kept, group)
    gain = told_gain(group.gain, metric[1])
    if gain:
        between = ", others kept in between" if group.gain.apart else ""
        rows.append((escape(metric[0] or "metric"), gain + between))
    rows.append(("files", _list(group.files, fates)))
    return rows


def _metric(kept: Iterable[KeptRun], group: PlannedGroup) -> tuple[str | None, str | None]:
    """Name and unit of what a group's runs were measured by."""
    metric = next((each.metric for each in kept if each.run in group.runs), None)
    return (metric.name, metric.unit) if metric is not None else (None, None)


def _open(change: Uncovered) -> str:
    whose = ", ".join(
        f'{each.commit[:12]} "{escape(each.subject[:60])}"'
        + (f" of run {each.run} ({escape(str(each.status))})" if each.run is not None else "")
        for each in change.commits[:3]
    )
    more = f" and {len(change.commits) - 3} more" if len(change.commits) > 3 else ""
    return f"{escape(change.path)}{_FATES.get(change.fate, '')}" + (f": {whose}{more}" if whose else "")


def _list(paths: Sequence[str], fates: Mapping[str, Fate] | None = None) -> str:
    named = [escape(path) + _FATES.get((fates or {}).get(path, ""), "") for path in paths[:_NAMED]]
    more = f" and {len(paths) - _NAMED} more" if len(paths) > _NAMED else ""
    return ", ".join(named) + more


def _end(plan: Plan) -> str:
    if plan.uncovered:
        count = len(plan.uncovered)
        files = "file is" if count == 1 else "files are"
        return (
            f"{paint('NOT COVERED', 'red', 'bold')}  {count} {files} of no kept run\n"
            "try: --others branch, --others leave, or --base COMMIT to begin later\n"
        )
    if not plan.groups:
        return "no kept run has a change on this branch\n"
    count = len(plan.groups)
    return f"{count} {'branch' if count == 1 else 'branches'}; ar finalize apply makes them\n"


def _count(files: Sequence[str]) -> str:
    return f"{len(files)} {'file' if len(files) == 1 else 'files'}"


def _indented(text: str) -> str:
    return "".join(f"   {line}\n" for line in text.splitlines())


def told_branches(found: Survey, made: Sequence[Made], left: Sequence[str]) -> str:
    """What was made."""
    lines = pairs((escape(each.branch), f"{each.commit[:12]}  {_count(each.files)}") for each in made)
    facts = found.facts
    but = []
    if facts.session_files:
        but.append("the session's files")
    if left:
        but.append(f"what was left out: {_list(left)}")
    end = f", but for {' and '.join(but)}" if but else ""
    return f"{lines}together they are {escape(facts.tip_name)} at {facts.tip[:12]}{end}\n"

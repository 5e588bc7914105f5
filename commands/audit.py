"""`ar audit`: whether a session's record can be trusted, and whether its gain is real."""

from __future__ import annotations

import click

from commands.context import Call
from commands.effects.full_audit import FullAudit, full_audit
from commands.options import examples, json_option
from commands.output import emit, emit_json, paint
from commands.render import ABSENT, delta, escape, number, pairs
from commands.verb import Verb
from reducers.policies.audit_gain import AuditedGain
from reducers.policies.audited import ERROR, Finding, RunCounts
from reducers.wording import significance

__all__ = ["audit_cmd"]

_NAMED = 50
"""How many findings are told to people; a program gets them all."""


@click.command("audit", cls=Verb, epilog=examples("ar audit", "ar audit --json | jq .findings"))
@json_option
@click.pass_obj
def audit_cmd(call: Call, as_json: bool) -> int:
    """Check that the record can be trusted, and that the gain is real.

    What `ar verify` checks; every run and measurement recomputed from its parts; kept commits, rollbacks, the
    heads in commit messages and the files that measure, looked up in git. Nothing is changed. Exit code 1 if
    something is wrong; what is merely worth knowing is a warning.
    """
    found = full_audit(call)
    if as_json:
        emit_json(document(found))
    else:
        emit(told(found))
    return 1 if found.errors else 0


def document(found: FullAudit) -> dict[str, object]:
    """The JSON document of an audit."""
    head = found.chain.head
    return {
        "ok": not found.errors,
        "seq": head.seq,
        "head": str(head) if head.digest else None,
        "errors": found.errors,
        "warnings": len(found.findings) - found.errors,
        "findings": found.findings,
        "checked": found.checked,
        "unchecked": found.unchecked,
        "runs": found.runs,
        "gain": found.gain,
        "damaged_lines": [each.line for each in found.findings if each.kind == "damaged"],
    }


def told(found: FullAudit) -> str:
    """An audit for people: each finding in a line, what it comes to, and what was looked at."""
    lines = [_finding(each) for each in found.findings[:_NAMED]]
    hidden = len(found.findings) - len(lines)
    if hidden:
        lines.append(f"and {hidden} more; `ar audit --json` lists them all\n")
    checked = found.checked
    chain = found.chain
    rows = [("chain", f"{_count(chain.lines, 'line')}, {chain.chained} chained")]
    if found.runs.total:
        rows.append(("runs", _runs(found.runs)))
    if checked.measurements:
        rows.append(("measured", f"{_count(checked.measurements, 'measurement')} recomputed from samples"))
    if checked.kept_commits or checked.rollbacks:
        kept = _count(checked.kept_commits, "kept commit")
        rows.append(("git", f"{kept}, {_count(checked.rollbacks, 'rollback')} proved"))
    if checked.heads:
        rows.append(("heads", f"{_count(checked.heads, 'commit')} hold a head that stands in the log"))
    if checked.harness_files:
        rows.append(("harness", f"{_count(checked.harness_files, 'file')} compared"))
    if found.gain.best is not None:
        rows.append(("gain", _gain(found.gain)))
    rows += [("not checked", escape(f"{each.source}: {each.reason}")) for each in found.unchecked]
    return "".join(lines) + _verdict(found) + pairs(rows)


def _finding(finding: Finding) -> str:
    place = f"line {finding.line}" if finding.line else "log"
    level = paint(finding.level, "red" if finding.level == ERROR else "yellow")
    return f"{place}: {level}: {escape(finding.message)}\n"


def _verdict(found: FullAudit) -> str:
    warnings = len(found.findings) - found.errors
    told_warnings = f"  {_count(warnings, 'warning')}" if warnings else ""
    if found.errors:
        return f"{paint('NOT OK', 'red', 'bold')}  {_count(found.errors, 'error')}{told_warnings}\n"
    return f"{paint('ok', 'green', 'bold')}{told_warnings}\n"


def _count(number_: int, word: str) -> str:
    return f"{number_} {word}{'' if number_ == 1 else 's'}"


def _runs(runs: RunCounts) -> str:
    """How many runs there are, on whose word."""
    parts = (
        (runs.measured, "measured here"),
        (runs.unmeasured, "never measured"),
        (runs.judged, "as logged by whoever judged"),
        (runs.foreign, "of other programs"),
    )
    return f"{runs.total}: " + ", ".join(f"{count} {words}" for count, words in parts if count)


def _gain(gain: AuditedGain) -> str:
    """The gain in words, and how sure it is."""
    unit = gain.metric_unit
    if gain.best_run == gain.baseline_run:
        return f"none yet; baseline {number(gain.baseline, unit)}"
    change = delta(gain.baseline, gain.best)
    percent = "" if change == ABSENT else f" ({change})"
    parts = [f"{number(gain.baseline)} -> {number(gain.best, unit)}{percent}, run {gain.best_run}"]
    if gain.confidence is not None:
        parts.append(f"confidence {number(round(gain.confidence, 1))}, {significance(gain.confidence)}")
    if gain.overlap is not None:
        parts.append("samples overlap" if gain.overlap else "no sample overlaps")
    if not gain.measured:
        parts.append("as its author says")
    return escape("; ".join(parts))

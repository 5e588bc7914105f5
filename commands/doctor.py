"""`ar doctor`: whether all is as it has to be."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from commands.context import Call
from commands.doctoring.diagnosis import diagnose, is_well
from commands.doctoring.finding import Finding
from commands.effects.examining import observe
from commands.options import examples, json_option
from commands.output import emit, emit_json, paint
from commands.render import escape
from commands.verb import Verb

__all__ = ["doctor_cmd"]

_STYLES = {"ok": "green", "warn": "yellow", "error": "red"}


@click.command("doctor", cls=Verb, epilog=examples("ar doctor", "ar doctor --json | jq .findings"))
@json_option
@click.pass_obj
def doctor_cmd(call: Call, as_json: bool) -> int:
    """Check the installation, the session and the agents; exit 1 if something is wrong.

    Versions, who answers to `ar` on PATH, git, the session and its layout, config.json, the log and its
    locks, the hooks, the agents that are there and what is registered with them: each with what to do about
    it. Nothing is changed.
    """
    findings = diagnose(observe(call, Path.cwd()))
    well = is_well(findings)
    if as_json:
        emit_json({"ok": well, "findings": findings})
    else:
        emit(told(findings))
    return 0 if well else 1


def told(findings: Sequence[Finding]) -> str:
    """The findings for people: what was found, a line each, and below it what to do; then the verdict."""
    width = max(len(each.area) for each in findings)
    lines = []
    for each in findings:
        level = paint(each.level.ljust(5), _STYLES[each.level])
        lines.append(f"{level}  {each.area.ljust(width)}  {escape(each.detail)}\n")
        if each.remedy is not None:
            lines.append(f"{' ' * (width + 9)}try: {escape(each.remedy)}\n")
    return "".join(lines) + _verdict(findings)


def _verdict(findings: Sequence[Finding]) -> str:
    errors = sum(each.level == "error" for each in findings)
    warnings = sum(each.level == "warn" for each in findings)
    looks = f"; {warnings} worth a look" if warnings else ""
    if not errors:
        return paint("ok", "green", "bold") + f"  nothing is wrong{looks}\n"
    wrong = "1 thing is wrong" if errors == 1 else f"{errors} things are wrong"
    return paint("NOT OK", "red", "bold") + f"  {wrong}{looks}\n"

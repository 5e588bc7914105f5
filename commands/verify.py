"""`ar verify`: whether the log is what was written."""

from __future__ import annotations

import click

from commands.context import Call
from commands.errors import BadInputError
from commands.options import examples, json_option
from commands.output import emit, emit_json, paint
from commands.render import escape
from commands.verb import Verb
from eventstore.chain import Fault, Report, verify

__all__ = ["verify_cmd"]

_NAMED = 50
"""How many faults are told to people; a program gets them all."""


@click.command(
    "verify",
    cls=Verb,
    epilog=examples("ar verify", "ar verify --head 41:9f86d081884c7d65", "ar verify --json | jq .faults"),
)
@click.option(
    "--head", metavar="SEQ:DIGEST", help="A head written down earlier, which must stand in the log."
)
@json_option
@click.pass_obj
def verify_cmd(call: Call, head: str | None, as_json: bool) -> int:
    """Check that the log is what was written.

    Every line's number, the chain of digests, damage. Exit code 1 if the log is not to be trusted as it is.
    A chain cannot show that its own end was cut off; a head that was written down elsewhere can.
    """
    try:
        report = verify(call.stretches(), head=head)
    except ValueError as error:
        raise BadInputError(str(error), "SEQ:DIGEST as `ar verify` prints it") from error
    if as_json:
        emit_json(document(report))
    else:
        emit(told(report))
    return 0 if report.ok else 1


def document(report: Report) -> dict[str, object]:
    """The JSON document of a check."""
    return {
        "ok": report.ok,
        "seq": report.head.seq,
        "head": str(report.head) if report.head.digest else None,
        "lines": report.lines,
        "chained": report.chained,
        "foreign": report.foreign,
        "damaged_lines": [fault.line for fault in report.faults if fault.kind == "damaged"],
        "faults": list(report.faults),
    }


def told(report: Report) -> str:
    """A check for people: each fault in a line, then what it comes to."""
    lines = [_fault(fault) for fault in report.faults[:_NAMED]]
    hidden = len(report.faults) - len(lines)
    if hidden:
        lines.append(f"and {hidden} more; `ar verify --json` lists them all\n")
    serious = sum(fault.serious for fault in report.faults)
    counts = f"{report.lines} {'line' if report.lines == 1 else 'lines'}, {report.chained} chained"
    if report.foreign:
        counts += f", {report.foreign} of other writers"
    if serious:
        verdict = paint("NOT OK", "red", "bold") + f"  {serious} {'fault' if serious == 1 else 'faults'}"
    else:
        verdict = paint("ok", "green", "bold")
    end = f"head {report.head}" if report.head.digest else "the log is empty"
    return "".join(lines) + f"{verdict}  {counts}\n{end}\n"


def _fault(fault: Fault) -> str:
    place = f"line {fault.line}" if fault.line else "log"
    kind = paint(fault.kind, "red" if fault.serious else "yellow")
    return f"{place}: {kind}: {escape(fault.detail)}\n"

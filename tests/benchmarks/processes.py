"""Whole processes: what a single call costs, its start included."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import msgspec

from tests.benchmarks.measuring import AR, Budget, Measure, Row, Setting, in_turn, process

__all__ = ["append_process", "capture", "capture_reference"]

ROUNDS = 60
REFERENCE = Path(__file__).with_name("capture_reference.sh")


def _nothing() -> Measure:
    return process([sys.executable, "-c", "pass"])


def append_process(setting: Setting) -> Row:
    """A whole `ar append` against a Python that does nothing."""
    session = setting.scratch / ".auto"
    session.mkdir()
    (session / "log.jsonl").touch()
    command = [*AR, "append", "note", "detail=the cache is the bottleneck"]
    pair = in_turn(process(command, cwd=setting.scratch), _nothing(), setting.times(ROUNDS))
    return Row(
        name="append-process",
        work="`ar append`, whole process",
        against="`python -c pass`",
        measured=pair.ratio,
        ours=pair.ours,
        reference=pair.reference,
        budget=Budget("<=", 6),
        remark="4 is the ambition",
    )


def capture(setting: Setting) -> Row:
    """Error capture of an output without an error against a Python that does nothing."""
    pair = in_turn(_capture(setting), _nothing(), setting.times(ROUNDS))
    return Row(
        name="capture",
        work="`ar hook error-capture`, silent path, whole process",
        against="`python -c pass`",
        measured=pair.ratio,
        ours=pair.ours,
        reference=pair.reference,
        budget=Budget("<=", 2.2),
    )


def capture_reference(setting: Setting) -> Row | None:
    """The same against a script of bash, jq and grep; None where one of those is missing."""
    bash = shutil.which("bash")
    if not (REFERENCE.is_file() and bash and shutil.which("jq")):
        return None
    pair = in_turn(
        _capture(setting),
        process([bash, REFERENCE], cwd=setting.scratch, stdin=HARMLESS),
        setting.times(ROUNDS),
    )
    return Row(
        name="capture-reference",
        work="the same",
        against="a script of bash, jq and grep",
        measured=pair.ratio,
        ours=pair.ours,
        reference=pair.reference,
    )


def _capture(setting: Setting) -> Measure:
    return process([*AR, "hook", "error-capture"], cwd=setting.scratch, stdin=HARMLESS)


HARMLESS = msgspec.json.encode(
    {
        "hook_event_name": "PostToolUse",
        "tool_name": "Bash",
        "tool_input": {"command": "make test"},
        "tool_response": {
            "stdout": "".join(f"tests/part_{n}.py::test_{n} PASSED\n" for n in range(60)),
            "stderr": "",
            "interrupted": False,
            "isImage": False,
        },
    }
)
"""What an agent hands to its hook after a command that went well."""

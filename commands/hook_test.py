"""`ar hook test`: tries a script the way it would be fired, and records nothing."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click
import msgspec

from commands.context import Call
from commands.effects.views import place_of
from commands.errors import BadInputError
from commands.options import at_option, examples, json_option
from commands.output import emit, emit_json
from commands.render import duration, escape, pairs
from commands.where import parse_where
from eventstore.secrets import redact
from hooks.examples import EXAMPLES
from hooks.payload import mock_payload
from hooks.prefix import DEFAULT_TIMEOUT, read_prefix
from hooks.process import Finished
from hooks.runner import STAGES, is_executable, run_script
from hooks.steer import STEER_CAP, Stage, is_truncated, label, render_steer

__all__ = ["test_cmd"]


class Given(msgspec.Struct, frozen=True):
    """What a script is tried with.

    payload: its stdin. cwd: the directory it runs in. timeout: seconds. at: the line the payload was taken
    at, None for a made-up one.
    """

    payload: bytes
    cwd: Path
    timeout: float
    at: int | None


@click.command(
    "test",
    epilog=examples(
        "ar hook test .auto/hooks/before.sh",
        "ar hook test .auto/hooks/after.sh --at run:5",
        "ar hook test ./draft.sh --stage after --mock",
    ),
)
@click.argument("script", type=click.Path(path_type=Path))
@click.option("--stage", type=click.Choice(STAGES), help="Its stage, where the file's name does not tell.")
@at_option
@click.option("--mock", is_flag=True, help="A made-up payload: no run yet (before), one kept run (after).")
@json_option
@click.pass_obj
def test_cmd(
    call: Call, script: Path, stage: Stage | None, where: str | None, mock: bool, as_json: bool
) -> int:
    """Try a script as a hook: same stdin, same limits, nothing recorded.

    What the script itself does, it does. Shows its exit, time, bytes, and the steer that would reach the
    agent. Exit code 1 if it would not fire (no execute bit), failed, or took too long.
    """
    _require_file(script)
    stage = stage or _stage_of(script)
    if not is_executable(script):
        return _refuse(script, stage, as_json)
    given = _mock(call, stage) if mock and where is None else _recorded(call, stage, where, mock)
    finished = run_script(script.absolute(), given.payload, cwd=given.cwd, timeout=given.timeout)
    if as_json:
        emit_json(_document(script, stage, given, finished))
    else:
        emit(told(stage, given, finished))
    return 0 if finished.exit_code == 0 else 1


def _require_file(script: Path) -> None:
    if script.is_file():
        return
    if script.exists():
        raise BadInputError(f"{script} is no regular file", "name a script")
    name = script.name.removesuffix(".sh")
    shipped = any(example.name == name for example in EXAMPLES)
    raise BadInputError(f"there is no file {script}", f"ar hook add {name}" if shipped else "name a script")


def _stage_of(script: Path) -> Stage:
    """The stage that the name tells: of the file, its folder (`before.d`), or a shipped example."""
    for name in (script.name, script.absolute().parent.name):
        for stage in STAGES:
            if name == stage or name.startswith((f"{stage}.", f"{stage}-")):
                return stage
    for example in EXAMPLES:
        if example.name == script.name.removesuffix(".sh"):
            return example.stage
    raise BadInputError(f"the name {script.name} does not tell the stage", "--stage before, or --stage after")


def _mock(call: Call, stage: Stage) -> Given:
    try:
        cwd = call.session.root
    except BadInputError:  # no session yet, which a made-up payload can do without
        cwd = Path.cwd()
    return Given(mock_payload(stage, os.fspath(cwd)), cwd, DEFAULT_TIMEOUT, None)


def _recorded(call: Call, stage: Stage, where: str | None, mock: bool) -> Given:
    if mock:
        raise BadInputError("--mock makes the payload up, --at takes it from the log", "one of them")
    log, cwd = call.log(), call.session.root
    prefix = read_prefix(log, None if where is None else place_of(log, parse_where(where)))
    return Given(prefix.payload(stage, os.fspath(cwd)), cwd, prefix.timeout, prefix.seq)


def _refuse(script: Path, stage: Stage, as_json: bool) -> int:
    if as_json:
        emit_json({"script": str(script), "stage": stage, "executable": False})
    else:
        name = escape(str(script))
        emit(
            f"{name} is not executable: as a hook it would not fire, and nobody would say so\n"
            f"try: chmod +x {name}\n"
        )
    return 1


def _document(script: Path, stage: Stage, given: Given, finished: Finished) -> dict[str, Any]:
    """The JSON document: `at` is null for a made-up payload, `steer` null for a silent script."""
    return {
        "script": str(script),
        "stage": stage,
        "executable": True,
        "at": given.at,
        "exit_code": finished.exit_code,
        "timed_out": finished.timed_out,
        "duration_ms": finished.duration_ms,
        "stdout_bytes": finished.stdout_bytes,
        "stderr_bytes": finished.stderr_bytes,
        "truncated": is_truncated(finished),
        "error": finished.error,
        "steer": steer_of(stage, finished) or None,
    }


def steer_of(stage: Stage, finished: Finished) -> str:
    """The steer as the agent would get it, what looks like a secret redacted as on its way into the log."""
    return redact(render_steer(stage, finished))


def told(stage: Stage, given: Given, finished: Finished) -> str:
    """How it went, for people, and the steer as the agent would see it."""
    limit = f"of {given.timeout:g} s"
    took = duration(finished.duration_ms / 1000)
    if finished.error is not None:
        ended = "could not be started"
    elif finished.timed_out:
        ended = "ended when its time was up"
    else:
        ended = str(finished.exit_code)
    cut = f", cut at {STEER_CAP:,}" if is_truncated(finished) else ""
    rows = [
        ("stage", stage),
        ("payload", "made up" if given.at is None else f"of the log up to line {given.at}"),
        ("exit", ended),
        ("time", f"{took} {limit}"),
        ("stdout", f"{finished.stdout_bytes:,} bytes{cut}"),
        ("stderr", f"{finished.stderr_bytes:,} bytes"),
    ]
    if finished.leftover_killed:
        rows.append(("left running", f"{finished.leftover_killed}, ended"))
    steer = steer_of(stage, finished)
    shown = escape(label(stage, steer), lines=True) if steer else "silent: nothing would reach the agent"
    return f"{pairs(rows)}\n{shown}\n"

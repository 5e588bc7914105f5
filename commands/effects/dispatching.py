"""Running what a dispatch sends: each prompt to an agent of its own, side by side (design, section 6.3)."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import msgspec

from commands.effects.side_by_side import OnStart, side_by_side
from hooks.process import run, shell_argv, strip_own_environment
from reducers.policies.dispatching import Prompt
from reducers.policies.looping import how_ended, last_line

__all__ = ["CameBack", "came_back", "run_prompt", "run_prompts"]

KEPT = 1 << 16
"""Bytes of an agent's stdout, and of its stderr, that are kept, from the end."""


class CameBack(msgspec.Struct, frozen=True):
    """How an agent ended.

    name: of its prompt. ok: whether it ended well. said: its last line, or why it did not end well.
    output: where what it said on stdout lies.
    """

    name: str
    ok: bool
    said: str
    output: str


def run_prompts(
    prompts: Sequence[Prompt], command: str, *, place: Path, cwd: Path, by: str, seconds: float
) -> list[CameBack]:
    """Runs an agent for each prompt, all at once, and returns when nothing of them is left.

    command: a shell command that reads the prompt from stdin; it also lies in the file AR_BRIEF. place: the
    directory for prompts and outputs. by: who the agents are. seconds: how long each may take.
    """
    argv = shell_argv(command)
    work = [partial(run_prompt, each, argv, place, cwd, by, seconds) for each in prompts]
    ended = side_by_side(work, len(work))
    return [
        each if isinstance(each, CameBack) else CameBack(prompt.name, False, str(each), "")
        for prompt, each in zip(prompts, ended, strict=True)
    ]


def run_prompt(
    prompt: Prompt, argv: Sequence[str], place: Path, cwd: Path, by: str, seconds: float, on_start: OnStart
) -> CameBack:
    """Runs an agent for one prompt, as `run_prompts` does; `on_start` is called as it starts."""
    place.mkdir(parents=True, exist_ok=True)
    brief, out, err = (place / f"{prompt.name}.{kind}" for kind in ("md", "out", "err"))
    brief.write_text(prompt.text, encoding="utf-8")
    finished = run(
        argv,
        cwd=cwd,
        stdin=prompt.text.encode("utf-8", "replace"),
        timeout=seconds,
        stdout_cap=KEPT,
        stderr_cap=KEPT,
        keep="tail",
        env={**strip_own_environment(os.environ), "AR_BRIEF": os.fspath(brief), "AR_BY": by},
        on_start=on_start,
    )
    place.mkdir(parents=True, exist_ok=True)  # for an agent may have cleaned it away
    out.write_bytes(finished.stdout)
    err.write_bytes(finished.stderr)
    line = last_line(finished.stdout) or last_line(finished.stderr)
    if finished.error is not None:
        return CameBack(prompt.name, False, f"could not be started: {finished.error}", str(out))
    if finished.timed_out:
        return CameBack(prompt.name, False, f"was ended after {seconds:g} s", str(out))
    if finished.exit_code:
        said = ": ".join(filter(None, (how_ended(finished.exit_code), line)))
        return CameBack(prompt.name, False, said, str(out))
    return CameBack(prompt.name, True, line, str(out))


def came_back(results: Sequence[CameBack]) -> tuple[bool, str]:
    """Whether a dispatch delivered, and what it brought, in words: all of its agents must have ended well."""
    if len(results) == 1:
        return results[0].ok, results[0].said
    return all(each.ok for each in results), "; ".join(f"{each.name}: {each.said}" for each in results)

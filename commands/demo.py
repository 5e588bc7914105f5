"""`ar demo`: a real session in a scratch repository, from `ar init` to `ar debrief`."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

import click

from commands.effects.demo_place import lay_out
from commands.effects.own_program import own_argv
from commands.options import examples
from commands.output import emit, paint
from commands.render import escape
from commands.verb import Verb
from eventstore.errors import StorageError

__all__ = ["demo_cmd"]

CYCLES = 6
"""How many cycles the session may have: the stop rule that ends it."""

_NEXT = (
    ("ar tail -n 30", "the last events of the log"),
    ("ar view runs", "every run, with its change against the baseline"),
    ("ar why best_metric", "which event gave the best its value"),
    ("ar show run:3 --diff", "a change that was discarded, from git"),
    ("ar replay", "what each event changed"),
    ("ar brief", "what the next agent would be told"),
    ("ar verify", "that nothing of it was altered"),
    ("ar audit", "that every number follows from what was measured"),
    ("ar finalize plan", "what was kept, as branches to review"),
    ("git log --oneline", "what was kept, and what was proved gone"),
)
"""What there is to try on the session, and what it shows."""


@click.command("demo", cls=Verb, epilog=examples("ar demo", "ar demo --keep /tmp/ar-demo"))
@click.option("--keep", "directory", metavar="DIR", help="Where to do it: a new or empty directory.")
def demo_cmd(directory: str | None) -> None:
    """Run a real session in a scratch repository, in less than a minute.

    A small program, its tests as the constraint, its measured time as the metric, and a scripted agent that
    proposes edits: good, bad, wrong, crashing, outside of what it may touch. All else is real: the verdicts
    come from the measurements. The directory stays, to be looked at.
    """
    place = _place(directory)
    project, agent = lay_out(place)
    python = "python3" if shutil.which("python3") else shlex.quote(sys.executable)
    emit(f"A program that counts words, in {escape(str(project))}.\n")
    _ar(
        project,
        "init",
        "count words faster",
        *("--metric", "total_ms", "--unit", "ms", "--direction", "lower"),
        *(
            "--measure",
            f"{python} -B bench.py",
            "--constraint",
            f"{python} -B test_wordstats.py -q",
        ),
        *("--asset", "wordstats", "--samples", "3", "--max-cycles", str(CYCLES)),
    )
    _ar(project, "loop", "--agent", shlex.join([sys.executable, str(agent), *own_argv()]))
    _ar(project, "debrief")
    shown = shlex.quote(str(project))
    emit(f"\n{paint('Try next', 'bold')}, in {escape(shown)}:\n")
    widest = max(len(command) for command, _ in _NEXT)
    emit("".join(f"  {command.ljust(widest)}  {what}\n" for command, what in _NEXT))
    emit(f"When you have seen enough: rm -r {escape(shlex.quote(str(place)))}\n")


def _place(directory: str | None) -> Path:
    """Where the demo takes place: a new directory among the temporary ones, if none was named."""
    if directory is not None:
        return Path(os.path.abspath(directory))
    from tempfile import mkdtemp

    return Path(os.path.realpath(mkdtemp(prefix="ar-demo-")))


def _ar(project: Path, *argv: str) -> None:
    """Shows a command and runs it as a process, as anybody would. Raises StorageError when it fails."""
    import subprocess

    from hooks.process import strip_own_environment

    emit(f"\n{paint('$ ' + escape(_shown(argv)), 'bold')}\n")
    done = subprocess.run(
        [*own_argv(), *argv], cwd=project, env=strip_own_environment(os.environ), check=False
    )
    if done.returncode != 0:
        raise StorageError(
            f"the demo's `ar {argv[0]}` ended with {done.returncode}",
            f"look into {project}, or repeat ar demo",
        )


def _shown(argv: Sequence[str]) -> str:
    return shlex.join(["ar", *argv])

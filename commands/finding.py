"""`ar finding`: something was learned."""

from __future__ import annotations

import click

from commands.appending import told
from commands.context import Call
from commands.effects.recording import document, enter
from commands.given import words
from commands.options import by_option, examples, json_option
from commands.output import emit, emit_json
from commands.verb import Verb
from eventstore.events import Finding

__all__ = ["finding_cmd"]


@click.command(
    "finding",
    cls=Verb,
    epilog=examples(
        "ar finding 'p99 is garbage collection' --evidence trace.json",
        "ar finding 'linker ran out of memory; build with -j2'",
        "ar finding 'AdamW beats SGD here' --source arXiv:1711.05101 --iteration 4",
        "ar finding -- '-O3 breaks the tests'",
    ),
)
@click.argument("text", metavar="TEXT")
@click.option("--evidence", metavar="TEXT", help="What shows it, in words or as a path.")
@click.option("--source", metavar="TEXT", help="Where it is cited from; makes it a cited item.")
@click.option("--iteration", type=click.IntRange(0), metavar="N", help="The iteration it came from.")
@by_option
@json_option
@click.pass_obj
def finding_cmd(
    call: Call,
    text: str,
    evidence: str | None,
    source: str | None,
    iteration: int | None,
    by: str | None,
    as_json: bool,
) -> None:
    """Record what was learned, also when it did not help.

    A finding counts as progress. One with a --source is a cited item, to be verified within 20 of them
    (`ar verified citation`).
    """
    for option, given in (("TEXT", text), ("--evidence", evidence), ("--source", source)):
        if given is not None:
            words(option, given)
    finding = Finding(text=text, evidence=evidence, source=source, iteration=iteration)
    appended = enter(call, by, finding)
    if as_json:
        emit_json(document(appended))
    else:
        emit(told(appended))

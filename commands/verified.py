"""`ar verified`: an independent check ended."""

from __future__ import annotations

import click

from commands.context import Call
from commands.effects.recording import document, enter
from commands.effects.views import read_view
from commands.errors import BadInputError
from commands.given import choices, words
from commands.options import by_option, examples, json_option
from commands.output import emit, emit_json
from commands.render import escape
from commands.verb import Verb
from eventstore.events import Verified
from eventstore.events.protocol import CheckKind
from reducers.findings import findings

__all__ = ["verified_cmd"]


@click.command(
    "verified",
    cls=Verb,
    epilog=examples(
        "ar verified test 'pytest -q' --ok --by verifier",
        "ar verified compile ./build.sh --failed --detail 'undefined symbol f'",
        "ar verified citation arXiv:1711.05101 --ok --by verifier:cites",
    ),
)
@click.argument("kind", metavar="KIND", type=click.Choice(choices(CheckKind)))
@click.argument("target", metavar="TARGET")
@click.option("--ok/--failed", "ok", default=None, help="Whether it held.")
@click.option("--detail", metavar="TEXT", default="", help="What was seen.")
@by_option
@json_option
@click.pass_obj
def verified_cmd(
    call: Call, kind: str, target: str, ok: bool | None, detail: str, by: str | None, as_json: bool
) -> None:
    """Record how an independent check ended; a worker may not.

    KIND is test, compile, check, citation or evidence; TARGET is what was checked: a command, a file, for a
    citation its source. One that held counts as progress and verifies the iteration before it. A check of
    citations whose TARGET is no finding's source covers all citations so far.
    """
    words("TARGET", target)
    if ok is None:
        raise BadInputError("how the check ended is missing", "--ok or --failed")
    appended = enter(call, by, Verified(kind=kind, target=target, ok=ok, detail=detail))
    told = f"{escape(kind)} {'ok' if ok else 'failed'}, line {appended.seqs[0]}"
    if kind != "citation":
        if as_json:
            emit_json(document(appended))
        else:
            emit(told + "\n")
        return
    look = read_view(call.log(), findings, cache=call.cache("findings")).view
    if as_json:
        counts = {name: look[name] for name in ("citations", "citations_unverified")}
        emit_json(document(appended, **counts))
    else:
        emit(f"{told}; {look['citations_unverified']} of {look['citations']} citations are unverified\n")

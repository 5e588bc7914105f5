"""`ar append`: records an event, or a batch of them from stdin."""

from __future__ import annotations

import click

from commands.appending import Request
from commands.context import Call
from commands.effects.appending import record
from commands.options import by_option, examples, json_option
from commands.verb import Verb

__all__ = ["append_cmd"]


@click.command(
    "append",
    cls=Verb,
    epilog=examples(
        "ar append note level=decision detail='the cache is the bottleneck'",
        "ar append finding text='p99 is GC' evidence=trace.json iteration:=4",
        "ar append run status=keep metric:=38.9 description='arena allocator' --json",
        "ar append x.deploy host=gpu0 replicas:=3 --id deploy-17",
        "ar append - --batch night-3 < events.jsonl",
    ),
)
@click.argument("kind", metavar="TYPE|-")
@click.argument("fields", metavar="[key=value | key:=json]...", nargs=-1)
@by_option
@click.option("--id", "key", metavar="KEY", help="Idempotency key: a second append of the same is no event.")
@click.option("--batch", metavar="KEY", help="With -: item n gets the id KEY#n, so a retry writes the rest.")
@click.option("--expect", type=int, metavar="SEQ", help="Refuse (exit 3) unless the log ends at line SEQ.")
@json_option
@click.pass_obj
def append_cmd(
    call: Call,
    kind: str,
    fields: tuple[str, ...],
    by: str | None,
    key: str | None,
    batch: str | None,
    expect: int | None,
    as_json: bool,
) -> None:
    """Record an event, or with - a batch from stdin.

    A batch holds one JSON object a line and is written as a whole or not at all. key=value is text where
    the field holds text, else it is read as JSON; key:=json is always JSON. `ar schema` tells the types and
    their fields. A run without run= gets the next number when it is written. With --json: `seqs` (the lines),
    `runs` (the numbers of the runs among them), `written`, `head`, `mended`.
    """
    record(call, Request(kind, fields, by, key, batch, expect, as_json))

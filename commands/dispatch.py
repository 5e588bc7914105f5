"""`ar dispatch`: sub-agents are sent, and come back."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from commands.context import Call
from commands.damage import tell_damage
from commands.effects.recording import document, enter, enter_decided
from commands.effects.situations import situation_at
from commands.effects.views import read_view
from commands.errors import BadInputError
from commands.given import length, words
from commands.options import by_option, examples, json_option
from commands.output import emit, emit_json, emit_table
from commands.render import Column, escape, when
from commands.verb import Verb, VerbGroup
from eventstore.events import Dispatch, Dispatched, Event
from reducers.dispatches import DispatchesState, dispatches
from reducers.findings import FindingRow, FindingsView, findings
from reducers.policies.dispatching import PATTERNS, Order, Prompt, limits_of, prompts

__all__ = ["decide_dispatched", "dispatch_cmd"]

_COLUMNS = (
    Column("id"),
    Column("pattern"),
    Column("state", styles={"ok": "green", "failed": "red"}),
    Column("since"),
    Column("by"),
    Column("about", flexible=True),
)


@click.group(
    "dispatch",
    cls=VerbGroup,
    invoke_without_command=True,
    subcommand_metavar="COMMAND ...",
    epilog=examples(
        "ar dispatch A --about 'why it is slow' --deliverable profile.txt | my-agent",
        "ar dispatch B --about 'memory-bound?' --deliverable verdict --run my-agent",
        "ar dispatch done d1 'the tokenizer takes 60 %' --ok",
    ),
)
@click.pass_context
def dispatch_cmd(ctx: click.Context) -> None:
    """Send sub-agents by the protocol's four patterns; record what they bring."""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


def _add(pattern: str, summary: str) -> None:
    """Adds the command of a pattern."""

    @dispatch_cmd.command(
        pattern,
        cls=Verb,
        help=f"{_HELP[pattern]}\n\n{_HELP_ALL}",
        short_help=summary,
        epilog=examples(f"ar dispatch {pattern} --about 'is it memory-bound?' --deliverable 'a verdict'"),
    )
    @click.option("--about", metavar="TEXT", required=True, help="The task.")
    @click.option("--deliverable", metavar="TEXT", required=True, help="What must come back, verifiably.")
    @click.option("--workdir", metavar="DIR", help="Where it works; the session's directory if left out.")
    @click.option("--done-when", metavar="TEXT", help="The criterion for done.")
    @click.option("--finding", "number", type=click.IntRange(1), metavar="N", help="D: the one to audit.")
    @click.option("--run", "command", metavar="CMD", help="Run it: a command that reads the prompt on stdin.")
    @click.option(
        "--timeout", metavar="TIME", default="30m", show_default=True, help="How long an agent may take."
    )
    @by_option
    @json_option
    @click.pass_obj
    def send_cmd(
        call: Call,
        about: str,
        deliverable: str,
        workdir: str | None,
        done_when: str | None,
        number: int | None,
        command: str | None,
        timeout: str,
        by: str | None,
        as_json: bool,
    ) -> int:
        for option, text in (("--about", about), ("--deliverable", deliverable), ("--run", command)):
            if text is not None:
                words(option, text)
        place = Path(workdir) if workdir else call.session.root
        if not place.is_dir():
            raise BadInputError(f"--workdir: {place} is no directory", "make it, or name another")
        order = Order(
            dispatch="",
            pattern=pattern,
            about=about,
            deliverable=deliverable,
            workdir=str(place.absolute()),
            done_when=done_when,
            seconds=length("--timeout", timeout),
            finding=None if number is None else _finding(call, pattern, number),
        )
        return _send(call, order, command, by, as_json)


_HELP = {
    "A": "Send one agent after a goal: the directions tried go in, findings come out.",
    "B": "Send three agents at once: one investigates, one refutes, one looks for an analogy elsewhere.",
    "C": "Send one agent to run an experiment: submit, poll every minute, diagnose, fix, resubmit.",
    "D": "Send an independent auditor over the evidence of a finding; it speaks as a verifier.",
}
_HELP_ALL = (
    "Without --run the prompts are printed, to be given to whoever does it, and `ar dispatch done` records "
    "what came back. With it they are run and what came back is recorded; exit 1 if it did not deliver."
)
for _pattern in PATTERNS:
    _add(_pattern, _HELP[_pattern])


def _finding(call: Call, pattern: str, number: int) -> FindingRow:
    import msgspec

    if pattern != "D":
        raise BadInputError("--finding is for D, which audits it", f"ar dispatch D --finding {number} ...")
    look = read_view(call.log(), findings, cache=call.cache("findings"))
    rows = msgspec.convert(look.view, FindingsView).findings
    if number > len(rows):
        raise BadInputError(f"there is no finding {number}, but {len(rows)}", "ar view findings")
    return rows[number - 1]


def _send(call: Call, order: Order, command: str | None, by: str | None, as_json: bool) -> int:
    """Records a dispatch, and prints its prompts or runs them."""
    from msgspec.structs import replace

    if command is not None and call.session.cache is None:
        raise BadInputError("--run needs a session, not just a log", "leave --log out, or use -C DIR")
    found = situation_at(call.log())

    def decide(state: DispatchesState) -> Sequence[Event]:
        nonlocal order
        order = replace(order, dispatch=f"d{state.count + 1}")
        return [
            Dispatch(
                dispatch=order.dispatch,
                pattern=order.pattern,
                about=order.about,
                deliverable=order.deliverable,
                workdir=order.workdir,
                limits=limits_of(order),
                done_when=order.done_when,
            )
        ]

    appended = enter_decided(call, by, Dispatch, dispatches, decide)
    composed = prompts(order, found.sight)
    tell_damage(found.damaged)
    if command is not None:
        return _run(call, order, composed, command, by, as_json)
    if as_json:
        emit_json(document(appended, dispatch=order.dispatch, prompts=composed))
    else:
        emit("\n---\n\n".join(each.text for each in composed))
    return 0


def _run(
    call: Call, order: Order, composed: Sequence[Prompt], command: str, by: str | None, as_json: bool
) -> int:
    """Runs the prompts, and records and tells what came back."""
    from commands.effects.dispatching import came_back, run_prompts

    assert call.session.cache is not None
    results = run_prompts(
        composed,
        command,
        place=call.session.cache / "dispatch" / order.dispatch,
        cwd=Path(order.workdir),
        by="verifier" if order.pattern == "D" else f"worker:{order.dispatch}",
        seconds=order.seconds,
    )
    ok, summary = came_back(results)
    appended = enter(call, by, Dispatched(dispatch=order.dispatch, ok=ok, summary=summary))
    if as_json:
        emit_json(document(appended, dispatch=order.dispatch, prompts=composed, results=results))
    else:
        emit(f"{order.dispatch} {'delivered' if ok else 'failed'}, line {appended.seqs[0]}\n")
        for each in results:
            emit(f"{each.name}: {escape(each.said)} ({escape(each.output)})\n")
    return 0 if ok else 1


@dispatch_cmd.command(
    "done", cls=Verb, epilog=examples("ar dispatch done d1 --ok", "ar dispatch done d2 'no gain' --failed")
)
@click.argument("name", metavar="ID")
@click.argument("summary", metavar="[SUMMARY]", default="")
@click.option("--ok/--failed", "ok", default=None, help="Whether it delivered.")
@by_option
@json_option
@click.pass_obj
def done_cmd(call: Call, name: str, summary: str, ok: bool | None, by: str | None, as_json: bool) -> None:
    """Record that a sub-agent came back, and what it brought."""
    if ok is None:
        raise BadInputError("whether it delivered is missing", "--ok or --failed")
    ended = Dispatched(dispatch=name, ok=ok, summary=summary)
    appended = enter_decided(call, by, Dispatched, dispatches, lambda state: decide_dispatched(state, ended))
    if as_json:
        emit_json(document(appended, dispatch=name))
    else:
        emit(f"{escape(name)} {'delivered' if ok else 'failed'}, line {appended.seqs[0]}\n")


def decide_dispatched(state: DispatchesState, ended: Dispatched) -> list[Event]:
    """The event with which a dispatch ends. Pure. Raises BadInputError for one that is not open."""
    row = state.by_id.get(ended.dispatch)
    if row is None:
        raise BadInputError(f"there is no dispatch {ended.dispatch[:60]!r}", "ar dispatch list")
    if row.state != "open":
        raise BadInputError(f"{ended.dispatch[:60]} has come back already ({row.state})", "ar dispatch list")
    return [ended]


@dispatch_cmd.command("list", cls=Verb, epilog=examples("ar dispatch list", "ar dispatch list --json"))
@json_option
@click.pass_obj
def list_cmd(call: Call, as_json: bool) -> None:
    """Show every dispatch, and which came back."""
    look = read_view(call.log(), dispatches)
    rows = look.view["dispatches"]
    if as_json:
        emit_json(look.document())
    elif rows:
        emit_table(
            _COLUMNS,
            [
                (
                    *(escape(row[name]) for name in ("dispatch", "pattern", "state")),
                    when(row["since"]),
                    escape(row["by"]),
                    escape(row["about"]),
                )
                for row in rows
            ],
        )
    else:
        emit("nothing was dispatched\n")
    tell_damage(look.damaged)

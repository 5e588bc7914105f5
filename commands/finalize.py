"""`ar finalize`: a noisy branch becomes clean, independent ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from commands.context import Call, author
from commands.damage import tell_damage
from commands.effects.finalizing import ALL, Survey, survey
from commands.effects.ground import Ground, ground_of
from commands.effects.making_branches import Made, make_branches, require_names
from commands.effects.reading import read_stdin
from commands.effects.recording import enter
from commands.effects.tree_lock import tree_locked
from commands.errors import BadInputError
from commands.finalize_plan import Written, document, read
from commands.finalize_text import told_branches, told_plan
from commands.logged_paths import as_logged
from commands.options import by_option, examples, json_option
from commands.output import emit, emit_json
from commands.render import escape
from commands.verb import Verb, VerbGroup
from eventstore.errors import ConflictError, StorageError
from eventstore.events import Note
from eventstore.roles import check_role
from eventstore.store import Appended
from reducers.policies.finalizing_plan import Draft, Plan, draft_of, plan_of, problems, settled

__all__ = ["finalize_cmd"]

FINALIZED = "finalized"
"""The `event` of the note that says which branches were made."""

F = TypeVar("F", bound=Callable[..., Any])


@click.group(
    "finalize",
    cls=VerbGroup,
    invoke_without_command=True,
    subcommand_metavar="COMMAND ...",
    epilog=examples("ar finalize plan", "ar finalize plan --output plan.json", "ar finalize apply plan.json"),
)
@click.pass_context
def finalize_cmd(ctx: click.Context) -> None:
    """Turn a noisy branch into clean, independent branches."""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


def _choices(command: F) -> F:
    """The options that say what a plan is made of."""
    options = (
        click.option("--base", metavar="REV", help="Begin where the branch left this. [the trunk]"),
        click.option("--segment", metavar="N|all", help="Whose kept runs. [the current segment's]"),
        click.option(
            "--others",
            type=click.Choice(["refuse", "branch", "leave"]),
            help="What belongs to no kept run: refuse it, make it a branch, leave it out. [refuse]",
        ),
        click.option("--leave", metavar="PATH", multiple=True, help="Leave this out; repeatable."),
        click.option("--prefix", metavar="NAME", help="What the branches' names begin with. [finalized]"),
    )
    for option in reversed(options):
        command = option(command)
    return command


@finalize_cmd.command(
    "plan",
    cls=Verb,
    epilog=examples("ar finalize plan", "ar finalize plan --base main --output plan.json"),
)
@_choices
@click.option("-o", "--output", metavar="FILE", help="Also write the plan, to be edited and applied.")
@json_option
@click.pass_obj
def plan_cmd(
    call: Call,
    base: str | None,
    segment: str | None,
    others: str | None,
    leave: tuple[str, ...],
    prefix: str | None,
    output: str | None,
    as_json: bool,
) -> int:
    """Group the kept runs by the files they touch: a group becomes a branch.

    Nothing is changed. Exit code 1 where there is nothing to make, or files of no kept run are left over.
    """
    found = survey(_ground(call, None), base=base, segment=_segment(segment))
    plan = _planned(found, others, leave, prefix)
    if output is not None:
        _write(Path(output), document(found, plan))
    if as_json:
        emit_json(document(found, plan))
    else:
        emit(told_plan(found, plan))
    tell_damage(found.damaged)
    return 0 if plan.groups and not plan.uncovered else 1


@finalize_cmd.command(
    "apply",
    cls=Verb,
    epilog=examples("ar finalize apply", "ar finalize apply plan.json", "ar finalize apply --others leave"),
)
@click.argument("plan_file", metavar="[PLAN]", required=False)
@_choices
@by_option
@json_option
@click.pass_obj
def apply_cmd(
    call: Call,
    plan_file: str | None,
    base: str | None,
    segment: str | None,
    others: str | None,
    leave: tuple[str, ...],
    prefix: str | None,
    by: str | None,
    as_json: bool,
) -> None:
    """Make the branches of a plan, all of them or none.

    PLAN is what `ar finalize plan --output` wrote, edited or not, or - for stdin; without it the plan that
    would be shown is carried out. One branch a group, from the base, with the group's files as they are at
    the tip. Working tree, index, HEAD and tags are not touched, and no branch is overwritten.
    """
    check_role(author(by), "note")
    ground = _ground(call, by)
    if plan_file is not None and (leave or any(each is not None for each in (base, segment, others, prefix))):
        raise BadInputError("the plan says already what to do", "edit it, or leave it out and use options")
    written = None if plan_file is None else _read(plan_file)
    with tree_locked(ground.session.tree_lock):
        if written is None:
            found = survey(ground, base=base, segment=_segment(segment))
            draft = draft_of(_planned(found, others, leave, prefix))
        else:
            found = _of_plan(ground, written)
            draft = written.draft
        made, appended = _carry_out(call, ground, found, draft, by)
    if as_json:
        branches = [
            {"branch": each.branch, "commit": each.commit, "runs": each.runs, "files": as_logged(each.files)}
            for each in made
        ]
        facts = found.facts
        emit_json(
            {
                "seq": appended.seqs[0],
                "head": str(appended.head),
                "base": facts.base,
                "tip": facts.tip,
                "branches": branches,
                "left": as_logged(_left(found, made)),
                "session_files": as_logged(facts.session_files),
                "mended": list(appended.mended),
            }
        )
    else:
        emit(told_branches(found, made, _left(found, made)))
    tell_damage(found.damaged)


def _ground(call: Call, by: str | None) -> Ground:
    place = call.session
    if place.layout == "file":
        raise BadInputError("finalize needs a session, not just a log", "leave --log out, or use -C DIR")
    return ground_of(place, call.log() if by is None else call.writer(by))


def _segment(text: str | None) -> int | str | None:
    """A segment's number, or all. Raises BadInputError."""
    if text is None or text == ALL:
        return text
    if not (text.isascii() and text.isdecimal() and len(text) < 10):
        raise BadInputError(f"--segment: {text!r} is no segment", "a number from 0, or all")
    return int(text)


def _planned(found: Survey, others: str | None, leave: Sequence[str], prefix: str | None) -> Plan:
    plan = plan_of(found.facts, prefix=prefix, rest=others == "branch", leave=leave)
    if others != "leave" or not plan.uncovered:
        return plan
    return plan_of(found.facts, prefix=prefix, leave=(*leave, *(each.path for each in plan.uncovered)))


def _of_plan(ground: Ground, written: Written) -> Survey:
    """The branch that a plan was made for. Raises ConflictError where it has moved since."""
    found = survey(ground, base=written.base, segment=ALL if written.segment is None else written.segment)
    if found.facts.tip != written.tip or found.facts.base != written.base:
        what = f"the plan is for {written.tip[:12]}, and HEAD is at {found.facts.tip[:12]}"
        raise ConflictError(what, "plan anew: ar finalize plan")
    return found


def _carry_out(
    call: Call, ground: Ground, found: Survey, draft: Draft, by: str | None
) -> tuple[list[Made], Appended]:
    """Makes the branches and records it. Raises BadInputError, or ConflictError, for what cannot be made."""
    groups = settled(found.facts, draft)
    require_names(ground.repo, [group.branch for group in groups])
    wrong = problems(found.facts, groups, draft.leave)
    if wrong:
        first = wrong[0]
        more = f" (and {len(wrong) - 1} more that is wrong)" if len(wrong) > 1 else ""
        raise (ConflictError if first.taken else BadInputError)(first.what + more, first.remedy)

    def record(made: Sequence[Made]) -> Appended:
        names = ", ".join(f"{each.branch} ({each.commit[:12]})" for each in made)
        tip = f"{found.facts.tip[:12]}, base {found.facts.base[:12]}"
        return enter(call, by, Note(level="info", event=FINALIZED, detail=f"{names}; tip {tip}"))

    return make_branches(ground.repo, found, groups, draft.leave, record)


def _left(found: Survey, made: Sequence[Made]) -> list[str]:
    taken = {path for each in made for path in each.files}
    return sorted(path for path in found.entries if path not in taken)


def _read(name: str) -> Written:
    if name == "-":
        return read(read_stdin(), "stdin")
    try:
        return read(Path(name).read_bytes(), escape(name))
    except FileNotFoundError:
        raise BadInputError(f"there is no {name}", "ar finalize plan --output FILE writes a plan") from None
    except OSError as error:
        raise StorageError(f"{name}: {error.strerror}", "name a file that can be read") from error


def _write(path: Path, plan: dict[str, Any]) -> None:
    """Writes a plan to a new file, indented for who edits it."""
    import msgspec

    data = msgspec.json.format(msgspec.json.encode(plan), indent=2) + b"\n"
    try:
        with path.open("xb") as file:
            file.write(data)
    except FileExistsError:
        raise ConflictError(f"{path} is there already", "name another file, or move it away") from None
    except OSError as error:
        raise StorageError(f"cannot write {path}: {error.strerror}", "name another file") from error

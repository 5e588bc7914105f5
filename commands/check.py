"""`ar check`: whether the work keeps to the protocol's limits."""

from __future__ import annotations

from collections.abc import Sequence

import click
import msgspec

from commands.context import Call
from commands.damage import tell_damage
from commands.effects.commit_sizes import changes_in, commits_of
from commands.effects.git import GitError, find_repo
from commands.effects.git_queries import head_of
from commands.effects.views import read_view
from commands.errors import BadInputError
from commands.options import examples, json_option
from commands.output import emit, emit_json, paint, warn
from commands.verb import Verb, VerbGroup
from reducers.findings import FindingsView, findings
from reducers.iterations import IterationsView, iterations
from reducers.policies.iteration_limits import FileChange, excesses

__all__ = ["check_cmd"]


@click.group(
    "check",
    cls=VerbGroup,
    invoke_without_command=True,
    subcommand_metavar="COMMAND ...",
    epilog=examples("ar check iteration", "ar check iteration main..HEAD --json"),
)
@click.pass_context
def check_cmd(ctx: click.Context) -> None:
    """Check that the work keeps to the protocol's limits."""
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


@check_cmd.command(
    "iteration",
    cls=Verb,
    epilog=examples(
        "ar check iteration", "ar check iteration HEAD~2..HEAD", "ar check iteration --json | jq .findings"
    ),
)
@click.argument("revisions", metavar="[REV]...", nargs=-1)
@json_option
@click.pass_obj
def iteration_cmd(call: Call, revisions: tuple[str, ...], as_json: bool) -> int:
    """Check an iteration's commits and what was verified; exit 1 if something is too much.

    At most 5 large files (over 100 changed lines or 64 KiB), no changed file over 300 lines, an ok check
    after the last iteration, at most 20 cited items unverified. REV is a commit or A..B; the last commit if
    left out.
    """
    log = call.log()
    ended = read_view(log, iterations, cache=call.cache("iterations"))
    learned = read_view(log, findings, cache=call.cache("findings"))
    commits, changes = _changes(call, revisions)
    found = excesses(
        changes,
        msgspec.convert(ended.view, IterationsView),
        msgspec.convert(learned.view, FindingsView),
    )
    if as_json:
        emit_json(
            {
                "seq": ended.seq,
                "head": ended.head,
                "ok": not found,
                "commits": commits,
                "files": len(changes),
                "findings": found,
                "damaged_lines": list(ended.damaged),
            }
        )
    else:
        looked_at = f"{_some(len(commits), 'commit')}, {_some(len(changes), 'file')}"
        verdict = paint("NOT OK", "red", "bold") if found else paint("ok", "green", "bold")
        emit("".join(f"{each.kind}: {each.detail}\n" for each in found) + f"{verdict}  {looked_at}\n")
    tell_damage(ended.damaged)
    return 1 if found else 0


def _some(count: int, thing: str) -> str:
    return f"{count} {thing}{'' if count == 1 else 's'}"


def _changes(call: Call, revisions: Sequence[str]) -> tuple[list[str], list[FileChange]]:
    """The commits that are looked at, and what they changed; none where nobody asked and there are none."""
    try:
        repo = find_repo(call.session.root)
        if not revisions and head_of(repo).commit is None:
            raise GitError("there is no commit yet")
    except GitError as error:
        if revisions:
            raise
        warn(f"{error.what}: no files are looked at")
        return [], []
    try:
        commits = commits_of(repo, revisions or ("HEAD",))
    except GitError as error:
        raise BadInputError(error.message, error.remedy or "a commit, or A..B") from None
    return [commit.id for commit in commits], changes_in(repo, commits)

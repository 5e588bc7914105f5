"""A plan of `ar finalize` as a document: written for whoever edits it, and read back.

A path is text in it; bytes that are no UTF-8 are percent escapes, and so is the percent sign itself, as in
the log.
"""

from __future__ import annotations

from typing import Annotated, Any

import msgspec

from commands.effects.finalizing import Survey
from commands.errors import BadInputError
from commands.logged_paths import as_logged, from_log
from reducers.policies.finalizing_plan import Draft, DraftGroup, OtherCommit, Plan

__all__ = ["Written", "document", "read"]


class _Group(msgspec.Struct, frozen=True):
    branch: str
    runs: tuple[int, ...] = ()
    message: str | None = None
    files: tuple[str, ...] | None = None


class Written(msgspec.Struct, frozen=True):
    """What `apply` takes from a plan; all else in it is for its reader.

    base, tip: the commits it was made for. segment: whose runs; None for all.
    """

    base: str
    tip: str
    segment: Annotated[int, msgspec.Meta(ge=0)] | None
    groups: tuple[_Group, ...]
    leave: tuple[str, ...] = ()

    @property
    def draft(self) -> Draft:
        """What it asks for."""
        return Draft(
            tuple(
                DraftGroup(
                    each.branch,
                    each.runs,
                    each.message,
                    None if each.files is None else tuple(dict.fromkeys(from_log(each.files))),
                )
                for each in self.groups
            ),
            from_log(self.leave),
        )


def read(data: bytes, name: str) -> Written:
    """A plan from its document. name: what it is called. Raises BadInputError for what is none."""
    try:
        return msgspec.json.decode(data.removeprefix(b"\xef\xbb\xbf"), type=Written)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        remedy = "ar finalize plan --output FILE writes one"
        raise BadInputError(f"{name} is no plan: {error}", remedy) from None


def document(found: Survey, plan: Plan) -> dict[str, Any]:
    """The document of a plan."""
    facts = found.facts
    return {
        "ok": bool(plan.groups) and not plan.uncovered,
        "seq": found.seq,
        "head": facts.head,
        "base": facts.base,
        "base_name": facts.base_name,
        "tip": facts.tip,
        "tip_name": facts.tip_name,
        "segment": found.segment,
        "groups": [
            {
                "branch": group.branch,
                "message": group.message,
                "runs": group.runs,
                "files": as_logged(group.files),
                **msgspec.structs.asdict(group.gain),
            }
            for group in plan.groups
        ],
        "leave": as_logged(plan.leave),
        "uncovered": [
            {
                "path": as_logged([each.path])[0],
                "fate": each.fate,
                "commits": list(map(_commit, each.commits)),
            }
            for each in plan.uncovered
        ],
        "remarks": [
            {
                **msgspec.structs.asdict(each),
                "detail": _text(each.detail),
                "path": None if each.path is None else as_logged([each.path])[0],
            }
            for each in plan.remarks
        ],
        "session_files": as_logged(facts.session_files),
        "damaged_lines": found.damaged,
    }


def _commit(commit: OtherCommit) -> dict[str, Any]:
    return {
        "commit": commit.commit,
        "subject": _text(commit.subject),
        "run": commit.run,
        "status": commit.status,
    }


def _text(words: str) -> str:
    """Words that may hold bytes which are no UTF-8, as JSON can hold them."""
    return words.encode("utf-8", "backslashreplace").decode()

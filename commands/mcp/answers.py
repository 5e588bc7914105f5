"""Answers as clients get them: plain text without secrets and control characters, structured content.

What was not done is answered with the two lines of the command line, what is wrong and what to try, and,
where names differ, a third that says what that is called among the tools.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec

from commands.errors import explained
from commands.mcp.served import Answer
from commands.mcp.wording import here
from commands.render import escape
from eventstore.errors import LedgerError
from eventstore.secrets import each_text, redact

__all__ = ["Told", "failure", "fit", "refused"]


class Told(NamedTuple):
    """An answer that is fit to be sent.

    text: for the agent. document: plain values; of what was not done `what`, `try` and `exit_code`, as the
    command line's. failed: whether it was not done.
    """

    text: str
    document: dict[str, Any]
    failed: bool


def refused(error: LedgerError, before: str = "") -> Answer:
    """The answer to what was not done, for this reason. before: what there was to tell until then."""
    remedy = f"try: {error.remedy}\n" if error.remedy else ""
    among_tools = here(f"{error.message} {error.remedy}")
    text = f"{before}ar: {error.message}\n{remedy}" + (f"here: {among_tools}\n" if among_tools else "")
    return Answer(
        text, {"what": error.message, "try": error.remedy, "exit_code": error.exit_code}, failed=True
    )


def failure(error: Exception) -> Answer:
    """The answer to a call that raised; what nobody raises on purpose is told in one line as well."""
    known = explained(error)
    if known is None:
        known = LedgerError(
            f"this should not have happened: {type(error).__name__}: {error}",
            "the same as a command, with AR_TRACEBACK=1 in the environment, shows where; please report it",
        )
    return refused(known)


def fit(answer: Answer, notes: Sequence[str] = ()) -> Told:
    """The answer with nothing in its text that a terminal obeys, and no secret anywhere.

    notes: lines that the command line would have told on stderr; they come after the text.
    """
    said = answer.text + "".join(f"{line}\n" for line in notes)
    plain = msgspec.json.decode(msgspec.json.encode(answer.document))
    return Told(redact(escape(said.rstrip("\n"), lines=True)), each_text(plain, redact), answer.failed)

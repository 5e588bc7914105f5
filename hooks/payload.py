"""What a hook is told on its stdin: pure projections of the log (design, section 6.2).

    before: {"event","cwd","next_run","last_run","session"}       last_run is null at first
    after:  {"event","cwd","run_entry","session"}                 run_entry is never null

`last_run` and `run_entry` are the recorded line, everything a foreign program wrote into it included, since
a hook may be made for that program. `session` has seven keys, in the order of `SESSION_KEYS`.
"""

from __future__ import annotations

import re
from typing import Any

import msgspec

from eventstore.errors import LedgerError
from eventstore.events import Run
from hooks.steer import Stage
from reducers.session import SessionView, session

__all__ = [
    "ALWAYS",
    "SESSION_KEYS",
    "NoRunError",
    "after_payload",
    "before_payload",
    "mock_payload",
    "run_fields",
]

SESSION_KEYS = (
    "metric_name",
    "metric_unit",
    "direction",
    "baseline_metric",
    "best_metric",
    "run_count",
    "goal",
)
"""The keys of `session`, which are fields of the `session` view, in their order."""

ALWAYS = ("run", "status", "metric", "description")
"""Fields that a run has in every payload, whether or not its line names them."""

_object = msgspec.json.Decoder(dict[str, msgspec.Raw])
_BOM = b"\xef\xbb\xbf"
_ESCAPE = re.compile(
    rb"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(\\u[dD][89a-fA-F][0-9a-fA-F]{2})|\\."
)
"""An escape in JSON text; half a surrogate pair is its group."""


class NoRunError(LedgerError):
    """An after-hook is told of a run, and at that place in the log there is none yet."""

    exit_code = 2

    def __init__(self) -> None:
        super().__init__(
            "an after-hook is told of a run, and there is none yet",
            "ar log records one, ar hook test SCRIPT --mock makes one up",
        )


def before_payload(view: SessionView, last_run: dict[str, Any] | None, cwd: str) -> bytes:
    """What `before` gets: one line of JSON and its newline.

    view: the session as it stands. last_run: its last run as `run_fields` gives it, None if it has none.
    cwd: the directory that the hook runs in; bytes of it that are no UTF-8 are replaced.
    """
    fields = {"event": "before", "cwd": _text(cwd), "next_run": view.run_count + 1, "last_run": last_run}
    return _line({**fields, "session": _session(view)})


def after_payload(view: SessionView, run_entry: dict[str, Any], cwd: str) -> bytes:
    """What `after` gets: one line of JSON and its newline.

    view: the session with that run in it. run_entry: as `run_fields` gives it. cwd: as for `before_payload`.
    """
    fields = {"event": "after", "cwd": _text(cwd), "run_entry": run_entry}
    return _line({**fields, "session": _session(view)})


def run_fields(line: bytes | None, run: Run) -> dict[str, Any]:
    """A recorded run as a hook gets it: every field of its line as it was written, in the line's order.

    line: the run's line, without its newline; None if only the event is at hand. run: what it was read as,
    which is what `ALWAYS` is taken from: a text for a status and a description, null for a metric that is
    none. Half a surrogate pair, which many a JSON reader refuses, becomes U+FFFD.
    """
    fields: dict[str, Any]
    try:
        fields = dict(_object.decode(_fit_for_all(line))) if line is not None else msgspec.to_builtins(run)
    except (msgspec.DecodeError, RecursionError):
        fields = msgspec.to_builtins(run)
    for name in ALWAYS:
        fields[name] = getattr(run, name)
    return fields


def mock_payload(stage: Stage, cwd: str) -> bytes:
    """A made-up payload, for trying a script without a session: of no run yet, or of one kept run."""
    view = session.view(session.initial)
    view = msgspec.structs.replace(view, goal="try the hook", metric_name="total", metric_unit="s")
    if stage == "before":
        return before_payload(view, None, cwd)
    run = Run(
        run=1,
        commit="0000000",
        metric=38.9,
        status="keep",
        description="a made-up run",
        asi={
            "hypothesis": "what was expected",
            "next_focus": "what to look at next",
            "learned": "what came out",
        },
    )
    view = msgspec.structs.replace(view, baseline_metric=38.9, best_metric=38.9, run_count=1)
    return after_payload(view, run_fields(None, run), cwd)


def _session(view: SessionView) -> dict[str, Any]:
    return {key: getattr(view, key) for key in SESSION_KEYS}


def _line(fields: dict[str, Any]) -> bytes:
    return msgspec.json.encode(fields) + b"\n"


def _text(path: str) -> str:
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _fit_for_all(line: bytes) -> bytes:
    """The line's JSON without what some readers refuse: a byte order mark, half a surrogate pair."""
    line = line.removeprefix(_BOM)
    if b"\\ud" not in line and b"\\uD" not in line:
        return line
    return _ESCAPE.sub(lambda found: b"\\ufffd" if found[1] else found[0], line)

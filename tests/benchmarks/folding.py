"""Reading the big log: folded, looked at, verified."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.benchmarks.child import run_child
from tests.benchmarks.measuring import AR, Budget, Measure, Row, Setting, in_memory, in_turn, process

__all__ = ["fold", "fold_json", "fold_memory", "verify", "view"]

ROUNDS = 7


def fold(setting: Setting) -> Row:
    """The fold of the big log against decoding it."""
    pair = in_turn(
        lambda: run_child("fold", setting.log).seconds,
        lambda: run_child("decode", setting.log).seconds,
        setting.times(ROUNDS),
    )
    return Row(
        name="fold",
        work="fold the big log into `session`, cold",
        against="typed msgspec decode of the file in 1 MiB chunks",
        measured=pair.ratio,
        ours=pair.ours,
        reference=pair.reference,
        budget=Budget("<=", 1.6),
    )


def fold_json(setting: Setting) -> Row:
    """The fold of the big log against the standard library's `json` and dicts."""
    own, other = run_child("fold", setting.log), run_child("dicts", setting.log)
    if own.result != other.result:
        raise RuntimeError(f"the folds differ: {own.result} and {other.result}")
    pair = in_turn(
        lambda: run_child("dicts", setting.log).seconds,
        lambda: run_child("fold", setting.log).seconds,
        setting.times(5),
    )
    return Row(
        name="fold-json",
        work="the same: how many times faster",
        against="`json.loads` of every line, folded in dicts",
        measured=pair.ratio,
        ours=pair.reference,
        reference=pair.ours,
        budget=Budget(">=", 4),
    )


def fold_memory(setting: Setting) -> Row:
    """Peak memory of a whole `ar view` without a snapshot."""
    done = run_child("look", _session(setting))
    if done.result:
        raise RuntimeError(f"ar view ended with {done.result}")
    return Row(
        name="fold-memory",
        work="the same, with `ar view --no-cache`: peak memory",
        against="",
        measured=done.peak_mib,
        unit="MiB",
        budget=Budget("<=", 150),
    )


def view(setting: Setting) -> Row:
    """A whole `ar view` with a snapshot at hand against `ar --version`."""
    look = process([*AR, "-C", _session(setting), "view", "--json"])
    look()  # leaves the snapshot
    pair = in_turn(look, process([*AR, "--version"]), setting.times(40))
    return Row(
        name="view",
        work="`ar view` of the big log, snapshot warm, whole process",
        against="`ar --version`, whole process",
        measured=pair.ratio,
        ours=pair.ours,
        reference=pair.reference,
        budget=Budget("<=", 1.3),
    )


def verify(setting: Setting) -> Row:
    """A whole `ar verify` against hashing every line."""
    pair = in_turn(
        _reading(setting, process([*AR, "-C", _session(setting), "verify"])),
        _reading(setting, process([sys.executable, "-c", _HASH_LINES, setting.log])),
        setting.times(ROUNDS),
    )
    return Row(
        name="verify",
        work="`ar verify` of the big log, whole process",
        against="SHA-256 of every line in a loop, whole process",
        measured=pair.ratio,
        ours=pair.ours,
        reference=pair.reference,
        budget=Budget("<=", 2),
    )


def _reading(setting: Setting, measure: Measure) -> Measure:
    """A measure that has the big log in memory when it starts."""

    def measured() -> float:
        in_memory(setting.log)
        return measure()

    return measured


_HASH_LINES = """
import sys
from hashlib import sha256
with open(sys.argv[1], "rb") as file:
    for line in file:
        digest = sha256(line).hexdigest()
"""


def _session(setting: Setting) -> Path:
    return setting.log.parent.parent

"""`ar show run:N --diff`: what a run changed, kept or not."""

from __future__ import annotations

import json

from tests.commands.bench import Bench, bench
from tests.commands.sandbox import prepared, sandbox

__all__ = ["bench", "prepared", "sandbox"]


def test_a_discarded_change_is_still_to_be_had(bench: Bench) -> None:
    """As a patch that git takes, byte for byte, binary files included."""
    bench.value(12)
    bench.box.write("src/data.bin", b"\0\xff\x1b[31m")
    bench.ar("cycle", "-m", "worse")

    ran = bench.ar("show", "run:2", "--diff")
    bench.box.git("apply", stdin=ran.out.encode())

    assert bench.box.read("src/value") == b"12\n"
    assert bench.box.read("src/data.bin") == b"\0\xff\x1b[31m"


def test_a_change_that_was_never_committed(bench: Bench) -> None:
    """Is shown as it was saved; new files are named."""
    bench.value(12)
    bench.box.write("src/new.c", "new\n")
    bench.ar("log", "--status", "discard", "--metric", "12", "-m", "x")

    ran = bench.ar("show", "run:2", "--diff")
    found = json.loads(bench.ar("show", "run:2", "--diff", "--json").out)

    assert "-10\n+12\n" in ran.out
    assert "run-2/src/new.c" in ran.err
    assert (found["commit"], found["saved"]) == (None, str(bench.box.top / ".auto/rejected/run-2"))


def test_what_has_no_change_says_so(bench: Bench) -> None:
    """The baseline, and a line that is no run."""
    baseline = bench.ar("show", "run:1", "--diff")
    config = bench.ar("show", "1", "--diff")

    assert (baseline.code, baseline.err.splitlines()[0]) == (
        2,
        "ar: run 1 has no change of its own in git or in rejected/",
    )
    assert (config.code, config.err.splitlines()[0]) == (2, "ar: line 1 is no run")

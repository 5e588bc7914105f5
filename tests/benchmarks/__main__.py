"""`python -m tests.benchmarks`: measures and prints the table."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from tests.benchmarks import appending, folding, processes, writers
from tests.benchmarks.biglog import big_log
from tests.benchmarks.measuring import Row, Setting
from tests.benchmarks.table import document, machine, table

BENCHMARKS: dict[str, Callable[[Setting], Row | None]] = {
    "fold": folding.fold,
    "fold-json": folding.fold_json,
    "fold-memory": folding.fold_memory,
    "view": folding.view,
    "append": appending.append,
    "append-library": appending.append_library,
    "batch": appending.batch,
    "writers": writers.writers,
    "append-process": processes.append_process,
    "capture": processes.capture,
    "capture-reference": processes.capture_reference,
    "verify": folding.verify,
}
"""Every benchmark by name, in the order of the table; one that cannot be measured here gives None."""

EVENTS, QUICK_EVENTS, QUICK_EFFORT = 1_000_000, 20_000, 0.1


def main(arguments: list[str]) -> int:
    """Measures what the arguments ask for; returns 0 whatever the numbers are."""
    options = _parse(arguments)
    events = options.events or (QUICK_EVENTS if options.quick else EVENTS)
    names = options.only or list(BENCHMARKS)
    options.dir.mkdir(parents=True, exist_ok=True)
    _say(f"making the log of {events:,} events, unless it is there already")
    log = big_log(options.dir, events)
    rows: list[Row] = []
    for name in names:
        _say(f"measuring {name}")
        with tempfile.TemporaryDirectory(dir=options.dir) as scratch:
            row = BENCHMARKS[name](Setting(log, Path(scratch), QUICK_EFFORT if options.quick else 1.0))
        if row is not None:
            rows.append(row)
    if options.json:
        print(json.dumps(document(rows, events)))
    else:
        print(f"{', '.join(f'{k} {v}' for k, v in machine().items())}; log of {events:,} events\n")
        print(table(rows), end="")
    return 0


def _parse(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
    parser.add_argument("--only", action="append", choices=BENCHMARKS, help="one benchmark; may be repeated")
    parser.add_argument(
        "--quick", action="store_true", help="a small log and few rounds: shows that all run, not how fast"
    )
    parser.add_argument(
        "--events", type=int, help=f"size of the big log ({EVENTS:,}; quick: {QUICK_EVENTS:,})"
    )
    parser.add_argument("--json", action="store_true", help="one JSON document, for programs")
    parser.add_argument(
        "--dir",
        type=Path,
        default=Path(tempfile.gettempdir()) / "ar-benchmarks",
        help="where the big log is kept and the appends go; its disk is what is measured (%(default)s)",
    )
    return parser.parse_args(arguments)


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

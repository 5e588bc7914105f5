"""One measurement in a process of its own, so that no heap or garbage collector but its own has a say.

`python -m tests.benchmarks.child TASK FILE` does a task and prints one line of JSON: the seconds it took, its
imports left out, the peak memory, and what came out, so that it can be seen that two tasks did the same.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Union

import msgspec

from tests.benchmarks.measuring import ROOT, environment, in_memory

__all__ = ["TASKS", "Done", "run_child"]

CHUNK = 1 << 20
Timed = tuple[float, Any]


class Done(msgspec.Struct, frozen=True):
    """seconds: of the task. peak_mib: the process's largest resident size. result: what came out."""

    seconds: float
    peak_mib: float
    result: Any


def run_child(task: str, *arguments: str | Path) -> Done:
    """Does a task in a child. Raises RuntimeError when it fails."""
    command = [sys.executable, "-m", "tests.benchmarks.child", task, *map(str, arguments)]
    done = subprocess.run(command, cwd=ROOT, env=environment(), capture_output=True)
    if done.returncode:
        raise RuntimeError(f"{command} failed: {done.stderr.decode(errors='replace')}")
    return msgspec.json.decode(done.stdout.splitlines()[-1], type=Done)


def fold_session(path: Path) -> Timed:
    """Ours: the log folded into `session`, as `ar view` does it without a snapshot."""
    from eventstore.filelog import FileLog
    from reducers.core import fold
    from reducers.session import session

    start = time.perf_counter()
    state = session.initial
    for batch in FileLog(path).read(kinds=session.handlers.keys()):
        state = fold(session, batch.records, state)
    seconds = time.perf_counter() - start
    view = session.view(state)
    return seconds, [view.run_count, view.baseline_metric, view.best_metric, view.statuses]


def decode_typed(path: Path) -> Timed:
    """Reference: every event decoded into its type, in chunks, and dropped."""
    from eventstore.events import EVENTS

    decoder = msgspec.json.Decoder(Union[EVENTS])  # noqa: UP007
    start = time.perf_counter()
    lines = 0
    with path.open("rb") as file:
        rest = b""
        while chunk := file.read(CHUNK):
            chunk = rest + chunk
            cut = chunk.rfind(b"\n") + 1
            lines += len(decoder.decode_lines(chunk[:cut]))
            rest = chunk[cut:]
    return time.perf_counter() - start, lines


def fold_dicts(path: Path) -> Timed:
    """Reference: the same numbers with the standard library's `json` and plain dicts."""
    start = time.perf_counter()
    run_count, baseline, best, lower, last_run = 0, None, None, True, None
    statuses: dict[str, int] = {}
    metrics: list[float] = []
    secondary: dict[str, Any] = {}
    with path.open("rb") as file:
        for line in file:
            event = json.loads(line)
            if event["type"] == "config":
                lower = event["bestDirection"] == "lower"
                if run_count:
                    baseline, best, metrics, secondary = None, None, [], {}
            elif event["type"] == "run":
                run_count += 1
                last_run = event
                status, metric = event["status"], event["metric"]
                statuses[status] = statuses.get(status, 0) + 1
                for name, value in event["metrics"].items():
                    secondary.setdefault(name, value)
                if metric is not None and status != "crash":
                    metrics.append(metric)
                    baseline = metric if baseline is None else baseline
                    if status == "keep" and (best is None or (metric < best if lower else metric > best)):
                        best = metric
    assert last_run is not None
    return time.perf_counter() - start, [run_count, baseline, best, statuses]


def look_cold(directory: Path) -> Timed:
    """`ar view` on a session that has no snapshot, in this process; its peak memory is what is asked for."""
    from commands.app import run

    start = time.perf_counter()
    code = run(["-C", str(directory), "view", "--no-cache", "--json"])
    return time.perf_counter() - start, code


TASKS: dict[str, Callable[[Path], Timed]] = {
    "fold": fold_session,
    "decode": decode_typed,
    "dicts": fold_dicts,
    "look": look_cold,
}
"""What a child can do, by name."""


def _peak_mib() -> float:
    """The largest resident size of this process; on Linux of this program alone, not of what started it."""
    try:
        status = Path("/proc/self/status").read_text()
        return int(status.partition("VmHWM:")[2].split()[0]) / 1024
    except (OSError, ValueError, IndexError):
        import resource

        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return peak / (1 << 20) if sys.platform == "darwin" else peak / 1024


if __name__ == "__main__":
    task, place = TASKS[sys.argv[1]], Path(sys.argv[2])
    if place.is_file():
        in_memory(place)
    seconds, result = task(place)
    print(msgspec.json.encode(Done(seconds, _peak_mib(), result)).decode())

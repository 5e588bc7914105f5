"""Many processes appending to one log, against one that does it all alone."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

from tests.benchmarks.measuring import ROOT, Budget, Measure, Row, Setting, environment, in_turn

__all__ = ["writers"]

PROCESSES = 8
APPENDS = 3_200


def writers(setting: Setting) -> Row:
    """The rate of eight processes in total against the rate of one."""
    total = max(1, setting.times(APPENDS) // PROCESSES) * PROCESSES
    pair = in_turn(
        _appending(setting.scratch / "one.jsonl", 1, total),
        _appending(setting.scratch / "eight.jsonl", PROCESSES, total),
        setting.times(7),
    )
    return Row(
        name="writers",
        work=f"{PROCESSES} processes appending, rate in total; none lost, none glued",
        against="the rate of one process",
        measured=pair.ratio,
        ours=pair.reference / total,
        reference=pair.ours / total,
        budget=Budget(">=", 0.8),
    )


def _appending(path: Path, processes: int, total: int) -> Measure:
    """The seconds from a common start until the last of the processes is done, start-up left out."""

    def measure() -> float:
        path.unlink(missing_ok=True)
        command = [sys.executable, "-m", "tests.benchmarks.writers", str(path), str(total // processes)]
        started = [
            subprocess.Popen(
                [*command, f"w{n}"],
                cwd=ROOT,
                env=environment(),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
            )
            for n in range(processes)
        ]
        try:
            for writer in started:
                _expect(writer, b"ready\n")
            start = time.perf_counter()
            for writer in started:
                assert writer.stdin is not None
                writer.stdin.write(b"go\n")
                writer.stdin.flush()
            for writer in started:
                _expect(writer, b"done\n")
            seconds = time.perf_counter() - start
        finally:
            for writer in started:
                writer.communicate()
        _check(path, processes, total // processes)
        return seconds

    return measure


def _expect(writer: subprocess.Popen[bytes], word: bytes) -> None:
    assert writer.stdout is not None
    if writer.stdout.readline() != word:
        raise RuntimeError("a writer failed")


def _check(path: Path, processes: int, each: int) -> None:
    """Raises RuntimeError unless every event of every writer is there, in its order, and nothing else is."""
    from eventstore.events import Note
    from eventstore.filelog import FileLog

    found = [record for batch in FileLog(path).read() for record in batch.records]
    notes = [record.detail for record in found if isinstance(record, Note)]
    for n in range(processes):
        own = [detail for detail in notes if detail.startswith(f"w{n}:")]
        if own != [f"w{n}:{i}" for i in range(each)]:
            raise RuntimeError(f"events of writer {n} were lost")
    if len(found) != processes * each:
        raise RuntimeError("there is something else in the log")


def _write(path: str, count: int, name: str) -> None:
    from eventstore.events import Note
    from eventstore.filelog import FileLog

    log = FileLog(path, by=f"worker:{name}", lock_timeout=60)
    print("ready", flush=True)
    sys.stdin.readline()
    for number in range(count):
        log.append([Note(detail=f"{name}:{number}", level="info", source="benchmark")])
    print("done", flush=True)


if __name__ == "__main__":
    _write(sys.argv[1], int(sys.argv[2]), sys.argv[3])

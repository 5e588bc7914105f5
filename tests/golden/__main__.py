"""`python -m tests.golden`: writes the golden logs and views of the version that is being worked on."""

from __future__ import annotations

import itertools

import msgspec

from autoresearch_ledger import __version__
from eventstore.filelog import FileLog
from tests.golden import HERE, read
from tests.golden.foreign import LINES
from tests.golden.recording import BEGIN, EVENTS


def main() -> None:
    """Writes `tests/golden/VERSION/`; a version that was released is not this one any more."""
    folder = HERE / __version__
    folder.mkdir(exist_ok=True)
    session, foreign = folder / "session.jsonl", folder / "foreign.jsonl"
    session.unlink(missing_ok=True)
    minutes = itertools.count(BEGIN, 60_000)
    log = FileLog(session, clock=lambda: next(minutes))
    for event in EVENTS:
        log.append([event])
    log.lock_path.unlink(missing_ok=True)
    foreign.write_bytes(LINES)
    for path in (session, foreign):
        found = msgspec.json.format(msgspec.json.encode(read(path)), indent=1)
        path.with_suffix(".json").write_bytes(found + b"\n")


if __name__ == "__main__":
    main()

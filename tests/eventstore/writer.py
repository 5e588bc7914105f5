"""A process that appends numbered notes and reports each acknowledgement on stdout; for the fault tests.

python -m tests.eventstore.writer LOG NAME COUNT SIZE
"""

from __future__ import annotations

import sys
from itertools import count

from eventstore.events import Note
from eventstore.filelog import FileLog


def main() -> None:
    path, name, limit, size = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    log = FileLog(path, lock_timeout=60)
    for number in count() if limit == 0 else range(limit):
        padding = "x" * size if number % 10 == 9 else ""
        log.append([Note(detail=f"{name}:{number}", source=padding or None)])
        sys.stdout.write(f"{name}:{number}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()

"""Files that an export writes: each whole or not at all, none of a person's overwritten in silence."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec

from commands.effects.reading import without_waiting
from commands.errors import BadInputError
from eventstore.errors import ConflictError
from eventstore.events import Event, Heartbeat
from eventstore.filelog import FileLog
from eventstore.formats.redaction import Mask, redact_line, redacted
from eventstore.lines import decode_line, encode, split_lines

__all__ = [
    "MANIFEST",
    "WrittenFolder",
    "log_lines",
    "marks_of",
    "mask_here",
    "to_file",
    "write_state",
]

MANIFEST = ".ar-export.json"
"""Names the digests of what we wrote into a state folder; a file that has another was edited."""


class WrittenFolder(msgspec.Struct, frozen=True):
    """What was done to a state folder.

    written, unchanged: paths within it. backups: where edited files went.
    """

    written: tuple[str, ...]
    unchanged: tuple[str, ...]
    backups: tuple[str, ...] = ()


def to_file(path: str, chunks: Iterable[bytes], log: Path, *, force: bool) -> int:
    """Writes a file, whole or not at all, and returns its size in bytes.

    Raises ConflictError where there is one already and `force` is not set, BadInputError for the log itself,
    OSError.
    """
    target = Path(path)
    if target.exists():
        if log.exists() and target.samefile(log):
            raise BadInputError(f"{path} is the log itself", "export to another file")
        if target.is_dir():
            raise BadInputError(f"{path} is a directory", "name a file in it")
        if not force:
            raise ConflictError(f"{path} is there already", "--force to overwrite it, or another name")
    return _replace(target, chunks)


def _replace(target: Path, chunks: Iterable[bytes]) -> int:
    """Puts a new file in a name's place in one step."""
    target.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=f".{target.name[:100]}.", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            size = sum(file.write(chunk) for chunk in chunks)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, _mode(target))
        os.replace(name, target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    return size


def _mode(target: Path) -> int:
    """The permissions of the file that is replaced, else those a new file gets."""
    try:
        return target.stat().st_mode & 0o777
    except OSError:
        mask = os.umask(0)
        os.umask(mask)
        return 0o666 & ~mask


def write_state(directory: str, files: Mapping[str, bytes], *, force: bool) -> WrittenFolder:
    """Writes a state folder, each of its files whole or not at all; what is as it should be is left alone.

    A file that we did not write, or that somebody edited since, is none of ours: ConflictError names them,
    and nothing is written. With `force` it is first kept under its name with `.bak`. Raises OSError.
    """
    top = Path(directory)
    ours = _manifest(top)
    digests = {path: sha256(data).hexdigest() for path, data in files.items()}
    found = {path: _digest(top / path) for path in files}
    stale = [path for path in files if found[path] not in (None, digests[path])]
    edited = [path for path in stale if found[path] not in ours.get(path, ())]
    if edited and not force:
        was = "was" if len(edited) == 1 else "were"
        raise ConflictError(
            f"{directory}: {', '.join(edited)} {was} written or edited by somebody else",
            f"ar import {directory} to take over what was added, or --force to keep a copy and overwrite",
        )
    backups = tuple(_backed_up(top, path) for path in edited)
    top.mkdir(parents=True, exist_ok=True)
    written = [path for path in files if found[path] != digests[path]]
    # Both digests are named while the files change, so that ours are known again after a kill in between.
    _note(top, {path: [*ours.get(path, ()), digest] for path, digest in digests.items()})
    for path in written:
        _replace(top / path, [files[path]])
    _note(top, {path: [digest] for path, digest in digests.items()})
    return WrittenFolder(tuple(written), tuple(path for path in files if path not in written), backups)


def marks_of(directory: str, paths: Iterable[str]) -> list[tuple[int, int, int] | None]:
    """What tells that a file of a folder was touched: its inode, size and time; None where it is gone."""
    marks: list[tuple[int, int, int] | None] = []
    for path in paths:
        try:
            found = (Path(directory) / path).stat()
        except OSError:
            marks.append(None)
        else:
            marks.append((found.st_ino, found.st_size, found.st_mtime_ns))
    return marks


def _manifest(top: Path) -> dict[str, list[str]]:
    try:
        return msgspec.json.decode((top / MANIFEST).read_bytes(), type=dict[str, list[str]])
    except (FileNotFoundError, NotADirectoryError, msgspec.DecodeError):
        return {}


def _note(top: Path, digests: Mapping[str, Any]) -> None:
    _replace(top / MANIFEST, [msgspec.json.format(msgspec.json.encode(digests), indent=1) + b"\n"])


def _digest(path: Path) -> str | None:
    """The digest of a file's content; None if there is none. A pipe counts as an empty file."""
    try:
        with open(path, "rb", opener=without_waiting) as file:
            return sha256(file.read()).hexdigest()
    except FileNotFoundError:
        return None


def _backed_up(top: Path, path: str) -> str:
    """Moves a file out of the way, never onto another; its new name."""
    for number in range(1, 10_000):
        name = f"{path}.bak" if number == 1 else f"{path}.bak.{number}"
        if not (top / name).exists():
            os.rename(top / path, top / name)
            return name
    raise ConflictError(f"{top / path} has thousands of backups", "move some of them away")


def log_lines(stretches: Iterable[tuple[int, bytes]], mask: Mask | None = None) -> Iterator[bytes]:
    """The log's bytes, a torn last line left out.

    `mask`: texts are masked, line by line; the chain does not hold over other bytes, so `prev` is dropped.
    """
    number = 0
    for _, stretch in stretches:
        whole = stretch if stretch.endswith(b"\n") else _whole_lines(stretch)
        if mask is None:
            yield whole
            continue
        for line in split_lines(whole):
            number += 1
            yield _masked_line(line, number, mask) + b"\n"


def _whole_lines(stretch: bytes) -> bytes:
    """A stretch without its last line, unless that is whole though it has no newline."""
    body, newline, last = stretch.rpartition(b"\n")
    return stretch + b"\n" if isinstance(decode_line(last), Event) else body + newline


def _masked_line(line: bytes, number: int, mask: Mask) -> bytes:
    record = decode_line(line, number) if line.strip() else None
    if not isinstance(record, Event):
        return redact_line(line, mask)
    return encode(msgspec.structs.replace(redacted(record, mask), prev=None))


def mask_here(log: FileLog) -> Mask:
    """Masks secrets, addresses, this machine's user, home and name, and hosts that the log's loops named."""
    import getpass
    import socket
    from functools import partial

    from eventstore.masks import mask

    try:
        user = getpass.getuser()
    except (OSError, KeyError, ImportError):
        user = ""
    name = socket.gethostname()
    hosts = {name, name.partition(".")[0]}
    for batch in log.read(kinds=(Heartbeat,)):
        hosts |= {r.host for r in batch.records if isinstance(r, Heartbeat) and r.host}
    return partial(mask, home=str(Path.home()), user=user, hosts=frozenset(hosts))

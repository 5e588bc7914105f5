"""Where text for people and JSON for programs leave the program: the streams, their width, their colour.

A reader that went away is no error (design, section 7): `emit` then returns False, nothing more is written,
and the command's exit code stays what it would have been.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from typing import Any, Literal, TextIO

from commands.render import Column, cells, clip, escape, fitted
from commands.render import table as plain_table

__all__ = [
    "color_on",
    "emit",
    "emit_json",
    "emit_lines",
    "emit_pieces",
    "emit_table",
    "heard",
    "is_terminal",
    "near",
    "paint",
    "warn",
    "width",
]

_CODES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "cyan": "36"}


_hearing: ContextVar[list[str] | None] = ContextVar("hearing", default=None)


@contextmanager
def heard() -> Iterator[list[str]]:
    """Gives a list that takes the lines which would go to stderr, for who calls our functions as a library.

    No stream counts as a terminal meanwhile: what is asked for as text is plain. Only this thread is heard.
    """
    lines: list[str] = []
    token = _hearing.set(lines)
    try:
        yield lines
    finally:
        _hearing.reset(token)


def is_terminal(name: Literal["stdin", "stdout", "stderr"] = "stdout") -> bool:
    """Whether this stream is a terminal; one that was closed is none."""
    if _hearing.get() is not None:
        return False
    stream: TextIO | None = getattr(sys, name)
    try:
        return stream is not None and stream.isatty()
    except ValueError:  # closed
        return False


def color_on() -> bool:
    """Whether stdout gets colour: a terminal that is not dumb, and no NO_COLOR in the environment."""
    return is_terminal() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def width() -> int:
    """Columns of the terminal, or 80; COLUMNS overrides."""
    columns = os.environ.get("COLUMNS", "")
    if columns.isdecimal() and int(columns) > 0:
        return int(columns)
    try:
        return os.get_terminal_size(sys.stdout.fileno()).columns or 80
    except (OSError, ValueError, AttributeError):
        return 80


def near(path: str | os.PathLike[str]) -> str:
    """A path as one would type it here: relative where it lies below the working directory."""
    relative = os.path.relpath(path)
    return os.fspath(path) if relative.startswith(os.pardir) else relative


def paint(text: str, *styles: str) -> str:
    """`text` in these styles (bold, dim, red, green, yellow, cyan) where there is colour, else as it is."""
    if not styles or not color_on():
        return text
    return f"\x1b[{';'.join(_CODES[s] for s in styles)}m{text}\x1b[0m"


def emit(text: str) -> bool:
    """Writes text to stdout at once; False when nobody reads it any more.

    Raises OSError when stdout cannot be written for another reason, such as a full disk.
    """
    return _write(text.encode(_encoding(), "backslashreplace"))


def emit_json(document: Any) -> bool:
    """Writes one JSON document and a newline: indented on a terminal, in one line otherwise."""
    return _write(_json(document, indent=2 if is_terminal() else 0))


def emit_lines(documents: Iterable[Any]) -> bool:
    """Writes JSON documents, one a line, at once."""
    return _write(b"".join(_json(document, indent=0) for document in documents))


def emit_pieces(pieces: Iterable[bytes]) -> bool:
    """Writes bytes as they come, each at once; no more are asked for once nobody reads them any more.

    What is for programs is for people too where it goes to a terminal: what agents wrote is escaped there.
    """
    return all(map(_write, _for_terminal(pieces) if is_terminal() else pieces))


def _for_terminal(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Text in pieces, which may be cut within a character, with all that a terminal obeys escaped."""
    from codecs import getincrementaldecoder

    decoder = getincrementaldecoder("utf-8")("backslashreplace")
    for piece in pieces:
        yield escape(decoder.decode(piece), lines=True).encode(_encoding(), "backslashreplace")
    yield escape(decoder.decode(b"", final=True), lines=True).encode()


def _json(document: Any, indent: int) -> bytes:
    import msgspec

    data = msgspec.json.encode(document)
    if indent:
        data = msgspec.json.format(data, indent=indent)
    if is_terminal() and not data.isascii():
        # JSON leaves C1 controls and direction marks as they are, and a terminal may obey them.
        data = "".join(c if c == "\n" or c.isprintable() else _json_escape(c) for c in data.decode()).encode()
    return data + b"\n"


def _json_escape(character: str) -> str:
    units = character.encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{units[i : i + 4]}" for i in range(0, len(units), 4))


def emit_table(columns: Sequence[Column], rows: Sequence[Sequence[str]]) -> bool:
    """Writes a table: drawn to the terminal's width and in colour there, plain and uncut when piped.

    Flexible columns are cut first. On a terminal too narrow even so the ends of lines are cut, never a number
    in their midst.
    """
    if not is_terminal():
        return emit(plain_table(columns, rows))
    shown = fitted(columns, rows, width())
    lines = plain_table(columns, shown).splitlines()
    if max(map(cells, lines)) > width():
        return emit("".join(clip(line, width()) + "\n" for line in lines))
    import io

    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    # One blank after a cell and one for the border that is not drawn: the two that `fitted` reckons with.
    drawn = Table(box=SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold")
    for column in columns:
        justify: Literal["left", "right"] = "right" if column.right else "left"
        drawn.add_column(Text(column.heading), justify=justify, no_wrap=True, overflow="ellipsis")
    for row in shown:
        drawn.add_row(
            *(Text(cell, style=c.styles.get(cell, "")) for c, cell in zip(columns, row, strict=True))
        )
    file = io.StringIO()
    Console(file=file, width=width(), force_terminal=color_on(), legacy_windows=False).print(drawn)
    return emit(file.getvalue())


def warn(text: str) -> None:
    """One line on stderr that something is odd, though the command goes on."""
    tell(f"ar: {escape(text)}")


def tell(line: str) -> None:
    """Writes one line to stderr; where that is closed there is nobody to tell."""
    lines = _hearing.get()
    if lines is not None:
        lines.append(line)
        return
    with suppress(OSError, ValueError):
        print(line, file=sys.stderr, flush=True)


def _encoding() -> str:
    return getattr(sys.stdout, "encoding", None) or "utf-8"


def _write(data: bytes) -> bool:
    stream = sys.stdout
    if stream is None:  # started with stdout closed
        return False
    try:
        stream.flush()
        stream.buffer.write(data)
        stream.buffer.flush()
    except BrokenPipeError:
        leave_stdout()
        return False
    except OSError as error:
        raise OSError(error.errno, error.strerror, "stdout") from error
    return True


def leave_stdout() -> None:
    """Points stdout at nothing, so that the interpreter's last flush finds no closed pipe either."""
    with suppress(OSError, ValueError, AttributeError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)

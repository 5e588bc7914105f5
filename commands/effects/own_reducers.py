"""Reducers of a user's own: from a file, `path/to/file.py:reducer`, or from a package's entry point.

An entry point is of the group `ar.reducers`; its name is the view's. Whatever is found is probed before it is
used (`reducers.probing`). Loading runs the file's code, once, with the working directory as it is; nothing is
written beside it.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType, TracebackType
from typing import TYPE_CHECKING, Any

from eventstore.errors import LedgerError
from reducers import registry
from reducers.core import Projection, Reducer
from reducers.probing import NotAReducerError, probe

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

__all__ = ["GROUP", "OwnReducerError", "is_path", "load", "names"]

GROUP = "ar.reducers"
"""The group of entry points in which packages offer reducers."""

_FORM = "path/to/file.py:reducer"


class OwnReducerError(LedgerError):
    """A reducer of a user's own cannot be loaded; nothing was written."""

    exit_code = 2


def is_path(name: str) -> bool:
    """Whether a view's name means a file: `path/to/file.py:reducer`, or the file alone."""
    return name.endswith(".py") or ".py:" in name


def names() -> list[str]:
    """The names that installed packages offer reducers under, sorted; those of built-in views left out."""
    return sorted({point.name for point in _entry_points()} - set(registry.names()))


def load(name: str) -> Reducer[Any, Any]:
    """The reducer that a name means: a file's if it is a path, else an entry point's.

    Raises UnknownViewError if there is none, OwnReducerError if what there is cannot be loaded,
    NotAReducerError if it is no reducer; each with one line that says where.
    """
    if is_path(name):
        path, _, attribute = name.rpartition(":") if not name.endswith(".py") else (name, ":", "")
        source = _source(Path(path))
        return _of_source(_checked(name, _from_file(Path(path), attribute, source)), source)
    points = [point for point in _entry_points() if point.name == name]
    if not points:
        raise registry.unknown(name, names())
    if len(points) > 1:
        raise OwnReducerError(
            f"the view {name!r} is offered by {' and by '.join(sorted(map(_package, points)))}",
            "uninstall all but one of them",
        )
    return _checked(f"entry point {name!r}", _from_entry_point(points[0]))


def _checked(where: str, found: object) -> Reducer[Any, Any]:
    """What was found, if it is a reducer, and not one that the cache would take for a built-in view."""
    try:
        reducer = probe(found)
    except NotAReducerError as error:
        raise NotAReducerError(f"{where}: {error.message}", error.remedy) from error
    except Exception as error:
        raise NotAReducerError(
            f"{where}: looking at it fails with {type(error).__name__}: {error}",
            "make its parts plain values",
        ) from error
    if reducer.name in registry.names():
        raise NotAReducerError(
            f"{where}: its name {reducer.name!r} is that of a built-in view", "give it a name of its own"
        )
    return reducer


def _entry_points() -> tuple[EntryPoint, ...]:
    from importlib.metadata import entry_points

    return tuple(entry_points(group=GROUP))


def _package(point: EntryPoint) -> str:
    return point.dist.name if point.dist is not None else point.value


def _from_entry_point(point: EntryPoint) -> object:
    def run() -> object:
        return point.load()

    where = f"entry point {point.name!r} ({point.value}) of {_package(point)}"
    return _run(run, where, None, f"update or uninstall {_package(point)}")


def _source(path: Path) -> bytes:
    try:
        if not path.is_file():
            what = "is not a file" if path.exists() else "no such file"
            raise OwnReducerError(f"{path}: {what}", f"give a Python file and a name in it: {_FORM}")
        return path.read_bytes()
    except OSError as error:
        raise OwnReducerError(f"{path}: {error.strerror}", "see to it that it can be read") from error


def _of_source(reducer: Reducer[Any, Any], source: bytes) -> Reducer[Any, Any]:
    """The same reducer, its version told from the file's text.

    Whoever tries things out in a file does not raise a version each time, and would be shown what the last
    text made of the log.
    """
    from hashlib import sha256

    return Projection(
        name=reducer.name,
        version=int.from_bytes(sha256(b"%d %s" % (reducer.version, source)).digest()[:6]),
        initial=reducer.initial,
        handlers=reducer.handlers,
        shows=reducer.view,
        sweep=getattr(reducer, "sweep", None),
        drain=getattr(reducer, "drain", None),
        view_type=getattr(reducer, "view_type", None),
        timed=getattr(reducer, "timed", True),
    )


def _from_file(path: Path, attribute: str, source: bytes) -> object:
    module = _module(path.resolve(), source)
    if attribute in vars(module):
        found: object = vars(module)[attribute]
        return found
    what = f"it has no {attribute!r}" if attribute else "which reducer of it is meant?"
    raise OwnReducerError(f"{path}: {what}", _choice(path, module, attribute))


def _choice(path: Path, module: ModuleType, attribute: str) -> str:
    """What to name instead: the nearest of the names that hold something like a reducer, or all of them."""
    from difflib import get_close_matches

    own = [name for name, value in vars(module).items() if _looks_like_one(value)]
    named = get_close_matches(attribute, own, n=1) or own
    if not named:
        return "define a reducers.Projection in it"
    return "use " + " or ".join(f"{path}:{name}" for name in named)


def _looks_like_one(value: object) -> bool:
    try:
        return not isinstance(value, type) and hasattr(value, "initial")
    except Exception:  # whatever lies in the file may raise what it likes
        return False


def _module(path: Path, source: bytes) -> ModuleType:
    """The file's code, run as a module. Its folder is looked in last for what it imports."""
    module = ModuleType(str(path))  # a name no other module has; types look theirs up by it
    module.__file__ = str(path)
    folder = str(path.parent)
    if folder not in sys.path:
        sys.path.append(folder)
    sys.modules[module.__name__] = module

    def run() -> None:
        exec(compile(source, str(path), "exec", dont_inherit=True), vars(module))

    try:
        _run(run, str(path), str(path), f"mend it: python {path} shows where it fails")
    except OwnReducerError:
        del sys.modules[module.__name__]
        raise
    return module


def _run(load: Callable[[], object], where: str, file: str | None, remedy: str) -> object:
    """Runs code that is not ours. What it prints goes to stderr: stdout is for the view."""
    from contextlib import redirect_stdout

    try:
        with redirect_stdout(sys.stderr):
            return load()
    except (Exception, SystemExit) as error:
        line = _line(error, file)
        what = str(error.msg if isinstance(error, SyntaxError) else error).strip().partition("\n")[0]
        at = f"{where}:{line}" if line else where
        raise OwnReducerError(f"{at}: {type(error).__name__}: {what}", remedy) from error


def _line(error: BaseException, file: str | None) -> int | None:
    """The line of this file that an error came from, or came through last."""
    if isinstance(error, SyntaxError) and error.filename == file:
        return error.lineno
    found = None
    trace: TracebackType | None = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == file:
            found = trace.tb_lineno
        trace = trace.tb_next
    return found

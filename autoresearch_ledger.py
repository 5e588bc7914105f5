"""The launcher of `ar`: finds our own packages, or hands over to the archiver of the same name.

Its name is unique where `commands`, `hooks`, `reducers` and `eventstore` are not, so it is what the scripts
start with (design, section 1). It imports nothing until it knows what is wanted.
"""

from __future__ import annotations

import gc
import os
import sys

TYPE_CHECKING = False  # importing `typing` to learn this costs as much as the rest of the silent path
if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import ModuleType
    from typing import Any

__all__ = ["main"]

__version__ = "0.1.0"

_HOME = os.path.dirname(os.path.abspath(__file__))
_OWN = ("eventstore", "reducers", "commands", "hooks")


def main() -> int:
    """Runs what `sys.argv` asks for and returns the exit code (design, section 7); no traceback leaves it."""
    # What is imported and read stays until the end: looking for garbage among it again and again finds none.
    gc.set_threshold(50_000)
    try:
        if sys.getfilesystemencoding() == "ascii":
            _again_in_utf_8()
        own_packages_first()
        return _run(sys.argv[1:])
    except KeyboardInterrupt:
        return 130
    except Exception as error:
        if os.environ.get("AR_TRACEBACK"):
            raise
        return _unexpected(error)


def _again_in_utf_8() -> None:
    """Starts this process over in UTF-8 mode, where the locale knows nothing but ASCII.

    A log is UTF-8, and so are arguments, paths and pipes as agents give them, whatever a bare `LC_ALL=C` of a
    cron job or a container says. As an option and not by PYTHONUTF8, which programs of the user's, started by
    us, would inherit. Returns only where there is nothing to start over.
    """
    if sys.flags.utf8_mode or not sys.executable or not sys.orig_argv:
        return
    try:
        os.execv(sys.executable, [sys.executable, "-X", "utf8", *sys.orig_argv[1:]])
    except OSError:  # then what is not ASCII is refused in its own place, in one line
        return


def _run(argv: list[str]) -> int:
    if argv[:2] == ["hook", "error-capture"]:
        # An agent waits for this after each of its commands, so it starts without the command line's imports.
        from hooks.error_capture_main import main as capture

        return capture(argv[2:], record=_record_error_seen, is_off=_is_off)
    from commands.verbs import VERBS

    if argv and argv[0] not in VERBS:
        from commands.effects import archiver

        if archiver.fits(argv):
            return archiver.hand_over(argv)
    if argv[:1] == ["append"]:
        from commands.quick import append

        code = append(argv[1:])
        if code is not None:
            return code
    from commands.app import run

    return run(argv)


def _record_error_seen(fields: dict[str, str]) -> None:
    from commands.effects.error_seen import record_error_seen

    record_error_seen(fields)


def _is_off() -> bool:
    from commands.effects.error_seen import is_off

    return is_off()


class _OwnPackages:
    """Finds our four packages beside this file, whatever else of their names is on the path."""

    @staticmethod
    def find_spec(name: str, _: Sequence[str] | None = None, target: ModuleType | None = None) -> Any:
        """The spec of one of our packages; None for everything else, which is found as ever."""
        if name not in _OWN:
            return None
        from importlib.machinery import PathFinder

        return PathFinder.find_spec(name, [_HOME], target)


def own_packages_first() -> None:
    """Makes `import commands` mean ours, even if a user's package of that name comes first or was imported.

    A finder for just these names, rather than our place put first on `sys.path`: that may be a
    `site-packages` full of names that would then hide the standard library's.
    """
    if _OwnPackages not in sys.meta_path:
        sys.meta_path.insert(0, _OwnPackages)
    foreign = {name for name in _OWN if name in sys.modules and not _is_ours(sys.modules[name])}
    if foreign:
        for name in [n for n in sys.modules if n.partition(".")[0] in foreign]:
            del sys.modules[name]


def _is_ours(module: ModuleType) -> bool:
    return any(os.path.dirname(os.path.abspath(place)) == _HOME for place in getattr(module, "__path__", ()))


def _unexpected(error: Exception) -> int:
    text = f"{type(error).__name__}: {error}"
    shown = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)
    print(f"ar: this should not have happened: {shown}", file=sys.stderr)
    print(
        "try: the same with AR_TRACEBACK=1 in the environment shows where; please report it", file=sys.stderr
    )
    return 4


if __name__ == "__main__":
    sys.exit(main())

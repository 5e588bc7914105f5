"""Reads the imports of our packages and finds breaches of the layers (design, section 1).

Imports point downwards only: `eventstore` <- `reducers` <- `hooks` <- `commands`. What is pure, `reducers`
and `eventstore/formats`, imports nothing that can touch the world, nor does it reach it by a builtin.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

OURS = ("eventstore", "reducers", "hooks", "commands")

MAY_IMPORT: dict[str, frozenset[str]] = {
    "eventstore": frozenset(),
    "reducers": frozenset({"eventstore"}),
    "hooks": frozenset({"eventstore", "reducers"}),
    "commands": frozenset({"eventstore", "reducers", "hooks"}),
}
"""Of our packages, which each may import besides itself."""

REDUCERS_OF_EVENTSTORE = frozenset({"eventstore.events", "eventstore.timestamps", "eventstore.errors"})
"""The modules of `eventstore` that reducers may import: types and pure functions."""

LANGUAGE = ("__future__", "abc", "contextlib", "enum", "functools", "importlib", "keyword", "types", "typing")
DATA = (
    "bisect",
    "collections",
    "copy",
    "dataclasses",
    "datetime",
    "heapq",
    "itertools",
    "msgspec",
    "operator",
)
TEXT = ("csv", "difflib", "hashlib", "io", "json", "re", "shlex", "string", "textwrap", "unicodedata", "zlib")
NUMBERS = ("decimal", "fractions", "math", "statistics")
PURE = frozenset((*LANGUAGE, *DATA, *TEXT, *NUMBERS))
"""Top-level modules that a pure module may import: none of them touches the world by itself."""

PURE_NAMES = frozenset({"random.Random"})
PURE_IN_FORMATS = frozenset({"pathlib.PurePath", "pathlib.PurePosixPath"})
"""What may be imported by name of other modules: it takes a seed, or works on text alone."""

WORLDLY_CALLS = frozenset(
    {"open", "print", "input", "exec", "eval", "compile", "breakpoint", "__import__"}
    | {"datetime.now", "datetime.utcnow", "datetime.today", "date.today", "io.open", "io.FileIO"}
)
"""Calls that do so without an import of such a module, by the end of their dotted name."""

TESTING = frozenset({"reducers/laws.py", "reducers/strategies.py"})
"""Modules that may import `hypothesis`."""


def breaches(path: PurePosixPath, source: str) -> list[str]:
    """What a module of ours does against the layers, `path:line: what`; empty for one that keeps to them.

    path: relative to the repository's root. Imports inside functions count like the others; imports for type
    checkers alone do not touch the world, but keep to the order of the packages.
    """
    tree = ast.parse(source)
    package = path.parts[0]
    pure = package == "reducers" or path.parts[:2] == ("eventstore", "formats")
    found = []
    for node, typing_only in _walk(tree, False):
        for module in _imported(node, path):
            wrong = _wrong_import(module, package, pure and not typing_only, str(path))
            if wrong:
                found.append(f"{path}:{getattr(node, 'lineno', 0)}: {wrong}")
        if pure and isinstance(node, ast.Call):
            wrong = _wrong_call(node)
            if wrong:
                found.append(f"{path}:{node.lineno}: {wrong}")
    return found


def breaches_under(root: Path) -> list[str]:
    """The breaches of every module of our packages in a repository."""
    return [
        breach
        for package in OURS
        for file in sorted((root / package).rglob("*.py"))
        for breach in breaches(PurePosixPath(file.relative_to(root).as_posix()), file.read_text("utf-8"))
    ]


def _walk(node: ast.AST, typing_only: bool) -> Iterator[tuple[ast.AST, bool]]:
    """Every node, and whether it is there for type checkers alone."""
    yield node, typing_only
    for name, value in ast.iter_fields(node):
        guarded = (
            isinstance(node, ast.If) and name == "body" and ast.unparse(node.test).endswith("TYPE_CHECKING")
        )
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.AST):
                yield from _walk(child, typing_only or guarded)


def _imported(node: ast.AST, path: PurePosixPath) -> list[str]:
    """The full names of the modules that a node imports; `from a import b` may mean the module `a.b`."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        base = path.parts[: len(path.parts) - node.level] if node.level else ()
        module = ".".join((*base, *filter(None, [node.module])))
        return [f"{module}.{alias.name}".lstrip(".") for alias in node.names]
    if isinstance(node, ast.Call) and node.args and _dotted(node.func).endswith("import_module"):
        name = node.args[0]
        return [name.value] if isinstance(name, ast.Constant) and isinstance(name.value, str) else []
    return []


def _wrong_import(module: str, package: str, pure: bool, path: str) -> str | None:
    top = module.partition(".")[0]
    if top in OURS and top != package:
        if top not in MAY_IMPORT[package]:
            return f"{package} may not import {top} ({module})"
        if package == "reducers" and not _within(module, REDUCERS_OF_EVENTSTORE):
            return f"reducers may import event types alone, not {module}"
    if top == "hypothesis" and path not in TESTING:
        return "hypothesis is for tests"
    if pure and top not in PURE and top not in OURS and top != "hypothesis":
        harmless = PURE_NAMES if package == "reducers" else PURE_NAMES | PURE_IN_FORMATS
        return None if module in harmless else f"a pure module may not import {top}"
    return None


def _within(module: str, allowed: frozenset[str]) -> bool:
    return any(module == name or module.startswith(f"{name}.") for name in allowed)


def _wrong_call(node: ast.Call) -> str | None:
    name = _dotted(node.func)
    if name in WORLDLY_CALLS or any(name.endswith(f".{call}") for call in WORLDLY_CALLS if "." in call):
        return f"a pure module may not call {name}"
    if name.endswith("Random") and not node.args:
        return "a pure module may not draw lots without a seed"
    return None


def _dotted(node: ast.AST) -> str:
    """`a.b.c` of an expression that is one; empty for any other."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        return f"{_dotted(node.value)}.{node.attr}".lstrip(".")
    return ""

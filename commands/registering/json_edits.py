"""A member or an item put into a JSON text or taken out of it; every other byte stays. Pure.

    text = put(text, JSONC, ("mcp", "ar"), {"type": "local"})
    text = drop(text, JSONC, ("mcp", "ar"))

What is put in is written in the manner of what is around it: its indentation, its line ends, on one line
where its neighbours are. Taking out what was put in last gives the text back, byte for byte.
"""

from __future__ import annotations

import re
from typing import Any

from commands.registering.jsonc import Child, Dialect, Node, SettingsError, line_and_column, parse

__all__ = ["Path", "add", "drop", "put", "require", "without_empty"]

Path = tuple[str | int, ...]
"""From the root to a value: names of members and places of items."""

UNIT = "  "
"""Indentation where the text shows none of its own."""

_INDENTED = re.compile(r"\n([ \t]+)[\"\[{]")


def put(text: str, dialect: Dialect, path: Path, value: Any) -> str:
    """The text with this value at the path: in the place of what is there, or as the last of its object.

    Objects on the way that are not there are made; items of lists must be. Raises SettingsError where
    something else than an object stands in the way.
    """
    root = parse(text, dialect)
    for length in range(len(path)):
        parent = require(text, root, path[:length], list if isinstance(path[length], int) else dict)
        child = parent.child(path[length])
        if child is None:
            for key in reversed(path[length + 1 :]):
                value = {key: value}
            return _insert(text, root, path[:length], value, str(path[length]))
        if length == len(path) - 1:
            return text if _same(child.node.value, value) else _replace(text, parent, child, value)
    raise ValueError("an empty path")


def add(text: str, dialect: Dialect, path: Path, item: Any) -> str:
    """The text with this item as the last of the list at the path; the list is made if it is not there.

    Raises SettingsError where something else than a list is there.
    """
    root = parse(text, dialect)
    if root.at(path) is None:
        return put(text, dialect, path, [item])
    require(text, root, path, list)
    return _insert(text, root, path, item, None)


def drop(text: str, dialect: Dialect, path: Path) -> str:
    """The text without the member or item at the path, which must be there; comments around it stay."""
    root = parse(text, dialect)
    parent = root.at(path[:-1])
    child = parent.child(path[-1]) if parent is not None else None
    if parent is None or child is None:
        raise ValueError(f"there is nothing at {path!r}")
    end, kept = child.node.end, ""
    if child.comma is not None:
        between = text[end : child.comma]
        end, kept = child.comma + 1, between if between.strip() else ""
    start = child.lead
    if child.after_line_comment and not (kept + text[end:]).startswith(("\n", "\r\n")):
        start = text.index("\n", start) + 1  # what follows may not become part of that comment
    left = text[:start] + kept + text[end:]
    place = parent.children.index(child)
    before = parent.children[place - 1] if place else None
    if child.comma is None and before is not None and before.comma is not None:
        left = left[: before.comma] + left[before.comma + 1 :]
    if len(parent.children) == 1:
        left = _closed_up(left, dialect, path[:-1])
    return left


def without_empty(text: str, dialect: Dialect, path: Path, was: Node | None = None) -> str:
    """The text without the container at the path, if it is empty, holds no comment, and was not there before.

    was: the root of what the text was then, None where that is not known.
    """
    node = parse(text, dialect).at(path)
    if node is None or node.children or not isinstance(node.value, dict | list) or node.has_comment():
        return text
    return text if was is not None and was.at(path) is not None else drop(text, dialect, path)


def require(text: str, root: Node, path: Path, kind: type[dict[str, Any] | list[Any]]) -> Node:
    """The value at a path, of this kind. Raises SettingsError, saying where, if another one is there."""
    node = root.at(path)
    if node is None:
        raise ValueError(f"there is nothing at {path!r}")
    if not isinstance(node.value, kind):
        name = ".".join(map(str, path)) or "the whole"
        wanted = "an object" if kind is dict else "a list"
        raise SettingsError(f"{name} is not {wanted} in {line_and_column(text, node.start)}")
    return node


def _closed_up(text: str, dialect: Dialect, path: Path) -> str:
    """The text with a container that has just become empty closed up, if no comment is in it."""
    node = parse(text, dialect).at(path)
    if node is None or node.tail > node.start + 1:
        return text
    return text[: node.start + 1] + text[node.end - 1 :]


def _same(one: Any, other: Any) -> bool:
    """Whether two values are one, `true` not being 1 nor `{}` `[]`, and the order of names of no account."""
    return repr(_sorted(one)) == repr(_sorted(other))


def _sorted(value: Any) -> Any:
    if isinstance(value, dict):
        return tuple((key, _sorted(value[key])) for key in sorted(value))  # never what a list gives
    return [_sorted(each) for each in value] if isinstance(value, list) else value


def _insert(text: str, root: Node, path: Path, value: Any, name: str | None) -> str:
    """The text with a value as the last child of the container at the path, under a name in an object."""
    container = root.at(path)
    assert container is not None
    last = container.children[-1] if container.children else None
    if _is_broken(text, root, path):
        newline = "\r\n" if "\r\n" in text else "\n"
        inner = _indent(text, last.start) if last is not None else None
        outer = _line_indent(text, container.start)
        indent = inner if inner is not None else outer + _unit(text)
        pasted = newline + indent + _rendered(text, value, name, indent)
        is_shut = last is None and "\n" not in text[container.tail : container.end - 1]
        closing = newline + outer if is_shut else ""
    else:
        compact = _is_compact(text, root if last is None else container)
        pasted = ("" if last is None or compact else " ") + _inline(value, name, compact)
        closing = ""
    if last is not None and last.comma is not None:
        pasted += ","
    elif last is not None:
        comma = last.node.end
        return text[:comma] + "," + text[comma : container.tail] + pasted + closing + text[container.tail :]
    return text[: container.tail] + pasted + closing + text[container.tail :]


def _replace(text: str, parent: Node, child: Child, value: Any) -> str:
    start, end = child.node.start, child.node.end
    if "\n" in text[parent.start : parent.end]:
        rendered = _rendered(text, value, None, _line_indent(text, child.start))
    else:
        rendered = _inline(value, None, _is_compact(text, parent))
    return text[:start] + rendered + text[end:]


def _is_broken(text: str, root: Node, path: Path) -> bool:
    """Whether children of this container stand on lines of their own; an empty one is as its parent is."""
    node = root.at(path)
    assert node is not None
    if "\n" in text[node.start : node.end] or not path:
        return not node.children or "\n" in text[node.start : node.end]
    return not node.children and _is_broken(text, root, path[:-1])


def _is_compact(text: str, container: Node) -> bool:
    """Whether this one-line container has no blank behind its first colon or comma."""
    separators = re.search(r'(?:"\s*:|,)(.)', text[container.start : container.end])
    return separators is not None and separators[1] != " "


def _rendered(text: str, value: Any, name: str | None, indent: str) -> str:
    import json

    newline = "\r\n" if "\r\n" in text else "\n"
    shown = json.dumps(value, indent=_unit(text), ensure_ascii=False).replace("\n", newline + indent)
    return shown if name is None else f"{json.dumps(name, ensure_ascii=False)}: {shown}"


def _inline(value: Any, name: str | None, compact: bool) -> str:
    import json

    separators = (",", ":") if compact else (", ", ": ")
    shown = json.dumps(value, separators=separators, ensure_ascii=False)
    return shown if name is None else f"{json.dumps(name, ensure_ascii=False)}{separators[1]}{shown}"


def _unit(text: str) -> str:
    """The text's own indentation: that of the first line which is indented."""
    found = _INDENTED.search(text)
    return found[1] if found else UNIT


def _indent(text: str, offset: int) -> str | None:
    """What stands before an offset in its line; None if that is more than white space."""
    start = text[text.rfind("\n", 0, offset) + 1 : offset]
    return start if start.strip(" \t") == "" else None


def _line_indent(text: str, offset: int) -> str:
    """The white space that begins the line of an offset."""
    line = text[text.rfind("\n", 0, offset) + 1 : offset]
    return line[: len(line) - len(line.lstrip(" \t"))]

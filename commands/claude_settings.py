"""Our entries in Claude Code's `settings.json`: put in, kept up to date, taken out. Pure.

    {"hooks": {"PostToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": ...}]}], ...}}

Everything else in the file stays as it is and where it is.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from typing import Any

import msgspec

__all__ = ["EVENTS", "Document", "SettingsError", "capture_command", "install", "parse", "remove", "render"]

EVENTS = ("PostToolUse", "PostToolUseFailure")
"""The events we register for: failed Bash calls arrive only as the second."""

MATCHER = "Bash"
TIMEOUT_SECONDS = 5
"""When Claude Code gives up on us; error capture itself ends within 2 seconds."""

_VERB = ["hook", "error-capture"]
_PROGRAMS = ("ar", "autoresearch", "autoresearch_ledger.py")
_BOM = "\ufeff"


class SettingsError(ValueError):
    """The settings are not what Claude Code reads; the message says where, and nothing is to be changed."""


class Document(msgspec.Struct, frozen=True):
    """A settings file.

    settings: its JSON object. indent: as its first indented line has it. newline: what ends its lines.
    ending: what follows the object. bom: whether it begins with a byte order mark.
    """

    settings: dict[str, Any] = {}
    indent: str = "  "
    newline: str = "\n"
    ending: str = "\n"
    bom: bool = False


def capture_command(program: Sequence[str]) -> str:
    """The shell command that captures errors. `program`: the absolute argv that starts us."""
    return shlex.join([*program, *_VERB])


def parse(data: bytes) -> Document:
    """The settings in these bytes; of an empty file an empty object.

    Raises SettingsError for what is not UTF-8 or not strict JSON, a key that is given twice (one of them
    would be lost), and a place of ours that holds something else.
    """
    import json

    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise SettingsError(f"not UTF-8 from byte {error.start + 1} on") from error
    bom = text.startswith(_BOM)
    text = text.removeprefix(_BOM)
    if not text.strip():
        return Document(bom=bom)
    try:
        settings = json.loads(text, object_pairs_hook=_once, parse_constant=_no_number, parse_float=_finite)
    except json.JSONDecodeError as error:
        raise SettingsError(f"not JSON: {error.msg} in line {error.lineno}, column {error.colno}") from error
    except RecursionError as error:
        raise SettingsError("nested too deeply") from error
    _check(settings)
    indent = re.search(r"\n([ \t]+)\S", text)
    return Document(
        settings,
        indent=indent[1] if indent else "  ",
        newline="\r\n" if "\r\n" in text else "\n",
        ending="\n" if text.endswith("\n") else "",
        bom=bom,
    )


def render(document: Document) -> bytes:
    """The file's bytes: keys in their order, indented and ended as the file was."""
    import json

    text = json.dumps(document.settings, indent=document.indent, ensure_ascii=False) + document.ending
    text = (_BOM if document.bom else "") + text.replace("\n", document.newline)
    return text.encode("utf-8", "backslashreplace")  # half a surrogate pair goes back to the escape it was


def install(document: Document, command: str) -> Document:
    """The settings with `command` registered for Bash, once for each of `EVENTS`.

    An entry of ours that is there gets the command and stays in its place; others of ours go. The same
    document if nothing is to be changed.
    """
    hooks = dict(document.settings.get("hooks", {}))
    for event in EVENTS:
        groups, found = _without_ours(hooks.get(event, []), command)
        if not found:
            handler = {"type": "command", "command": command, "timeout": TIMEOUT_SECONDS}
            groups = [*groups, {"matcher": MATCHER, "hooks": [handler]}]
        hooks[event] = groups
    return _with_hooks(document, hooks)


def remove(document: Document) -> Document:
    """The settings without any entry of ours, nor what held nothing else; the same document without one."""
    before = document.settings.get("hooks", {})
    hooks = dict(before)
    for event, groups in before.items():
        if not isinstance(groups, list):
            continue
        left, _ = _without_ours(groups, None)
        if left == groups:
            continue
        if left:
            hooks[event] = left
        else:
            del hooks[event]
    return _with_hooks(document, hooks)


def _with_hooks(document: Document, hooks: dict[str, Any]) -> Document:
    settings = document.settings
    if hooks == settings.get("hooks", {}):
        return document
    changed = {**settings, "hooks": hooks}
    if not hooks:
        del changed["hooks"]
    return msgspec.structs.replace(document, settings=changed)


def _without_ours(groups: list[Any], command: str | None) -> tuple[list[Any], bool]:
    """The groups without entries of ours, but for the first that is for Bash alone where there is a command.

    That one gets the command. Groups that held nothing but entries of ours go. Also whether one was kept.
    """
    kept: list[Any] = []
    found = False
    for group in groups:
        handlers = group.get("hooks") if isinstance(group, dict) else None
        if not isinstance(handlers, list) or not any(map(_is_ours, handlers)):
            kept.append(group)
            continue
        left = []
        for handler in handlers:
            if not _is_ours(handler):
                left.append(handler)
            elif command is not None and not found and group.get("matcher") == MATCHER:
                left.append({**handler, "command": command})
                found = True
        if left:
            kept.append({**group, "hooks": left})
    return kept, found


def _is_ours(handler: Any) -> bool:
    """Whether a handler is error capture, wherever it is installed and whatever was put around it."""
    command = handler.get("command") if isinstance(handler, dict) else None
    if not isinstance(command, str) or "error-capture" not in command:
        return False
    try:
        words = shlex.split(command)
    except ValueError:
        return False
    at = next((i for i in range(len(words)) if words[i : i + 2] == _VERB), 0)
    return any(word.rpartition("/")[2] in _PROGRAMS for word in words[:at])


def _check(settings: Any) -> None:
    """Raises SettingsError unless what we are to change has the shape that Claude Code reads."""
    if not isinstance(settings, dict):
        raise SettingsError("JSON, but not an object")
    hooks = settings.get("hooks", {})
    if not isinstance(hooks, dict):
        raise SettingsError("hooks is not an object")
    for event in EVENTS:
        if not isinstance(hooks.get(event, []), list):
            raise SettingsError(f"hooks.{event} is not a list")


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise SettingsError(f"the key {twice!r} is given twice in one object")
    return found


def _finite(text: str) -> float:
    value = float(text)
    return value if abs(value) < float("inf") else _no_number(text)


def _no_number(text: str) -> Any:
    raise SettingsError(f"{text} is no number that JSON can hold")

"""Our commands among those that an agent runs at its own events: put in, kept up to date, taken out. Pure.

    {"hooks": {"PostToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": ...}]}], ...}}

Claude Code's `settings.json`, Codex's `hooks.json` and Gemini CLI's `settings.json` have this shape
(https://code.claude.com/docs/en/hooks, https://developers.openai.com/codex/hooks,
https://geminicli.com/docs/hooks/reference/). They differ in the names of events and tools, and in the unit of
a timeout. Everything else in the file stays as it is and where it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from commands.registering.json_edits import Path, add, drop, put, require, without_empty
from commands.registering.jsonc import Dialect, Node, parse
from commands.registering.ours import program_in

__all__ = ["HOOKS", "Hook", "commands_in", "install", "remove"]

HOOKS = "hooks"
"""The member that holds them, and the member of a group that holds its handlers."""


class Hook(msgspec.Struct, frozen=True):
    """A command of ours at an event.

    event, matcher: as the agent names them. verb: what of ours it starts. command: the shell command.
    timeout: in the agent's unit. name: a handler's name, for agents that show one.
    """

    event: str
    matcher: str
    verb: tuple[str, ...]
    command: str
    timeout: int
    name: str | None = None

    def handler(self) -> dict[str, Any]:
        """The handler as it is written anew."""
        named = {} if self.name is None else {"name": self.name}
        return {**named, "type": "command", "command": self.command, "timeout": self.timeout}


class _Place(msgspec.Struct, frozen=True):
    """A handler of ours that was found: its path, its group's matcher, and its command."""

    path: Path
    matcher: Any
    command: str


def install(text: str, dialect: Dialect, hooks: Sequence[Hook]) -> str:
    """The text with each hook registered once. Raises SettingsError where its place holds something else.

    A handler of ours that is there gets the command and stays in its place; others of ours go.
    """
    for hook in hooks:
        found = _found(text, dialect, hook.verb, hook.event)
        kept = next((each for each in found if each.matcher == hook.matcher), None)
        for each in reversed(found):
            if each is kept:
                text = put(text, dialect, (*each.path, "command"), hook.command)
            else:
                text = _without(text, dialect, each.path)
        if kept is None:
            group = {"matcher": hook.matcher, HOOKS: [hook.handler()]}
            text = add(text, dialect, (HOOKS, hook.event), group)
    return text


def remove(text: str, dialect: Dialect, verbs: Sequence[tuple[str, ...]], was: Node | None = None) -> str:
    """The text without any handler of ours that starts one of `verbs`, nor what then holds nothing.

    was: the file before we changed it, where that is known; an event's list and the object of all hooks stay,
    though empty, if they were there.
    """
    events: set[str | int] = set()
    for verb in verbs:
        for each in reversed(_found(text, dialect, verb)):
            text = _without(text, dialect, each.path)
            events.add(each.path[1])
    for event in sorted(events, key=str):
        text = without_empty(text, dialect, (HOOKS, event), was)
    return without_empty(text, dialect, (HOOKS,), was) if events else text


def commands_in(root: Node, verb: Sequence[str]) -> list[str]:
    """The commands that start `verb` of ours, as they are registered."""
    return [each.command for each in _places(root, verb, None)]


def _found(text: str, dialect: Dialect, verb: Sequence[str], event: str | None = None) -> list[_Place]:
    root = parse(text, dialect)
    require(text, root, (), dict)
    if root.at((HOOKS,)) is not None:
        require(text, root, (HOOKS,), dict)
        if event is not None and root.at((HOOKS, event)) is not None:
            require(text, root, (HOOKS, event), list)
    return list(_places(root, verb, event))


def _places(root: Node, verb: Sequence[str], event: str | None) -> Iterator[_Place]:
    """Handlers of ours, in order; what is no group or no handler is somebody else's business."""
    hooks = root.at((HOOKS,))
    for listed in hooks.children if hooks is not None else ():
        if event not in (None, listed.key):
            continue
        for group in listed.node.children if isinstance(listed.node.value, list) else ():
            handlers = group.node.at((HOOKS,)) if isinstance(group.node.value, dict) else None
            for handler in handlers.children if handlers and isinstance(handlers.value, list) else ():
                value = handler.node.value
                command = value.get("command") if isinstance(value, dict) else None
                if isinstance(command, str) and program_in(command, verb) is not None:
                    path = (HOOKS, listed.key, group.key, HOOKS, handler.key)
                    yield _Place(path, group.node.value.get("matcher"), command)


def _without(text: str, dialect: Dialect, handler: Path) -> str:
    """The text without a handler, and without its group if that then has none."""
    text = drop(text, dialect, handler)
    root = parse(text, dialect)
    group, left = root.at(handler[:-2]), root.at(handler[:-1])
    if group is None or left is None or left.children or group.has_comment():
        return text
    return drop(text, dialect, handler[:-2])

"""JSON as the settings of coding agents have it, parsed with where everything stands. Pure.

A file that is only read this way can be changed without rendering the rest anew: `json_edits` cuts and pastes
at the places that a `Node` names. Comments belong to whoever wrote them.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple, NoReturn

import msgspec

__all__ = [
    "COMMENTED",
    "JSON",
    "JSONC",
    "Child",
    "Dialect",
    "Node",
    "SettingsError",
    "line_and_column",
    "parse",
]

DEPTH = 200
"""Containers within containers; settings have a handful."""


class SettingsError(ValueError):
    """Settings are not what the agent reads; the message says where, and nothing is to be changed."""


class Dialect(NamedTuple):
    """What an agent's parser takes beside JSON itself."""

    comments: bool
    trailing_commas: bool


JSON = Dialect(comments=False, trailing_commas=False)
COMMENTED = Dialect(comments=True, trailing_commas=False)
JSONC = Dialect(comments=True, trailing_commas=True)


class Child(msgspec.Struct, frozen=True):
    """A member of an object or an item of a list.

    key: the member's name, or the item's place from 0. start: where its key, or the item, begins.
    lead: where the token before it ends, a comment counted as one. after_line_comment: whether that is a
    comment which the next newline ends. comma: where the comma behind it stands, None without one.
    """

    key: str | int
    start: int
    lead: int
    after_line_comment: bool
    node: Node
    comma: int | None


class Node(msgspec.Struct, frozen=True):
    """A value: what it is, and where it stands in the text.

    start, end: offsets of its first character and behind its last. children: of an object or a list.
    tail: where the last token before its closing bracket ends.
    """

    start: int
    end: int
    value: Any
    children: tuple[Child, ...] = ()
    tail: int = 0

    def child(self, key: str | int) -> Child | None:
        """The child of this name or place, if there is one."""
        return next((each for each in self.children if each.key == key), None)

    def has_comment(self) -> bool:
        """Whether there is a comment in this container or in one within it."""
        end = self.start + 1
        for child in self.children:
            behind = child.node.end if child.comma is None else child.comma + 1
            if child.lead > end or child.node.has_comment():
                return True
            end = behind
        return bool(self.tail) and self.tail > end

    def at(self, path: tuple[str | int, ...]) -> Node | None:
        """The value at a path from here, if there is one."""
        node: Node | None = self
        for key in path:
            found = node.child(key) if node is not None else None
            node = found.node if found is not None else None
        return node


def parse(text: str, dialect: Dialect = JSON) -> Node:
    """The value that `text` is. Raises SettingsError, which names line and column, for anything else.

    So it does for a name that is given twice in one object: agents take one of them, and which is not told.
    """
    parser = _Parser(text, dialect)
    parser.trivia()
    node = parser.value(0)
    parser.trivia()
    if parser.at < len(text):
        parser.fail("more than one value")
    return node


def line_and_column(text: str, offset: int) -> str:
    """Where an offset is, for people: both from 1, a column counted in characters."""
    before = text[:offset]
    return f"line {before.count(chr(10)) + 1}, column {offset - before.rfind(chr(10))}"


_SPACE = re.compile(r"[ \t\r\n]*")
_COMMENT = re.compile(r"(//[^\r\n]*)|/\*.*?\*/", re.DOTALL)
_STRING = re.compile(r'"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"')
_SCALAR = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null")
_WORD = re.compile(r"[\w.+-]+")


class _Parser:
    """Reads a text from its start; `at` is how far it came, `token_end` where the last token ended."""

    def __init__(self, text: str, dialect: Dialect) -> None:
        self.text = text
        self.dialect = dialect
        self.at = 0
        self.token_end = 0
        self.after_line_comment = False

    def fail(self, what: str, offset: int | None = None) -> NoReturn:
        """Raises SettingsError for what is wrong where we are, or at an offset."""
        where = line_and_column(self.text, self.at if offset is None else offset)
        raise SettingsError(f"not JSON: {what} in {where}")

    def trivia(self) -> None:
        """Past white space and comments."""
        self.token_end, self.after_line_comment = self.at, False
        while True:
            self.at = _end(_SPACE, self.text, self.at)
            if not self.text.startswith(("//", "/*"), self.at):
                return
            if not self.dialect.comments:
                self.fail("a comment, which this file may not have,")
            comment = _COMMENT.match(self.text, self.at)
            if comment is None:
                self.fail("a comment that does not end, begun")
            self.token_end = self.at = comment.end()
            self.after_line_comment = comment[1] is not None

    def value(self, depth: int) -> Node:
        """The value that begins here."""
        if depth > DEPTH:
            self.fail("nested too deeply")
        character = self.text[self.at : self.at + 1]
        if character in ("{", "["):
            return self.container(character, depth)
        import json

        start = self.at
        if character == '"':
            self.string()
        else:
            end = _end(_SCALAR, self.text, start)
            if end <= start or _WORD.match(self.text, end):
                self.fail("a value is missing" if not character else "no value of JSON")
            self.at = end
        return Node(start, self.at, json.loads(self.text[start : self.at]))

    def string(self) -> None:
        end = _end(_STRING, self.text, self.at)
        if end < 0:
            self.fail("a text that does not end, or holds what it may not, begun")
        self.at = end

    def container(self, opening: str, depth: int) -> Node:
        """The object or list that begins here."""
        start, named, closing = self.at, opening == "{", "}" if opening == "{" else "]"
        self.at += 1
        self.trivia()
        children: list[Child] = []
        names: set[str] = set()
        while not self.text.startswith(closing, self.at):
            if children and children[-1].comma is None:
                self.fail(f"a comma or {closing} is missing")
            children.append(self.child(len(children), named, depth))
            if named:
                name = str(children[-1].key)
                if name in names:
                    self.fail(f"the key {name!r} is given twice in one object, again", children[-1].start)
                names.add(name)
        if children and children[-1].comma is not None and not self.dialect.trailing_commas:
            self.fail("a comma before the end, which this file may not have,", children[-1].comma)
        tail = self.token_end
        self.at += 1
        values = [child.node.value for child in children]
        value = dict(zip((child.key for child in children), values, strict=True)) if named else values
        return Node(start, self.at, value, tuple(children), tail)

    def child(self, place: int, named: bool, depth: int) -> Child:
        """The member or item that begins here, and what follows it up to the next one."""
        lead, after_line_comment, start = self.token_end, self.after_line_comment, self.at
        key: str | int = place
        if named:
            import json

            if not self.text.startswith('"', self.at):
                self.fail("a name in double quotes is missing")
            self.string()
            key = json.loads(self.text[start : self.at])
            self.trivia()
            if not self.text.startswith(":", self.at):
                self.fail("a colon is missing")
            self.at += 1
            self.trivia()
        node = self.value(depth + 1)
        self.trivia()
        comma = self.at if self.text.startswith(",", self.at) else None
        if comma is not None:
            self.at += 1
            self.trivia()
        return Child(key, start, lead, after_line_comment, node, comma)


def _end(pattern: re.Pattern[str], text: str, start: int) -> int:
    """Where a match that begins at `start` ends; -1 without one."""
    match = pattern.match(text, start)
    return match.end() if match is not None else -1

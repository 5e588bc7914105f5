"""Masks what tells who and where: secrets, home folders, hosts, addresses (design, section 2.3).

Well-known shapes only: nothing here proves that a text names nobody.
"""

from __future__ import annotations

import re
from typing import Any, TypeVar

import msgspec

from eventstore.events import Custom, Event, Heartbeat
from eventstore.secrets import each_text, redact

__all__ = ["redact_line", "redact_text", "redacted"]

E = TypeVar("E", bound=Event)

_HOST = "[redacted:host]"
_ADDRESS = "[redacted:address]"
_TEXT_ENVELOPE = ("by", "id")

_HOME = re.compile(r"(?:/(?:home|Users)/|[A-Za-z]:(?:\\\\?|/)Users(?:\\\\?|/))(?!\[redacted)[^/\\\s\"':]+")
_ROOT = re.compile(r"(?<![\w/])/root(?=/|\b)")
_URL = re.compile(
    r"(\b[a-z][a-z0-9+.-]{1,20}://)(?!\[redacted)(?:[^\s/@\"'<>]+@)?[^\s/:\"'<>\])}]+", re.IGNORECASE
)
_MAIL = re.compile(r"\b[\w.+-]{1,64}@[A-Za-z0-9][A-Za-z0-9.-]{0,200}\.[A-Za-z]{2,24}\b")
_LOGIN = re.compile(r"\b[\w.-]{1,64}@[A-Za-z0-9][A-Za-z0-9-]{0,62}(?=:|\s|$)")
_LOCAL = re.compile(
    r"\b[A-Za-z0-9][A-Za-z0-9-]{0,62}(?:\.[A-Za-z0-9-]{1,62}){0,5}\.(?:local|lan|internal|corp)\b"
)
_IP4 = re.compile(r"(?<![\w.])(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)(?![\w.]*\d)")
_IP6 = re.compile(r"(?<![\w:.])(?:[0-9a-fA-F]{1,4}:){2,7}(?::?[0-9a-fA-F]{1,4}){1,6}(?![\w:])")
_MAC = re.compile(r"(?<![\w:])(?:[0-9a-fA-F]{2}[:-]){5}[0-9a-fA-F]{2}(?![\w:])")


def redact_text(text: str) -> str:
    """The text with secrets, home folders (`~`), hosts and addresses masked; the same object if it has none."""
    if len(text) < 4:
        return text
    text = redact(text)
    if "/" in text or "\\" in text:
        text = _ROOT.sub("~", _HOME.sub("~", text))
        text = _URL.sub(rf"\1{_HOST}", text)
    if "@" in text:
        text = _LOGIN.sub(_ADDRESS, _MAIL.sub(_ADDRESS, text))
    if "." in text:
        text = _IP4.sub(_ADDRESS, _LOCAL.sub(_HOST, text))
    if ":" in text or "-" in text:
        text = _IP6.sub(_ADDRESS, _MAC.sub(_ADDRESS, text))
    return text


def redacted(event: E) -> E:
    """The event with all its texts masked, keys of objects included, and the host of a heartbeat."""
    changes: dict[str, Any] = {}
    for name in event.__struct_fields__:
        value = getattr(event, name)
        if (
            name in ("seq", "prev", "timestamp")
            or value is None
            or (name == "type" and isinstance(event, Custom))
        ):
            continue
        changed = redact_text(value) if name in _TEXT_ENVELOPE and value else each_text(value, redact_text)
        if changed is not value:
            changes[name] = changed
    if isinstance(event, Heartbeat) and event.host:
        changes["host"] = _HOST
    return msgspec.structs.replace(event, **changes) if changes else event


def redact_line(line: bytes) -> bytes:
    """A line that is no event of ours, its text masked."""
    return redact_text(line.decode("utf-8", "surrogateescape")).encode("utf-8", "surrogateescape")

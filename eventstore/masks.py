"""Names of people and machines taken out of texts that leave the house (`export --redact`)."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from functools import cache
from ipaddress import ip_address

from eventstore.roles import ROLES
from eventstore.secrets import redact

__all__ = ["mask"]

_NOBODY = frozenset(("", "admin", "agent", "app", "ci", "nobody", "root", "runner", "test", "ubuntu", *ROLES))
"""User names that tell nothing, and would be masked as ordinary words."""

_HERE = frozenset(("", "localhost", "localhost.localdomain"))
_HOMES = re.compile(r"(/home/|/Users/|[A-Za-z]:\\{1,2}Users\\{1,2})(?!Shared\b)[^\s/\\:;,\"'<>()\[\]]++")
_MAILBOX = r"[\w+%-]++(?:\.[\w+%-]++)*+@[A-Za-z0-9][A-Za-z0-9-]*+(?:\.[A-Za-z0-9-]++)++"
_EMAIL = re.compile(
    rf"(?<![\w+%-])(?<![\w+%-]\.)(?!git@){_MAILBOX}(?:[.+%-]++{_MAILBOX})*+",  # and what is glued to it
    re.ASCII,
)
_IPV4 = re.compile(r"(?<![\w.])(?:[0-9]{1,3}\.){3}[0-9]{1,3}(?!\.?\w)", re.ASCII)
_IPV6 = re.compile(
    r"(?<![\w:.])(?=[0-9A-Fa-f:]{0,40}[0-9])[0-9A-Fa-f]{0,4}:[0-9A-Fa-f:]{1,40}(?:%\w{1,16})?(?![\w:])",
    re.ASCII,
)


def mask(text: str, *, home: str, user: str, hosts: Collection[str]) -> str:
    """The text without secrets (`eventstore.secrets.redact`), home paths, addresses and host names.

    `home`: the user's home folder, which becomes `~`; other homes become `/home/[user]`. `user`: the user's
    name, masked where it stands as a word, unless it is one like `root`. `hosts`: names of machines, masked
    where they stand as words. E-mail and IP addresses are masked, but for loopback. Total, in linear time; a
    second pass changes nothing in words that stand apart.
    """
    text = redact(text)
    for pattern, put in _masks(home, user, frozenset(hosts)):
        text = pattern.sub(put, text)
    return text


@cache
def _masks(
    home: str, user: str, hosts: frozenset[str]
) -> tuple[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]], ...]:
    """The patterns, in order, each with what stands in the place of its matches."""
    masks: list[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]]] = []
    home = home.rstrip("/\\")
    if home:
        masks.append((re.compile(rf"(?<![\w.~\]-]){re.escape(home)}(?![\w.-]*[\w-])"), "~"))
    masks.append((_HOMES, r"\1[user]"))
    names = sorted((host for host in hosts if host.lower() not in _HERE), key=len, reverse=True)
    if names:  # before addresses, whose end a host may be
        masks.append((_words(names), "[host]"))
    masks.append((_EMAIL, _email))
    if user.lower() not in _NOBODY:
        masks.append((_words([user]), "[user]"))
    masks += [(_IPV4, _address), (_IPV6, _address)]
    return tuple(masks)


def _words(names: list[str]) -> re.Pattern[str]:
    """One of these names as a word of its own, in any case, not between brackets of ours."""
    return re.compile(rf"(?<![\w\[])(?:{'|'.join(map(re.escape, names))})(?!\w)", re.IGNORECASE)


def _email(match: re.Match[str]) -> str:
    """`[email]` for what ends in a top-level domain; a package at a version does not."""
    return "[email]" if match[0].rpartition(".")[2].isalpha() else match[0]


def _address(match: re.Match[str]) -> str:
    """`[address]` for what is one and is not this machine's own."""
    try:
        address = ip_address(match[0].partition("%")[0])
    except ValueError:
        return match[0]
    return match[0] if address.is_loopback or address.is_unspecified else "[address]"

"""Who may append what (design, section 6.4). Against mistakes, not malice: a role is only claimed."""

from __future__ import annotations

from functools import lru_cache

from eventstore.errors import RoleError

__all__ = ["MAX_NAME", "ROLES", "check_role", "is_author", "may", "role_of"]

ROLES = ("user", "worker", "orchestrator", "guardian", "verifier")
"""The roles that `by` may name, before a colon and a name."""

MAX_NAME = 64
"""Length of the longest name after the role, in characters."""

_ONLY = {
    "guardian": ("heartbeat", "registered", "nudge", "restart", "flag", "pivot", "note"),
    "verifier": ("verified", "note", "flag", "heartbeat"),
}
_NEVER = {"worker": ("verified", "nudge", "restart")}
_ANYBODY = ("recovered", "relinked")  # by these the store says that it mended itself, whoever appends


def role_of(by: str) -> str:
    """The role in `by`, which is `role` or `role:name`."""
    return by.partition(":")[0]


@lru_cache(1024)
def is_author(by: str) -> bool:
    """Whether `by` is one of the roles, or one of them, a colon and a name.

    A name has 1 to `MAX_NAME` printable characters and no white space.
    """
    role, colon, name = by.partition(":")
    if role not in ROLES:
        return False
    return not colon or (0 < len(name) <= MAX_NAME and name.isprintable() and " " not in name)


def may(role: str, kind: str) -> bool:
    """Whether a role may append events of this type."""
    if kind in _ANYBODY:
        return True
    return kind in _ONLY[role] if role in _ONLY else kind not in _NEVER.get(role, ())


@lru_cache(1024)
def check_role(by: str, kind: str) -> None:
    """Raises RoleError if `by` is no author, or one whose role may not append events of type `kind`."""
    if not is_author(by):
        raise RoleError(
            f"by: {ascii(by)[:80]} is not `role` or `role:name`; the roles are {', '.join(ROLES)}",
            f"give a role, and at most {MAX_NAME} printable characters without spaces as a name",
        )
    role = role_of(by)
    if not may(role, kind):
        limit = f"only {', '.join(_ONLY[role])}" if role in _ONLY else f"never {', '.join(_NEVER[role])}"
        allowed = [other for other in ROLES if may(other, kind)]
        raise RoleError(
            f"{kind}: a {role} may not append it ({limit}); {_listed(allowed)} may",
            f"append it as {' or '.join(allowed)}",
        )


def _listed(words: list[str]) -> str:
    return " and ".join([", ".join(words[:-1]), words[-1]]) if len(words) > 1 else words[0]

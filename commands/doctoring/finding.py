"""What `ar doctor` has to say of one thing. Pure."""

from __future__ import annotations

from typing import Literal

import msgspec

__all__ = ["AREAS", "Area", "Finding", "Level"]

Level = Literal["ok", "warn", "error"]
"""As it should be; works, but is likely not what is wanted; does not work."""

Area = Literal["versions", "path", "git", "session", "config", "log", "locks", "hooks", "agents"]

AREAS: tuple[Area, ...] = (
    "versions",
    "path",
    "git",
    "session",
    "config",
    "log",
    "locks",
    "hooks",
    "agents",
)
"""In the order they are told."""


class Finding(msgspec.Struct, frozen=True):
    """One thing that was looked at.

    area: what it is about. detail: what was found, in words. remedy: what to do about it; None where nothing
    needs to be done.
    """

    area: Area
    level: Level
    detail: str
    remedy: str | None = None

"""Files that are wholly ours, and whether somebody edited one since. Pure.

Such a file bears a seal, one line in its own kind of comment or metadata: what wrote it, in which version,
and the SHA-256 of what was written. By it a newer version replaces an older one, and an edit is never lost:
an edited file is somebody else's from then on.
"""

from __future__ import annotations

import re
from typing import Literal

__all__ = ["OPEN", "State", "seal", "state_of"]

OPEN = "autoresearch-ledger, not sealed"
"""What stands in the place of a seal before there is one; once in every such file."""

State = Literal["absent", "current", "outdated", "edited", "foreign"]
"""Of a file in the place of ours: as we would write it, as another version of us wrote it, edited since, or
not ours at all."""

_SEAL = re.compile(r"autoresearch-ledger (?P<version>[0-9A-Za-z.+-]+), sha256 (?P<digest>[0-9a-f]{64})")


def seal(text: str, version: str) -> str:
    """The text with its seal. Raises ValueError unless it has exactly one place for it."""
    if text.count(OPEN) != 1:
        raise ValueError(f"a file of ours has {text.count(OPEN)} places for its seal")
    return text.replace(OPEN, f"autoresearch-ledger {version}, sha256 {_digest(version, text)}")


def state_of(data: bytes | None, wanted: str) -> State:
    """What a file is, by its bytes, where `wanted`, sealed, is to stand; None for no file."""
    if data is None:
        return "absent"
    if data == wanted.encode():
        return "current"
    text = data.decode("utf-8", "replace")
    found = _SEAL.search(text)
    if found is None:
        return "foreign"
    original = text[: found.start()] + OPEN + text[found.end() :]
    return "outdated" if _digest(found["version"], original) == found["digest"] else "edited"


def _digest(version: str, text: str) -> str:
    from hashlib import sha256

    return sha256(f"{version}\n{text}".encode("utf-8", "surrogatepass")).hexdigest()

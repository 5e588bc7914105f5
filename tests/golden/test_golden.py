"""What earlier versions wrote reads the same for ever (design, section 2.2)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import fields

from autoresearch_ledger import __version__
from eventstore.chain import verify
from eventstore.events import TYPES
from tests.golden import HERE, LOGS, read

each_log = pytest.mark.parametrize("path", LOGS, ids=[f"{p.parent.name}/{p.stem}" for p in LOGS])


def missing(expected: Any, found: Any, where: str = "") -> list[str]:
    """What was read once and is not read any more; fields that came since do not count."""
    if isinstance(expected, dict) and isinstance(found, dict):
        gone = [f"{where}.{key} is gone" for key in expected.keys() - found.keys()]
        both = [key for key in expected if key in found]
        return gone + [each for key in both for each in missing(expected[key], found[key], f"{where}.{key}")]
    if isinstance(expected, list) and isinstance(found, list) and len(expected) == len(found):
        return [
            each
            for n, (e, f) in enumerate(zip(expected, found, strict=True))
            for each in missing(e, f, f"{where}[{n}]")
        ]
    return [] if expected == found else [f"{where} was {expected!r}, now {found!r}"]


@each_log
def test_it_reads_the_same(path: Path) -> None:
    """Every view at its end and in its past, and what verifying it finds."""
    expected = msgspec.json.decode(path.with_suffix(".json").read_bytes())

    assert missing(expected, read(path)) == []


def test_our_own_log_verifies() -> None:
    """And its head is the one that was written down when it was made."""
    for path in LOGS:
        if path.stem == "session":
            expected = msgspec.json.decode(path.with_suffix(".json").read_bytes())["verify"]
            report = verify([(0, path.read_bytes())], head=expected["head"])
            assert report.ok, path


def test_every_field_of_every_type_is_in_them() -> None:
    """Of the version that is being worked on: `python -m tests.golden` writes its logs anew."""
    found: dict[str, set[str]] = {}
    for line in (HERE / __version__ / "session.jsonl").read_bytes().splitlines():
        event = msgspec.json.decode(line)
        found.setdefault(event["type"], set()).update(event)

    for kind, known in TYPES.items():
        names = {field.encode_name for field in fields(known)} - {"by", "id"}
        assert names - found.get(kind, set()) == set(), kind
    assert "x.deploy" in found


def test_what_is_compared_is_not_nothing() -> None:
    """A value that changed, a field that is gone and a row that is gone are seen; a new field is none."""
    assert missing({"a": [1, {"b": None}]}, {"a": [1, {"b": None, "c": 2}]}) == []
    assert missing({"a": 1}, {"a": 2}) == [".a was 1, now 2"]
    assert missing({"a": 1}, {}) == [".a is gone"]
    assert missing([1, 2], [1]) == [" was [1, 2], now [1]"]

"""The reference pages are made from the code, and are as new as it."""

from __future__ import annotations

import importlib.util
import re
import sys
from types import ModuleType

import pytest

from eventstore.events import EVENTS, Event, Tagged
from tests.commands.conftest import ROOT


@pytest.fixture(scope="module")
def generate() -> ModuleType:
    """docs/generate.py."""
    spec = importlib.util.spec_from_file_location("generate", ROOT / "docs" / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    before = sys.path[:]
    spec.loader.exec_module(module)
    sys.path[:] = before
    return module


@pytest.mark.parametrize("page", ["events.md", "views.md", "commands.md", "mcp.md"])
def test_no_page_is_stale(generate: ModuleType, page: str) -> None:
    """Run `python docs/generate.py` when this fails."""
    assert (ROOT / "docs" / page).read_text(encoding="utf-8") == generate.PAGES[page]()


UNITS = re.compile(
    r"seconds|milliseconds|bytes|since 1970|from 0|from 1|above 0|unit|number of|exit code|by name|whether"
)


@pytest.mark.parametrize("kind", [Event, *EVENTS], ids=lambda kind: kind.__name__)
def test_every_field_of_an_event_is_documented(generate: ModuleType, kind: type[Tagged]) -> None:
    """In its order; a number with its unit or range, a text with its choices; the type with who writes it."""
    import msgspec

    own = (
        generate.event_fields(kind)
        if kind is not Event
        else {f.encode_name: f for f in msgspec.structs.fields(kind)}
    )
    said = generate.documented(kind, set(own))

    assert list(said.fields) == list(own)
    for name, text in said.fields.items():
        assert text.rstrip().endswith((".", ")")), f"{kind.__name__}.{name}"
        if {"int", "float"} & set(re.findall(r"\w+", str(own[name].type))):
            assert UNITS.search(text), f"{kind.__name__}.{name}: {text}"
    if kind is not Event:
        assert "Written by" in " ".join((said.summary, *said.more)), kind.__name__


def test_every_field_of_a_view_is_documented(generate: ModuleType) -> None:
    """So are those of its rows."""
    kinds = list(generate.view_types().values())
    for kind in kinds:
        for each in (kind, *generate._inner_types(kind)):
            said = generate.documented(each, set(each.__struct_fields__))
            assert set(said.fields) == set(each.__struct_fields__), each.__name__
            assert all(said.fields.values()), each.__name__


def test_a_line_that_is_about_no_field_is_found(generate: ModuleType) -> None:
    """A slip in a docstring does not go into the page in silence."""

    class Slip:
        """Something.

        one: the first.
        tow: the second.
        """

    with pytest.raises(ValueError, match="Slip: 'tow' is none of its fields"):
        generate.documented(Slip, {"one", "two"})

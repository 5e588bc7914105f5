"""Files that are wholly ours, told from those that somebody edited."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commands.registering.sealed import OPEN, seal, state_of

TEXT = f"---\nname: x\nmetadata:\n  origin: {OPEN}\n---\nDo it.\n"


def test_the_seal_says_who_wrote_it_and_what() -> None:
    """In one line, in the place that the text has for it."""
    sealed = seal(TEXT, "1.2.3")

    assert sealed.splitlines()[3].startswith("  origin: autoresearch-ledger 1.2.3, sha256 ")
    assert sealed.count("\n") == TEXT.count("\n")


def test_what_a_file_is() -> None:
    """As we would write it, as another version wrote it, edited since, somebody else's, or not there."""
    wanted = seal(TEXT, "2")
    older = seal(TEXT.replace("Do it.", "Did it."), "1")

    assert state_of(None, wanted) == "absent"
    assert state_of(wanted.encode(), wanted) == "current"
    assert state_of(older.encode(), wanted) == "outdated"
    assert state_of(wanted.replace("Do it.", "Do it well.").encode(), wanted) == "edited"
    assert state_of(b"---\nname: x\n---\nmine\n", wanted) == "foreign"
    assert state_of(b"\xff", wanted) == "foreign"


@given(st.binary(max_size=20), st.integers(0, 500))
def test_no_edit_is_taken_for_ours(piece: bytes, place: int) -> None:
    """Whatever is put in anywhere."""
    data = seal(TEXT, "1").encode()
    edited = data[:place] + piece + data[place:]

    expected = "current" if edited == data else state_of(edited, seal(TEXT, "1"))
    assert expected in ({"current"} if edited == data else {"edited", "foreign"})


@pytest.mark.parametrize("text", ["none", f"{OPEN} {OPEN}"])
def test_a_text_has_one_place_for_it(text: str) -> None:
    """Else it could not be told what was written."""
    with pytest.raises(ValueError, match="places for its seal"):
        seal(text, "1")

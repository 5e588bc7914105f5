"""Text in tables: harmless, and the same again."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from eventstore.formats.escaping import escaped, harmless, unescaped, unharmed

TRICKY = st.text(alphabet="\\tnr\t\n\r ab'=+-@", max_size=12)


@given(st.one_of(st.text(), TRICKY))
def test_escaped_text_has_no_tabs_and_is_read_back(text: str) -> None:
    """What is escaped breaks no table and is read back the same, backslashes and all."""
    cell = escaped(text)

    assert not set(cell) & set("\t\n\r")
    assert unescaped(cell) == text


@given(st.one_of(st.text(), TRICKY))
def test_harmless_text_is_no_formula_and_is_read_back(text: str) -> None:
    """What is harmless does not start like a formula and is read back the same."""
    cell = harmless(text)

    assert not cell.startswith(("=", "+", "-", "@", "\t", "\r"))
    assert unharmed(cell) == text


def test_ordinary_text_stays() -> None:
    r"""Text with backslashes that mean nothing is not touched."""
    assert escaped(r"C:\users\me") == r"C:\users\me"
    assert escaped("a\tb\nc") == r"a\tb\nc"
    assert escaped(r"a\tb") == r"a\\tb"
    assert harmless("'tis") == "'tis"
    assert harmless("=1+1") == "'=1+1"

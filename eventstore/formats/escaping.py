"""Text in cells of tables: made harmless on the way out, and read back the same where the table says how."""

from __future__ import annotations

import re

__all__ = ["UNESCAPE", "escaped", "harmless", "unescaped", "unharmed"]

UNESCAPE = r"\t \n \r \\"
"""What a table's remark `escapes` says when its text was written by `escaped`."""

_SPELLED = {"\t": r"\t", "\n": r"\n", "\r": r"\r", "\\": r"\\"}
_MEANT = {spelled[1]: character for character, spelled in _SPELLED.items()}
_TO_ESCAPE = re.compile(r"[\t\n\r]|\\(?=[tnr\\\t\n\r]|\Z)")
_TO_READ = re.compile(r"\\([tnr\\])")
_FORMULA = "=+-@\t\r"


def escaped(text: str) -> str:
    r"""Text without tabs and line ends, which are spelled `\t`, `\n`, `\r`.

    A backslash is doubled only where it would otherwise be read as one of these, so that `C:\users` stays.
    """
    return _TO_ESCAPE.sub(lambda found: _SPELLED[found[0]], text)


def unescaped(cell: str) -> str:
    """The text of which `escaped` made this."""
    return _TO_READ.sub(lambda found: _MEANT[found[1]], cell)


def harmless(text: str) -> str:
    """Text that a spreadsheet does not take for a formula: one that could be starts with an apostrophe."""
    return "'" + text if text.lstrip("'")[:1] in tuple(_FORMULA) else text


def unharmed(cell: str) -> str:
    """The text of which `harmless` made this."""
    return cell[1:] if cell.startswith("'") and cell.lstrip("'")[:1] in tuple(_FORMULA) else cell

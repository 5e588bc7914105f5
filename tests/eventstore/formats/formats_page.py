"""The lists of words in `docs/formats.md`, made of the tables that the parsers use.

`python -m tests.eventstore.formats.formats_page` puts today's lists into the page.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from eventstore.formats import protocol, words
from eventstore.formats.own import LEFT_OUT
from eventstore.formats.remarks import REMARK_KEYS
from eventstore.formats.runs import NESTS
from eventstore.formats.runs_csv import COLUMNS
from tests.commands.conftest import ROOT

__all__ = ["PAGE", "fresh", "sections"]

PAGE = ROOT / "docs" / "formats.md"
_SECTION = re.compile(r"<!-- words: (\S+) -->\n(.*?)<!-- end -->", re.DOTALL)


def _listed(names: object) -> str:
    assert isinstance(names, (tuple, list, set, frozenset, dict))
    ordered = names if isinstance(names, (tuple, list, dict)) else sorted(names)
    return ", ".join(f"`{name}`" if name else "an empty text" for name in ordered)


def _by_meaning(table: Mapping[str, str]) -> list[tuple[str, str]]:
    meanings = dict.fromkeys(table.values())
    return [(f"`{m}`", _listed([word for word, other in table.items() if other == m])) for m in meanings]


def _by_name(table: Mapping[str, tuple[str, ...]]) -> list[tuple[str, str]]:
    return [(name, _listed(names)) for name, names in table.items()]


def _rows(head: tuple[str, str], rows: list[tuple[str, str]]) -> str:
    lines = [f"| {head[0]} | {head[1]} |", "|---|---|", *(f"| {left} | {right} |" for left, right in rows)]
    return "\n".join(lines).replace("`|`", "`\\|`") + "\n"


def sections() -> dict[str, str]:
    """Each list of the page, as it should be."""
    return {
        "verdicts": _rows(("status", "words"), _by_meaning(words.STRONG)),
        "weak-verdicts": _rows(("status", "words"), _by_meaning(words.WEAK)),
        "unfinished": _listed(words.UNFINISHED) + "\n",
        "directions": _rows(("direction", "words"), _by_meaning(words.DIRECTIONS)),
        "run-fields": _rows(("what", "names, the most telling first"), _by_name(words.RUN_FIELDS)),
        "verdict-fields": _listed(words.STATUS_FIELDS) + "\n",
        "config-fields": _rows(("field", "names"), _by_name(words.CONFIG_FIELDS)),
        "nests": _listed(NESTS) + "\n",
        "nothing": _listed(tuple(sorted(words.PLACEHOLDERS))) + "\n",
        "units": _listed(words.UNITS) + "\n",
        "auxiliary": _listed(words.AUXILIARY) + "\n",
        "remarks": _rows(("what", "keys"), _by_name(REMARK_KEYS)),
        "not-yet": _listed(protocol.NOT_YET) + "\n",
        "left-out": _rows(("type", "because it is"), [(f"`{kind}`", why) for kind, why in LEFT_OUT.items()]),
        "csv-columns": _listed(COLUMNS) + "\n",
    }


def fresh(page: str) -> str:
    """The page with today's lists. Raises KeyError for a list that there is none of."""
    made = sections()
    return _SECTION.sub(lambda m: f"<!-- words: {m[1]} -->\n{made[m[1]]}<!-- end -->", page)


if __name__ == "__main__":
    PAGE.write_text(fresh(PAGE.read_text(encoding="utf-8")), encoding="utf-8")

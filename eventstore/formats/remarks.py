"""What a table's lines with `#` say: `key: value`, or a sentence that tells which way is better."""

from __future__ import annotations

from collections.abc import Sequence

from eventstore.formats.collecting import Collector
from eventstore.formats.escaping import UNESCAPE, unescaped
from eventstore.formats.tables import Comment
from eventstore.formats.values import clean, direction_in, direction_of, plain_word

__all__ = ["REMARK_KEYS", "Remarks"]

REMARK_KEYS: dict[str, tuple[str, ...]] = {
    "direction": ("metric_direction", "best_direction", "direction", "optimize", "objective"),
    "goal": ("goal", "objective", "task", "title"),
    "metric": ("metric_name", "primary_metric", "metric"),
    "unit": ("metric_unit", "unit"),
}
"""By what it means, the keys of remarks, the most telling first."""

_LONGEST_KEY = 40


class Remarks:
    """The remarks of a table."""

    def __init__(self, comments: Sequence[Comment]) -> None:
        self._said: dict[str, str] = {}
        self._direction: str | None = None
        for comment in comments:
            key, value = _parts(comment)
            if value and len(key) <= _LONGEST_KEY:
                self._said.setdefault(plain_word(key), value)
            self._direction = self._direction or direction_in(comment.text)

    @property
    def escaped(self) -> bool:
        """Whether tabs and line ends in text are spelled out, as our own tables say."""
        return self._said.get("escapes") == UNESCAPE

    def meant(self, text: str) -> str:
        """A text of the table, as it was before it was written."""
        return unescaped(text) if self.escaped else text

    def first(self, what: str) -> str | None:
        """What is said of the `goal`, `metric` or `unit`."""
        return next((self._said[key] for key in REMARK_KEYS[what] if key in self._said), None)

    @property
    def metric(self) -> str | None:
        """The metric's name, where a remark tells one and not what it is made of."""
        named = self._said.get("metric_name") or self.first("metric")
        return None if named is None or (" " in named and "metric_name" not in self._said) else named

    @property
    def direction(self) -> str | None:
        """Which way is better."""
        said = (
            direction_of(self._said[key].split()[0]) for key in REMARK_KEYS["direction"] if key in self._said
        )
        return next((direction for direction in said if direction), self._direction)

    def rest(self) -> dict[str, object]:
        """What is said beside goal, metric and direction."""
        used = {key for keys in REMARK_KEYS.values() for key in keys} | {"escapes"}
        return {key: clean(value) for key, value in self._said.items() if key not in used}

    def account(self, comment: Comment, out: Collector) -> None:
        """Gives a remark its fate."""
        if plain_word(_parts(comment)[0]) in self._said or direction_in(comment.text):
            out.mark(comment.line, "a remark")
        else:
            out.skip(comment.line, "a remark that says nothing we know")


def _parts(comment: Comment) -> tuple[str, str]:
    """A remark's key and value; no value where it has no colon and no equals sign."""
    key, mark, value = comment.text.partition(":" if ":" in comment.text else "=")
    return key, value.strip() if mark else ""

"""The fields of a foreign object or row, found by any of the names that other programs give them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from eventstore.formats.values import is_nothing, plain_word

__all__ = ["Fields"]


class Fields:
    """Values by name, each used at most once; what is never used is `rest`.

    Names are compared as plain words, in lower case with `_` between words: `runNumber` is `runnumber`.
    """

    def __init__(self, values: Mapping[str, Any]) -> None:
        self._values = values
        self._keys: dict[str, str] = {}
        for key in values:
            self._keys.setdefault(plain_word(str(key)), key)
        self._used: set[str] = set()

    def key_of(self, name: str) -> str | None:
        """The source's own name of a field, if it is there, unused, and not null."""
        key = name if name in self._values else self._keys.get(plain_word(name))
        return key if key is not None and key not in self._used and self._values[key] is not None else None

    def has(self, name: str) -> bool:
        """Whether a field is there at all, null or not."""
        return name in self._values or plain_word(name) in self._keys

    def get(self, name: str) -> Any:
        """A field's value, or None; does not use it."""
        key = self.key_of(name)
        return None if key is None else self._values[key]

    def use(self, name: str) -> Any:
        """A field's value, or None; it is then used."""
        key = self.key_of(name)
        if key is None:
            return None
        self._used.add(key)
        return self._values[key]

    def first(self, names: Iterable[str], accept: Callable[[Any], Any]) -> tuple[str, Any] | None:
        """The first field of these names that `accept` makes something of, and what it made; it is then used.

        `accept` returns None for a value that will not do.
        """
        for name in names:
            key = self.key_of(name)
            if key is not None and (made := accept(self._values[key])) is not None:
                self._used.add(key)
                return key, made
        return None

    def text(self, names: Iterable[str]) -> str | None:
        """The first of these fields that holds text that stands for something, as it is; it is then used."""
        found = self.first(names, lambda v: v if isinstance(v, str) and not is_nothing(v) else None)
        return found[1] if found else None

    def rest(self) -> dict[str, Any]:
        """The fields that were not used, in order, nulls left out."""
        return {
            str(key): value
            for key, value in self._values.items()
            if key not in self._used and value is not None
        }

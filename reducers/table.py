"""`Table`: a persistent mapping, for state that is kept by name (design, section 4)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Generic, TypeVar

__all__ = ["Table"]

T = TypeVar("T")

_NONE: Any = object()


class Table(Mapping[str, T], Generic[T]):
    """A mapping that is never changed; `put` gives a new one, every older version keeps its own items.

    For n names a `put` costs O(√n), amortised: what was put lately lies in a small dict of its own, which is
    joined to the large one when its size reaches the root of that one's. Names keep the order they came in.
    Equal to any mapping of the same items; encoded as an object.
    """

    __slots__ = ("_base", "_recent")

    def __init__(self, items: Mapping[str, T] = {}) -> None:
        self._base: dict[str, T] = dict(items)
        self._recent: dict[str, T] = {}

    def put(self, name: str, item: T) -> Table[T]:
        """A table of this one's items with `item` under `name`; this one stays as it is."""
        base, recent = self._base, {**self._recent, name: item}
        if len(recent) ** 2 >= len(base):
            base, recent = {**base, **recent}, {}
        newer: Table[T] = Table.__new__(Table)
        newer._base = base
        newer._recent = recent
        return newer

    def __getitem__(self, name: str) -> T:
        return self._recent[name] if name in self._recent else self._base[name]

    def __iter__(self) -> Iterator[str]:
        yield from self._base
        yield from (name for name in self._recent if name not in self._base)

    def __len__(self) -> int:
        return len(self._base) + sum(name not in self._base for name in self._recent)

    def differing(self, other: Table[T]) -> list[str]:
        """The names under which this one and another do not hold the same object, in their order.

        Of versions that lie few `put`s apart, only what was put lately is looked at.
        """
        lately = {**self._recent, **other._recent}
        names: Iterable[str] = lately
        if self._base is not other._base:
            names = {**self._base, **self._recent, **other._base, **other._recent}
        found = [name for name in names if self.get(name, _NONE) is not other.get(name, _NONE)]
        if len(found) > 1 and names is lately:
            asked = set(found)
            found = [name for name in {**self._base, **lately} if name in asked]
        return found

    def to_dict(self) -> dict[str, T]:
        """The items as a dict of its own."""
        return {**self._base, **self._recent}

    def __repr__(self) -> str:
        return f"Table({self.to_dict()!r})"

    def __copy__(self) -> Table[T]:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Table[T]:
        from copy import deepcopy

        return Table(deepcopy(self.to_dict(), memo))

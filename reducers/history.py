"""`History`: a persistent append-only sequence, for state that grows with the log (design, section 4)."""

from __future__ import annotations

from bisect import insort
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Generic, TypeVar, overload

import msgspec

from reducers.rows import Rows
from reducers.table import Table

__all__ = ["History", "dec_hook", "enc_hook"]

T = TypeVar("T")

_FEW = 32
"""Up to so many new items are put in their places one by one, rather than all sorted."""


class _Storage(list[T]):
    """The items that versions share. ranked: the first of them, as many as it holds, in ascending order."""

    __slots__ = ("ranked",)

    def __init__(self, items: Iterable[T] = ()) -> None:
        super().__init__(items)
        self.ranked: list[Any] = []

    def in_order(self, length: int) -> list[Any]:
        """The first `length` items in ascending order; not to be changed."""
        known = len(self.ranked)
        if known > length:
            return sorted(self[:length])
        if length - known > _FEW:
            self.ranked = sorted(self[:length])
        else:
            for item in self[known:length]:
                insort(self.ranked, item)
        return self.ranked


class History(Sequence[T], Generic[T]):
    """A sequence that is never changed, only pushed onto; every version keeps seeing exactly its own items.

    Versions share storage and each knows its own length, so `push` onto the newest version costs O(1),
    amortised, and `extend` O(1) an item. A push onto an older one copies that one's items first, O(n), and
    starts a storage of its own.
    Equal to a list or another history of the same items; encoded as a list.
    """

    __slots__ = ("_length", "_storage")

    def __init__(self, items: Iterable[T] = ()) -> None:
        self._storage = _Storage(items)
        self._length = len(self._storage)

    def push(self, item: T) -> History[T]:
        """A history of this one's items and `item`; this one stays as it is."""
        storage = self._own_storage()
        storage.append(item)
        return _version(storage, self._length + 1)

    def extend(self, items: Iterable[T]) -> History[T]:
        """A history of this one's items and these, in order; this one stays as it is."""
        storage = self._own_storage()
        storage.extend(items)
        return _version(storage, len(storage))

    def ranked(self) -> Sequence[T]:
        """The items in ascending order, to be looked at before any other version is asked for its own.

        What was put in order once is kept, so that asking each version in turn sorts nothing again. Raises
        TypeError for items that cannot be compared.
        """
        return self._storage.in_order(self._length)

    def may_differ(self, other: History[T]) -> range:
        """The places at which this one and another may hold different items.

        Where one grew from the other, they hold the same up to the shorter one's end.
        """
        shared = min(self._length, other._length) if self._storage is other._storage else 0
        return range(shared, max(self._length, other._length))

    def _own_storage(self) -> _Storage[T]:
        """A storage that holds this one's items and nothing else.

        An empty history never lends its own: it is often a default, which would keep what was pushed alive.
        """
        length = self._length
        if length and len(self._storage) == length:
            return self._storage
        return _Storage(self._storage[:length])

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[T]:
        storage = self._storage
        for index in range(self._length):
            yield storage[index]

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> list[T]: ...
    def __getitem__(self, index: int | slice) -> T | list[T]:
        if isinstance(index, slice):
            return [self._storage[i] for i in range(*index.indices(self._length))]
        if not -self._length <= index < self._length:
            raise IndexError(f"index {index} of a history of {self._length}")
        return self._storage[index if index >= 0 else self._length + index]

    def to_list(self) -> list[T]:
        """The items as a list of its own."""
        return self._storage[: self._length]

    def __eq__(self, other: object) -> bool:
        if isinstance(other, History):
            return self.to_list() == other.to_list()
        return self.to_list() == other if isinstance(other, list) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"History({self.to_list()!r})"

    def __copy__(self) -> History[T]:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> History[T]:
        from copy import deepcopy

        return History(deepcopy(self.to_list(), memo))


_new = History.__new__


def _version(storage: _Storage[T], length: int) -> History[T]:
    version: History[T] = _new(History)
    version._storage = storage
    version._length = length
    return version


def enc_hook(value: Any) -> Any:
    """A history or rows as a list, a table as a dict; for `msgspec.json.encode(state, enc_hook=enc_hook)`."""
    if isinstance(value, History | Rows):
        return value.to_list()
    if isinstance(value, Table):
        return value.to_dict()
    raise NotImplementedError(f"a state may not hold a {type(value).__name__}")


def dec_hook(kind: type, value: Any) -> Any:
    """A list as the history, a dict as the table that a state declares."""
    origin = getattr(kind, "__origin__", kind)
    items = getattr(kind, "__args__", (Any,))[0]
    if origin is History:
        return History(msgspec.convert(value, list[items], dec_hook=dec_hook))  # type: ignore[valid-type]
    if origin is Table:
        return Table(msgspec.convert(value, dict[str, items], dec_hook=dec_hook))  # type: ignore[valid-type]
    raise NotImplementedError(f"a state may not hold a {kind.__name__}")

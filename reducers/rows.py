"""`Rows`: the rows of a view, each made when it is looked at (design, section 4).

A view of a long log has thousands of rows, of which an event changes one. Made anew after each event, they
would cost their square; so a view that is looked at event by event shows `Rows` of its state, not a list.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, Generic, TypeVar, overload

__all__ = ["Rows"]

S = TypeVar("S")
R = TypeVar("R")


class Rows(Sequence[R], Generic[S, R]):
    """A sequence of what `row` makes of a state and a place, from 0.

    count: how many rows there are. touched: the places, in any order, at which the rows of two states may
    differ, among those that both have.
    Equal to a list of the same rows; encoded as a list.
    """

    __slots__ = ("_count", "_row", "_state", "_touched")

    def __init__(
        self,
        state: S,
        count: int,
        row: Callable[[S, int], R],
        touched: Callable[[S, S], Iterable[int]],
    ) -> None:
        self._state = state
        self._count = count
        self._row = row
        self._touched = touched

    def may_differ(self, other: Rows[S, R]) -> Sequence[int]:
        """The places, ascending, at which this one and another may hold different rows."""
        longest, common = max(self._count, other._count), min(self._count, other._count)
        if self._row is not other._row:
            return range(longest)
        touched = {place for place in self._touched(self._state, other._state) if 0 <= place < common}
        return [*sorted(touched), *range(common, longest)]

    def __len__(self) -> int:
        return self._count

    def __iter__(self) -> Iterator[R]:
        return (self._row(self._state, place) for place in range(self._count))

    @overload
    def __getitem__(self, index: int) -> R: ...
    @overload
    def __getitem__(self, index: slice) -> list[R]: ...
    def __getitem__(self, index: int | slice) -> R | list[R]:
        if isinstance(index, slice):
            return [self._row(self._state, place) for place in range(*index.indices(self._count))]
        if not -self._count <= index < self._count:
            raise IndexError(f"row {index} of {self._count}")
        return self._row(self._state, index if index >= 0 else self._count + index)

    def to_list(self) -> list[R]:
        """The rows as a list."""
        return list(self)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Rows):
            other = other.to_list()
        return self.to_list() == other if isinstance(other, list) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"Rows({self.to_list()!r})"

    def __deepcopy__(self, memo: dict[int, Any]) -> list[R]:
        from copy import deepcopy

        return deepcopy(self.to_list(), memo)

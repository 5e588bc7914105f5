from __future__ import annotations

import copy
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, invariant, rule

from reducers.history import History, dec_hook, enc_hook
from reducers.table import Table


class HistoryMachine(RuleBasedStateMachine):
    """Histories against plain lists: every version ever made keeps exactly its own items."""

    versions = Bundle("versions")

    def __init__(self) -> None:
        super().__init__()
        self.all: list[tuple[History[int], list[int]]] = []

    def made(self, history: History[int], model: list[int]) -> tuple[History[int], list[int]]:
        self.all.append((history, model))
        return history, model

    @rule(target=versions, items=st.lists(st.integers(), max_size=3))
    def start(self, items: list[int]) -> tuple[History[int], list[int]]:
        return self.made(History(items), list(items))

    @rule(target=versions, version=versions, item=st.integers())
    def push(self, version: tuple[History[int], list[int]], item: int) -> tuple[History[int], list[int]]:
        history, model = version
        return self.made(history.push(item), [*model, item])

    @rule(
        target=versions,
        version=versions,
        items=st.lists(st.integers(), max_size=3) | st.just([*range(99, 0, -1)]),
    )
    def extend(
        self, version: tuple[History[int], list[int]], items: list[int]
    ) -> tuple[History[int], list[int]]:
        history, model = version
        return self.made(history.extend(iter(items)), model + items)

    @rule(
        version=versions,
        start=st.integers(-9, 9),
        stop=st.integers(-9, 9),
        step=st.sampled_from([-2, -1, 1, 3]),
    )
    def look(self, version: tuple[History[int], list[int]], start: int, stop: int, step: int) -> None:
        history, model = version
        assert history[start:stop:step] == model[start:stop:step]
        if -len(model) <= start < len(model):
            assert history[start] == model[start]
        else:
            with pytest.raises(IndexError, match=f"index {start} of a history of {len(model)}"):
                history[start]

    @rule(version=versions)
    def rank(self, version: tuple[History[int], list[int]]) -> None:
        history, model = version
        assert history.ranked() == sorted(model)

    @invariant()
    def every_version_keeps_its_items(self) -> None:
        for history, model in self.all:
            assert history == model
            assert history == History(model)
            assert (len(history), list(history), history.to_list()) == (len(model), model, model)


TestHistoryMachine = HistoryMachine.TestCase
TestHistoryMachine.settings = settings(max_examples=30, stateful_step_count=25, deadline=None)


def test_a_push_onto_the_newest_version_copies_nothing() -> None:
    """All versions of one line share one storage, however many there are: a push costs O(1)."""
    versions = [History[int]([0])]
    for number in range(1, 2_000):
        versions.append(versions[-1].push(number))

    assert len({id(version._storage) for version in versions}) == 1


def test_a_push_onto_an_older_version_starts_a_storage_of_its_own() -> None:
    """And only then is anything copied."""
    older = History([1, 2])
    newest = older.push(3)
    fork = older.push(4)

    assert fork._storage is not newest._storage
    assert (older.to_list(), newest.to_list(), fork.to_list()) == ([1, 2], [1, 2, 3], [1, 2, 4])
    assert fork.push(5)._storage is fork._storage


def test_an_empty_history_keeps_nothing_alive() -> None:
    """It is often a default: what is pushed onto it is not stored in it."""
    empty = History[int]()
    empty.push(1)
    empty.extend([2, 3])

    assert empty._storage == []


def test_an_extension_that_fails_halfway_leaves_every_version_as_it_was() -> None:
    """An iterator may raise."""
    history = History([1])

    def two_then_none() -> Any:
        yield 2
        raise RuntimeError("no more")

    with pytest.raises(RuntimeError, match="no more"):
        history.extend(two_then_none())
    assert history == [1]
    assert history.push(5) == [1, 5]


def test_a_history_equals_lists_and_histories_alone() -> None:
    """A tuple of the same items is something else; a history has no hash."""

    assert History([1]) != (1,)
    assert History([1]) != History([2])
    assert repr(History([1])) == "History([1])"
    with pytest.raises(TypeError, match="unhashable"):
        hash(History([1]))


def test_a_copy_is_the_history_itself_and_a_deep_copy_is_not() -> None:
    """It cannot change, but its items could."""
    history = History([[1]])
    deep = copy.deepcopy(history)

    assert copy.copy(history) is history
    assert deep == history
    assert deep[0] is not history[0]


class Item(msgspec.Struct, frozen=True):
    number: int


class State(msgspec.Struct, frozen=True):
    items: History[Item] = History()
    by_name: Table[History[int]] = Table()


@given(st.lists(st.integers()), st.dictionaries(st.text(), st.lists(st.integers())))
def test_histories_and_tables_are_encoded_as_lists_and_objects(
    numbers: list[int], named: dict[str, list[int]]
) -> None:
    """One within the other too, and typed items come back typed."""
    state = State(History(map(Item, numbers)), Table({name: History(items) for name, items in named.items()}))
    data = msgspec.json.encode(state, enc_hook=enc_hook)

    plain = {"items": [{"number": number} for number in numbers], "by_name": named}
    assert msgspec.json.decode(data) == plain
    assert msgspec.json.decode(data, type=State, dec_hook=dec_hook) == state


@pytest.mark.parametrize(
    "text", ['{"items":{}}', '{"items":[{"number":"x"}]}', '{"by_name":[1]}', '{"items":3}']
)
def test_what_is_no_history_or_table_is_refused(text: str) -> None:
    """A snapshot may hold anything; then it is not used."""
    with pytest.raises(msgspec.ValidationError):
        msgspec.json.decode(text, type=State, dec_hook=dec_hook)


def test_other_types_are_refused_by_name() -> None:
    """A state may not hold what JSON cannot."""
    with pytest.raises(NotImplementedError, match="may not hold a complex"):
        enc_hook(1j)
    with pytest.raises(NotImplementedError, match="may not hold a complex"):
        dec_hook(complex, "1j")

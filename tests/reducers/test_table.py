from __future__ import annotations

import copy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reducers.table import Table

names = st.text("abcdefgh", max_size=2)


@given(st.lists(st.tuples(names, st.integers(), st.integers(0, 5))))
def test_every_version_is_a_dict_of_its_own_items(puts: list[tuple[str, int, int]]) -> None:
    """Also where one grows out of an older one; names keep the order they came in."""
    versions: list[tuple[Table[int], dict[str, int]]] = [(Table(), {})]
    for name, item, back in puts:
        table, model = versions[max(len(versions) - 1 - back, 0)]
        versions.append((table.put(name, item), {**model, name: item}))

    for table, model in versions:
        assert table == model
        assert table == Table(model)
        assert (list(table), list(table.items())) == (list(model), list(model.items()))
        assert (len(table), table.to_dict()) == (len(model), model)
        assert table.get("zz") is None


@given(st.lists(st.tuples(names, st.integers(0, 5))))
def test_what_differs_between_two_versions(puts: list[tuple[str, int]]) -> None:
    """The names under which they hold other objects, in the order of both one after the other."""
    versions: list[Table[object]] = [Table()]
    for name, back in puts:
        versions.append(versions[max(len(versions) - 1 - back, 0)].put(name, object()))

    for one in versions:
        for other in versions:
            both = {**one.to_dict(), **other.to_dict()}
            assert one.differing(other) == [name for name in both if one.get(name) is not other.get(name)]


def test_a_missing_name_is_a_key_error() -> None:
    """As in a dict."""
    with pytest.raises(KeyError, match="b"):
        Table({"a": 1})["b"]


def test_a_put_copies_the_square_root_of_what_is_there() -> None:
    """n puts of n names copy about n * sqrt(n) items, not n * n: counted by the sizes of what is made."""
    table: Table[int] = Table()
    copied = 0
    for number in range(4_000):
        base = table._base
        table = table.put(str(number), number)
        copied += len(table._recent) + (len(table._base) if table._base is not base else 0)

    assert copied < 4 * 4_000**1.5


def test_a_table_is_separate_from_the_mapping_it_was_made_of() -> None:
    """It never changes."""
    items = {"a": 1}
    table = Table(items)
    items["b"] = 2

    assert table == {"a": 1}
    assert repr(table) == "Table({'a': 1})"


def test_a_copy_is_the_table_itself_and_a_deep_copy_is_not() -> None:
    """Its items could change."""
    table = Table({"a": [1]})
    deep = copy.deepcopy(table)

    assert copy.copy(table) is table
    assert deep == table
    assert deep["a"] is not table["a"]

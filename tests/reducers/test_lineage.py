"""Which commit belongs to which run."""

from __future__ import annotations

from typing import Any

from reducers.core import fold
from reducers.laws import check
from reducers.lineage import lineage


def rows(log: list[Any]) -> list[tuple[Any, ...]]:
    """Of each run what its commit is, whether it was made for it, and the value before and after."""
    found = fold(lineage, log).runs
    return [(row.run, row.commit, row.made, row.baseline, row.before, row.after) for row in found]


def test_laws() -> None:
    """It is a reducer like the others."""
    check(lineage)


def test_a_cycle_s_commit_is_known_in_full(log: list[Any]) -> None:
    """The baseline made none; what was rolled back, and by which commit, is remembered.

    {"type":"config","seq":1,"name":"g","metricName":"ms","bestDirection":"lower"}
    {"type":"committed","seq":2,"cycle":0,"commit":"aaaaaaaaaaaa"}
    {"type":"run","seq":3,"run":1,"commit":"aaaaaaa","metric":40,"status":"keep","reason":"baseline"}
    {"type":"committed","seq":4,"cycle":1,"commit":"bbbbbbbbbbbb","parent":"aaaaaaaaaaaa"}
    {"type":"run","seq":5,"run":2,"commit":"bbbbbbb","metric":35,"status":"keep"}
    {"type":"committed","seq":6,"cycle":2,"commit":"cccccccccccc"}
    {"type":"run","seq":7,"run":3,"commit":"ccccccc","metric":36,"status":"discard"}
    {"type":"reverted","seq":8,"cycle":2,"commit":"cccccccccccc","revert_commit":"dddddddddddd","verified":true}
    {"type":"committed","seq":9,"cycle":3,"commit":"eeeeeeeeeeee"}
    {"type":"run","seq":10,"run":4,"commit":"eeeeeee","metric":30,"status":"keep"}
    {"type":"reverted","seq":11,"cycle":3,"commit":"eeeeeeeeeeee","verified":false}
    """
    assert rows(log) == [
        (1, "aaaaaaa", False, True, None, 40),
        (2, "bbbbbbbbbbbb", True, False, 40, 35),
        (3, "cccccccccccc", True, False, 35, 36),
        (4, "eeeeeeeeeeee", True, False, 35, 30),
    ]
    assert [(each.commit, each.revert_commit) for each in fold(lineage, log).undone] == [
        ("cccccccccccc", "dddddddddddd")
    ]


def test_foreign_runs_have_the_commit_they_name(log: list[Any]) -> None:
    """Also where one comes in between a cycle's commit and its run; each segment counts for itself.

    {"type":"committed","seq":1,"cycle":1,"commit":"bbbbbbbbbbbb"}
    {"run":9,"commit":"1234567","metric":5,"status":"keep"}
    {"run":10,"metric":4,"status":"keep"}
    {"type":"run","seq":4,"run":3,"commit":"bbbbbbb","metric":3,"status":"keep"}
    {"type":"config","name":"another","metricName":"s","bestDirection":"higher"}
    {"run":11,"commit":"7654321","metric":7,"status":"discard"}
    """
    assert rows(log) == [
        (1, "1234567", False, True, None, 5),
        (2, None, False, False, 5, 4),
        (3, "bbbbbbbbbbbb", True, False, 4, 3),
        (4, "7654321", False, True, None, 7),
    ]
    assert [(row.segment, row.goal.metric_name) for row in fold(lineage, log).runs] == [
        (0, "metric"),
        (0, "metric"),
        (0, "metric"),
        (1, "s"),
    ]

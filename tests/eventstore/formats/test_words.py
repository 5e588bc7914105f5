"""The tables of words: each word means one thing, in the shape it is looked up in."""

from __future__ import annotations

import pytest

from eventstore.formats import words
from eventstore.formats.values import direction_of, plain_word, status_of


def test_a_verdict_means_one_thing() -> None:
    """No word stands for two statuses, and each is found as it is spelled."""
    assert not words.STRONG.keys() & words.WEAK.keys()
    assert not words.STATUSES.keys() & words.UNFINISHED
    for word, status in words.STATUSES.items():
        assert plain_word(word) == word
        assert status_of(word) == status
        assert status_of(word.upper()) == status


def test_every_direction_word_is_found() -> None:
    """So with directions."""
    for word, direction in words.DIRECTIONS.items():
        assert direction_of(word) == direction


@pytest.mark.parametrize(
    "names", [*words.RUN_FIELDS.values(), *words.CONFIG_FIELDS.values(), words.STATUS_FIELDS]
)
def test_names_are_plain_words(names: tuple[str, ...]) -> None:
    """Names of fields are looked up in lower case, and none stands twice in its list."""
    assert len(set(names)) == len(names)
    assert all(plain_word(name) == name for name in names)

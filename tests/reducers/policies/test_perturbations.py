from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from reducers.policies.perturbations import PERTURBATIONS, choose, named

TEXTS = st.sampled_from([each.text for each in PERTURBATIONS]) | st.none() | st.text(max_size=10)


def test_the_set_is_what_the_page_says() -> None:
    """Enough to last a while; each one line, told apart by its name."""
    assert len(PERTURBATIONS) >= 10
    assert len({each.name for each in PERTURBATIONS}) == len(PERTURBATIONS)
    for each in PERTURBATIONS:
        assert ":" not in each.name
        assert each.text.isprintable()
        assert len(each.text) < 200
        assert named(each.text) is each


def test_other_words_name_none() -> None:
    """What people wrote themselves."""
    assert [named(text) for text in (None, "", "try harder", "invert")] == [None] * 4
    assert named("Shrink the problem") is not None


@given(st.integers(), st.lists(TEXTS, max_size=40))
def test_the_same_seed_and_use_give_the_same(seed: int, used: list[str | None]) -> None:
    """In whatever order they were used."""
    assert choose(seed, used) == choose(seed, reversed(used))


@given(st.lists(st.integers(), min_size=len(PERTURBATIONS) * 2, max_size=len(PERTURBATIONS) * 2))
def test_none_comes_twice_before_all_came_once(seeds: list[int]) -> None:
    """Whatever the seeds; and so on, round by round."""
    used: list[str | None] = []
    for seed in seeds:
        used.append(choose(seed, used).text)
    half = len(PERTURBATIONS)

    assert len(set(used[:half])) == half
    assert len(set(used[half:])) == half


def test_the_seed_decides_among_those_that_are_left() -> None:
    """So that two sessions do not all begin with the same."""
    assert len({choose(seed, ()).name for seed in range(200)}) == len(PERTURBATIONS)

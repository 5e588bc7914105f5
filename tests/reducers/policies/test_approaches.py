from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reducers.policies.approaches import (
    GENERAL,
    IMPACTS,
    KINDS,
    Kind,
    guessed,
    kind_named,
    known,
    tried,
    untried,
)


def test_the_kinds_are_those_named() -> None:
    """In their order; each is what its name says."""

    assert tuple(known()) == KINDS
    assert all(kind.name == name for name, kind in known().items())


@pytest.mark.parametrize("kind", known().values(), ids=lambda kind: kind.name)
def test_a_kind_is_well_formed(kind: Kind) -> None:
    """High impact first, names unique, every strategy says what, why, and how it is recognised."""
    impacts = [IMPACTS.index(strategy.impact) for strategy in kind.strategies]

    assert impacts == sorted(impacts)
    assert impacts[0] == 0
    assert len({strategy.name for strategy in kind.strategies}) == len(kind.strategies) >= 5
    for strategy in kind.strategies:
        assert strategy.what.endswith(".")
        assert strategy.why.endswith(".")
        assert strategy.words


@pytest.mark.parametrize("kind", known().values(), ids=lambda kind: kind.name)
def test_every_word_is_of_the_form_it_is_looked_for_in(kind: Kind) -> None:
    """As texts are normalised: small letters, no punctuation; otherwise it would never be found."""
    for strategy in kind.strategies:
        for word in strategy.words:
            assert strategy in tried(kind.strategies, [f"we {word} it"]), word


@pytest.mark.parametrize(
    ("metric", "measure", "goal", "unit", "kind"),
    [
        ("seconds", "python -m pytest -q", None, "s", "test_time"),
        ("total", None, "make the build faster", "s", "build_time"),
        ("bundle_kb", "wc -c dist/app.js", None, "kb", "bundle_size"),
        ("median_s", "hyperfine ./a", None, "s", "runtime"),
        ("peakRssMb", "./bench", None, "mb", "memory"),
        ("val_bpb", "uv run train.py", "better model", "", "model_training"),
        ("score", "python evals.py", "a better prompt", "", "prompt_quality"),
        ("p95_ms", None, None, "ms", "query_latency"),
        ("cold_start_ms", None, None, "ms", "startup_time"),
        ("size_mb", "docker image inspect x", None, "mb", "image_size"),
        ("performance", "npx lighthouse http://x", None, "", "page_score"),
        ("rps", "wrk -d 5 http://x", None, "", "throughput"),
        ("x", "./a", "better", "ms", "runtime"),
        ("x", "./a", "better", "MB", "memory"),
        ("metric", None, "", "", GENERAL),
        (None, None, None, None, GENERAL),
    ],
)
def test_the_kind_of_a_target_is_guessed(
    metric: str | None, measure: str | None, goal: str | None, unit: str | None, kind: str
) -> None:
    """From the metric's name, the command, the goal, in this order; at last from the unit."""

    assert guessed(metric, measure, goal, unit) == kind


@pytest.mark.parametrize("name", ["test_time", "test-time", "Test Time"])
def test_a_kind_is_found_however_it_is_spelled(name: str) -> None:
    """Case, hyphens and underscores do not matter."""

    assert kind_named(name) is known()["test_time"]
    assert kind_named("speed of light") is None


def test_what_was_spoken_of_is_no_longer_untried() -> None:
    """Beginnings of words count, short ones only as whole words."""
    strategies = known()["model_training"].strategies

    names = [s.name for s in untried(strategies, ["LR warm-up over 200 steps", "an lru cache", "use Adam"])]

    assert "learning-rate schedule" not in names
    assert "optimiser" not in names
    assert "batch size" in names
    assert [s.name for s in tried(strategies, ["an lru cache"])] == []


@given(st.sampled_from(KINDS), st.lists(st.text(max_size=30) | st.sampled_from(("cache it", "batch", "lr"))))
def test_every_strategy_is_either_tried_or_not(name: str, texts: list[str]) -> None:
    """And what is not tried is told by impact."""
    strategies = known()[name].strategies

    done, rest = tried(strategies, texts), untried(strategies, texts)

    assert {s.name for s in done} | {s.name for s in rest} == {s.name for s in strategies}
    assert not {s.name for s in done} & {s.name for s in rest}
    assert [s.impact for s in rest] == sorted((s.impact for s in rest), key=IMPACTS.index)

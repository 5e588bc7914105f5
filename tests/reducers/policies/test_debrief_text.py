from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
import pytest
from hypothesis import given
from msgspec.structs import replace

from eventstore.events import Config, Record, Run, Stopped
from reducers.core import fold, to_plain
from reducers.debrief import DebriefView, debrief
from reducers.policies.debrief_text import advice, markdown, reason_words, text
from reducers.strategies import logs

HOSTILE = "\x1b[2J`a` | <b>$(x)\n# Heading"


def view_of(*log: Record) -> DebriefView:
    return debrief.view(fold(debrief, log))


def run(number: int, metric: float | None, status: str = "keep", **fields: Any) -> Run:
    at = 1_764_517_600_000 + number * 60_000
    return Run(**{"run": number, "metric": metric, "status": status, "timestamp": at, **fields})


CONFIG = Config(name="faster", metricName="total", metricUnit="ms", seq=1, timestamp=1_764_517_600_000)

SESSION = view_of(
    CONFIG,
    run(1, 44.4, commit="aaaaaaa"),
    run(2, 38.9, description="arena allocator", commit="bbbbbbb"),
    run(3, None, "crash"),
    run(4, 41, "discard"),
    run(5, None, "checks_failed"),
    run(6, 30.1, description="SIMD scanning", commit="ccccccc"),
    Stopped(reason="max_cycles", detail="5 of 5 cycles", timestamp=1_764_517_600_000 + 3_900_000),
)


def test_a_debrief_says_what_the_first_skill_said() -> None:
    """Title, figures, kept changes, why it stopped, between which commits; then what to do."""

    assert text(SESSION, ".auto/log.jsonl") == (
        "AUTORESEARCH COMPLETE\n"
        "\n"
        "Goal:         faster\n"
        "Baseline:     44.4 ms\n"
        "Final best:   30.1 ms\n"
        "Improvement:  +32.2% (confidence 5.2, likely real)\n"
        "Cycles run:   5\n"
        "Kept:         2\n"
        "Discarded:    2 (1 of them failed the constraint)\n"
        "Crashed:      1\n"
        "Refused:      0\n"
        "Elapsed:      1 h 05 min (the loop at work 40 min)\n"
        "Results log:  .auto/log.jsonl\n"
        "\n"
        "KEPT CHANGES\n"
        "1. arena allocator: 44.4 -> 38.9 ms (-12.4%)\n"
        "2. SIMD scanning: 38.9 -> 30.1 ms (-22.6%)\n"
        "\n"
        "Stop reason: cycle limit (5 of 5 cycles)\n"
        "Baseline SHA: aaaaaaa\n"
        "Final SHA: ccccccc\n"
        "\n"
        "NEXT\n"
        "- A large gain: `ar finalize plan` makes branches of it that tell the measurements.\n"
        "- A limit ended it, not the search: raise it (`ar init --max-cycles N --time-limit N`).\n"
    )


def test_markdown_says_the_same() -> None:
    """As a table and lists."""
    told = markdown(SESSION, ".auto/log.jsonl")

    assert told.startswith("# AUTORESEARCH COMPLETE\n\n| | |\n|---|---|\n| Goal | faster |\n")
    assert "| Results log | `.auto/log.jsonl` |\n| Stop reason | cycle limit (5 of 5 cycles) |\n" in told
    assert '1. "arena allocator": 44.4 -> 38.9 ms (-12.4%)\n' in told


def test_without_kept_runs_it_says_so() -> None:
    """No error, and what to look at."""
    view = view_of(CONFIG, run(1, 44.4), run(2, 45, "discard"))

    assert "\nKEPT CHANGES\nNo change was kept.\n" in text(view, "log")
    assert any(words.startswith("Nothing was kept") for words in advice(view))
    assert "\nNo change was kept.\n" in markdown(view, "log")
    assert "Cycles run:   0\n" in text(view_of(), "log")


def test_hostile_words_are_inert() -> None:
    """On one line, no escape, nothing that Markdown or HTML would obey."""
    view = view_of(
        msgspec.structs.replace(CONFIG, name=HOSTILE, metricUnit=HOSTILE),
        run(1, 44.4, commit=HOSTILE),
        run(2, 38.9, description=HOSTILE, commit=HOSTILE),
        Stopped(reason=HOSTILE, detail=HOSTILE),
    )

    for told in (text(view, HOSTILE), markdown(view, HOSTILE)):
        assert "\x1b" not in told
        assert "\n# Heading" not in told
    for line in markdown(view, HOSTILE).splitlines():
        assert "<b>" not in line.replace("`\\x1b[2J'a' \\| <b>$(x) # Heading`", "")


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        ("max_cycles", "cycle limit"),
        ("time_limit", "time limit"),
        ("target", "target reached"),
        ("discards", "diminishing returns"),
        ("user", "user interrupt"),
        ("harness", "a measuring script had changed"),
        ("power_cut", "power_cut"),
    ],
)
def test_why_it_stopped_is_told_in_words(reason: str, words: str) -> None:
    """A reason nobody knows by its own name; one that only holds is told apart from one that was recorded."""

    assert reason_words(view_of(Stopped(reason=reason))) == words
    assert reason_words(replace(view_of(), stop_reason=reason)) == f"{words}, though no stop is recorded"
    assert reason_words(view_of()) == "none yet: the session may go on"


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"improvement_pct": 25.0, "kept": 2, "confidence": 3.0}, "A large gain"),
        ({"improvement_pct": 25.0, "kept": 2, "confidence": 0.5}, "The gain is within noise"),
        ({"stop_reason": "discards", "kept": 1}, "Diminishing returns"),
        ({"checks_failed": 3, "kept": 1}, "Most changes failed the constraint"),
        ({"crashed": 3, "kept": 1}, "Most changes crashed"),
        ({"refused": 3, "kept": 1}, "Many turns were refused"),
        ({"stop_reason": "no_change", "kept": 1}, "The agent changes nothing"),
        ({"stop_reason": "target", "kept": 1}, "The target is reached"),
        ({"stop_reason": "time_limit", "kept": 1}, "A limit ended it"),
        ({"stop_reason": "rollback_failed"}, "See to the working tree"),
        ({"stop_reason": "harness"}, "See what changed the measuring scripts"),
        ({"stop_reason": "agent_failed"}, "Run the agent's command by hand"),
        ({"cycles": 0}, "No cycle was run yet"),
        ({"kept": 1}, "Go on"),
    ],
)
def test_the_advice_is_about_what_dominated(changes: dict[str, Any], words: str) -> None:
    """The first of it; a gain within noise is not called large."""
    view = replace(view_of(), **{"cycles": 5, **changes})

    assert advice(view)[0].startswith(words)
    assert len([each for each in advice(view) if each.startswith(("A large gain", "The gain is"))]) <= 1


@given(logs())
def test_any_log_has_a_debrief(log: Sequence[Record]) -> None:
    """No log makes it fail, also when the view came back from JSON; all of it is printable."""
    view = view_of(*log)
    back = msgspec.convert(to_plain(view), DebriefView)

    for told in (text(back, "log"), markdown(back, "log")):
        assert all(c == "\n" or c.isprintable() or c.isspace() or c in "\u200c\u200d" for c in told)
    assert text(view, "log") == text(back, "log")
    assert advice(view)

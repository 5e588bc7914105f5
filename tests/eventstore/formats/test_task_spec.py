"""A task's specification in Markdown, read and written."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eventstore.events import Config
from eventstore.formats.task_spec import parse_task, write_task

TEXT = st.text(max_size=30).map(str.strip).filter(lambda text: text and "\r" not in text)
LINE = TEXT.map(lambda text: " ".join(text.split())).filter(lambda text: text and not text.startswith("["))


@given(
    st.builds(
        Config,
        name=TEXT,
        metricName=LINE,
        metricUnit=st.sampled_from(["", "ms"]),
        bestDirection=st.sampled_from(["lower", "higher"]),
        milestones=st.lists(LINE, max_size=3).map(tuple),
        success=st.lists(LINE, max_size=3).map(tuple),
    )
)
def test_written_and_read_back(config: Config) -> None:
    """A goal that was written is read back, whatever its text looks like."""
    assert parse_task(write_task(config)) == config


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("# Task: faster parsing\n\nsome words\n", "faster parsing"),
        ("# Faster parsing\n\nsome words\n", "Faster parsing"),
        ("# T\n## Goal\nMake it\nfaster.\n## Other\nx\n", "Make it\nfaster."),
        ("# T\n## Objective: win\n", "win"),
        ("# 任务\n## 目标\n更快\n", "更快"),
        ("just words\n", "just words"),
        ("```\n# not a heading\n```\n", "```\n# not a heading\n```"),
        ("", None),
        ("\n\n", None),
    ],
)
def test_goals(text: str, name: str | None) -> None:
    """What stands under a heading like Goal, else the first heading, else the text."""
    config = parse_task(text)

    assert (config and config.name) == name


def test_lists() -> None:
    """Milestones and success criteria are the items of their lists, however they are marked."""
    text = "# G\n## Milestones\n1. one\n- [ ] two\n* three\nprose\n## Success Criteria\n- four\n"

    config = parse_task(text)
    assert config is not None
    assert (config.milestones, config.success) == (("one", "two", "three"), ("four",))


def test_a_metric_needs_its_direction() -> None:
    """A metric is taken with its direction; one without is not guessed at."""
    one = parse_task("# G\n## Metric\n- name: total_ms\n- unit: ms\n- direction: lower is better\n")
    two = parse_task("# G\n## Metric\n- name: total_ms\n")

    assert one is not None
    assert two is not None
    assert (one.metricName, one.metricUnit, one.bestDirection) == ("total_ms", "ms", "lower")
    assert two.metricName is None

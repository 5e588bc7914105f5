"""What hooks are told: the shape of payloads, and the recorded run in them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eventstore.events import Run
from eventstore.lines import decode_line
from hooks.payload import SESSION_KEYS, after_payload, before_payload, mock_payload, run_fields
from reducers.session import session

EMPTY = session.view(session.initial)


def fields_of(line: str | bytes) -> dict[str, Any]:
    """The run in a line, as a hook reads it from its payload."""
    data = line if isinstance(line, bytes) else line.encode()
    run = decode_line(data)
    assert isinstance(run, Run)
    payload: dict[str, Any] = json.loads(after_payload(EMPTY, run_fields(data, run), "/"))
    entry: dict[str, Any] = payload["run_entry"]
    return entry


def test_before_the_first_run() -> None:
    """A new session: run 1 is next, there is no last run, and the session has its seven keys in order."""
    assert before_payload(EMPTY, None, "/home/u/project") == (
        b'{"event":"before","cwd":"/home/u/project","next_run":1,"last_run":null,"session":{'
        b'"metric_name":"metric","metric_unit":"","direction":"lower","baseline_metric":null,'
        b'"best_metric":null,"run_count":0,"goal":""}}\n'
    )


@pytest.mark.parametrize("stage", ["before", "after"])
def test_payloads_are_one_line_with_keys_in_order(stage: Any) -> None:
    """One line of JSON and its newline; the keys stand in the order of the contract."""
    data = mock_payload(stage, "/x")
    payload = json.loads(data)
    told = ["next_run", "last_run"] if stage == "before" else ["run_entry"]

    assert data.count(b"\n") == 1
    assert data.endswith(b"}\n")
    assert list(payload) == ["event", "cwd", *told, "session"]
    assert tuple(payload["session"]) == SESSION_KEYS


def test_the_mock_before_the_first_run_and_after_one() -> None:
    """The mock for before has no run, no baseline and no best; the one for after one kept run."""
    before, after = json.loads(mock_payload("before", "/")), json.loads(mock_payload("after", "/"))

    assert (before["next_run"], before["last_run"], before["session"]["run_count"]) == (1, None, 0)
    assert (before["session"]["baseline_metric"], before["session"]["best_metric"]) == (None, None)
    assert (after["run_entry"]["run"], after["run_entry"]["status"]) == (1, "keep")
    assert after["session"]["run_count"] == 1
    assert after["session"]["best_metric"] == after["run_entry"]["metric"]


def test_a_line_of_ours_comes_whole() -> None:
    """Envelope, metrics, asi: every field of the line, in its order, as it was written."""
    line = (
        '{"type":"run","seq":12,"timestamp":1764517599123,"by":"worker:gpu0","prev":"9f86d081884c7d65",'
        '"run":6,"commit":"a1b2c3d","metric":38.9,"metrics":{"rss_kb":512},"status":"discard",'
        '"description":"sort first","segment":0,"confidence":2.1,"asi":{"hypothesis":"fewer misses"}}'
    )

    assert fields_of(line) == json.loads(line)
    assert list(fields_of(line)) == list(json.loads(line))


def test_what_foreign_programs_wrote_stays() -> None:
    """Fields that this version does not know reach the hook, however they are nested or large."""
    line = (
        '{"run": 3, "status": "keep", "metric": 1e-05, "description": "d", "iterationTokens": 1234,'
        ' "cost": {"usd": [0.1, 2]}, "ticket": 123456789012345678901234567890, "asi": "a text"}'
    )

    assert fields_of(line) == json.loads(line)


@pytest.mark.parametrize(
    ("line", "told"),
    [
        ('{"run":3}', {"status": "unknown", "metric": None, "description": ""}),
        ('{"run":3,"status":"keep","metric":"fast"}', {"metric": "fast", "description": ""}),
        ('{"run":3,"status":"keep","metric":{"a":1},"description":7}', {"metric": None, "description": ""}),
        ('{"run":3,"status":"keep","metric":1e999}', {"metric": None}),
        ('{"run":3,"status":7}', {"status": "7"}),
        ("\ufeff" + '{"run":3,"status":"keep","new":1}', {"status": "keep", "new": 1}),
    ],
)
def test_four_fields_are_always_there(line: str, told: dict[str, Any]) -> None:
    """run, status, metric and description are in every payload, as the log's reader takes them."""
    entry = fields_of(line)

    assert {"run", "status", "metric", "description"} <= entry.keys()
    assert entry["run"] == 3
    assert {key: entry[key] for key in told} == told


@pytest.mark.parametrize(
    ("written", "told"),
    [
        (r"half \ud83d of it", "half \N{REPLACEMENT CHARACTER} of it"),
        (r"\ude00 the other", "\N{REPLACEMENT CHARACTER} the other"),
        (r"whole \ud83d\ude00", "whole 😀"),
        (r"spelled \\ud83d", r"spelled \ud83d"),
        (r"\\\ud83d", "\\\N{REPLACEMENT CHARACTER}"),
        (r"\ud83d\ud83d\ude00", "\N{REPLACEMENT CHARACTER}😀"),
    ],
)
def test_half_a_character_is_replaced(written: str, told: str) -> None:
    """What cuts text in UTF-16 units leaves half of a pair, which jq and others refuse; pairs stay."""
    entry = fields_of(f'{{"run":3,"status":"keep","description":"d","note":"{written}"}}')

    assert entry["note"] == told


def test_a_line_that_is_gone_is_told_from_the_event() -> None:
    """Without the line, or with one that is no JSON object, the event's own fields are told."""
    run = Run(run=3, status="keep", metric=1, description="d", asi={"learned": "x"})

    for line in (None, b"torn {", b"[]"):
        entry = run_fields(line, run)
        assert (entry["run"], entry["status"], entry["metric"]) == (3, "keep", 1)
        assert entry["asi"] == {"learned": "x"}


def test_a_working_directory_of_any_bytes() -> None:
    """A directory whose name is no UTF-8 does not keep a hook from firing."""
    assert json.loads(before_payload(EMPTY, None, "/caf\udce9"))["cwd"] == "/caf\N{REPLACEMENT CHARACTER}"


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)
numbers = st.integers(-(2**70), 2**70) | st.floats(allow_nan=False, allow_infinity=False)
values = st.recursive(
    st.none() | st.booleans() | numbers | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)


@given(st.dictionaries(texts, values, max_size=5))
def test_any_recorded_field_is_told_as_it_was(extra: dict[str, Any]) -> None:
    """Whatever else a run's line holds is in the payload with the same value."""
    known = {"type": "run", "run": 3, "status": "keep", "metric": 2, "description": "d"}
    envelope = dict.fromkeys(("seq", "timestamp", "by", "id", "prev"))
    line = {**{key: value for key, value in extra.items() if key not in envelope}, **known}

    assert fields_of(json.dumps(line)) == line

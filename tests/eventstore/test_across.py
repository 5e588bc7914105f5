"""Rules over several fields: configs, settings, and the nearest name."""

from __future__ import annotations

from typing import Any

import pytest

from eventstore.across import nearest
from eventstore.door import admit
from eventstore.errors import InvalidEventError
from eventstore.events import Settings

NAN = float("nan")


def refused(kind: str, fields: dict[str, Any]) -> tuple[str, str]:
    with pytest.raises(InvalidEventError) as caught:
        admit(kind, fields)
    return caught.value.message, caught.value.remedy


@pytest.mark.parametrize(
    ("name", "limit"),
    [
        ("max_cycles", 1),
        ("max_cycles", "none"),
        ("max_iterations", 50),
        ("discards", 8),
        ("discards", "none"),
        ("failures", 1),
        ("failures", "none"),
        ("no_change", 1_000_000_000),
        ("no_change", "none"),
        ("time_limit_minutes", 0.5),
        ("time_limit_minutes", 120),
        ("target", 0),
        ("target", -3.5),
        ("target", "none"),
    ],
)
def test_a_limit_is_a_number_or_none(name: str, limit: Any) -> None:
    """Above 0; a target may be any number."""
    assert admit("settings", {"limits": {name: limit}}) == Settings(limits={name: limit})


@pytest.mark.parametrize(
    ("name", "limit", "words"),
    [
        ("max_cycles", 0, "0 is neither a whole number from 1 nor none (no limit)"),
        ("max_cycles", -1, "-1 is neither a whole number from 1"),
        ("max_cycles", 2.5, "2.5 is neither a whole number from 1"),
        ("max_cycles", "50", '"50" is neither a whole number from 1'),
        ("max_cycles", "None", '"None" is neither'),
        ("max_cycles", "", '"" is neither'),
        ("max_cycles", None, "null is neither"),
        ("max_iterations", 0, "0 is neither a whole number from 1"),
        ("discards", 0, "0 is neither a whole number from 1"),
        ("discards", -5, "-5 is neither a whole number from 1"),
        ("failures", 0, "0 is neither a whole number from 1"),
        ("failures", "never", '"never" is neither a whole number from 1'),
        ("no_change", 0.5, "0.5 is neither a whole number from 1"),
        ("max_cycles", 10**12, "1000000000000 is neither a whole number from 1 to 1000000000 nor none"),
        ("time_limit_minutes", 1e10, "10000000000.0 is neither a number above 0 to 1000000000 nor none"),
        ("time_limit_minutes", 0, "0 is neither a number above 0"),
        ("time_limit_minutes", -0.0, "-0.0 is neither a number above 0"),
        ("target", None, "null is neither a finite number"),
        ("target", "fast", '"fast" is neither a finite number'),
    ],
)
def test_a_limit_never_reads_as_none_by_mistake(name: str, limit: Any, words: str) -> None:
    """0, a negative or unparsable number is an error, never "no limit" (design, section 5)."""
    message, remedy = refused("settings", {"limits": {name: limit}})

    assert message.startswith(f"settings.limits.{name}: {words}")
    assert remedy.endswith(", or none")


@pytest.mark.parametrize("limit", [NAN, float("inf"), -float("inf")])
def test_a_limit_is_finite(limit: float) -> None:
    """Infinity is no way to say none."""
    for name in ("max_cycles", "time_limit_minutes", "target"):
        assert "is not JSON" in refused("settings", {"limits": {name: limit}})[0]


@pytest.mark.parametrize(
    ("fields", "message", "remedy"),
    [
        (
            {"limits": {"max_cycle": 1}},
            'settings.limits: no "max_cycle"; there are max_cycles, ',
            "use max_cycles",
        ),
        ({"limits": {"zzz": 1}}, 'settings.limits: no "zzz"', "use one of these"),
        ({"limits": {"": 1}}, 'settings.limits: no ""', "use one of these"),
        ({"thresholds": {"struct": 1}}, 'settings.thresholds: no "struct"', "use structure"),
        (
            {"thresholds": {"human": 0}},
            "settings.thresholds.human: 0 is not a whole number from 1",
            "give a whole",
        ),
        (
            {"thresholds": {"human": 4.0}},
            "settings.thresholds.human: 4.0 is not a whole number from 1",
            "give",
        ),
        ({"timeouts": {"hooks": 1}}, 'settings.timeouts: no "hooks"', "use hook"),
        (
            {"timeouts": {"hook": 0}},
            "settings.timeouts.hook: 0 is not a number of seconds above 0",
            "give a number",
        ),
        ({"timeouts": {"hook": "1"}}, 'settings.timeouts: {"hook": "1"} is not an object of numbers', "give"),
        (
            {"timeouts": {"hook": True}},
            'settings.timeouts: {"hook": true} is not an object of numbers',
            "give",
        ),
        (
            {"metric_pattern": "("},
            'settings.metric_pattern: "(" is no regular expression: missing )',
            "give one",
        ),
        (
            {"metric_pattern": "a"},
            'settings.metric_pattern: "a" has 0 groups; it must have one',
            "put the number",
        ),
        ({"metric_pattern": ""}, 'settings.metric_pattern: "" has 0 groups', "put the number"),
        ({"metric_pattern": "(a)(b)"}, 'settings.metric_pattern: "(a)(b)" has 2 groups', "put the number"),
        ({"metric_pattern": "(" * 3000 + ")" * 3000}, "settings.metric_pattern: ", ""),
        ({"metric_pattern": "(a{99999999999999})"}, "settings.metric_pattern: ", "give one"),
    ],
)
def test_settings_name_what_there_is(fields: dict[str, Any], message: str, remedy: str) -> None:
    """A setting that nobody reads is refused, as is one that means nothing."""
    got = refused("settings", fields)

    assert got[0].startswith(message)
    assert got[1].startswith(remedy)


def test_a_pattern_that_python_will_read_otherwise_one_day_is_taken() -> None:
    """Its warning is not the user's concern now."""
    assert admit("settings", {"metric_pattern": "([[a]--b])"}) == Settings(metric_pattern="([[a]--b])")


def test_a_metric_has_a_direction() -> None:
    """It is demanded, never guessed (design, section 5)."""
    message, remedy = refused("config", {"name": "a", "metricName": "loss"})

    assert message == 'config.bestDirection: missing; it says which way "loss" is better'
    assert remedy == "give bestDirection=lower or bestDirection=higher"


def test_a_direction_belongs_to_a_metric() -> None:
    """Without one it would say nothing, and its writer meant something."""
    message, remedy = refused("config", {"name": "a", "bestDirection": "lower"})

    assert message == "config.metricName: missing; bestDirection says nothing without it"
    assert remedy == "give metricName=..."


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("bestdirection", "bestDirection"),
        ("statu", "status"),
        ("qqq", None),
        ("", None),
        (7, None),
        (["status"], None),
    ],
)
def test_the_nearest_name_is_found_in_any_case(name: object, expected: str | None) -> None:
    """Or none is, where none is near."""
    assert nearest(name, ["status", "bestDirection"]) == expected

"""How limits are written; that nothing but `none` is no limit."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eventstore.across import COUNTS as WHOLE
from eventstore.across import LARGEST_LIMIT, LIMITS
from reducers.policies.limits import LARGEST, LOOP, NUMBERS, ORCHESTRATED, Limits, limits_from, parse_limit

COUNTS = sorted(NUMBERS.keys() - {"time_limit_minutes", "target"})


@pytest.mark.parametrize("name", NUMBERS)
@pytest.mark.parametrize("text", ["none", "None", " NONE "])
def test_no_limit_is_spelled_none(name: str, text: str) -> None:
    """For each of them, in any case."""
    assert parse_limit(name, text) is None


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("max_cycles", "50", 50),
        ("max_cycles", 50, 50),
        ("max_cycles", 50.0, 50),
        ("time_limit_minutes", "120", 120.0),
        ("time_limit_minutes", "0.5", 0.5),
        ("time_limit_minutes", "90s", 1.5),
        ("time_limit_minutes", "45 m", 45.0),
        ("time_limit_minutes", "2h", 120.0),
        ("time_limit_minutes", "3d", 4320.0),
        ("target", "0", 0.0),
        ("target", "-3.5", -3.5),
        ("target", "1e-3", 0.001),
    ],
)
def test_numbers_are_read(name: str, value: object, expected: float) -> None:
    """Counts are whole, minutes may have a unit, a target may be any finite number."""
    parsed = parse_limit(name, value)

    assert parsed == expected
    assert isinstance(parsed, int) is (name in COUNTS)


@pytest.mark.parametrize("name", [*COUNTS, "time_limit_minutes"])
@pytest.mark.parametrize("value", ["0", 0, "-1", -1, "-0.5", "0.0"])
def test_zero_and_below_are_errors(name: str, value: object) -> None:
    """Never "no limit"; the message says how that is spelled."""
    with pytest.raises(ValueError, match=f"{name} .* is not above 0; it takes .*, or none"):
        parse_limit(name, value)


@pytest.mark.parametrize("name", NUMBERS)
@pytest.mark.parametrize(
    "value",
    ["", " ", "x", "nan", "inf", "-inf", "1e999", "1_000", "ten", "5 5", True, [], {}, b"5", float("nan")],
)
def test_garbage_is_an_error(name: str, value: object) -> None:
    """So is infinity, under whatever name, and a truth value."""
    with pytest.raises(ValueError, match=f"{name} .* is not a number; it takes .*, or none"):
        parse_limit(name, value)


@pytest.mark.parametrize("value", ["unlimited", "infinite", "∞", "off", "null", "1e9h", "5h"])
def test_other_words_for_no_limit_are_errors(value: str) -> None:
    """One spelling, so that a typing error never means "for ever"; counts have no unit."""
    with pytest.raises(ValueError, match="or none"):
        parse_limit("max_cycles", value)


@pytest.mark.parametrize("value", [1e10, "99999999999", 10**400])
def test_as_good_as_infinite_is_an_error(value: object) -> None:
    """A number that no loop reaches would be no limit in effect."""
    with pytest.raises(ValueError, match=r"as good as no limit|is not a number"):
        parse_limit("time_limit_minutes", value)


def test_a_broken_count_is_an_error() -> None:
    """Half a cycle cannot be reached."""
    with pytest.raises(ValueError, match=r"'2\.5' is not whole"):
        parse_limit("max_cycles", "2.5")


def test_an_unknown_name_is_an_error() -> None:
    """It lists what there is."""
    with pytest.raises(
        ValueError, match=r"no limit is called 'cycles'; there are max_cycles, time_limit_minutes"
    ):
        parse_limit("cycles", 5)


def test_every_limit_can_be_set() -> None:
    """What the door lets into a `settings` event is what the rules read, and the other way round."""
    assert set(LIMITS) == NUMBERS.keys() == set(Limits.__struct_fields__)
    assert sorted(WHOLE) == COUNTS
    assert LARGEST_LIMIT == LARGEST


def test_the_defaults() -> None:
    """Those of the design, section 5; under `orchestrate` the first five rules are off."""
    assert Limits(50, 120.0, None, None, 5, 20, 3) == LOOP
    assert Limits(None, None, None, None, None, None, 3) == ORCHESTRATED


def test_stated_limits_go_over_the_defaults() -> None:
    """As a `settings` event holds them; null is not stated, `none` is; what is not ours is left out."""
    stated = {"max_cycles": 10, "time_limit_minutes": "none", "target": None, "cost": 5}

    assert limits_from(stated) == Limits(max_cycles=10, time_limit_minutes=None)
    assert limits_from({}, ORCHESTRATED) == ORCHESTRATED
    with pytest.raises(ValueError, match="max_cycles 0 is not above 0"):
        limits_from({"max_cycles": 0})


@given(
    st.sampled_from(sorted(NUMBERS)),
    st.one_of(st.text(), st.floats(), st.integers(), st.none(), st.booleans()),
)
def test_a_limit_is_a_number_above_zero_or_spelled_none(name: str, value: object) -> None:
    """Law: out comes a finite number that can be reached, None for `none`, or ValueError."""
    try:
        parsed = parse_limit(name, value)
    except ValueError:
        return
    if parsed is None:
        assert isinstance(value, str)
        assert value.strip().lower() == "none"
    else:
        assert abs(parsed) < float("inf")
        assert name == "target" or 0 < parsed <= 1e9

from __future__ import annotations

from reducers import laws
from reducers.flags import flags
from tests.reducers.given import records, shown


def test_a_flag_is_up_until_it_is_cleared() -> None:
    """
    {"type":"flag","kind":"licence","detail":"sign it","by":"worker:a","timestamp":1764517600000}
    {"type":"flag","kind":"stuck","detail":"4 h","by":"guardian:p","timestamp":1764517601000}
    {"type":"flag","kind":"licence","cleared":true,"timestamp":1764517602000}
    {"type":"flag","kind":"stuck","detail":"5 h","by":"guardian:p"}
    """
    log = records(test_a_flag_is_up_until_it_is_cleared.__doc__ or "")

    assert shown(flags, log) == {
        "up": 1,
        "flags": [
            {"kind": "licence", "detail": "", "by": "user", "since": 1_764_517_602_000, "up": False},
            {"kind": "stuck", "detail": "5 h", "by": "guardian:p", "since": None, "up": True},
        ],
    }


def test_the_laws_hold() -> None:
    """As for every view."""
    laws.check(flags)

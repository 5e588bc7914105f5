"""Real logs that other programs wrote: what the rules of the design (section 5) yield for each of them.

The logs are not part of this repository; where they lie beside it, `expected.json` says what to expect.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from eventstore.events import Damaged, Run
from eventstore.lines import LineDecoder
from reducers.core import Reducer, decode_state, encode_state, fold
from reducers.registry import load, names
from reducers.session import session
from tests.reducers.given import shown

CORPUS = Path(__file__).parents[3] / "shared" / "corpus" / "pi-jsonl"
EXPECTED: dict[str, Any] = (
    msgspec.json.decode((CORPUS / "expected.json").read_bytes())
    if (CORPUS / "expected.json").is_file()
    else {}
)

pytestmark = [
    pytest.mark.corpus,
    pytest.mark.skipif(not EXPECTED, reason=f"there are no logs of other programs in {CORPUS}"),
]

logs = pytest.mark.parametrize("name", EXPECTED)


def read(name: str, reducer: Reducer[Any, Any] | None = None) -> list[Any]:
    data = (CORPUS / name).read_bytes()
    data += b"" if data.endswith(b"\n") else b"\n"
    return list(LineDecoder(reducer and reducer.handlers).decode(data, 1).records)


@logs
def test_the_session_view_is_what_the_rules_yield(name: str) -> None:
    """Every value that is expected of us, from a decoder that skips what the view does not look at."""
    view = shown(session, read(name, session))

    expected = EXPECTED[name]["ar"]
    assert {field: view[field] for field in expected} == expected


@logs
def test_counts_are_those_of_the_program_that_wrote_the_log(name: str) -> None:
    """Runs by status and runs of the segment: there is no rule of ours to differ by."""
    view = shown(session, read(name))

    assert view["statuses"] == EXPECTED[name]["pi"]["statuses"]
    assert view["segment_run_count"] == EXPECTED[name]["pi"]["segment_runs"]


@logs
def test_no_view_fails_on_it_and_every_state_survives(name: str) -> None:
    """All views, with all lines read; nothing in it is damaged, and its runs are the rows."""
    log = read(name)

    assert [record for record in log if type(record) is Damaged] == []
    for view in names():
        reducer = load(view)
        state = fold(reducer, log)
        assert decode_state(reducer, encode_state(state)) == state
        assert msgspec.json.encode(shown(reducer, log, 1_764_517_600_000))
    assert len(shown(load("runs"), log)["runs"]) == sum(type(record) is Run for record in log)

"""The line codec: what is an event, what is unknown, what is damaged, and that bytes never raise."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eventstore.events import Config, Custom, Damaged, Event, Finding, Heartbeat, Hook, Run, Unknown
from eventstore.lines import LineDecoder, decode_line, encode

RUN = b'{"type":"run","run":1,"status":"keep"}'


def test_a_run_is_written_in_the_shape_that_pi_reads() -> None:
    """Fields that pi expects are there even when they hold nothing; others only when they hold something."""
    line = encode(Run(seq=2, timestamp=1764517599123, run=1, status="crash"))

    assert line == (
        b'{"type":"run","seq":2,"timestamp":1764517599123,"run":1,"commit":null,"metric":null,"metrics":{},'
        b'"status":"crash","description":"","segment":0,"confidence":null}'
    )


def test_defaults_of_a_run_are_not_shared() -> None:
    """Two runs without metrics do not hold the same dict."""
    assert Run(run=1, status="keep").metrics is not Run(run=2, status="keep").metrics


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (b'{"run":3,"status":"keep","metric":1.5}', Run(run=3, status="keep", metric=1.5)),
        (b'{"type":null,"run":3,"status":"keep"}', Run(run=3, status="keep")),
        (b'{"run":3.0,"status":"keep"}', Run(run=3.0, status="keep")),
        (b'{"run":3,"status":"keep","metric":"12 ms"}', Run(run=3, status="keep", metric="12 ms")),
        (b'{"run":3,"status":"keep","metric":null}', Run(run=3, status="keep")),
        (b'{"run":3,"status":"keep","metric":true}', Run(run=3, status="keep")),
        (b'{"run":3,"status":"keep","metric":[1]}', Run(run=3, status="keep")),
        (b'{"run":3,"status":"keep","metric":1e999}', Run(run=3, status="keep")),
        (b'{"run":3,"status":"keep","metrics":{"a":"x"}}', Run(run=3, status="keep", metrics={"a": "x"})),
        (b'{"run":3,"status":"keep","metrics":[1]}', Run(run=3, status="keep")),
        (b'{"run":3,"status":"keep","asi":"why"}', Run(run=3, status="keep", asi={"note": "why"})),
        (b'{"run":3}', Run(run=3, status="unknown")),
        (b'{"run":1' + b"0" * 30 + b',"status":"keep"}', Run(run=10**30, status="keep")),
        (
            b'{"run":3,"status":"keep","timestamp":1764517599.5}',
            Run(run=3, status="keep", timestamp=1764517599.5),
        ),
        (b'{"run":3,"status":"keep","by":7,"seq":"x"}', Run(run=3, status="keep")),
        (b'{"run":3,"run":4,"status":"keep"}', Run(run=4, status="keep")),
        (
            b'{"run":3,"status":"keep","description":"cut \\ud83d"}',
            Run(run=3, status="keep", description="cut \ufffd"),
        ),
        (b' {"run":3,"status":"keep"}\r', Run(run=3, status="keep")),
        (b'\xef\xbb\xbf{"run":3,"status":"keep"}', Run(run=3, status="keep")),
        (b'{"type":"config"}', Config()),
        (b'{"type":"config","metricName":7,"name":"g"}', Config(name="g")),
        (b'{"type":"x.mine","n":1,"by":"worker:a"}', Custom(type="x.mine", fields={"n": 1}, by="worker:a")),
    ],
)
def test_foreign_shapes_are_events(line: bytes, expected: Event) -> None:
    """What other programs write is read leniently, field by field."""
    assert decode_line(line) == expected


@pytest.mark.parametrize(
    ("line", "kind", "reason"),
    [
        (b'{"type":"result","metric":1}', "result", "no event type"),
        (b'{"iteration":1,"status":"keep"}', None, "no type"),
        (b'{"run":true,"status":"keep"}', None, "no type"),
        (b'{"run":"1","status":"keep"}', None, "no type"),
        (b'{"type":7}', None, "no type"),
        (b'{"type":"run","status":"keep"}', "run", "run"),
        (b'{"type":"finding","text":3}', "finding", "text"),
        (b'{"type":"x.mine","run":1}', "x.mine", "numeric run"),
        (b'{"type":"x."}', "x.", "no event type"),
        (b"{}", None, "no type"),
    ],
)
def test_objects_that_are_no_events_are_unknown(line: bytes, kind: str | None, reason: str) -> None:
    """They are kept verbatim and say why."""
    record = decode_line(line, 5)

    assert isinstance(record, Unknown)
    assert (record.line, record.raw, record.type) == (5, line, kind)
    assert reason in record.reason


@pytest.mark.parametrize(
    "line",
    [
        b"garbage",
        b"\x00\x00\x00",
        b'{"run":1,"status":"keep"',
        b'{"run":1,"status":"keep"}{"run":2,"status":"keep"}',
        b'{"run":1,"status":"keep"} x',
        b'{"run":1,"status":"keep","metric":NaN}',
        b'{"run":1,"status":"keep","metric":-Infinity}',
        b"[1,2]",
        b"12",
        b'"text"',
        b"null",
        b'{"run":1,"status":"\xff"}',
        b'{"type":"heartbeat","whatever":"\xff"}',
        b"[" * 10_000 + b"]" * 10_000,
        b'{"a":' * 10_000 + b"1" + b"}" * 10_000,
        '{"run":1,"status":"keep"}'.encode("utf-16-le"),
    ],
)
def test_what_is_no_json_object_is_damaged(line: bytes) -> None:
    """Its number, its size and a reason are told."""
    record = decode_line(line, 9)

    assert isinstance(record, Damaged)
    assert (record.line, record.size) == (9, len(line))
    assert record.reason


@pytest.mark.parametrize(
    "chunk",
    [
        RUN + RUN + b"\n",
        b'{"type":"run","run":1,\n"status":"keep"}\n',
        b'{"type":"run","run":1,\n"status":"keep"}\n' + RUN + RUN + b"\n",
        b'{"type":"run","metrics":{"a":[\n{}\n]},"run":1,"status":"keep"}\n' + RUN + RUN + RUN + b"\n",
        RUN + b"\n\n" + RUN + RUN + b"\n",
        RUN + b"," + RUN + b"\n",
    ],
)
def test_a_record_never_spans_lines_nor_shares_one(chunk: bytes) -> None:
    """Reading a stretch at once gives what reading it line by line gives."""
    lines = chunk.split(b"\n")[:-1]
    expected = [decode_line(line, n) for n, line in enumerate(lines, 1) if line]

    assert list(LineDecoder().decode(chunk, 1).records) == expected
    assert any(isinstance(record, Damaged) for record in expected)


def test_blank_lines_count_but_are_no_damage() -> None:
    """The records keep the numbers of their lines."""
    batch = LineDecoder().decode(RUN + b"\n\n \t\r\n" + RUN + b"\n", 10, start=100)

    assert [number for number, _ in batch.numbered()] == [10, 13]
    assert (batch.blanks, batch.last, batch.end, batch.damaged) == ((11, 12), 13, 100 + len(RUN) * 2 + 7, [])


def test_fields_of_unwanted_types_are_skipped_but_checked() -> None:
    """A decoder for some types still finds damage in lines of others, bad UTF-8 in their fields included."""
    good = b'{"type":"heartbeat","last_output":"\xc3\xa9"}\n'
    bad = b'{"type":"heartbeat","last_output":"\xe9"}\n'
    decoder = LineDecoder({Run})

    assert decoder.decode(good + RUN + b"\n", 1).records[1] == Run(run=1, status="keep")
    assert not isinstance(decoder.decode(good, 1).records[0], Heartbeat)
    assert [d.line for d in decoder.decode(good + bad, 1).damaged] == [2]


def test_a_custom_event_reads_back() -> None:
    """The envelope and the fields keep their places."""
    event = Custom(
        type="x.mine", seq=3, timestamp=5, by="worker:a", id="i", prev="0" * 32, fields={"a": [1, None]}
    )

    assert decode_line(encode(event)) == event


def test_events_read_back_as_they_were_written() -> None:
    """Also those with renamed fields and tuples."""
    for event in (
        Hook(stage="after", exit_code=1),
        Finding(text="é", source="x"),
        Config(name="g", assets=("a", "b")),
    ):
        assert decode_line(encode(event)) == event


@given(st.binary(max_size=200))
def test_any_bytes_decode_to_something(line: bytes) -> None:
    """No line raises."""
    assert decode_line(line) is not None


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
names = st.sampled_from(
    ["type", "run", "status", "metric", "metrics", "asi", "seq", "prev", "by", "id", "text", "ok"]
)
kinds = st.sampled_from(["run", "config", "hook", "finding", "verified", "x.a", "heartbeat", "nope"])


@given(st.dictionaries(names, json_values | kinds, max_size=8))
def test_any_json_object_is_an_event_or_unknown_never_damaged(fields: dict[str, object]) -> None:
    """What is a JSON object is not called damaged, unless it holds what JSON lacks."""
    try:
        line = json.dumps(fields, allow_nan=False).encode()
    except ValueError:
        return

    assert isinstance(decode_line(line), Event | Unknown)


@given(
    st.lists(st.sampled_from([RUN, b"", b"{}", b"[", b'{"type":"hook","stage":"after"}', RUN + RUN, b"\xff"]))
)
def test_a_stretch_is_read_as_its_lines_are(lines: list[bytes]) -> None:
    """However lines are mixed, numbers and records are those of the single lines."""
    chunk = b"".join(line + b"\n" for line in lines)
    expected = [(n, decode_line(line, n)) for n, line in enumerate(lines, 1) if line]

    assert list(LineDecoder().decode(chunk, 1).numbered()) == expected

"""The door: what may enter the log, and how the rest is refused (design, section 2.3)."""

from __future__ import annotations

import json
from collections.abc import Callable
from enum import StrEnum
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eventstore.door import MAX_LINE, admit, admit_line, check, check_size
from eventstore.errors import InvalidEventError, RoleError
from eventstore.events import (
    EVENTS,
    TYPES,
    Committed,
    Config,
    Custom,
    Event,
    Heartbeat,
    Note,
    Run,
    Tagged,
    tag_of,
    type_of,
)
from eventstore.lines import decode_line, encode
from eventstore.values import MAX_DEPTH
from tests.eventstore.admissible import events, plain, texts

NAN = float("nan")
BIG = 2**63


def refused(kind: str, fields: dict[str, Any]) -> tuple[str, str]:
    """Message and remedy of the refusal."""
    with pytest.raises(InvalidEventError) as caught:
        admit(kind, fields)
    assert caught.value.exit_code == 2
    return caught.value.message, caught.value.remedy


def nested(depth: int) -> Any:
    """A list in a list in a list, so many of them."""
    value: Any = []
    for _ in range(depth - 1):
        value = [value]
    return value


@given(events)
def test_an_admissible_event_enters_by_each_way(event: Event) -> None:
    """Built in process it passes; from its own line, and from its fields, it is made again."""
    line = encode(event)
    fields = json.loads(line)

    check(event)
    assert admit_line(line) == event
    assert admit(fields.pop("type"), fields) == event
    assert decode_line(line) == event


def outcome(enter: Callable[[], Event]) -> Event | InvalidEventError:
    """The event that came in, or why none did."""
    try:
        return enter()
    except InvalidEventError as error:
        return error


FIELD_NAMES = sorted({field.encode_name for kind in EVENTS for field in msgspec.structs.fields(kind)})
FIELDS = st.dictionaries(st.sampled_from(FIELD_NAMES) | texts, plain, max_size=5)
PIECES = [
    b"{",
    b"}",
    b'"type"',
    b":",
    b'"note"',
    b",",
    b'"detail"',
    b"1e999",
    b"NaN",
    b"\xff",
    b'"\\ud800"',
    b"[",
    b"]",
]


@given(st.sampled_from([*TYPES, "x.own"]), FIELDS)
def test_any_object_is_admitted_or_refused_in_one_line(kind: str, fields: dict[str, Any]) -> None:
    """What comes in passes `check` and is strict JSON; what does not is told in one printable line."""
    found = outcome(lambda: admit(kind, fields))

    if isinstance(found, InvalidEventError):
        assert found.message.isprintable()
        assert found.remedy.isprintable()
        assert len(found.message) < 600
    else:
        check(found)
        assert json.loads(encode(found), parse_constant=pytest.fail)["type"] == kind


@given(st.binary(max_size=60) | st.lists(st.sampled_from(PIECES), max_size=12).map(b"".join))
def test_any_bytes_are_admitted_or_refused(line: bytes) -> None:
    """Nothing but InvalidEventError is ever raised."""
    found = outcome(lambda: admit_line(line))

    assert isinstance(found, Event) or found.message.isprintable()


@pytest.mark.parametrize(
    ("kind", "fields", "message", "remedy"),
    [
        (
            "run",
            {"run": 1, "statsu": "keep"},
            'run: no field "statsu"; there are run, commit, metric, ',
            "use status",
        ),
        (
            "note",
            {"detail": "a", "zzz": 1},
            'note: no field "zzz"; there are level, ',
            "use one of these fields",
        ),
        ("run", {"run": 1, "status": "kept"}, 'run.status: "kept" is not one of keep, discard, ', "use keep"),
        (
            "note",
            {"detail": "a", "level": "x"},
            'note.level: "x" is not one of info, warn, ',
            "give one of info, ",
        ),
        (
            "run",
            {"run": 0, "status": "keep"},
            "run.run: 0 is not a whole number from 1",
            "give a whole number from 1",
        ),
        ("run", {"run": 1.5, "status": "keep"}, "run.run: 1.5 is not a whole number from 1", "give a whole"),
        (
            "run",
            {"run": True, "status": "keep"},
            "run.run: true is not a whole number from 1",
            "give a whole",
        ),
        ("run", {"status": "keep"}, "run: run missing", "give run=..."),
        ("run", {}, "run: run and status missing", "give run=..., status=..."),
        (
            "run",
            {"run": 1, "status": "keep", "metric": "3"},
            'run.metric: "3" is not a number or null',
            "give a",
        ),
        ("run", {"run": 1, "status": "keep", "metric": NAN}, "run.metric: NaN is not JSON", "give a finite"),
        (
            "run",
            {"run": 1, "status": "keep", "asi": {"a": [1, -NAN]}},
            "run.asi.a[1]: NaN is not JSON",
            "give",
        ),
        (
            "run",
            {"run": 1, "status": "keep", "asi": {"a": float("inf")}},
            "run.asi.a: Infinity is not JSON",
            "give",
        ),
        ("run", {"run": BIG, "status": "keep"}, "run.run: a whole number beyond 64 bits", "give it as text"),
        ("run", {"run": 1, "status": "keep", "asi": {"a\n": NAN}}, 'run.asi."a\\n": NaN is not JSON', "give"),
        (
            "run",
            {"run": 1, "status": "keep", "asi": {1: 2}},
            "run.asi: the key 1 is not text",
            "give keys as text",
        ),
        ("run", {"run": 1, "status": "keep", "asi": {"\ud800": 2}}, "run.asi: the key", "give keys as text"),
        ("note", {"detail": "\ud800"}, 'note.detail: "\\ud800" holds half a character', "leave it out"),
        ("note", {"detail": None}, "note.detail: null is not text", "give text"),
        ("note", {"detail": {1}}, "note.detail: a set is not JSON", "give text, numbers, lists or objects"),
        ("note", {"detail": "a", "seq": 1}, "note.seq: assigned by the log", "leave seq out"),
        ("note", {"detail": "a", "prev": "9f"}, "note.prev: assigned by the log", "leave prev out"),
        ("note", {"detail": "a", "id": ""}, 'note.id: "" is not text of 1 to 512 characters', "give"),
        ("note", {"detail": "a", "id": "x" * 513}, "note.id: ", "give text of 1 to 512 characters"),
        ("note", {"detail": "a", "type": "note"}, 'note: no field "type"', "use one of these fields"),
        (
            "note",
            {"detail": "a", "timestamp": "soon"},
            'note.timestamp: "soon" is not a time',
            "give milliseconds",
        ),
        (
            "note",
            {"detail": "a", "timestamp": 5},
            "note.timestamp: 5 is before 3 March 1973",
            "give milliseconds",
        ),
        ("note", {"detail": "a", "timestamp": NAN}, "note.timestamp: NaN is not a time", "give milliseconds"),
        ("heartbeat", {"until": []}, "heartbeat.until: [] is not a time", "give milliseconds"),
        (
            "registered",
            {"argv": ["a", 1]},
            'registered.argv: ["a", 1] is not a list of texts',
            "give a list of texts",
        ),
        (
            "registered",
            {"argv": "a b"},
            'registered.argv: "a b" is not a list of texts',
            "give a list of texts",
        ),
        (
            "config",
            {"name": "a", "harness": {"p": 1}},
            'config.harness: {"p": 1} is not an object of texts',
            "give",
        ),
        ("config", {}, "config.name: missing or blank", "give name=..."),
        ("config", {"name": " \n"}, "config.name: missing or blank", "give name=..."),
        (
            "imported",
            {"source": "a", "format": "b", "skipped": [{"line": NAN}]},
            "imported.skipped[0].line: NaN",
            "",
        ),
    ],
)
def test_a_refusal_names_the_field_what_is_allowed_and_the_nearest(
    kind: str, fields: dict[str, Any], message: str, remedy: str
) -> None:
    """What is wrong and where in the message, what to do in the remedy."""
    got = refused(kind, fields)

    assert got[0].startswith(message)
    assert got[1].startswith(remedy)
    assert got[0].isprintable()


@pytest.mark.parametrize(
    ("kind", "near"),
    [("rnu", "use run"), ("Run", "use run"), ("errorseen", "use error_seen"), ("", "use one of")],
)
def test_an_unknown_type_is_refused_with_the_nearest(kind: str, near: str) -> None:
    """The message lists all types and says how one's own are called."""
    message, remedy = refused(kind, {})

    assert all(name in message for name in TYPES)
    assert "start with x." in message
    assert remedy.startswith(near)


@pytest.mark.parametrize("kind", ["x.", "x.a b", "x.a\n", "x.\x1b[1m", "x." + "a" * 99])
def test_the_type_of_ones_own_event_is_one_printable_word(kind: str) -> None:
    """Of at most 100 characters."""
    message, remedy = refused(kind, {"seq": 1})

    assert message.startswith("type: ")
    assert message.isprintable()
    assert remedy == "name it like x.deploy"


def test_ones_own_event_holds_anything_but_a_numeric_run() -> None:
    """By a numeric run other programs would take it for one of theirs; text and lists do no harm."""
    assert admit("x.a", {"run": "1", "b": [{}], "by": "worker"}) == Custom(
        type="x.a", fields={"run": "1", "b": [{}]}, by="worker"
    )
    for number in (1, 1.5):
        assert refused("x.a", {"run": number})[0].startswith("x.a.run: only a run has a numeric run")
    assert refused("x.a", {"b": NAN})[0] == "x.a.b: NaN is not JSON"
    assert refused("x.a", {"prev": "9f"})[0] == "x.a.prev: assigned by the log"


@pytest.mark.parametrize("name", ["type", "seq", "timestamp", "by", "id", "prev"])
def test_ones_own_fields_cannot_pose_as_the_envelope(name: str) -> None:
    """An event built in process whose fields would overwrite the envelope's is refused."""
    with pytest.raises(InvalidEventError, match=f"{name} belongs to the envelope"):
        check(Custom(type="x.a", fields={name: "a"}))


@pytest.mark.parametrize(
    "given_time", [1764517599123, 1764517599.123, "2025-11-30T15:46:39.123Z", "2025-11-30T16:46:39.123+01:00"]
)
def test_times_come_in_any_shape_and_are_kept_in_milliseconds(given_time: Any) -> None:
    """In the envelope and in fields, of known types and of one's own."""
    fields = {"timestamp": given_time, "until": given_time}

    beat = admit("heartbeat", fields)
    assert isinstance(beat, Heartbeat)
    assert (beat.timestamp, beat.until) == (1764517599123, 1764517599123)
    assert admit("x.a", {"timestamp": given_time}).timestamp == 1764517599123


def test_no_time_is_no_error() -> None:
    """The log fills in its own."""
    assert admit("heartbeat", {"timestamp": None, "until": None}) == Heartbeat()


def test_by_must_be_an_author() -> None:
    """Which type its role may append is asked by `check_role`, once the author is known for good."""
    with pytest.raises(RoleError, match="the roles are user, worker"):
        admit("note", {"detail": "a", "by": "boss"})
    with pytest.raises(RoleError):
        check(Note(detail="a", by="worker:"))
    assert refused("note", {"detail": "a", "by": 7})[0] == "note.by: 7 is not role or role:name"
    assert admit("verified", {"kind": "test", "ok": True, "by": "worker"}).by == "worker"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"", "not a line of the log: it is empty"),
        (b" \t", "not a line of the log: it is empty"),
        (b"[]", "not a line of the log: JSON, but not an object: []"),
        (b"{", "not a line of the log: Expecting property name"),
        (b'{"a":1}{"b":2}', "not a line of the log: Extra data at byte 8"),
        (b"\xff", "not a line of the log: not UTF-8 from byte 1 on"),
        (b'{"type":"note","detail":"\xc3"}', "not a line of the log: not UTF-8 from byte 26 on"),
        (b'{"type":"note","detail":"a\x00b"}', "not a line of the log: Invalid control character"),
        (b'{"type":"note","detail":"\\ud800"}', "not a line of the log: line.detail: "),
        (b'{"type":"note","detail":NaN}', "not a line of the log: line.detail: NaN is not JSON"),
        (b'{"type":"note","detail":1e999}', "not a line of the log: line.detail: Infinity is not JSON"),
        (b'{"a":' * 10_000, "not a line of the log: nested too deeply"),
        (b'{"run":' + b"1" * 5000 + b"}", "not a line of the log: a whole number beyond 64 bits"),
        (b'{"type":1}', "type: 1 is not text"),
        (b'{"detail":"a"}', "type: missing"),
        (b'{"run":"1","status":"keep"}', "type: missing"),
        (b'{"run":true,"status":"keep"}', "type: missing"),
        (b'{"type":"note","detail":"a","seq":3}', "note.seq: assigned by the log"),
        (b'{"type":"note","detail":18446744073709551616}', "note.detail: a whole number beyond 64 bits"),
        (
            b'{"type":"note","detail":"' + b"a" * MAX_LINE + b'"}',
            "the line has 1,048,603 bytes, over 1,048,576",
        ),
    ],
)
def test_what_is_no_line_is_refused(line: bytes, message: str) -> None:
    """The message says why, and where."""
    with pytest.raises(InvalidEventError) as caught:
        admit_line(line)

    assert caught.value.message.startswith(message)
    assert caught.value.message.isprintable()
    assert caught.value.remedy


def test_a_line_without_type_but_with_a_number_is_a_run() -> None:
    """As in the log: it is how pi writes them."""
    assert admit_line(b'{"run":3,"status":"keep"}') == Run(run=3, status="keep")


def test_of_a_key_given_twice_the_last_counts() -> None:
    """As everywhere in JSON."""
    assert admit_line(b'{"type":"note","detail":"a","detail":"b"}') == Note(detail="b")


@pytest.mark.parametrize("ways", ["process", "fields", "line"])
def test_nesting_ends_at_64_levels(ways: str) -> None:
    """The line's own object counted, in whatever way an event comes."""

    def enter(depth: int) -> Event:
        fields = {"run": 1, "status": "keep", "asi": {"a": nested(depth)}}
        if ways == "line":
            return admit_line(json.dumps({"type": "run", **fields}).encode())
        if ways == "fields":
            return admit("run", fields)
        event = Run(run=1, status="keep", asi={"a": nested(depth)})
        check(event)
        return event

    assert json.loads(encode(enter(MAX_DEPTH - 2)))["asi"]["a"]
    for depth in (MAX_DEPTH - 1, MAX_DEPTH, 300):
        with pytest.raises(InvalidEventError, match="nested deeper than 64 levels"):
            enter(depth)


class Colour(StrEnum):
    RED = "red"


@pytest.mark.parametrize(
    ("event", "message"),
    [
        (Run(run=1, status="kept"), 'run.status: "kept" is not one of keep'),
        (Run(run=1.0, status="keep"), "run.run: 1.0 is not a whole number from 1"),
        (Run(run=1, status="keep", metric="12 ms"), 'run.metric: "12 ms" is not a number or null'),
        (Run(run=1, status="keep", metric=NAN), "run.metric: NaN is not JSON"),
        (Run(run=1, status="keep", metrics={"a": NAN}), "run.metrics.a: NaN is not JSON"),
        (Run(run=1, status="keep", metrics=None), "run.metrics: null is not an object"),  # type: ignore[arg-type]
        (Run(run=1, status="keep", description=b"a"), "run.description: a bytes is not JSON"),  # type: ignore[arg-type]
        (Run(run=1, status="keep", description="\udfff"), "run.description: "),
        (Run(run=1, status="keep", segment=True), "run.segment: true is not a whole number"),
        (Run(run=1, status=Colour.RED), "run.status: a Colour is not JSON"),
        (
            Run(run=1, status="keep", timestamp="2026-01-31"),
            'run.timestamp: "2026-01-31" is not a whole number',
        ),
        (
            Run(run=1, status="keep", timestamp=1764517599.5),
            "run.timestamp: 1764517599.5 is not a whole number",
        ),
        (
            Run(run=1, status="keep", timestamp=10**17),
            "run.timestamp: 100000000000000000 is not a whole number",
        ),
        (Run(run=1, status="keep", seq="1"), 'run.seq: "1" is not a whole number or null'),  # type: ignore[arg-type]
        (Committed(cycle=1, commit="a", files=["b"]), "committed.files: a list, where events hold tuples"),  # type: ignore[arg-type]
        (Committed(cycle=-1, commit="a"), "committed.cycle: -1 is not a whole number from 0"),
        (Committed(cycle=1, commit="a", files=("b", 1)), 'committed.files: ["b", 1] is not a list of texts'),  # type: ignore[arg-type]
        (Heartbeat(state="dead"), 'heartbeat.state: "dead" is not one of working'),
        (Heartbeat(until="soon"), 'heartbeat.until: "soon" is not a whole number of'),
        (Config(name=""), "config.name: missing or blank"),
        (Custom(type="own", fields={}), 'type: "own" is not x. and a name'),
        (Custom(type="x.a", fields={"run": 1}), "x.a.run: only a run has a numeric run"),
        (Custom(type="x.a", fields={"a": {1: 2}}), "x.a.a: the key 1 is not text"),
        (Custom(type=7, fields={}), "7.type: 7 is not text"),  # type: ignore[arg-type]
    ],
)
def test_an_event_built_in_process_is_looked_at_too(event: Event, message: str) -> None:
    """Its class promises nothing: any value fits into it."""
    with pytest.raises(InvalidEventError) as caught:
        check(event)

    assert caught.value.message.startswith(message)


def test_what_the_log_assigned_is_let_through() -> None:
    """An event that was read may be looked at again."""
    check(Note(seq=3, prev="9f86d081884c7d65", timestamp=1764517599123, detail="a"))


def test_a_class_of_ones_own_is_no_event_type() -> None:
    """Only those of `eventstore.events` can be read back."""

    class Mine(Tagged, frozen=True, kw_only=True):
        a: str = ""

    with pytest.raises(InvalidEventError, match="Mine is no event type"):
        check(Mine())


@pytest.mark.parametrize("kind", EVENTS)
def test_each_type_has_rules_for_all_its_fields(kind: type[Tagged]) -> None:
    """A field of no known annotation would fail here, not at the first append."""
    with pytest.raises(InvalidEventError, match=f"{tag_of(kind)}: no field"):
        admit(tag_of(kind), {"no such field": 1})


def test_a_line_may_have_a_mebibyte() -> None:
    """And not a byte more."""
    check_size(b"a" * MAX_LINE)
    with pytest.raises(InvalidEventError, match="1,048,577 bytes, over 1,048,576"):
        check_size(b"a" * (MAX_LINE + 1))


def test_admitting_leaves_the_given_fields_alone() -> None:
    """They are the caller's."""
    fields = {"detail": "a", "timestamp": "2026-01-31"}
    admit("note", fields)
    admit("x.a", {**fields})

    assert fields == {"detail": "a", "timestamp": "2026-01-31"}
    assert type_of(admit("x.a", fields)) == "x.a"

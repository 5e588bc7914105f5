"""From events to lines: who signs, what is left to write, how the chain is laid."""

from __future__ import annotations

import pytest

from eventstore.digests import digest
from eventstore.door import MAX_LINE, build, build_line
from eventstore.errors import ConflictError, InvalidEventError, LedgerError
from eventstore.events import Custom, Event, Heartbeat, Note, Run, Settings, Verified
from eventstore.lines import decode_line
from eventstore.stamping import admit_all, plan, stamp
from eventstore.store import content_key


def test_who_is_not_named_is_the_logs_author() -> None:
    """An event that names its author keeps it."""
    admitted = admit_all([Note(detail="x"), Note(detail="y", by="orchestrator")], "worker:a")

    assert [event.by for event in admitted] == ["worker:a", "orchestrator"]


def test_what_was_admitted_is_not_looked_at_again() -> None:
    """Unless another is to sign it."""
    admitted = admit_all([Note(detail="x")], "worker")

    assert admit_all(admitted, "worker") is admitted
    assert [event.by for event in admit_all([Note(detail="x")], "user")] == ["user"]
    with pytest.raises(InvalidEventError):
        admit_all(admit_all([Verified(kind="test", ok=True)], "user"), "worker")


@pytest.mark.parametrize(
    "bad",
    [
        Run(run=0, status="keep"),
        Note(detail="\ud83d"),
        Verified(kind="test", ok=True),
        Note(detail="x", by="boss"),
        Custom(type="x.", fields={}),
        Settings(metric_pattern="ghp_" + "a1B2" * 9),
    ],
)
@pytest.mark.parametrize("place", [0, 2])
def test_a_refusal_says_which_event_it_is_about(bad: Event, place: int) -> None:
    """By its place among those that were to be appended, whatever it is refused for."""
    events: list[Event] = [Note(detail=str(n)) for n in range(3)]
    events[place] = bad

    with pytest.raises(InvalidEventError) as refusal:
        admit_all(events, "worker")

    assert refusal.value.index == place


@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        ("run", {"run": 1, "status": "maybe"}),
        ("run", {"run": 0, "status": "keep"}),
        ("note", {"detail": "\ud800"}),
        ("config", {"name": "g", "metricName": "ms"}),
        ("x.own", {"run": 1}),
        ("x.own", {"a": float("nan")}),
        ("note", {"detail": "x", "by": "boss"}),
    ],
)
def test_what_is_only_built_is_refused_when_it_is_appended(kind: str, fields: dict[str, object]) -> None:
    """With the very message that `admit` would have given."""
    from eventstore.door import admit

    with pytest.raises(LedgerError) as at_the_door:
        admit(kind, fields)
    event = build(kind, fields)
    with pytest.raises(LedgerError) as on_append:
        admit_all([event], "user")

    assert on_append.value.message == at_the_door.value.message


@pytest.mark.parametrize(
    ("kind", "fields"),
    [
        ("nota", {}),
        ("run", {"run": 1}),
        ("note", {"detail": 1}),
        ("note", {"detail": "x", "detial": "y"}),
        ("note", {"detail": "x", "seq": 1}),
        ("note", {"detail": "x", "timestamp": "soon"}),
    ],
)
def test_what_is_no_event_at_all_cannot_be_built(kind: str, fields: dict[str, object]) -> None:
    """An unknown type, a field too few, too many or of another type."""
    with pytest.raises(InvalidEventError):
        build(kind, fields)


def test_a_line_is_built_as_its_fields_are() -> None:
    """The type is among them; that of a run may be left out."""
    assert build_line(b'{"type":"note","detail":"x"}') == build("note", {"detail": "x"})
    assert build_line(b'{"run":1,"status":"keep"}') == build("run", {"run": 1, "status": "keep"})


def test_what_is_known_by_its_id_is_not_written_again() -> None:
    """The plan names the line that has it, and what is left, in order."""
    old, new = Note(detail="old", id="a"), Note(detail="new", id="b")
    known = {"a": (7, content_key(old), old)}

    planned = plan([new, old, Heartbeat()], known)

    assert (planned.fresh, planned.seqs) == ([new, Heartbeat()], [None, 7, None])


def test_other_content_for_a_known_id_is_a_conflict() -> None:
    """The time and the place in the log are no content, the author is."""
    old = Note(detail="old", id="a", seq=7, prev="x", timestamp=1)
    known = {"a": (7, content_key(old), old)}

    assert plan([Note(detail="old", id="a", timestamp=2)], known).seqs == [7]
    for other in (Note(detail="older", id="a"), Note(detail="old", id="a", by="worker"), Heartbeat(id="a")):
        with pytest.raises(ConflictError, match="line 7"):
            plan([other], known)


def test_lines_are_chained_to_one_another() -> None:
    """Each names the digest of the one before it, the first that of what stands before."""
    given = [Note(detail="a"), Note(detail="b", timestamp=5), Heartbeat()]

    events, lines, last = stamp(given, 10, "f" * 32, lambda: 99)

    assert [decode_line(line) for line in lines] == events
    assert [event.seq for event in events] == [11, 12, 13]
    assert [event.timestamp for event in events] == [99, 5, 99]
    assert [event.prev for event in events] == ["f" * 32, *map(digest, lines[:-1])]
    assert last == digest(lines[-1])


def test_nothing_to_stamp_leaves_the_digest_as_it_was() -> None:
    """There is no line then."""
    assert stamp([], 3, "f" * 32, lambda: 1) == ([], [], "f" * 32)


def test_a_line_may_be_as_long_as_the_limit_and_no_longer() -> None:
    """The line that is written counts, with its number and its link."""
    _, (line,), _ = stamp([Note(detail="")], 0, None, lambda: 1)
    spare = MAX_LINE - len(line)

    _, (line,), _ = stamp([Note(detail="x" * spare)], 0, None, lambda: 1)

    assert len(line) == MAX_LINE
    with pytest.raises(InvalidEventError, match="over the limit"):
        stamp([Note(detail="x" * (spare + 1))], 0, None, lambda: 1)

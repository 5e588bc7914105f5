"""The chain: whatever is done to a line shows, what foreign writers do between is a remark."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eventstore.chain import Fault, Report, verify
from eventstore.digests import digest
from eventstore.events import Config, Heartbeat, Note, Relinked, Run
from eventstore.filelog import FileLog
from eventstore.lines import encode
from eventstore.memory import MemoryLog

FOREIGN = b'{"run":7,"status":"keep","metric":1.5}'


def small_log() -> list[bytes]:
    """Eight chained lines, without their newlines."""
    log = MemoryLog(clock=lambda: 1_764_517_599_123)
    log.append([Config(name="goal", metricName="ms", bestDirection="lower")])
    log.append([Run(run=n, status="keep", metric=n / 3, description="ünï 🙂") for n in range(1, 4)])
    log.append([Heartbeat(pid=n) for n in range(3)])
    log.append([Note(detail="end")])
    return log.content.split(b"\n")[:-1]


LINES = small_log()
HEAD = f"{len(LINES)}:{digest(LINES[-1])}"


def check(lines: Iterable[bytes], head: str | None = None) -> Report:
    return verify([(0, b"".join(line + b"\n" for line in lines))], head=head)


def serious(lines: Iterable[bytes], head: str | None = None) -> list[Fault]:
    return [fault for fault in check(lines, head).faults if fault.serious]


def chained(*texts: bytes) -> list[bytes]:
    """The texts after one another, `PREV` in each replaced by the digest of the one before."""
    lines: list[bytes] = []
    for text in texts:
        lines.append(text.replace(b"PREV", digest(lines[-1]).encode() if lines else b""))
    return lines


def test_a_log_as_it_was_written_is_in_order() -> None:
    """Every line is chained, and the head is the log's own."""
    report = check(LINES, HEAD)

    assert (report.ok, report.faults, report.lines, report.chained, report.foreign) == (True, (), 8, 8, 0)
    assert str(report.head) == HEAD
    assert report.head.offset == sum(len(line) + 1 for line in LINES)


def test_an_empty_log_is_in_order() -> None:
    """There is nothing to find fault with."""
    report = verify([])

    assert (report.ok, report.lines, report.head.digest) == (True, 0, None)


def test_every_changed_byte_shows() -> None:
    """At the next line, for every line but the last; for the last by the head that was written down."""
    for number, line in enumerate(LINES, 1):
        for place in range(len(line)):
            altered = line[:place] + bytes([line[place] ^ 1]) + line[place + 1 :]
            mutated = [*LINES[: number - 1], altered, *LINES[number:]]
            assert serious(mutated, HEAD), (number, place)
            if number < len(LINES):
                assert serious(mutated), (number, place)


def test_a_changed_line_is_named() -> None:
    """The fault stands at the line after it, and says which one it is about."""
    mutated = [*LINES[:3], LINES[3].replace(b'"metric":1.0', b'"metric":0.1'), *LINES[4:]]

    (fault,) = serious(mutated)

    assert (fault.line, fault.kind) == (5, "altered")
    assert "line 4 is not the line that line 5 followed" in fault.detail


@pytest.mark.parametrize("place", range(len(LINES) - 1))
def test_a_removed_line_shows(place: int) -> None:
    """The end cut off shows only by a head that was written down."""
    mutated = [*LINES[:place], *LINES[place + 1 :]]

    (fault,) = serious(mutated)

    assert (fault.line, fault.kind) == (place + 1, "altered")
    assert "missing" in fault.detail or "gone" in fault.detail


def test_a_cut_end_shows_by_the_head_alone() -> None:
    """Which is why heads are written down elsewhere."""
    for kept in range(len(LINES)):
        assert check(LINES[:kept]).ok
        assert [fault.kind for fault in serious(LINES[:kept], HEAD)] == ["head"]


@pytest.mark.parametrize("place", range(len(LINES)))
def test_a_repeated_line_shows(place: int) -> None:
    """Also when the last one is repeated at the end."""
    assert serious([*LINES[: place + 1], LINES[place], *LINES[place + 1 :]])


def test_a_moved_line_shows() -> None:
    """From anywhere to anywhere."""
    for source in range(len(LINES)):
        rest = [*LINES[:source], *LINES[source + 1 :]]
        for target in range(len(LINES)):
            if target != source:
                assert serious([*rest[:target], LINES[source], *rest[target:]]), (source, target)


@pytest.mark.parametrize("place", range(1, len(LINES)))
def test_an_inserted_line_of_the_chain_shows(place: int) -> None:
    """However well it follows from the line before it, the next one does not follow from it."""
    forged = Note(detail="forged", seq=place + 1, prev=digest(LINES[place - 1]), timestamp=1)
    mutated = [*LINES[:place], encode(forged), *LINES[place:]]

    assert [fault.line for fault in serious(mutated)] == [place + 2]


@given(
    place=st.integers(0, len(LINES) - 1),
    text=st.one_of(st.binary(max_size=80), st.sampled_from([*LINES, FOREIGN, b"", b"{}", b"\n"])),
    anchored=st.booleans(),
)
def test_whatever_stands_in_a_lines_place_shows(place: int, text: bytes, anchored: bool) -> None:
    """Any bytes for any line that others follow; with the head written down, for the last one too."""
    if text == LINES[place] or (place == len(LINES) - 1 and not anchored):
        return
    mutated = [*LINES[:place], text, *LINES[place + 1 :]]

    assert serious(mutated, HEAD if anchored else None)


@given(st.lists(st.one_of(st.sampled_from([*LINES, FOREIGN, b"", b"{", b'{"seq":"x"}']), st.binary())))
def test_nothing_that_a_log_holds_is_an_exception(lines: list[bytes]) -> None:
    """A check always ends with a report of all lines."""
    data = b"".join(line + b"\n" for line in lines)

    report = check(lines, "3:abcd")

    assert report.lines == data.count(b"\n")


@given(
    st.lists(st.sampled_from([*LINES, FOREIGN, b"", b"{", b'{"type":"later"}'])), st.lists(st.integers(1, 20))
)
def test_it_does_not_matter_how_a_log_is_cut_into_stretches(lines: list[bytes], cuts: list[int]) -> None:
    """The report is that of the whole, wherever the stretches end."""
    ended = [line + b"\n" for line in lines]
    stretches: list[tuple[int, bytes]] = []
    offset = 0
    for size in [*cuts, len(ended)]:
        stretch, ended = b"".join(ended[:size]), ended[size:]
        if stretch:
            stretches.append((offset, stretch))
            offset += len(stretch)

    assert verify(stretches, head="5:abcd") == check(lines, "5:abcd")


@given(st.lists(st.sampled_from([FOREIGN, b"", b'{"type":"later"}', b"{torn"]), max_size=5))
def test_our_lines_after_foreign_ones_are_in_order(foreign: list[bytes]) -> None:
    """They name the digest of whatever bytes stand before them."""
    log = MemoryLog(b"".join(line + b"\n" for line in foreign))
    log.append([Note(detail="one"), Note(detail="two")])

    report = check(log.content.split(b"\n")[:-1])

    assert {fault.kind for fault in report.faults} <= {"damaged", "unknown"}
    assert report.ok == (b"{torn" not in foreign)
    assert report.foreign == sum(line in (FOREIGN, b'{"type":"later"}') for line in foreign)


def interleaved(foreign: int, ours: int) -> list[bytes]:
    """A log into which foreign lines came just before a batch of ours was written."""
    batch: list[bytes] = []
    prev = digest(LINES[-1])
    for n in range(ours):
        batch.append(encode(Note(detail=str(n), seq=len(LINES) + 1 + n, prev=prev, timestamp=1)))
        prev = digest(batch[-1])
    lines = [*LINES, *[FOREIGN] * foreign, *batch]
    relinked = Relinked(
        line=len(LINES) + foreign + 1,
        lines=ours,
        true_prev=digest(FOREIGN),
        seq=len(lines) + 1,
        prev=digest(lines[-1]),
        timestamp=1,
    )
    return [*lines, encode(relinked)]


@pytest.mark.parametrize(("foreign", "ours"), [(1, 1), (3, 1), (1, 3), (2, 2)])
def test_lines_that_came_in_between_are_a_remark(foreign: int, ours: int) -> None:
    """Once for the whole batch; what follows is in order again."""
    lines = interleaved(foreign, ours)
    log = MemoryLog(b"".join(line + b"\n" for line in lines))
    log.append([Note(detail="after")])

    report = check(log.content.split(b"\n")[:-1])

    between = "line 9" if foreign == 1 else f"lines 9 to {8 + foreign}"
    assert report.ok
    assert [(fault.line, fault.kind, fault.serious) for fault in report.faults] == [
        (9 + foreign, "interleaved", False)
    ]
    assert report.faults[0].detail.startswith(between)


def test_a_line_taken_out_of_what_came_between_shows() -> None:
    """The note about it holds the digest of the line before, which is covered like any other."""
    lines = interleaved(2, 2)

    assert not serious(lines)
    for place in range(len(lines) - 1):
        if lines[place] is not FOREIGN:
            assert serious([*lines[:place], *lines[place + 1 :]]), place


def test_a_chained_line_between_is_no_interleaving() -> None:
    """Ours take the lock, so that one of them cannot come in between."""
    one, two = (
        encode(Note(detail=text, seq=9, prev=digest(LINES[-1]), timestamp=1)) for text in ("one", "two")
    )

    (fault,) = serious([*LINES, one, two])

    assert (fault.line, fault.kind) == (10, "altered")


@pytest.mark.parametrize("place", range(len(LINES)))
def test_a_false_number_shows(place: int) -> None:
    """Once, at the first line that bears it, although everything after it is numbered on from there."""
    lines: list[bytes] = []
    prev: str | None = None
    for number in range(1, len(LINES) + 1):
        seq = number + (5 if number > place else 0)
        lines.append(encode(Note(detail="x", seq=seq, prev=prev, timestamp=1)))
        prev = digest(lines[-1])

    faults = serious(lines)

    if place == 0:  # a first line without a link that says it is line 6 is a foreign one, the next is not
        assert [(f.line, f.kind) for f in faults] == [(2, "renumbered")]
    else:
        assert [(f.line, f.kind) for f in faults] == [(place + 1, "renumbered")]
        assert f"line {place + 1} says that it is line {place + 6}" in faults[0].detail


def test_true_numbers_after_a_false_one_are_in_order() -> None:
    """The false one is told, and no more."""
    lines = chained(
        b'{"type":"note","seq":1,"detail":"a"}',
        b'{"type":"note","seq":7,"prev":"PREV","detail":"b"}',
        b'{"type":"note","seq":3,"prev":"PREV","detail":"c"}',
        b'{"type":"note","seq":4,"prev":"PREV","detail":"d"}',
    )

    assert [(f.line, f.kind) for f in serious(lines)] == [(2, "renumbered")]


def test_a_log_that_begins_in_the_middle_shows() -> None:
    """The first line names a line before it, which is not there."""
    (fault,) = serious(LINES[2:])

    assert (fault.line, fault.kind) == (1, "altered")
    assert "line 1 says that it is line 3" in fault.detail


@pytest.mark.parametrize("damage", [b"{torn", b"", b"not json", b'{"a":"\xff"}', b"[1]", b'{"a":1}{"a":2}'])
def test_a_damaged_line_is_told_and_the_chain_goes_on(damage: bytes) -> None:
    """What is chained over it stays in order; an empty line is no damage."""
    log = MemoryLog(b"".join(line + b"\n" for line in [*LINES, damage]))
    log.append([Note(detail="after")])

    report = check(log.content.split(b"\n")[:-1])

    expected = [(9, "damaged", True)] if damage else []
    assert [(f.line, f.kind, f.serious) for f in report.faults] == expected
    assert (report.lines, report.chained) == (10, 9)


def test_a_chained_line_that_is_not_utf_8_is_damaged() -> None:
    """Also where the bytes lie in a field that nobody looks at, among lines that are in order."""
    bad = b'{"type":"note","seq":9,"prev":"%s","detail":"\xff"}' % digest(LINES[-1]).encode()

    assert [(f.line, f.kind) for f in serious([*LINES, bad])] == [(9, "damaged")]


def test_a_type_of_another_version_is_a_remark() -> None:
    """It is covered by the chain, whether it is chained itself or not."""
    lines = chained(
        b'{"type":"note","seq":1,"detail":"a"}',
        b'{"type":"later","seq":2,"prev":"PREV"}',
        b'{"type":"x.own","seq":3,"prev":"PREV"}',
        b'{"type":"later"}',
    )

    report = check(lines)

    assert [(f.line, f.kind, f.serious) for f in report.faults] == [
        (2, "unknown", False),
        (4, "unknown", False),
    ]
    assert (report.chained, report.foreign) == (3, 1)


def test_a_number_without_a_link_is_a_remark() -> None:
    """Somebody numbered it who does not know the chain."""
    report = check([*LINES, b'{"type":"note","seq":9,"detail":"x"}'])

    assert [(f.line, f.kind, f.serious) for f in report.faults] == [(9, "unlinked", False)]


def test_a_loose_end_counts_if_it_is_whole() -> None:
    """Otherwise it is pending, and nothing is said of it."""
    whole, torn = b"\n".join(LINES), b"\n".join(LINES)[:-1]

    for data, lines in ((whole, 8), (torn, 7)):
        end = data.rindex(b"\n") + 1
        report = verify([(0, data[:end]), (end, data[end:])])
        assert (report.ok, report.faults, report.lines) == (True, (), lines)
        assert report.head.offset == (len(data) if lines == 8 else end)


@pytest.mark.parametrize("number", range(1, len(LINES) + 1))
@pytest.mark.parametrize("digits", [4, 16, 32])
def test_a_head_written_down_earlier_is_found(number: int, digits: int) -> None:
    """Whichever line it was the head at, and however it was shortened."""
    assert check(LINES, f"{number}:{digest(LINES[number - 1])[:digits]}").ok


@pytest.mark.parametrize(
    ("head", "line", "words"),
    [
        (f"3:{digest(LINES[3])}", 3, "another line there"),
        ("3:0000", 3, "another line there"),
        (f"3:{digest(LINES[2])}0", 3, "another line there"),
        (f"9:{digest(LINES[-1])}", 8, "ends before it"),
    ],
)
def test_a_head_that_is_not_there_is_a_fault(head: str, line: int, words: str) -> None:
    """Of another line, of no line, with digits too many, beyond the end."""
    (fault,) = serious(LINES, head)

    assert (fault.line, fault.kind) == (line, "head")
    assert words in fault.detail


@pytest.mark.parametrize(
    "text", ["", "3", "3:", ":abcd", "0:abcd", "-1:abcd", "3:abc", "3:ABCD", "3:xyzt", "²:abcd"]
)
def test_what_is_no_head_is_refused(text: str) -> None:
    """Before anything is checked."""
    with pytest.raises(ValueError, match="is no head"):
        check(LINES, text)


@pytest.mark.skipif(
    not all(map(shutil.which, ("sed", "tr", "sha256sum"))), reason="needs sed, tr and sha256sum"
)
def test_a_link_can_be_checked_by_hand(tmp_path: Path) -> None:
    """`sed | tr | sha256sum` of a line begins with what the next line says (design, section 2.2)."""
    path = tmp_path / "log.jsonl"
    log = FileLog(path)
    for n in range(12):
        log.append([Note(detail=f"ünï {n}")])
    twelfth = [r for batch in log.read() for r in batch.records][11]
    assert isinstance(twelfth, Note)

    by_hand = subprocess.run(
        f"sed -n 11p '{path}' | tr -d '\\n' | sha256sum", shell=True, capture_output=True, text=True
    )

    assert by_hand.stdout[:32] == twelfth.prev

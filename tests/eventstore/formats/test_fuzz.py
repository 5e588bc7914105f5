"""No parser ever raises, whatever it is given, and every line has its fate."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from eventstore.door import check
from eventstore.formats.fates import PLAIN, Options, Question, Reading
from eventstore.formats.recognise import FORMATS, parse, recognise
from eventstore.formats.state import parse_folder
from eventstore.formats.text import first_change, lines_of, marks_of
from tests.eventstore.formats.documents import DOCUMENTS

OPTIONS = st.sampled_from(
    [
        PLAIN,
        Options(direction="lower", status="keep"),
        Options(columns=("a", "b", "status", "metric"), direction="lower"),
        Options(metric="metric", direction="higher", decided=20),
        Options(words={"iterate": "keep"}, direction="higher"),
    ]
)
PATHS = ("task_spec.md", "progress.json", "findings.jsonl", "directions_tried.json", "iteration_log.jsonl")
FUZZ = settings(max_examples=80, deadline=None, suppress_health_check=list(HealthCheck))


def assert_sound(reading: Reading, data: bytes) -> None:
    lines = len(lines_of(data))
    assert [fate.line for fate in reading.fates] == list(range(1, lines + 1))
    for placed in reading.events:
        check(placed.event)
        assert 0 <= placed.line <= lines


@FUZZ
@given(DOCUMENTS, OPTIONS)
def test_files(data: bytes, options: Options) -> None:
    """Any bytes give events that may be appended and one fate a line, or a question; never an exception."""
    recognise(data)
    for form in FORMATS:
        reading = parse(form, data, options)
        if isinstance(reading, Question):
            assert reading.message
            assert reading.remedy
        else:
            assert_sound(reading, data)


@FUZZ
@given(st.dictionaries(st.sampled_from([*PATHS, "logs/work.jsonl", "state/logs/heartbeat.jsonl"]), DOCUMENTS))
def test_folders(files: dict[str, bytes]) -> None:
    """So do any files of a state folder; the events of all of them are in its order once each."""
    folder = parse_folder(files)
    assert {file.path for file in folder.files} == set(files)
    for file in folder.files:
        if files[file.path]:
            assert_sound(file.reading, files[file.path])
    ordered = [(path, placed) for path, placed in folder.events]
    apart = [(file.path, placed) for file in folder.files for placed in file.reading.events]
    assert len(ordered) == len(apart)
    for path in files:
        if path != "task_spec.md":
            assert [p for q, p in ordered if q == path] == [p for q, p in apart if q == path]


@FUZZ
@given(DOCUMENTS, DOCUMENTS)
def test_growth(data: bytes, more: bytes) -> None:
    """A log that grew is read as before up to where it had ended."""
    data = data if data.endswith(b"\n") or not data else data + b"\n"
    before, after = parse("pi", data), parse("pi", data + more)
    if isinstance(before, Reading) and isinstance(after, Reading) and before.runs:
        lines = len(lines_of(data))
        taken = [p for p in after.events if 0 < p.line <= lines]
        spanning = any(fate.reason.startswith("damaged") for fate in before.fates)
        known = [p for p in before.events if p.line]
        if not spanning and not data.startswith((b"\xff\xfe", b"\xfe\xff")):
            assert [(p.line, p.number, type(p.event)) for p in taken] == [
                (p.line, p.number, type(p.event)) for p in known
            ]


@given(
    st.lists(st.binary(max_size=5).map(lambda b: b.replace(b"\n", b"")), min_size=1, max_size=8), st.data()
)
def test_the_first_changed_line_is_found(lines: list[bytes], draw: st.DataObject) -> None:
    """Marks of a file tell the first line that was changed."""
    data = b"".join(line + b"\n" for line in lines)
    marks = marks_of(data)
    assert marks is not None
    assert first_change(data, marks) is None
    assert first_change(data + b"more\n", marks) is None
    index = draw.draw(st.integers(0, len(lines) - 1))
    changed = [*lines[:index], lines[index] + b"#", *lines[index + 1 :]]
    assert first_change(b"".join(line + b"\n" for line in changed), marks) == index + 1
    assert first_change(b"".join(line + b"\n" for line in lines[:index]), marks) == index + 1

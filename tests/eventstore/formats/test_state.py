"""The long-horizon protocol's state folder, as different programs keep it."""

from __future__ import annotations

import json
from typing import Any

import pytest

from eventstore.events import Config, Custom, Direction, Event, Finding, Iteration, Note, Status
from eventstore.formats.state import Folder, is_state_file, parse_folder


def lines(*values: dict[str, Any]) -> bytes:
    return "".join(json.dumps(value) + "\n" for value in values).encode()


def events(folder: Folder, *kinds: type[Event]) -> list[Any]:
    return [placed.event for _, placed in folder.events if isinstance(placed.event, kinds)]


def told(folder: Folder, path: str) -> list[str]:
    file = next(file for file in folder.files if file.path == path)
    return [fate.reason for fate in file.reading.fates] + list(file.reading.notes)


def test_a_whole_folder() -> None:
    """Each file gives its events; they come in the order of their times, the goal first."""
    folder = parse_folder(
        {
            "state/task_spec.md": b"# Survey\n## Goal\nWrite it.\n## Milestones\n- [x] outline\n- draft\n",
            "state/findings.jsonl": lines(
                {"ts": "2026-07-04T06:00:00Z", "source": "m1", "finding": "it works"}
            ),
            "state/iteration_log.jsonl": lines(
                {"ts": "2026-07-04T07:00:00Z", "iteration": 1, "new_findings": 1}
            ),
            "state/directions_tried.json": b'[{"direction": "caching", "decision": "selected"}]',
            "state/progress.json": b'{"iteration": 1, "total_findings": 1, "status": "active"}',
            "logs/work.jsonl": lines(
                {"ts": "2026-07-04T05:00:00Z", "level": "info", "event": "start", "detail": "go"}
            ),
        }
    )

    order = [type(placed.event) for _, placed in folder.events]
    assert order[0] is Config
    assert order.index(Note) < order.index(Finding) < order.index(Iteration)
    config = events(folder, Config)[0]
    assert (config.name, config.milestones) == ("Write it.", ("outline", "draft"))
    assert events(folder, Status)[0].status == "active"
    assert told(folder, "state/progress.json") == ["status"]


@pytest.mark.parametrize(
    ("line", "finding"),
    [
        ({"finding": "a", "evidence": ["x.csv"]}, Finding(text="a", evidence='["x.csv"]')),
        ({"text": "a", "url": "https://x.example"}, Finding(text="a", source="https://x.example")),
        ({"summary": "a", "source": "Smith et al. (2024)"}, Finding(text="a", source="Smith et al. (2024)")),
        ({"claim": "a", "iteration": 3}, Finding(text="a", iteration=3)),
    ],
)
def test_findings(line: dict[str, Any], finding: Finding) -> None:
    """A finding under its many names; a source is a citation where it looks like one."""
    folder = parse_folder({"findings.jsonl": lines(line)})

    assert events(folder, Finding) == [finding]


def test_what_an_entry_says_besides_is_kept() -> None:
    """Who found it is no citation; what has no field of ours follows in an event of its own."""
    folder = parse_folder({"findings.jsonl": lines({"finding": "a", "source": "m1_5", "level": "decision"})})

    assert events(folder, Finding)[0].source is None
    kept = events(folder, Custom)[0]
    assert kept.fields == {"of": "finding", "fields": {"source": "m1_5", "level": "decision"}}


def test_printed_with_indentation() -> None:
    """A "jsonl" that holds objects over several lines is read all the same."""
    text = "\n".join(json.dumps({"finding": f"f{n}", "n": [1, 2]}, indent=2) for n in range(3))

    folder = parse_folder({"findings.jsonl": text.encode()})
    assert [finding.text for finding in events(folder, Finding)] == ["f0", "f1", "f2"]


@pytest.mark.parametrize(
    "text",
    [
        '["caching", "batching"]',
        '[{"direction": "caching"}, {"direction": "batching"}]',
        '{"directions": ["caching", "batching"], "last_updated": "x"}',
        '{"directions_tried": [{"text": "caching"}, {"name": "batching"}]}',
        '{"caching": {"status": "tried"}, "batching": {"status": "done"}}',
        '{"direction": "caching"}\n{"direction": "batching"}\n',
        '[\n  "caching",\n  "batching"\n]\n',
    ],
)
def test_directions_in_any_shape(text: str) -> None:
    """Objects, texts, either under a key, or one a line."""
    folder = parse_folder({"directions_tried.json": text.encode()})

    found = events(folder, Direction)
    assert [direction.text for direction in found] == ["caching", "batching"]
    assert {direction.state for direction in found} == {"tried"}


def test_states_of_directions() -> None:
    """Given up, under way, tried; what nobody went in yet is no direction of the search, and that is said."""
    text = json.dumps(
        [
            {"id": "a", "status": "closed", "reason": "plateau"},
            {"id": "b", "status": "in_progress"},
            {"id": "c", "status": "completed_feasibility_only", "reason": "weak"},
            {"id": "d", "status": "backlog"},
            {"id": "e", "decision": "deferred"},
            {"id": "f", "kind": "structural"},
        ]
    )
    folder = parse_folder({"directions_tried.json": text.encode()})

    found = [(d.text, d.state, d.kind, d.reason) for d in events(folder, Direction)]
    assert found == [
        ("a", "abandoned", None, "plateau"),
        ("b", "claimed", None, "in_progress"),
        ("c", "tried", None, "weak"),
        ("f", "tried", "structural", None),
    ]
    assert sum("nobody went in yet" in text for text in told(folder, "directions_tried.json")) == 2


def test_iterations() -> None:
    """Numbers are as given, or follow on; findings are counted."""
    folder = parse_folder(
        {
            "iteration_log.jsonl": lines(
                {"iter": 4, "outcome": "done", "findings": ["x", "y"], "score": 0.5, "turns": 3},
                {"attempted": "another way"},
            )
        }
    )

    one, two = events(folder, Iteration)
    assert (one.iteration, one.summary, one.findings, one.metric, one.rounds) == (4, "done", 2, 0.5, 3)
    assert (two.iteration, two.summary) == (5, "another way")


def test_progress_alone() -> None:
    """Without the files that grow, what progress counts is taken as one iteration."""
    text = {
        "iteration": 36,
        "status": "v36",
        "stale_count": 0,
        "total_findings": 7,
        "last_direction": "d",
        "weak": 1,
    }

    folder = parse_folder({"progress.json": lines(text)})
    found = events(folder, Iteration)[0]
    assert (found.iteration, found.findings, found.direction) == (36, 7, "d")
    assert events(folder, Custom)[0].fields == {"of": "progress", "fields": {"weak": 1}}


def test_logs_are_notes_of_those_whose_log_it_is() -> None:
    """Lines of a log are notes; their author is the role whose log it is."""
    line = {
        "ts": "2026-07-03T00:00:00+08:00",
        "source": "codex x",
        "level": "WARNING",
        "event": "e",
        "detail": "d",
    }

    folder = parse_folder(
        {f"logs/{name}.jsonl": lines(line) for name in ("work", "orchestrator", "heartbeat", "own")}
    )
    notes = {note.by: note for note in events(folder, Note)}
    assert set(notes) == {"worker:codex_x", "orchestrator:codex_x", "guardian:codex_x", "user"}
    assert notes["user"].source == "codex x"
    assert (notes["user"].level, notes["user"].event, notes["user"].detail) == ("warn", "e", "d")
    assert notes["user"].timestamp == 1783008000000


def test_a_heartbeat_in_a_log_is_no_sign_of_life() -> None:
    """History never makes a loop look alive."""
    folder = parse_folder(
        {"logs/heartbeat.jsonl": lines({"ts": "2026-07-03", "event": "heartbeat", "source": "l1"})}
    )

    assert {type(placed.event) for _, placed in folder.events} == {Note}


def test_damage_and_other_files() -> None:
    """Damaged lines are told; files that are none of the protocol's are left out."""
    folder = parse_folder(
        {"findings.jsonl": b'{"finding":"a"}\n{"find\n', "notes.md": b"x", "logs/x/y.jsonl": b"{}"}
    )

    assert [file.path for file in folder.files] == ["findings.jsonl"]
    assert told(folder, "findings.jsonl")[1].startswith("damaged")


@pytest.mark.parametrize(
    ("path", "known"),
    [
        ("progress.json", True),
        ("state/findings.jsonl", True),
        ("logs/anything.jsonl", True),
        ("state/logs/work.jsonl", True),
        ("logs/work.txt", False),
        ("other.json", False),
        ("state/other/findings.jsonl", False),
        ("state", False),
    ],
)
def test_which_files_are_the_protocols(path: str, known: bool) -> None:
    """The files by name, in the folder or in `state` within it."""
    assert is_state_file(path) is known


def test_a_finding_in_the_protocols_five_fields() -> None:
    """The line format of the logs, used for findings, says nothing beyond the finding."""
    line = {
        "ts": "2026-07-03T00:00:00Z",
        "source": "worker:w",
        "level": "info",
        "event": "finding",
        "detail": "a",
    }

    folder = parse_folder({"findings.jsonl": lines(line)})
    (placed,) = [placed for _, placed in folder.events]
    assert placed.event == Finding(text="a", by="worker:w", timestamp=1783036800000)

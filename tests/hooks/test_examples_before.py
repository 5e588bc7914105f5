"""What each shipped before-hook does, by firing the real scripts."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

from tests.hooks.example_scripts import HOSTILE, Session, after, before, needs_jq, run, script

SEARCHES = [
    ("external-search", "ddgr", ".auto/research.md"),
    ("qmd-search", "qmd", ".auto/docs.md"),
]
LOGS = [".auto/log.jsonl", "autoresearch.jsonl"]


@pytest.fixture
def session(tmp_path: Path) -> Session:
    return Session(tmp_path)


# external-search, qmd-search


@needs_jq
@pytest.mark.parametrize(
    ("last_run", "query"),
    [
        (run(asi={"next_focus": "index", "hypothesis": "cache"}), "index"),
        (run(asi={"next_focus": "  ", "hypothesis": "cache"}), "cache"),
        (run(asi={"hypothesis": None}), "sort first"),
        (run(description=""), "faster queries"),
        (None, "faster queries"),
    ],
    ids=["next_focus", "hypothesis", "description", "goal", "first"],
)
@pytest.mark.parametrize(("name", "command", "results"), SEARCHES)
def test_search_takes_the_first_field_that_says_something(
    name: str, command: str, results: str, last_run: dict[str, Any] | None, query: str, session: Session
) -> None:
    """Query: next_focus, hypothesis, description, goal. Results in the file, one line of steer."""
    session.fake(command, "printf 'first hit\\n\\n## second hit\\n'")

    fired = session.fire(name, before(last_run, goal="faster queries"))

    arguments = session.arguments(command) or []
    assert arguments[-2:] == ["--", query]
    assert session.text(results).endswith(f"\n\n## {query}\n\n> first hit\n> ## second hit\n")
    assert fired.stdout.count("\n") == 1
    assert query in fired.stdout
    assert results in fired.stdout
    assert (fired.code, fired.stderr) == (0, "")


@needs_jq
@pytest.mark.parametrize(("name", "command", "results"), SEARCHES)
def test_search_hands_hostile_text_over_as_one_argument(
    name: str, command: str, results: str, session: Session
) -> None:
    """The query is one argument after `--`: nothing expands, dashes and quotes stay, newlines are spaces."""
    session.fake(command, "echo found")

    session.fire(name, before(run(asi={"next_focus": HOSTILE})))

    arguments = session.arguments(command) or []
    assert arguments[-2] == "--"
    assert arguments[-1].startswith(
        "- he said \"don't\" then 'x'; $(touch pwned) `touch pwned` \\n 100% %s tab"
    )
    assert "😀 --help" in arguments[-1]
    assert session.files() == {results}


@needs_jq
@pytest.mark.parametrize(("name", "command", "results"), SEARCHES)
def test_search_appends_to_what_a_person_wrote(
    name: str, command: str, results: str, session: Session
) -> None:
    """Earlier text stays as it is, even without a newline at its end; a repeated query is not asked again."""
    session.fake(command, "echo found")
    session.write(results, "my own notes\r\nno newline here 😀")

    session.fire(name, before(goal="one"))
    session.fire(name, before(goal="two"))
    again = session.fire(name, before(goal="one"))

    assert session.text(results) == (
        "my own notes\r\nno newline here 😀\n\n## one\n\n> found\n\n## two\n\n> found\n"
    )
    assert (again.code, again.stdout) == (0, "")
    assert len([word for word in session.arguments(command) or [] if word in ("one", "two")]) == 2


@needs_jq
@pytest.mark.parametrize("body", ["exit 3", "echo half; exit 1", "printf ' \\n\\n'"])
@pytest.mark.parametrize(("name", "command", "results"), SEARCHES)
def test_search_without_results_is_silent(
    name: str, command: str, results: str, body: str, session: Session
) -> None:
    """A search that fails or finds nothing leaves no file and no steer."""
    session.fake(command, body)

    fired = session.fire(name, before(goal="one"))

    assert (fired.code, fired.stdout, fired.stderr) == (0, "", "")
    assert session.files() == set()
    assert session.arguments(command) is not None


@needs_jq
@pytest.mark.parametrize(("name", "command", "results"), SEARCHES)
def test_search_cuts_and_cleans_what_it_found(
    name: str, command: str, results: str, session: Session
) -> None:
    """Escape sequences and broken bytes never reach the file; a flood is cut at a character."""
    session.fake(command, "printf '\\033[31mred\\377 \\n'; for i in {1..3000}; do printf 😀😀😀; done")

    session.fire(name, before(goal="one"))

    text = session.text(results)
    assert "\x1b" not in text
    assert 3000 < text.count("😀") <= 4000
    assert "> [31mred\ufffd\n" in text


@pytest.mark.parametrize(("name", "command", "results"), SEARCHES)
def test_search_without_its_command_is_silent(
    name: str, command: str, results: str, session: Session
) -> None:
    """The optional tool missing: nothing on stdout or stderr, exit 0."""
    fired = session.fire(name, before(goal="one"))

    assert (fired.code, fired.stdout, fired.stderr) == (0, "", "")
    assert session.files() == set()


# anti-thrash


def runs(*statuses: str) -> list[dict[str, Any]]:
    """Run lines with these statuses, numbered from 1."""
    return [
        {"type": "run"} | run(n, status, description=f"try {n}") for n, status in enumerate(statuses, start=1)
    ]


@needs_jq
@pytest.mark.parametrize("log", LOGS)
def test_anti_thrash_speaks_after_five_judged_runs_without_a_keep(log: str, session: Session) -> None:
    """Discards and failed checks count, crashes do not; the steer names the runs and what was tried."""
    session.log(
        {"type": "config", "name": "x"},
        *runs("keep", "discard", "crash", "checks_failed", "discard", "crash", "discard", "discard"),
        {"type": "heartbeat", "pid": 1},
        name=log,
    )

    fired = session.fire("anti-thrash", before(run(8, "discard")))

    assert "last 5 judged runs (2, 4, 5, 7, 8)" in fired.stdout
    assert "structural" in fired.stdout
    assert "Tried: try 2; try 4; try 5; try 7; try 8." in fired.stdout
    assert fired.stdout.count("\n") == 1
    assert (fired.code, fired.stderr) == (0, "")


@needs_jq
@pytest.mark.parametrize(
    "statuses",
    [
        ("discard",) * 4,
        ("discard", "discard", "keep", "discard", "discard", "discard"),
        ("keep", "crash", "crash", "crash", "crash", "crash", "discard"),
        ("discard",) * 6 + ("keep",),
    ],
    ids=["four", "keep among them", "crashes", "keep last"],
)
def test_anti_thrash_is_silent_otherwise(statuses: tuple[str, ...], session: Session) -> None:
    """Fewer than five judged runs, or a keep among the last five: nothing to say."""
    session.log(*runs(*statuses))

    fired = session.fire("anti-thrash", before(run()))

    assert (fired.code, fired.stdout, fired.stderr) == (0, "", "")


@needs_jq
def test_anti_thrash_looks_at_the_current_segment_only(session: Session) -> None:
    """A config after the runs starts a new segment, whose count starts at nothing."""
    discards = runs(*["discard"] * 5)
    session.log(*discards, {"type": "config", "name": "x"}, *discards[:4])
    four = session.fire("anti-thrash", before(run()))
    session.log(*discards, {"type": "config", "name": "x"}, *discards)
    five = session.fire("anti-thrash", before(run()))

    assert four.stdout == ""
    assert "judged runs (1, 2, 3, 4, 5)" in five.stdout


@needs_jq
def test_anti_thrash_reads_damaged_and_foreign_logs(session: Session) -> None:
    """Torn lines, blank lines, lines without `type`, odd fields: what can be read counts."""
    untyped = [run(n, "discard", None, description=None) for n in range(1, 6)]
    session.log(
        *untyped[:3],
        '{"run":9,"status":"keep","descr',
        "",
        "null",
        "[1]",
        '"text"',
        {"type": "note", "run": 4, "status": "keep"},
        {"run": "5", "status": "keep"},
        *untyped[3:],
        '{"type":"run","run":6,"stat',
    )

    fired = session.fire("anti-thrash", before(run()))

    assert "(1, 2, 3, 4, 5)" in fired.stdout
    assert "Tried" not in fired.stdout
    assert fired.stderr == ""


@needs_jq
@pytest.mark.parametrize("text", ["", "\n\n"])
def test_anti_thrash_with_an_empty_log_is_silent(text: str, session: Session) -> None:
    """An empty log says nothing."""
    session.write(".auto/log.jsonl", text)

    fired = session.fire("anti-thrash", before())

    assert (fired.code, fired.stdout, fired.stderr) == (0, "", "")


# idea-rotator


@pytest.mark.parametrize("file", [".auto/ideas.md", "autoresearch.ideas.md"])
@pytest.mark.parametrize(
    ("text", "idea"),
    [
        ("# Ideas\n- [x] done\n- [ ] sorted index\n- [ ] later\n", "sorted index"),
        ("- [x] done\r\n  * [ ] windows 😀\r\n", "windows 😀"),
        ("- [ ]\n- [ ]   \n+ [ ] no newline at the end", "no newline at the end"),
        (
            "- [ ] $(touch pwned) `x` \"q\" 'q' \\ %s -- 1e-05\n",
            "$(touch pwned) `x` \"q\" 'q' \\ %s -- 1e-05",
        ),
        ("- [ ] --help\n", "--help"),
    ],
    ids=["second", "crlf", "empty boxes", "hostile", "dash"],
)
def test_idea_rotator_shows_the_first_unchecked_idea(
    text: str, idea: str, file: str, session: Session
) -> None:
    """The first `- [ ]` with text, as it was written; the file is not touched."""
    session.write(file, text)

    fired = session.fire("idea-rotator", before())

    assert fired.stdout.splitlines()[0] == f"Next idea in {file}: {idea}"
    assert (fired.code, fired.stderr) == (0, "")
    assert session.text(file) == text
    assert session.files() == {file}


@pytest.mark.parametrize(
    "text", ["", "\n", "# Ideas\n", "- [x] all\n- [X] done\n", "- []\n- [ ]\nnot - [ ] a box\n"]
)
def test_idea_rotator_without_an_idea_is_silent(text: str, session: Session) -> None:
    """An empty file, or no box left: nothing to say."""
    session.write(".auto/ideas.md", text)

    fired = session.fire("idea-rotator", before())

    assert (fired.code, fired.stdout, fired.stderr) == (0, "", "")


# hypothesis-reflection

NOTES = {"hypothesis": HOSTILE, "learned": "io bound", "rollback_reason": "slower"}


@needs_jq
def test_reflection_asks_a_model_about_a_discard(session: Session) -> None:
    """The model reads the record on stdin, as data; two of its lines, without bullets, become the steer."""
    session.fake("llm", "printf '\\n1. batch the writes\\n- map the file\\nthird\\n'")

    fired = session.fire(
        "hypothesis-reflection",
        before(run(7, "discard", 1e-05, asi=NOTES), goal="faster", metric_name="latency", best_metric=-2.5),
    )

    prompt = session.stdin_of("llm")
    lines = prompt.splitlines()
    assert fired.stdout.startswith("Run 7 was discarded.")
    assert fired.stdout.splitlines()[1:] == ["- batch the writes", "- map the file"]
    assert {"Goal: faster", "Metric: latency", "Better is: lower", "Best so far: -2.5"} <= set(lines)
    assert {
        "Changed: sort first",
        "Measured: 1e-05",
        "Learned: io bound",
        "Why it was dropped: slower",
    } <= set(lines)
    assert "$(touch pwned) `touch pwned`" in prompt
    assert session.arguments("llm") == ["--no-stream"]
    assert session.files() == set()
    assert (fired.code, fired.stderr) == (0, "")


@needs_jq
@pytest.mark.parametrize("status", ["keep", "crash", "checks_failed", "", None])
def test_reflection_is_silent_about_any_other_run(status: str | None, session: Session) -> None:
    """Only a discard is reflected on; the model is not asked about anything else."""
    session.fake("llm", "echo idea")

    fired = session.fire("hypothesis-reflection", before({"run": 3, "status": status}))

    assert (fired.code, fired.stdout, fired.stderr) == (0, "", "")
    assert session.arguments("llm") is None


@needs_jq
@pytest.mark.parametrize("body", ["", "exit 1", "echo half; exit 2", "printf '\\n \\n'"])
def test_reflection_with_a_model_that_fails_is_silent(body: str, session: Session) -> None:
    """No answer, no steer."""
    session.fake("llm", body)

    fired = session.fire("hypothesis-reflection", before(run(3, "discard")))

    assert (fired.code, fired.stdout, fired.stderr) == (0, "", "")
    assert session.arguments("llm") is not None


@needs_jq
def test_reflection_without_a_model_is_silent(session: Session) -> None:
    """The command missing: nothing at all."""
    fired = session.fire("hypothesis-reflection", before(run(3, "discard", asi=NOTES)))

    assert (fired.code, fired.stdout, fired.stderr) == (0, "", "")


# context-rotation

POINTER = "Older notes are in `.auto/archive/` (prompt-<n>.md, the newest has the highest number).\n"


def long_prompt(lines: int = 300) -> str:
    """A prompt of more than 20 KiB, with CRLF, emoji and no newline at its end."""
    return "\n".join(f"line {n} {'x' * 100} $(touch pwned) 😀\r" for n in range(1, lines + 1))


AT_LIMIT = f"{'x' * 159}\n" * 128


@pytest.mark.parametrize("file", [".auto/prompt.md", "autoresearch.md"])
def test_rotation_keeps_eighty_lines_and_archives_the_rest(file: str, session: Session) -> None:
    """The first 80 lines stay, a pointer below; kept and archived together are the old prompt's bytes."""
    text = long_prompt()
    path = session.write(file, text)
    path.chmod(0o640)

    fired = session.fire("context-rotation", before())

    kept = "".join(text.splitlines(keepends=True)[:80])
    assert session.text(file) == f"{kept}\n{POINTER}"
    assert kept + session.text(".auto/archive/prompt-1.md") == text
    assert fired.stdout == (
        f"{file} was over 20480 bytes: its first 80 lines stay, the rest is in .auto/archive/prompt-1.md.\n"
    )
    assert (fired.code, fired.stderr) == (0, "")
    assert path.stat().st_mode & 0o777 == 0o640
    assert session.files() == {file, ".auto/archive/prompt-1.md"}


def test_rotation_never_overwrites_an_archive(session: Session) -> None:
    """The next number is one above the highest there is, whatever else lies in the folder."""
    session.write(".auto/prompt.md", long_prompt())
    for name in ("prompt-1.md", "prompt-09.md", "prompt-x.md", "prompt-.md", "prompt-12.txt"):
        session.write(f".auto/archive/{name}", f"mine: {name}")

    session.fire("context-rotation", before())
    session.write(".auto/prompt.md", session.text(".auto/prompt.md") + long_prompt())
    session.fire("context-rotation", before())

    assert session.text(".auto/archive/prompt-1.md") == "mine: prompt-1.md"
    assert session.text(".auto/archive/prompt-09.md") == "mine: prompt-09.md"
    assert session.text(".auto/archive/prompt-10.md").startswith("line 81 ")
    assert session.text(".auto/archive/prompt-11.md").startswith(f"\n{POINTER}line 1 ")
    assert len(session.files()) == 8


@pytest.mark.parametrize(
    "text",
    [
        "",
        "x\n" * 400,
        "x" * 30_000,
        f"{'x' * 400}\n" * 80,
        f"{'x' * 400}\n" * 80 + f"\n{POINTER}",
        AT_LIMIT,
    ],
    ids=["empty", "many short lines", "one long line", "80 long lines", "rotated already", "at the limit"],
)
def test_rotation_leaves_a_prompt_alone_that_it_cannot_or_need_not_shorten(
    text: str, session: Session
) -> None:
    """At most 20 KiB, or nothing below line 80: untouched, and no archive."""
    session.write(".auto/prompt.md", text)

    fired = session.fire("context-rotation", before())

    assert (fired.code, fired.stdout, fired.stderr) == (0, "", "")
    assert session.text(".auto/prompt.md") == text
    assert session.files() == {".auto/prompt.md"}


def test_rotation_begins_at_the_first_byte_too_many(session: Session) -> None:
    """20 KiB are allowed; one byte more is not."""
    session.write(".auto/prompt.md", AT_LIMIT + "y")

    session.fire("context-rotation", before())

    assert session.text(".auto/archive/prompt-1.md") == AT_LIMIT[80 * 160 :] + "y"


def test_rotation_does_not_cut_a_link_off(session: Session) -> None:
    """A prompt that is a link stays a link, and what it stands for stays whole."""
    session.write("shared.md", long_prompt())
    session.write(".auto/other.md", "")
    (session.directory / ".auto/prompt.md").symlink_to("../shared.md")

    fired = session.fire("context-rotation", before())

    assert (fired.code, fired.stdout) == (0, "")
    assert (session.directory / ".auto/prompt.md").is_symlink()
    assert session.text("shared.md") == long_prompt()


@pytest.mark.parametrize("tool", ["mv", "cmp", "cp", "mktemp"])
def test_rotation_that_fails_loses_nothing(tool: str, session: Session) -> None:
    """Whichever step fails, the prompt is as it was, no scrap is left beside it, and the hook says so."""
    session.write(".auto/prompt.md", long_prompt())
    session.without(tool)
    session.fake(tool, "exit 1")

    fired = session.fire("context-rotation", before())

    assert fired.code == 1
    assert "is as it was" in fired.stderr
    assert session.text(".auto/prompt.md") == long_prompt()
    assert session.files() <= {".auto/prompt.md", ".auto/archive/prompt-1.md"}


# run-parts


def install(session: Session, name: str, stage: str = "before", **parts: str) -> Path:
    """Puts run-parts into the session's hooks as `name`, with `STAGE.d/PART.sh` for each part."""
    hook = session.write(f".auto/hooks/{name}", script("run-parts").read_text())
    hook.chmod(0o755)
    for part, body in parts.items():
        path = session.write(f".auto/hooks/{stage}.d/{part}.sh", body)
        path.chmod(0o755)
    return hook


@pytest.mark.parametrize("name", ["before.sh", "after.sh"])
def test_run_parts_gives_every_part_the_same_payload_in_name_order(name: str, session: Session) -> None:
    """The stage is in the hook's own name; each part reads the payload's very bytes; texts never glue."""
    stage = name.removesuffix(".sh")
    hook = install(
        session,
        name,
        stage,
        b="#!/usr/bin/env bash\ncat >b.seen\nprintf 'second'\n",
        a="#!/usr/bin/env bash\ncat >a.seen\nprintf 'first'\n",
        B="printf 'upper case sorts first, no shebang'\n",
    )
    payload = after(run(description=HOSTILE)) if stage == "after" else before(run(description=HOSTILE))
    session.env["LC_ALL"] = "C.UTF-8"

    fired = session.fire(hook, payload)

    assert fired.stdout == "upper case sorts first, no shebang\nfirst\nsecond\n"
    assert (fired.code, fired.stderr) == (0, "")
    assert session.text("a.seen") == session.text("b.seen")
    assert session.text("a.seen").count("\n") == 1
    assert json.loads(session.text("a.seen")) == payload


@needs_jq
@pytest.mark.parametrize("event", ["before", "after"])
def test_run_parts_under_another_name_goes_by_the_event(event: str, session: Session) -> None:
    """A name that tells no stage leaves it to the payload."""
    hook = install(session, "parts", event, one="echo ran")

    assert session.fire(hook, {"event": event}).stdout == "ran\n"
    assert session.fire(hook, {"event": "../x"}).stdout == ""


def test_run_parts_goes_on_after_a_failure_and_shows_it(session: Session) -> None:
    """A failing part is named with its exit code, its stderr comes through, the others run; exit code 1."""
    hook = install(
        session,
        "before.sh",
        a="echo half; echo 'no disk' >&2; exit 3",
        b="kill -9 $$",
        c="#!/nowhere/interpreter\n",
        d="echo last",
    )

    fired = session.fire(hook, before())

    assert fired.code == 1
    # Shells differ in 126 and 127 for an interpreter that is not there.
    shown = r"half\n\[a.sh exited 3\]\n\[b.sh exited 137\]\n\[c.sh exited 12[67]\]\nlast\n"
    assert re.fullmatch(shown, fired.stdout)
    assert "no disk\n" in fired.stderr


def test_run_parts_leaves_out_what_is_no_hook(session: Session) -> None:
    """No execute bit, a directory, another ending: absent, no error. Nobody has to read the payload."""
    hook = install(session, "before.sh", a="echo reads nothing")
    session.write(".auto/hooks/before.d/b.sh", "echo not executable")
    session.write(".auto/hooks/before.d/c.txt", "echo not a script").chmod(0o755)
    (session.directory / ".auto/hooks/before.d/d.sh").mkdir()

    fired = session.fire(hook, before(run(description="x" * 500_000)))

    assert (fired.code, fired.stdout, fired.stderr) == (0, "reads nothing\n", "")


def test_run_parts_without_parts_is_silent(session: Session) -> None:
    """No folder, or an empty one: nothing to say."""
    hook = install(session, "before.sh")
    absent = session.fire(hook, before())
    os.mkdir(session.directory / ".auto/hooks/before.d")
    empty = session.fire(hook, before())

    assert [(one.code, one.stdout, one.stderr) for one in (absent, empty)] == [(0, "", "")] * 2

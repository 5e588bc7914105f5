"""What each shipped after-hook does, by firing the real scripts against real files and repositories."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.hooks.example_scripts import HOSTILE, Session, after, needs_git, needs_jq, run, script

JOURNALS = [("learnings-journal", ".auto/learnings.log"), ("journal", ".auto/learnings.md")]
TAG = "autoresearch/best-run-"

pytestmark = needs_jq


@pytest.fixture
def session(tmp_path: Path) -> Session:
    return Session(tmp_path)


# learnings-journal


def fields(line: str) -> dict[str, Any]:
    """A `key=value` line, read back: quoted values are JSON strings, the others bare words."""
    found = re.findall(r'(\w+)=("(?:[^"\\]|\\.)*"|\S+)', line)
    assert " ".join(f"{key}={value}" for key, value in found) == line
    return {key: json.loads(value) if value.startswith('"') else value for key, value in found}


def test_learnings_journal_writes_one_line_a_run(session: Session) -> None:
    """Each run, of any status, is one line of what was recorded; what was not is left out."""
    notes = {"learned": "io bound", "next_focus": "", "rollback_reason": None, "other": "x"}
    first = run(1, "keep", 1e-05, commit="a1b2c3d", timestamp=1764517599123, asi=notes)

    session.fire("learnings-journal", after(first, metric_unit="ms", best_metric=1e-05))
    session.fire("learnings-journal", after({"run": 2, "status": "crash", "metric": None, "description": ""}))
    fired = session.fire("learnings-journal", after(run(3, "checks_failed", -7)))

    assert session.text(".auto/learnings.log") == (
        "time=2025-11-30T15:46:39Z run=1 status=keep metric=1e-05 unit=ms best=1e-05 commit=a1b2c3d"
        ' description="sort first" learned="io bound"\n'
        "run=2 status=crash\n"
        'run=3 status=checks_failed metric=-7 description="sort first"\n'
    )
    assert (fired.code, fired.stdout, fired.stderr) == (0, "", "")


def test_learnings_journal_keeps_hostile_text_exactly_on_one_line(session: Session) -> None:
    """Quotes, newlines, substitutions and emoji can be read back as they were; a line stays a line."""
    session.fire("learnings-journal", after(run(1, description=HOSTILE, asi={"learned": ["a b", 1e-05]})))

    lines = session.text(".auto/learnings.log").splitlines()
    assert len(lines) == 1
    assert fields(lines[0])["description"] == HOSTILE.replace("\u2028", " ")
    assert json.loads(fields(lines[0])["learned"]) == ["a b", 1e-05]


@pytest.mark.parametrize("timestamp", [1764517599, 1764517599.5, "2025-11-30T15:46:39Z"])
def test_learnings_journal_reads_every_time_that_logs_hold(timestamp: Any, session: Session) -> None:
    """Milliseconds, seconds, fractions and ISO text are all the same moment."""
    session.fire("learnings-journal", after(run(timestamp=timestamp)))

    assert fields(session.text(".auto/learnings.log").rstrip())["time"] == "2025-11-30T15:46:39Z"


# journal


def test_journal_writes_a_readable_line_for_kept_and_discarded_runs(session: Session) -> None:
    """Outcome, metric, change against the baseline, description, what was learned, what is next."""
    known = {"metric_unit": "ms", "baseline_metric": 40.0}
    notes = {"learned": "io\nbound", "rollback_reason": "slower", "next_focus": "index"}

    session.fire("journal", after(run(1, "keep", 40.0), **known))
    session.fire("journal", after(run(2, "keep", 39), **known))
    session.fire("journal", after(run(3, "discard", 41, asi=notes), **known))
    session.fire("journal", after(run(4, "crash", None), **known))
    session.fire("journal", after(run(5, "checks_failed", 1), **known))
    session.fire("journal", after(run(6, "discard", None, description="")))
    fired = session.fire("journal", after(run(7, "keep", 1e-05, asi="x"), baseline_metric=-2e-05))

    assert session.text(".auto/learnings.md") == (
        "# Learnings\n\n"
        "- **Run 1 kept**, 40 ms: sort first\n"
        "- **Run 2 kept**, 39 ms (-2.5% against the baseline): sort first\n"
        "- **Run 3 discarded**, 41 ms (+2.5% against the baseline): sort first"
        " *Learned:* io bound *Dropped because:* slower *Next:* index\n"
        "- **Run 6 discarded**:\n"
        "- **Run 7 kept**, 1e-05 (+150% against the baseline): sort first\n"
    )
    assert (fired.code, fired.stdout, fired.stderr) == (0, "", "")


def test_journal_keeps_hostile_text_readable_on_one_line(session: Session) -> None:
    """Only control characters and line breaks become spaces; everything else is as it was said."""
    session.fire("journal", after(run(1, description=HOSTILE)))

    lines = session.text(".auto/learnings.md").splitlines()
    assert lines[2] == (
        "- **Run 1 kept**, 38.9: - he said \"don't\" then 'x'; $(touch pwned) `touch pwned` \\n 100% %s tab"
        " [31mred <b>&amp; 😀 --help | touch pwned & \\"
    )
    assert len(lines) == 3


# Both journals


@pytest.mark.parametrize(("name", "file"), JOURNALS)
def test_journals_add_to_what_a_person_wrote(name: str, file: str, session: Session) -> None:
    """Earlier text stays byte for byte; a last line without a newline is ended, not glued to."""
    mine = "mine\r\nno newline 😀"
    session.write(file, mine)

    session.fire(name, after(run()))

    lines = session.text(file)
    assert lines.startswith(f"{mine}\n")
    assert lines.count("\n") == 3


@pytest.mark.parametrize(("name", "file"), JOURNALS)
def test_journals_that_cannot_write_say_so(name: str, file: str, session: Session) -> None:
    """A folder in the file's place is an error, with a message and an exit code."""
    (session.directory / file).mkdir(parents=True)
    (session.directory / file / "x").touch()

    fired = session.fire(name, after(run()))

    assert fired.code == 1
    assert file in fired.stderr


@needs_git
@pytest.mark.parametrize(("name", "file"), JOURNALS)
def test_journals_survive_every_rollback(name: str, file: str, session: Session) -> None:
    """Neither reset, checkout, revert, stash -u nor clean takes a line away, and the file is never dirt."""
    session.repository()
    session.commit("kept")
    session.fire(name, after(run(1)))
    session.write("code.py", "broken\n")
    session.write("new.txt", "untracked\n")
    written = session.text(file)

    session.git("stash", "push", "-u", "-q")
    session.git("clean", "-f", "-d", "-q")
    session.git("checkout", "-q", "--", ".")
    session.git("revert", "--no-edit", "HEAD")
    session.git("reset", "-q", "--hard", "HEAD~2")
    session.git("add", "-A")

    assert session.text(file) == written
    assert session.git("status", "--porcelain") == ""
    session.fire(name, after(run(2)))
    assert session.text(file).startswith(written)
    assert len(session.text(file)) > len(written)


@needs_git
@pytest.mark.parametrize(("name", "file"), JOURNALS)
def test_journals_are_listed_once_in_the_exclude_list(name: str, file: str, session: Session) -> None:
    """What is in the list stays, even without a newline at its end; the pattern is added once."""
    session.repository()
    session.write(".git/info/exclude", "# mine\n*.tmp")

    for number in (1, 2, 3):
        session.fire(name, after(run(number)))

    assert session.text(".git/info/exclude") == f"# mine\n*.tmp\n/{file}\n"


@needs_git
@pytest.mark.parametrize(("name", "file"), JOURNALS)
def test_journals_in_a_linked_worktree(name: str, file: str, session: Session) -> None:
    """A worktree's `.git` is a file and its exclude list the repository's: found, and it works."""
    session.repository()
    tree = session.root / "tree"
    session.git("worktree", "add", "-q", str(tree))

    fired = session.fire(name, after(run()), cwd=tree)

    assert (fired.code, fired.stderr) == (0, "")
    assert session.text(".git/info/exclude").splitlines()[-1] == f"/{file}"
    assert session.git("status", "--porcelain", cwd=tree) == ""
    session.git("clean", "-f", "-d", "-q", cwd=tree)
    assert (tree / file).exists()


@needs_git
@pytest.mark.parametrize("folder", ["sub", "we [i]rd/*?/ü 😀"])
@pytest.mark.parametrize(("name", "file"), JOURNALS)
def test_journals_in_a_subdirectory(name: str, file: str, folder: str, session: Session) -> None:
    """A session below the repository's root is listed by its literal path; a missing list is made."""
    session.repository()
    (session.directory / ".git/info/exclude").unlink(missing_ok=True)
    (session.directory / ".git/info").rmdir()
    place = session.directory / folder
    place.mkdir(parents=True)

    session.fire(name, after(run()), cwd=place)
    session.fire(name, after(run()), cwd=place)

    assert (place / file).exists()
    assert session.git("status", "--porcelain", "-u") == ""
    assert len(session.text(".git/info/exclude").splitlines()) == 1


@needs_git
def test_journal_says_when_a_committed_file_puts_its_lines_at_risk(session: Session) -> None:
    """The exclude list means nothing for a tracked file, so the steer names the way out."""
    session.repository()
    session.write(".auto/learnings.md", "# Learnings\n")
    session.git("add", "-f", ".auto/learnings.md")
    session.git("commit", "-q", "-m", "learnings")

    tracked = session.fire("journal", after(run()))
    session.git("rm", "-q", "--cached", ".auto/learnings.md")
    untracked = session.fire("journal", after(run()))

    assert "git rm --cached .auto/learnings.md" in tracked.stdout
    assert untracked.stdout == ""
    assert session.text(".auto/learnings.md").count("Run 1 kept") == 2


@pytest.mark.parametrize(("name", "file"), JOURNALS)
def test_journals_do_without_git(name: str, file: str, session: Session) -> None:
    """No git on this machine, no repository: the line is written all the same."""
    session.without("git")

    fired = session.fire(name, after(run()))

    assert (fired.code, fired.stdout, fired.stderr) == (0, "", "")
    assert session.files() == {file}


# auto-tag-winners


def winner(commit: str, number: int = 12, metric: float = 38.9, **more: Any) -> dict[str, Any]:
    """The payload of a kept run that is the session's best."""
    known = {"baseline_metric": 41.0, "best_metric": metric, "metric_unit": "ms"} | more
    return after(run(number, "keep", metric, commit=commit), **known)


@needs_git
@pytest.mark.parametrize("length", [7, 40])
def test_a_new_best_gets_a_tag_of_its_own(length: int, session: Session) -> None:
    """The run's commit, short or whole, is tagged, also when HEAD went on; a second fire changes nothing."""
    commit = session.repository()
    session.commit("later")

    fired = session.fire("auto-tag-winners", winner(commit[:length]))
    again = session.fire("auto-tag-winners", winner(commit[:length]))

    assert session.git("rev-parse", f"{TAG}12") == commit
    assert fired.stdout == f"Run 12 is a new best (38.9 ms), tagged {TAG}12.\n"
    assert (again.code, again.stdout, again.stderr) == (0, "", "")
    assert session.git("tag") == f"{TAG}12"


@needs_git
def test_an_existing_tag_is_never_moved(session: Session) -> None:
    """A name that another object has is left alone; the new tag gets a number."""
    old = session.repository()
    new = session.commit("better")
    session.git("tag", f"{TAG}12", old)
    session.git("tag", f"{TAG}12-2", session.git("rev-parse", f"{old}^{{tree}}"))

    fired = session.fire("auto-tag-winners", winner(new))
    again = session.fire("auto-tag-winners", winner(new))

    assert session.git("rev-parse", f"{TAG}12") == old
    assert session.git("rev-parse", f"{TAG}12-3") == new
    assert fired.code == 0
    assert again.stdout == ""
    assert len(session.git("tag").splitlines()) == 3


@needs_git
@pytest.mark.parametrize(
    "payload",
    [
        after(run(12, "discard", 38.9, commit="HEAD"), best_metric=38.9),
        after(run(12, "keep", 38.9, commit="HEAD"), best_metric=38.9),
        after(run(12, "keep", 38.9, commit="--help"), best_metric=38.9),
        after(run(12, "keep", 38.9, commit="$(touch pwned)"), best_metric=38.9),
        after(run(12, "keep", 38.9, commit="0123456789"), best_metric=38.9),
        after(run(12, "keep", 38.9), best_metric=38.9),
    ],
    ids=["discard", "a name", "an option", "a substitution", "unknown", "none"],
)
def test_a_run_without_a_commit_of_this_repository_is_not_tagged(
    payload: dict[str, Any], session: Session
) -> None:
    """Only a hash that names a commit here can be tagged."""
    session.repository()

    fired = session.fire("auto-tag-winners", payload)

    assert (fired.code, fired.stdout, fired.stderr) == (0, "", "")
    assert session.git("tag") == ""
    assert session.files() == {"code.py"}


@needs_git
@pytest.mark.parametrize(
    ("status", "metric", "known"),
    [
        ("discard", 38.9, {"best_metric": 38.9}),
        ("crash", None, {"best_metric": None}),
        ("keep", None, {"best_metric": None}),
        ("keep", 39.5, {"best_metric": 38.9}),
        ("keep", 41.0, {"best_metric": 41.0}),
        ("keep", "38.9", {"best_metric": "38.9"}),
    ],
    ids=["discard", "crash", "no metric", "not the best", "the baseline", "text"],
)
def test_what_is_no_new_best_gets_no_tag(
    status: str, metric: Any, known: dict[str, Any], session: Session
) -> None:
    """Kept, with a number, the best, and better than the baseline: nothing less."""
    commit = session.repository()

    fired = session.fire(
        "auto-tag-winners", after(run(2, status, metric, commit=commit), baseline_metric=41.0, **known)
    )

    assert (fired.code, fired.stdout, fired.stderr) == (0, "", "")
    assert session.git("tag") == ""


@needs_git
@pytest.mark.parametrize("log", [".auto/log.jsonl", "autoresearch.jsonl"])
def test_a_kept_run_that_equals_an_earlier_best_is_no_new_best(log: str, session: Session) -> None:
    """Ties go to the earliest of the segment; an equal metric of an earlier segment does not count."""
    commit = session.repository()
    equal = {"type": "run"} | run(3, "keep", 38.9)
    session.log(equal, "damaged {", {"type": "run"} | run(12, "keep", 38.9), name=log)
    tied = session.fire("auto-tag-winners", winner(commit))
    session.log(equal, '{"type": "config", "name": "next"}', run(12, "keep", 38.9), name=log)
    fresh = session.fire("auto-tag-winners", winner(commit))

    assert (tied.code, tied.stdout, tied.stderr) == (0, "", "")
    assert "new best" in fresh.stdout


def test_outside_git_nothing_is_tagged(session: Session) -> None:
    """No repository, and no git at all: silent."""
    outside = session.fire("auto-tag-winners", winner("a1b2c3d"))
    session.without("git")
    absent = session.fire("auto-tag-winners", winner("a1b2c3d"))

    assert [(one.code, one.stdout, one.stderr) for one in (outside, absent)] == [(0, "", "")] * 2


# notify


@pytest.mark.parametrize(
    ("status", "metric", "title", "urgency"),
    [
        ("keep", 1e-05, "🟢 New best: 1e-05 ms", "normal"),
        ("keep", 40, "🔵 Kept: 40 ms", "normal"),
        ("discard", -3.5, "🟡 Discarded: -3.5 ms", "low"),
        ("checks_failed", 1, "🟠 Checks failed: 1 ms", "normal"),
        ("crash", None, "🔴 Crashed", "critical"),
    ],
)
def test_notify_on_linux(status: str, metric: Any, title: str, urgency: str, session: Session) -> None:
    """Worded, marked and ranked by status; nothing reaches the agent."""
    session.fake("notify-send")

    fired = session.fire(
        "notify", after(run(4, status, metric), metric_unit="ms", best_metric=1e-05, baseline_metric=41)
    )

    assert session.arguments("notify-send") == [
        "--app-name=autoresearch",
        f"--urgency={urgency}",
        "--",
        title,
        "Run 4: sort first",
    ]
    assert (fired.code, fired.stdout, fired.stderr) == (0, "", "")


def test_notify_hands_text_to_notify_send_literally(session: Session) -> None:
    """notify-send takes markup and backslash escapes; a description is neither."""
    session.fake("notify-send")

    session.fire("notify", after(run(4, "discard", description="a\\nb <b>&amp; $(touch pwned) 😀")))

    text = (session.arguments("notify-send") or [])[-1]
    assert text == "Run 4: a\\\\nb &lt;b&gt;&amp;amp; $(touch pwned) 😀"


def test_notify_on_macos_passes_text_as_arguments(session: Session) -> None:
    """The AppleScript is constant; title and text come to it as arguments, and notify-send is not asked."""
    session.fake("osascript")
    session.fake("notify-send")
    description = 'end" & (do shell script "touch pwned") & "😀'

    fired = session.fire("notify", after(run(4, "keep", description=description)))

    arguments = session.arguments("osascript") or []
    assert arguments[-2:] == ["🔵 Kept: 38.9", f"Run 4: {description}"]
    assert "pwned" not in "".join(arguments[:-1])
    assert arguments[0] == "-e"
    assert session.arguments("notify-send") is None
    assert (fired.code, fired.stdout, fired.stderr) == (0, "", "")


@pytest.mark.parametrize("broken", [True, False], ids=["notify-send fails", "no notify-send"])
def test_notify_rings_on_stderr_without_a_terminal(broken: bool, session: Session) -> None:
    """No desktop and no terminal: bell, colour and words on stderr, never on stdout."""
    if broken:
        session.fake("notify-send", "exit 1")

    fired = session.fire("notify", after(run(4, "crash", None, description="out of memory\x1b[2J")))

    assert fired.stderr == "\a\x1b[31m🔴 Crashed\x1b[0m Run 4: out of memory [2J\n"
    assert (fired.code, fired.stdout) == (0, "")


def test_notify_rings_the_terminal(session: Session) -> None:
    """With a controlling terminal the bell rings there, and stdout and stderr stay silent."""
    payload = session.write("payload.json", json.dumps(after(run(4, "discard"))))
    command = '"$1" <"$2" >"$3" 2>"$4"'
    shell = ["bash", "-c", command, "_", str(script("notify")), str(payload), "out", "err"]

    done = subprocess.run(
        [sys.executable, "-c", "import pty, sys; pty.spawn(sys.argv[1:])", *shell],
        cwd=session.directory,
        env=session.env,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=60,
        start_new_session=True,
    )

    assert done.stdout.decode().strip() == "\a\x1b[33m🟡 Discarded: 38.9\x1b[0m Run 4: sort first"
    assert session.text("out") == ""
    assert session.text("err") == ""


@pytest.mark.parametrize(
    ("entry", "told"),
    [
        (run(4, "keep", 38.9), True),
        (run(4, "keep", 40), False),
        (run(4, "discard", 38.9), False),
        (run(4, "crash", None), False),
    ],
    ids=["best", "kept", "discard", "crash"],
)
def test_notify_only_on_new_bests(entry: dict[str, Any], told: bool, session: Session) -> None:
    """The constant NOTIFY_ON='best' leaves out every other run."""
    session.fake("notify-send")
    hook = session.edited("notify", "readonly NOTIFY_ON='all'", "readonly NOTIFY_ON='best'")

    fired = session.fire(hook, after(entry, best_metric=38.9, baseline_metric=41))

    assert (session.arguments("notify-send") is not None) == told
    assert (fired.code, fired.stdout, fired.stderr) == (0, "", "")


def test_notify_calls_a_tie_kept(session: Session) -> None:
    """A kept run that only equals an earlier one of the segment is no new best."""
    session.fake("notify-send")
    session.log({"type": "run"} | run(3, "keep", 38.9), {"type": "run"} | run(4, "keep", 38.9))

    session.fire("notify", after(run(4, "keep", 38.9), best_metric=38.9, baseline_metric=41))

    assert "🔵 Kept: 38.9" in (session.arguments("notify-send") or [])

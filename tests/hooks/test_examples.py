"""The catalogue of example hooks, and what holds for every shipped script."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from hooks.examples import EXAMPLES, UnknownExampleError, find, read
from tests.hooks.example_scripts import (
    HOSTILE,
    NAMES,
    SCRIPTS,
    Session,
    after,
    before,
    needs_jq,
    run,
    script,
)

STEER_LIMIT_BYTES = 8192
USES_JQ = [name for name in NAMES if name not in ("context-rotation", "idea-rotator")]
COMMANDS = ("ddgr", "qmd", "llm", "notify-send")

NEWER_THAN_BASH_3_2 = {
    "associative array": (r"\b(declare|local|typeset|readonly)\s+-\w*A", "local -A seen"),
    "name reference": (r"\b(declare|local|typeset)\s+-\w*n", "local -n target=$1"),
    "global declare": (r"\bdeclare\s+-\w*g", "declare -g name"),
    "case change": (r"\$\{!?\w+(\[[^]]*\])?[\^,]", "${name^^}"),
    "transformation": (r"\$\{\w+(\[[^]]*\])?@[A-Za-z]\}", "${name@Q}"),
    "negative length": (r"\$\{\w+:[^}]*:\s*-", "${name:0:-1}"),
    "negative index": (r"\$\{\w+\[-", "${list[-1]}"),
    "mapfile": (r"\b(mapfile|readarray)\b", "mapfile -t lines"),
    "pipe of both outputs": (r"\|&", "make |& tee"),
    "append both outputs": (r"&>>", "make &>>log"),
    "fall through": (r";;?&", "a) b ;;&"),
    "coprocess": (r"\bcoproc\b", "coproc cat"),
    "wait for any": (r"\bwait\s+-n", "wait -n"),
    "variable test": (r"(\[\[|\btest|\[)\s+-[vR]\s", "[[ -v name ]]"),
    "named descriptor": (r"\{\w+\}[<>]", "exec {out}>file"),
    "time format": (r"printf\s+(-v\s+\w+\s+)?['\"]?%\(", "printf '%(%s)T'"),
    "late variables": (r"\b(EPOCHSECONDS|EPOCHREALTIME|BASHPID|SRANDOM|PIPESTATUS_)\b", "$EPOCHSECONDS"),
    "late options": (r"\bshopt\s+-\w+\s+.*(globstar|lastpipe|inherit_errexit)", "shopt -s globstar"),
    "read with a fraction": (r"\bread\s+[^|;]*-t\s*\d*\.\d|\bread\s+-\w*[Ni]\b", "read -t 0.5 line"),
    "case in a substitution": (r"\$\([^)]*\bcase\b", "x=$(case $1 in a) echo b;; esac)"),
    "unicode escape": (r"\$'[^']*\\[uU]", "$'\\u2713'"),
}
NOT_ON_EVERY_SYSTEM = {
    "sed in place": (r"\bsed\s+(-\w+\s+)*-\w*i", "sed -i s/a/b/ f"),
    "sed -r": (r"\bsed\s+-\w*r", "sed -r s/a/b/ f"),
    "date arithmetic": (r"\bdate\s+(-d|--)", "date -d @1"),
    "readlink -f": (r"\breadlink\s+-f|\brealpath\b", "readlink -f x"),
    "stat formats": (r"\bstat\s+-", "stat -c %s x"),
    "grep -P": (r"\bgrep\s+-\w*P", "grep -oP x"),
    "head from the end": (r"\bhead\s+-[nc]\s*-", "head -n -1"),
    "tools of one system": (r"\b(timeout|tac|shuf|nproc|flock|setsid|numfmt)\s", "timeout 5 cmd"),
    "sort or cp extras": (r"\bsort\s+-\w*V|\bcp\s+-\w*[at]\b|\bmktemp\s+-p", "sort -V"),
    "long options of coreutils": (
        r"(^|[|;&(]|\bif|\bthen|\b!)\s*(cp|mv|rm|head|tail|grep|wc|mkdir|tr)\s+--\w",
        "grep --quiet x",
    ),
}
TEXT_RUN_AS_CODE = {
    "eval": (r"\beval\b", 'eval "$x"'),
    "a shell on a string": (r"\b(ba)?sh\s+-c\b", 'bash -c "$x"'),
    "source": (r"(^|[;&])\s*(source|\.)\s+[\w\"$/~]", "source x"),
    "text inside AppleScript": (r"osascript.*-e\s+\"", 'osascript -e "display $x"'),
    "format from a variable": (r"\bprintf\s+(-v\s+\w+\s+)?\"?\$", 'printf "$x"'),
    "text inside a jq program": (r'\bjq\b.*"(?!\$\w+")[^"]*\$', 'jq ".a == $x"'),
}


@pytest.fixture
def session(tmp_path: Path) -> Session:
    return Session(tmp_path)


def code_of(name: str) -> list[str]:
    """The lines of a script that are not comments."""
    return [line for line in script(name).read_text().splitlines() if not line.lstrip().startswith("#")]


def breaches(name: str, rules: dict[str, tuple[str, str]]) -> list[str]:
    """Where a script's code matches a rule's pattern."""
    return [
        f"{name}: {rule}: {line}"
        for line in code_of(name)
        for rule, (pattern, _) in rules.items()
        if re.search(pattern, line)
    ]


# The catalogue


def test_catalogue_holds_exactly_the_shipped_files() -> None:
    """A script that is not in the catalogue, or an entry without its script, is a mistake."""
    shipped = {str(path.relative_to(SCRIPTS)) for path in SCRIPTS.rglob("*") if path.is_file()}

    assert {f"{example.stage}/{example.name}.sh" for example in EXAMPLES} == shipped


@pytest.mark.parametrize("name", NAMES)
def test_read_gives_the_script_as_shipped(name: str) -> None:
    """`read` gives the file's bytes, with or without `.sh` in the name."""
    shipped = script(name).read_bytes()

    assert read(name) == shipped
    assert read(f"{name}.sh") == shipped


@pytest.mark.parametrize(
    ("asked", "nearest"),
    [("notfy", "notify"), ("journl", "journal"), ("Anti_Thrash", "anti-thrash"), ("xyzzy", None)],
)
def test_an_unknown_name_is_refused_naming_the_nearest(asked: str, nearest: str | None) -> None:
    """The error names what is wrong, the nearest example if one is near, and all there are."""
    with pytest.raises(UnknownExampleError) as refused:
        read(asked)

    assert refused.value.nearest == nearest
    assert repr(asked) in str(refused.value)
    assert ("did you mean" in str(refused.value)) == (nearest is not None)
    assert all(name in str(refused.value) for name in NAMES)


def test_a_path_is_no_name() -> None:
    """`read` reaches examples only, whatever the name looks like."""
    for name in ("../examples/before/notify", "before/run-parts", "", ".sh"):
        with pytest.raises(UnknownExampleError):
            find(name)


# Every script as a file


@pytest.mark.parametrize("example", EXAMPLES, ids=NAMES)
def test_header_says_what_the_catalogue_says(example: Any) -> None:
    """Shebang, then name, stage and the catalogue's summary; what it needs and how it is configured."""
    lines = script(example.name).read_text().splitlines()
    header = "\n".join(line for line in lines[: lines.index("set -u")])

    assert lines[0] == "#!/usr/bin/env bash"
    assert lines[1] == f"# {example.name} ({example.stage}): {example.summary}"
    assert "\n# Needs: " in header
    assert "\n# Configure: " in header


@pytest.mark.parametrize("name", NAMES)
def test_shipped_files_are_executable(name: str) -> None:
    """The execute bit is part of the file: copied as it is, a hook fires."""
    assert os.access(script(name), os.X_OK)


@pytest.mark.parametrize("name", NAMES)
def test_shellcheck_has_nothing_to_say(name: str) -> None:
    """ShellCheck at its strictest level, in bash."""
    shellcheck = shutil.which("shellcheck")
    if shellcheck is None:
        pytest.skip("shellcheck is not installed")

    done = subprocess.run(
        [shellcheck, "--shell=bash", "--severity=style", script(name)], capture_output=True, text=True
    )

    assert (done.returncode, done.stdout) == (0, "")


@pytest.mark.parametrize(
    "rules", [NEWER_THAN_BASH_3_2, NOT_ON_EVERY_SYSTEM, TEXT_RUN_AS_CODE], ids=["bash", "tools", "text"]
)
def test_scripts_run_on_old_bash_and_every_system_and_run_no_text(
    rules: dict[str, tuple[str, str]],
) -> None:
    """macOS ships bash 3.2 and BSD tools; an agent's text is never code. Each rule finds its own sample."""
    blind = [rule for rule, (pattern, sample) in rules.items() if not re.search(pattern, sample)]

    assert blind == []
    assert [breach for name in NAMES for breach in breaches(name, rules)] == []


# Every script, fired


@needs_jq
@pytest.mark.parametrize("name", NAMES)
def test_silent_when_there_is_nothing_to_say(name: str, session: Session) -> None:
    """No log, no ideas, no git, no text anywhere: exit 0, no steer, no file."""
    for command in COMMANDS:
        session.fake(command, "echo found")
    nothing: list[Any] = [
        before(),
        {"event": "before", "next_run": 1, "last_run": None},
        {"event": "after", "run_entry": {}},
        {"event": "after", "run_entry": None, "session": None},
        {"last_run": 3, "run_entry": "x", "session": [], "event": 4},
        {"last_run": {"asi": "x", "run": "1", "status": 5}, "run_entry": {"asi": [], "run": "2"}},
        {},
        None,
        [],
    ]

    fired = [session.fire(name, payload) for payload in nothing]

    assert [(one.code, one.stdout, one.stderr) for one in fired] == [(0, "", "")] * len(nothing)
    assert session.files() == set()


@needs_jq
@pytest.mark.parametrize("name", NAMES)
def test_a_payload_that_is_no_json_does_no_harm(name: str, session: Session) -> None:
    """A torn, empty or binary payload: exit 0, no steer, no file."""
    fired = [session.fire(name, data) for data in (b"", b"\n", b'{"event":"aft', b"\xff\x00\xfe\n")]

    assert [(one.code, one.stdout) for one in fired] == [(0, "")] * 4
    assert session.files() == set()


@needs_jq
@pytest.mark.parametrize("name", NAMES)
def test_hostile_text_and_odd_metrics_come_through(name: str, session: Session) -> None:
    """Quotes, newlines, substitutions, escapes, emoji, dashes: data, never code; the steer is in bounds."""
    for command in COMMANDS:
        session.fake(command, 'printf \'%s\\n\' "- $(cat "$0.stdin")" "$@"')
    session.repository()
    session.write(".auto/ideas.md", f"# Ideas\n- [ ] {HOSTILE}\n")
    notes = {"hypothesis": HOSTILE, "learned": HOSTILE, "next_focus": HOSTILE, "rollback_reason": HOSTILE}
    judged = [("keep", 1e-05), ("discard", -3.5), ("crash", None), ("checks_failed", "38"), (HOSTILE, 1e300)]
    entries = [
        run(number, status, metric, description=HOSTILE, asi=notes, commit=HOSTILE)
        for number, (status, metric) in enumerate(judged, start=1)
    ]
    session.log({"type": "config", "name": HOSTILE}, *({"type": "run"} | entry for entry in entries))
    shared = {"goal": HOSTILE, "metric_unit": HOSTILE, "best_metric": 1e-05, "baseline_metric": 7}

    fired = [session.fire(name, before(entry, **shared)) for entry in entries]
    fired += [session.fire(name, after(entry, **shared)) for entry in entries]

    assert [one.code for one in fired] == [0] * len(fired)
    assert not any("error" in one.stderr for one in fired)
    assert not any("pwned" in file for file in session.files())
    assert all(len(one.stdout.encode()) <= STEER_LIMIT_BYTES for one in fired)
    assert not any("\x1b" in one.stdout for one in fired)
    assert not any("\x1b" in session.text(file) for file in session.files() - {".auto/ideas.md"})


@pytest.mark.parametrize("name", USES_JQ)
def test_without_jq_one_line_on_stderr(name: str, session: Session) -> None:
    """jq missing is said once on stderr; the hook does nothing and exits 0."""
    session.without("jq")
    for command in COMMANDS:
        session.fake(command)
    session.log({"type": "run"} | run())

    fired = session.fire(name, after(run(), best_metric=38.9) | before(run(1, "discard")))

    assert (fired.code, fired.stdout) == (0, "")
    assert re.fullmatch(rf"{name}: jq is not installed[,;] [^\n]+\n", fired.stderr)
    assert session.files() == {".auto/log.jsonl"}

"""Which shell commands merely quote, and which lines are their own complaints."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hooks.quoting import quoted_by, simple_commands

QUOTING = [
    "grep -rn error src",
    "cat build.log",
    "cat a.log | grep error | head -3",
    "cd src && grep -n fatal *.c | sort -u",
    "cd a; cat b || true",
    "LC_ALL=C grep x y",
    "FOO='a b' sudo -u app /usr/bin/grep -c ERROR log",
    "env A=1 B=2 cat x",
    "time -p timeout -k 3 10s cat x",
    "nice -n 5 rg foo",
    "git log --oneline",
    "git -C repo --no-pager -c color.ui=never show HEAD~1",
    "git stash list",
    "git diff | head",
    "sed -n '1,20p' x",
    "tail -f app.log",
    "less +G server.log",
    "\\cat x",
    'for f in *.log; do echo "== $f"; cat $f; done',
    'while read -r f; do grep -n x "$f"; done < list',
    "if [ -f x ]; then cat x; fi",
    "(cd a && cat b)",
    "{ cat a; cat b; }",
    "echo start $(cat version)",
    "diff <(sort a) <(sort b)",
    "find . -name '*.py' | xargs -n 5 grep -n error",
    "find . -name '*.log' -exec grep -n error {} +",
    "bash -c 'cat x | head'",
    'sudo sh -lc "grep -n error log"',
    "cat <<EOF\nmake\nEOF",
    "cat > run.sh <<-'END'\n\tmake\n\tEND\ncat run.sh",
    "grep x y \\\n  | head",
    "cat x # make",
    "grep error log 2>/dev/null >&2",
    "cat x |& head",
    "cargo build --help",
    "gcc --help=warnings",
    "app -h",
    "go help build",
    "python3 -m pydoc logging",
    "ruff rule F821",
    "dpkg -l | head",
    "git branch -vv",
    "git bisect good",
    "git worktree list",
    "ar view errors",
    "cd a && ar -C b tail -n 3",
    "gh pr view 3",
    "cat x & wait",
    "jq . <<< '{}'",
]
LIVE = [
    "make",
    "cat x | make",
    "make 2>&1 | grep error",
    "pytest -q | tail -3",
    "cat x; make",
    "cd a && npm test",
    "grep -q x y && make",
    "echo error",
    "cd src",
    "",
    "   ",
    "git commit -m 'grep the log'",
    "git stash pop",
    "git bisect run make",
    "git remote update",
    "ar cycle -m x",
    "ar hook test before.sh",
    "ar",
    "df -h; make",
    "git",
    "git -C",
    "find . -name '*.c' -exec gcc -c {} \\;",
    "find . | xargs gcc -c",
    "bash -c 'cat x && make'",
    "bash build.sh cat",
    "cat $(make list)",
    "diff <(make a) b",
    "for f in *.py; do python $f; cat $f; done",
    "cat <<EOF | python -\nprint(1)\nEOF",
    "cat > x <<EOF\nhello\nEOF\nmake",
    "cat 'unbalanced",
    'cat "unbalanced',
    "cat x <<",
    "sudo make",
    "sudo",
    "gh run watch 1",
    "python -c 'import os' cat",
    "./cat.sh",
    "docker exec web cat x",
]


@pytest.mark.parametrize("command", QUOTING)
def test_commands_that_merely_quote(command: str) -> None:
    """Every program of the command prints what was there before, or says nothing of its own."""

    assert quoted_by(command) is not None


@pytest.mark.parametrize("command", LIVE)
def test_commands_that_do_something(command: str) -> None:
    """One live program is enough, wherever it stands; so is a command line that cannot be split."""

    assert quoted_by(command) is None


@pytest.mark.parametrize(
    ("command", "line", "own"),
    [
        ("cat nope", "cat: nope: No such file or directory", True),
        ("/bin/cat nope", "/bin/cat: nope: No such file or directory", True),
        ("cat build.log", "gcc: nope: No such file or directory", False),
        ("cat build.log", "sh: 1: jest: not found", False),
        ("rg foo", "/bin/bash: line 1: rg: command not found", True),
        ("rg foo", "zsh: command not found: rg", True),
        ("rg foo", "(eval):1: command not found: rg", True),
        ("cat < nope", "bash: line 1: nope: No such file or directory", True),
        ("sudo cat x", "sudo: cat: command not found", True),
        ("git log", "    fatal: crash fixed", False),
        ("grep fatal log", "fatal: not a git repository", False),
        ("find . | xargs grep x", "xargs: grep: terminated by signal 13", True),
        ("gh pr view 9", "GraphQL: Could not resolve to a PullRequest", True),
        ("jq . x", "parse error: Unmatched '}' at line 1, column 6", True),
        ("jq . x", "", False),
    ],
)
def test_a_quoting_command_complains_for_itself(command: str, line: str, own: bool) -> None:
    """A message under a program's own name, or the shell's about a word of the command, is a complaint."""
    quoted = quoted_by(command)

    assert quoted is not None
    assert quoted.complains(line) is own


def test_git_complains_before_it_prints_anything() -> None:
    """Its last words carry no name; elsewhere they are a commit's subject (`git log --format=%s`)."""
    quoted = quoted_by("git log nope | head")

    assert quoted is not None
    assert quoted.complains("fatal: ambiguous argument 'nope'", first=True)
    assert not quoted.complains("fatal: ambiguous argument 'nope'")
    assert not quoted.complains("error: crash fixed", first=True)


@pytest.mark.parametrize(("command", "own"), [("python app.py --help", True), ("cat app.log", False)])
def test_a_program_that_cannot_show_its_help(command: str, own: bool) -> None:
    """A help text tells of errors; that there is none is one."""
    quoted = quoted_by(command)

    assert quoted is not None
    assert quoted.complains("Traceback (most recent call last):") is own
    assert not quoted.complains("  2  fatal error: no such file")


def test_words_lose_their_quotes_and_redirections() -> None:
    """The words are what the programs would get; targets and heredocs are no words."""

    assert simple_commands("a 'b c'\"d\"\\ e >out 2>&1 <in <<X | f --g=h\nbody\nX\ni") == [
        ["a", "b cd e"],
        ["f", "--g=h"],
        ["i"],
    ]


def test_a_heredoc_without_its_end_takes_the_rest() -> None:
    """As in the shell, a missing end word means that everything is text."""

    assert simple_commands("cat <<X\nmake\nmake") == [["cat"]]


def test_scripts_nested_without_end_are_given_up() -> None:
    """`sh -c` inside `sh -c` is followed a few levels, then the command is taken for live."""
    command = "cat x"
    for _ in range(12):
        command = "sh -c " + "'" + command.replace("'", "'\\''") + "'"

    assert simple_commands(command) is None


@given(st.text(alphabet="cat git grep make 'x' \"$()<>|&;\\\n#{}`!=-", max_size=60) | st.text(max_size=60))
def test_any_text_is_judged(command: str) -> None:
    """Total: whatever the command is, the answer is None or something that can judge any line."""
    quoted = quoted_by(command)

    assert quoted is None or quoted.complains(command) in (True, False)

"""`ar` itself: help, errors, exit codes, completion, and that every command is documented."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import click
import pytest

from commands.app import cli
from commands.verbs import GROUPS, VERBS, place_of
from hooks.error_capture_main import USAGE
from tests.commands.conftest import ROOT, Ar, environment, install, process


def commands() -> list[tuple[str, click.Command]]:
    """Every command, those below others included, by what one types."""
    found: list[tuple[str, click.Command]] = []

    def look(name: str, command: click.Command) -> None:
        found.append((name, command))
        if isinstance(command, click.Group):
            context = click.Context(command)
            for verb in command.list_commands(context):
                inner = command.get_command(context, verb)
                assert inner is not None, f"{name} {verb}"
                look(f"{name} {verb}".strip(), inner)

    look("", cli)
    return found[1:]


COMMANDS = commands()
each_command = pytest.mark.parametrize(("name", "command"), COMMANDS, ids=[name for name, _ in COMMANDS])


@each_command
def test_every_command_has_help_with_an_example(ar: Ar, name: str, command: click.Command) -> None:
    """It fits 80 columns, its summary is a sentence, every option says what it does."""
    ran = ar(*name.split(), "--help")

    assert (ran.code, ran.err) == (0, "")
    assert max(map(len, ran.out.splitlines())) <= 80
    assert re.search(r"Examples?:", ran.out), name
    assert f"ar {name.split(maxsplit=1)[0]}" in ran.out.partition("Example")[2]
    assert command.get_short_help_str(200).endswith(".")
    for option in command.params:
        if isinstance(option, click.Option):
            assert option.help, f"{name} {option.name}"


@each_command
def test_every_command_is_in_the_reference(name: str, command: click.Command) -> None:
    """docs/commands.md."""
    assert f"### `ar {name}`" in (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")


def test_the_quick_help_of_error_capture_is_the_help(ar: Ar) -> None:
    """It is told without the command line's imports, in the same words."""
    assert ar("hook", "error-capture", "--help").out == USAGE


@each_command
def test_no_summary_is_cut_off(ar: Ar, name: str, command: click.Command) -> None:
    """Where a command lists those below it, each summary ends as a sentence does."""
    if isinstance(command, click.Group):
        assert (
            "..." not in ar(*name.split(), "--help").out.partition("Commands:")[2].partition("Examples:")[0]
        )


def test_help_lists_the_commands_by_group(ar: Ar) -> None:
    """In 80 columns, each with its summary; `-h`, `--help` and nothing at all are the same."""
    shown = [ar(*argv) for argv in ([], ["-h"], ["--help"])]

    assert shown[0] == shown[1] == shown[2]
    out = shown[0].out
    assert shown[0].code == 0
    assert max(map(len, out.splitlines())) <= 80
    headings = [line.removesuffix(":") for line in out.splitlines() if line.endswith(":")]
    assert headings == ["Options", *GROUPS]
    for verb in VERBS:
        assert re.search(rf"^  {verb} +[A-Z]", out, re.MULTILINE), verb


def test_every_module_of_a_verb_is_a_verb() -> None:
    """No command is written and then forgotten in the list."""
    modules = {path.stem for path in (ROOT / "commands").glob("*.py")}
    packages = {path.parent.name for path in (ROOT / "commands").glob("*/__init__.py")}
    listed = {place_of(verb)[0].removeprefix("commands.") for verb in VERBS}

    assert listed <= modules | packages
    for module in modules - listed:
        text = (ROOT / "commands" / f"{module}.py").read_text(encoding="utf-8")
        assert f"def {module.removesuffix('_')}_cmd(" not in text, module


@pytest.mark.parametrize(
    ("argv", "error", "remedy"),
    [
        (["veiw"], "ar: there is no command 'veiw'", "try: ar view"),
        (["xyzzy"], "ar: there is no command 'xyzzy'", "try: ar --help"),
        (["view", "--jsn"], "ar: no such option '--jsn'", "try: --json"),
        (["--lgo", "x", "view"], "ar: no such option '--lgo'", "try: --log"),
        (["--frobnicate", "view"], "ar: no such option '--frobnicate'", "try: ar --help"),
        (["diff", "1"], "ar: missing argument 'WHERE'", "try: ar diff --help"),
        (
            ["tail", "-n", "x"],
            "ar: invalid value for '-n': 'x' is not a valid integer range",
            "try: ar tail --help",
        ),
        (["view", "session", "more"], "ar: got unexpected extra argument (more)", "try: ar view --help"),
        (["-C", "nowhere", "view"], "ar: -C nowhere: No such file or directory", "try: name a directory"),
        (["-C"], "ar: option '-C' requires an argument", "try: ar --help"),
        (["view", "nope"], "ar: there is no view 'nope'", "try: use one of"),
        (["view", "sesion"], "ar: there is no view 'sesion'", "try: use session"),
        (["\x1b[2J"], "ar: there is no command '\\x1b[2J'", "try: ar --help"),
        (
            ["completion", "tcsh"],
            "ar: invalid value for '{bash|zsh|fish}': 'tcsh' is not one of",
            "try: ar completion",
        ),
    ],
)
def test_a_slip_is_two_lines(ar: Ar, tmp_path: Path, argv: list[str], error: str, remedy: str) -> None:
    """What is wrong, what to try; exit code 2."""
    (tmp_path / ".auto").mkdir()
    (tmp_path / ".auto" / "log.jsonl").touch()

    ran = ar(*argv)

    first, second = ran.err.splitlines()
    assert (ran.code, ran.out) == (2, "")
    assert first.startswith(error)
    assert second.startswith(remedy)


def test_it_works_as_if_started_elsewhere(ar: Ar, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`-C DIR`, or AR_DIR for the session alone; the flag has the last word."""
    for name in ("a", "b"):
        (tmp_path / name / ".auto").mkdir(parents=True)
        (tmp_path / name / ".auto" / "log.jsonl").write_text(f'{{"type":"note","detail":"{name}"}}\n')
    monkeypatch.setenv("AR_DIR", str(tmp_path / "a"))
    assert ar("tail").out.endswith("a\n")
    assert ar("--log", "b/.auto/log.jsonl", "tail").out.endswith("b\n")
    monkeypatch.setenv("AR_DIR", str(tmp_path / "no"))
    assert "AR_DIR" in ar("tail").err
    assert ar("-C", "b", "tail").out.endswith("b\n")
    monkeypatch.delenv("AR_DIR")
    assert ar("-C", str(tmp_path / "a"), "tail").out.endswith("a\n")
    assert ar("--log", "", "tail") == (2, "", "ar: --log: no file is named\ntry: ar --log FILE ...\n")


def test_a_session_is_found_from_below(ar: Ar, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Up to the repository's root and no further."""
    (tmp_path / ".auto").mkdir()
    (tmp_path / ".auto" / "log.jsonl").touch()
    (tmp_path / "repo" / ".git").mkdir(parents=True)
    (tmp_path / "src" / "deep").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "src" / "deep")
    assert ar("tail").code == 0
    monkeypatch.chdir(tmp_path / "repo")
    assert ar("tail").code == 2


def test_only_the_verb_that_is_called_is_imported(tmp_path: Path) -> None:
    """Neither other verbs nor what draws, compares or runs programs."""
    (tmp_path / ".auto").mkdir()
    (tmp_path / ".auto" / "log.jsonl").touch()
    code = (
        "import sys, autoresearch_ledger as a; sys.argv = ['ar', 'tail'];"
        "code = a.main(); print(sorted(sys.modules)); sys.exit(code)"
    )

    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=environment(), capture_output=True, text=True
    )

    loaded = set(re.findall(r"'([\w.]+)'", done.stdout.splitlines()[-1]))
    third_party = {name.partition(".")[0] for name in loaded} & {"rich", "filelock", "hypothesis", "pygments"}
    assert (done.returncode, third_party) == (0, set())
    assert not loaded & {
        "commands.view",
        "commands.init",
        "subprocess",
        "difflib",
        "json",
        "locale",
        "argparse",
        "reducers.core",
    }
    assert "commands.tail" in loaded


class TestCompletion:
    """`ar completion SHELL`."""

    @pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
    def test_the_script_of_each_shell_is_printed(self, ar: Ar, shell: str) -> None:
        """It asks `ar` itself, by an environment variable."""
        ran = ar("completion", shell)

        assert (ran.code, ran.err) == (0, "")
        assert f"_AR_COMPLETE={shell}_complete" in ran.out

    @pytest.mark.skipif(shutil.which("bash") is None, reason="no bash here")
    @pytest.mark.parametrize(
        ("line", "expected"),
        [
            (["ar", "ver"], ["verify", "verified"]),
            (["ar", "view", "--js"], ["--json"]),
            (["ar", "log", "--status", "c"], ["crash", "checks_failed"]),
        ],
    )
    def test_bash_completes(self, tmp_path: Path, line: list[str], expected: list[str]) -> None:
        """Verbs, options, and the values of an option."""
        script = install(tmp_path / "bin")
        words = " ".join(f"'{word}'" for word in line)
        code = (
            'eval "$(ar completion bash)"; '
            f"COMP_WORDS=({words}); COMP_CWORD={len(line) - 1}; _ar_completion ar; "
            'printf "%s\\n" "${COMPREPLY[@]}"'
        )
        path = os.pathsep.join([str(script.parent), os.environ["PATH"]])

        done = subprocess.run(
            ["bash", "-c", code], env=environment(PATH=path), capture_output=True, text=True
        )

        assert done.stdout.split() == expected, done.stderr


def test_help_to_a_reader_that_goes_away_is_no_error() -> None:
    """Also for what click writes itself."""
    done = subprocess.run(
        [
            "bash",
            "-c",
            f'"{sys.executable}" -m autoresearch_ledger --help | head -1; echo ${{PIPESTATUS[0]}}',
        ],
        env=environment(),
        capture_output=True,
        text=True,
    )

    assert (done.stdout.split()[-1], done.stderr) == ("0", "")


def test_a_closed_stderr_hides_no_exit_code(tmp_path: Path) -> None:
    """Nobody hears the error, the code still tells."""
    done = subprocess.run(
        ["bash", "-c", f'"{sys.executable}" -m autoresearch_ledger nope 2>&-'],
        env=environment(),
        cwd=tmp_path,
    )

    assert done.returncode == 2


@pytest.mark.parametrize("verb", ["append", "import"])
def test_a_closed_stdin_is_told(verb: str, tmp_path: Path) -> None:
    """Where a command reads from it; nothing is written."""
    (tmp_path / ".auto").mkdir()
    log = tmp_path / ".auto" / "log.jsonl"
    log.touch()

    done = subprocess.run(
        ["sh", "-c", f"exec {sys.executable} -m autoresearch_ledger {verb} - <&-"],
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
        text=True,
    )

    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "ar: stdin is closed\ntry: give it by a pipe, or by < FILE\n"
    assert not log.read_bytes()


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere such a directory cannot be removed")
@pytest.mark.parametrize("argv", ["view", "append note detail=x", "measure --metric true --direction lower"])
def test_a_working_directory_that_is_gone_is_told(argv: str, tmp_path: Path) -> None:
    """An agent may have removed the one that its shell stands in."""
    gone = tmp_path / "gone"
    gone.mkdir()
    command = f'rmdir "{gone}"; exec {sys.executable} -m autoresearch_ledger {argv}'

    done = subprocess.run(["sh", "-c", command], cwd=gone, env=environment(), capture_output=True, text=True)

    assert (done.returncode, done.stdout) == (4, "")
    assert done.stderr == (
        "ar: the working directory is not there any more\ntry: cd to one that is, or ar -C DIR ...\n"
    )


def test_arguments_that_are_no_text_are_refused(tmp_path: Path) -> None:
    """Bytes that are no UTF-8 reach us as lone surrogates; one line, shown escaped."""
    done = subprocess.run(
        [
            sys.executable.encode(),
            b"-m",
            b"autoresearch_ledger",
            b"--log",
            b"x",
            b"append",
            b"note",
            b"detail=\xff",
        ],
        cwd=tmp_path,
        env=environment(),
        capture_output=True,
    )

    assert done.returncode == 2
    assert done.stderr.startswith(b"ar: note.detail")
    assert b"Traceback" not in done.stderr


def test_both_scripts_are_the_same_program(tmp_path: Path) -> None:
    """`autoresearch` is `ar` by another name; errors and help say `ar`."""
    script = install(tmp_path, "autoresearch")

    done = subprocess.run([script, "nope"], env=environment(), capture_output=True, text=True)

    assert done.returncode == 2
    assert done.stderr == process("nope").err


def test_what_is_missing_is_said_on_one_line(ar: Ar) -> None:
    """With the words to choose from, and no line breaks spelled out."""
    assert ar("setup") == (
        2,
        "",
        "ar: missing argument 'AGENT': one of claude, codex, gemini, opencode, pi\ntry: ar setup --help\n",
    )
    assert ar("log", "-m", "x").err.splitlines()[0] == (
        "ar: missing option '--status': one of keep, discard, crash, checks_failed"
    )

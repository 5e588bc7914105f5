"""The launcher: our own packages are found, whatever else has their names."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import pytest

from tests.commands.conftest import ROOT, environment, install, process

BROKEN = "raise SystemExit('the wrong package was imported')\n"
GOAL = ("--goal", "fast", "--metric", "ms", "--unit", "ms", "--direction", "lower")
FOREIGN = ("commands", "hooks", "reducers", "eventstore")


def shadow(directory: Path) -> Path:
    """A directory with packages of our names in it, each of which ends the program."""
    for name in FOREIGN:
        (directory / name).mkdir(parents=True)
        (directory / name / "__init__.py").write_text(BROKEN)
    return directory


def test_a_users_packages_on_pythonpath_do_no_harm(tmp_path: Path) -> None:
    """Ours are found although theirs come first."""
    script = install(tmp_path / "bin")
    path = os.pathsep.join([str(shadow(tmp_path / "theirs")), str(ROOT)])

    done = subprocess.run([script, "schema", "note"], env=environment(PYTHONPATH=path), capture_output=True)

    assert done.returncode == 0, done.stderr
    assert b'"note"' in done.stdout


def test_a_users_packages_in_the_working_directory_do_no_harm(tmp_path: Path) -> None:
    """With `python -m` the working directory comes first."""
    ran = process("schema", "note", cwd=shadow(tmp_path / "theirs"))

    assert ran.code == 0, ran.err


def test_a_users_package_that_was_imported_already_is_let_go(tmp_path: Path) -> None:
    """A `sitecustomize` of theirs may have imported it, modules in it included."""
    theirs = tmp_path / "theirs"
    (theirs / "commands").mkdir(parents=True)
    (theirs / "commands" / "__init__.py").write_text("")
    (theirs / "commands" / "app.py").write_text(BROKEN)
    (theirs / "commands" / "verbs.py").write_text("VERBS = ()\n")
    (theirs / "sitecustomize.py").write_text("import commands.verbs\n")
    path = os.pathsep.join([str(theirs), str(ROOT)])

    ran = process("--version", PYTHONPATH=path)

    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("ar ")


def test_our_own_packages_are_kept_when_imported_already() -> None:
    """Called in process, nothing of ours is imported a second time."""
    import commands.verbs
    from autoresearch_ledger import own_packages_first

    before = sys.modules["commands.verbs"]
    own_packages_first()
    own_packages_first()

    assert sys.modules["commands.verbs"] is before is commands.verbs
    finders = [finder for finder in sys.meta_path if getattr(finder, "__name__", "") == "_OwnPackages"]
    assert len(finders) == 1


def test_it_runs_from_a_zip(tmp_path: Path) -> None:
    """Packages in an archive are found beside the launcher in it, also in a directory with theirs."""
    archive = tmp_path / "ar.pyz"
    with zipfile.ZipFile(archive, "w") as file:
        file.write(ROOT / "autoresearch_ledger.py", "autoresearch_ledger.py")
        file.writestr("__main__.py", "import sys\nfrom autoresearch_ledger import main\nsys.exit(main())\n")
        for package in FOREIGN:
            for source in (ROOT / package).rglob("*.py"):
                file.write(source, source.relative_to(ROOT))

    done = subprocess.run(
        [sys.executable, archive, "schema", "note"],
        cwd=shadow(tmp_path / "theirs"),
        env=environment(PYTHONPATH=""),
        capture_output=True,
    )

    assert done.returncode == 0, done.stderr


def test_the_version_is_the_one_of_the_launcher() -> None:
    """`ar --version` and the distribution say the same."""
    from autoresearch_ledger import __version__

    ran = process("--version")

    assert (ran.code, ran.out, ran.err) == (0, f"ar {__version__}\n", "")


ASCII_ONLY = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
"""What a cron job or a bare container may have, with Python's own ways out shut."""


def test_words_and_paths_are_utf_8_also_where_the_locale_is_ascii(tmp_path: Path) -> None:
    """Arguments, variables, names of files and what is printed; the log holds what was meant."""
    log = tmp_path / "grün.jsonl"

    ran = process("--log", str(log), "append", "note", "detail=é 🙂", AR_BY="worker:ü", **ASCII_ONLY)
    told = process("--log", str(log), "tail", **ASCII_ONLY)

    assert (ran.code, ran.err, ran.out) == (0, "", "note is line 1\n")
    assert '"detail":"é 🙂"' in log.read_text("utf-8")
    assert '"by":"worker:ü"' in log.read_text("utf-8")
    assert (told.code, told.err) == (0, "")
    assert "é 🙂" in told.out


def test_a_batch_from_stdin_is_whole_where_the_locale_is_ascii(tmp_path: Path) -> None:
    """Starting over reads nothing of stdin, and passes on the interpreter's own options."""
    log = tmp_path / "log.jsonl"
    lines = "".join(f'{{"type":"note","detail":"ü{n}"}}\n' for n in range(3))

    ran = process("--log", str(log), "append", "-", stdin=lines.encode(), **ASCII_ONLY)

    assert (ran.code, ran.err) == (0, "")
    assert [line.count("ü") for line in log.read_text("utf-8").splitlines()] == [1, 1, 1]


@pytest.mark.parametrize("locale", [{}, ASCII_ONLY], ids=["utf-8", "ascii"])
def test_an_argument_that_is_no_utf_8_is_refused_in_one_line(tmp_path: Path, locale: dict[str, str]) -> None:
    """Also where starting over was needed; nothing is written."""
    log = tmp_path / "log.jsonl"

    ran = process("--log", str(log), "append", "note", os.fsdecode(b"detail=caf\xe9"), **locale)

    assert ran.code == 2
    assert ran.err.startswith('ar: note.detail: "caf\\udce9" holds half a character')
    assert not log.exists()


def test_programs_of_the_users_keep_their_locale(tmp_path: Path) -> None:
    """A hook sees the environment as it was: UTF-8 mode is ours alone."""
    ran = process("init", *GOAL, cwd=tmp_path)
    assert ran.code == 0, ran.err
    hook = tmp_path / ".auto/hooks/before.sh"
    hook.parent.mkdir()
    hook.write_text('#!/bin/sh\necho "mode=$PYTHONUTF8 $LC_ALL"\n')
    hook.chmod(0o755)

    ran = process("hook", "fire", "before", cwd=tmp_path, **ASCII_ONLY)

    assert "mode=0 C" in ran.out


@pytest.mark.parametrize("traceback", ["", "1"])
def test_what_should_not_happen_is_one_line_and_a_hint(tmp_path: Path, traceback: str) -> None:
    """Exit code 4; with AR_TRACEBACK the traceback, for who mends it."""
    broken = (
        "import commands.app\ndef run(argv): raise RuntimeError('broken\\x1b\\n')\ncommands.app.run = run\n"
    )
    call = (
        f"import autoresearch_ledger as a, sys; a.own_packages_first(); exec({broken!r}); sys.exit(a.main())"
    )

    done = subprocess.run(
        [sys.executable, "-c", call, "view"], env=environment(AR_TRACEBACK=traceback), capture_output=True
    )

    text = done.stderr.decode()
    if traceback:
        assert "Traceback" in text
    else:
        first, second = text.splitlines()
        assert done.returncode == 4
        assert first == "ar: this should not have happened: RuntimeError: broken\\x1b\\n"
        assert second.startswith("try: ")


def test_an_interrupt_ends_quietly_with_130(tmp_path: Path) -> None:
    """Ctrl-C while something is followed."""
    log = tmp_path / "log.jsonl"
    log.write_text('{"type":"note","detail":"x"}\n')
    running = subprocess.Popen(
        [sys.executable, "-m", "autoresearch_ledger", "--log", str(log), "tail", "-f"],
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert running.stdout is not None
    running.stdout.readline()
    time.sleep(0.3)
    running.send_signal(signal.SIGINT)
    _, err = running.communicate(timeout=30)

    assert (running.returncode, err) == (130, b"")

"""The other program called `ar`, which an activated environment hides behind ours."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from commands.effects.archiver import TRIED, fits
from commands.verbs import VERBS
from tests.commands.conftest import environment, install

PLANNED = """
init append log propose import on off view show tail replay diff why export schema verify check audit doctor
measure cycle loop brief strategies debrief finalize demo hook beat patrol guard iteration pivot direction
finding verified decide flag status dispatch escalate tasks orchestrate mcp setup completion help
""".split()  # noqa: SIM905  (a list of 50 words is no better)

ARCHIVER = shutil.which("ar", path="/usr/bin:/bin:/usr/local/bin")
needs_archiver = pytest.mark.skipif(
    not (ARCHIVER and shutil.which("gcc") and shutil.which("make")), reason="no archiver, gcc or make here"
)


@pytest.mark.parametrize("verb", sorted({*PLANNED, *VERBS}))
def test_no_command_is_an_operation_of_the_archiver(verb: str) -> None:
    """Neither now nor later can one of ours be taken for one of its."""
    assert not fits([verb])
    assert not fits([verb, "lib.a", "x.o"])


@pytest.mark.parametrize(
    "call",
    [
        "rcs lib.a x.o",
        "-rcs lib.a x.o",
        "crs lib.a",
        "cr conftest.a @conftest.lst",
        "cq lib.a x.o",
        "qc lib.a x.o",
        "rcsD lib.a x.o",
        "csrDT lib.a x.o",
        "ruv lib.a x.o",
        "rvv lib.a x.o",
        "rU lib.a x.o",
        "t lib.a",
        "tO lib.a",
        "-t lib.a",
        "x lib.a",
        "xo lib.a",
        "xN 2 lib.a x.o",
        "p lib.a x.o",
        "d lib.a x.o",
        "mb x.o lib.a y.o",
        "s lib.a",
        "-s lib.a",
        "qL all.a lib.a",
        "-r -c -s lib.a x.o",
        "-c -r lib.a x.o",
        "-M",
        "-V",
        "-X64 rcs lib.a x.o",
        "@arguments",
        "--plugin /usr/lib/lto.so rcs lib.a x.o",
        "--plugin=/usr/lib/lto.so rcs lib.a x.o",
        "--target=elf64-x86-64 t lib.a",
        "--thin rcs lib.a x.o",
        "--output=out x lib.a",
        "--format=gnu rcs lib.a x.o",
    ],
)
def test_calls_of_the_archiver_fit(call: str) -> None:
    """As build tools, old makefiles and people write them."""
    assert fits(call.split())


@pytest.mark.parametrize(
    "call",
    [
        "",
        "veiw",
        "-C dir view",
        "--log x view",
        "--help",
        "-h",
        "--version",
        "@",
        "rt lib.a",
        "ta",
    ],
)
def test_other_calls_do_not(call: str) -> None:
    """Ours, slips of the keyboard, and what the archiver itself would refuse."""
    assert not fits(call.split())


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A library to be built, its makefile using whatever `ar` it finds."""
    (tmp_path / "one.c").write_text("int one(void) { return 1; }\n")
    (tmp_path / "main.c").write_text("int one(void); int main(void) { return one() - 1; }\n")
    (tmp_path / "Makefile").write_text(
        "main: main.c libone.a\n\tgcc main.c -L. -lone -o main\n"
        "libone.a: one.o\n\t$(AR) rc $@ $^\n\tar s $@\n\tar t $@ | head -1\n"
        "one.o: one.c\n\tgcc -c one.c\n"
    )
    return tmp_path


@needs_archiver
def test_make_builds_a_library_with_ours_first_on_path(source: Path) -> None:
    """And with two of ours before the archiver, one of them by a symbolic link."""
    first = install(source / "env1" / "bin")
    install(source / "env2" / "bin")
    (source / "links").mkdir()
    (source / "links" / "ar").symlink_to(first)
    path = os.pathsep.join(
        [*(str(source / d) for d in ("env1/bin", "links", "env2/bin")), os.environ["PATH"]]
    )

    built = subprocess.run(
        ["make", "-s", "AR=ar"], cwd=source, env=environment(PATH=path), capture_output=True, timeout=60
    )

    assert (built.returncode, built.stdout) == (0, b"one.o\n"), built.stderr
    assert subprocess.run([source / "main"]).returncode == 0


@needs_archiver
def test_a_shim_that_calls_ours_again_goes_round_once(tmp_path: Path) -> None:
    """Version managers put such scripts on PATH; the guard makes ours go on to the one after."""
    ours = install(tmp_path / "env")
    shim = tmp_path / "shims" / "ar"
    shim.parent.mkdir()
    shim.write_text(f'#!/bin/sh\necho shim >&2\nexec "{ours}" "$@"\n')
    shim.chmod(0o755)
    path = os.pathsep.join([str(shim.parent), str(ours.parent), "/usr/bin", "/bin"])

    done = subprocess.run(
        ["ar", "-V"], env=environment(PATH=path), executable=ours, capture_output=True, timeout=60
    )

    assert done.returncode == 0
    assert b"shim" in done.stderr
    assert b"autoresearch" not in done.stdout


def test_without_an_archiver_the_error_says_so(tmp_path: Path) -> None:
    """Two of ours alone on PATH end, with one clear line."""
    ours = install(tmp_path / "one")
    install(tmp_path / "two")
    path = os.pathsep.join(str(tmp_path / d) for d in ("one", "two"))

    done = subprocess.run([ours, "rcs", "x.a"], env=environment(PATH=path), capture_output=True, timeout=60)

    assert done.returncode == 4
    assert done.stderr.decode().startswith("ar: `ar rcs` is a call of the archiver")
    assert b"Traceback" not in done.stderr


def test_what_is_no_program_is_passed_over(tmp_path: Path) -> None:
    """A directory called `ar`, a file that cannot be run and one of another machine do not end the search."""
    ours = install(tmp_path / "ours")
    (tmp_path / "dir" / "ar").mkdir(parents=True)
    (tmp_path / "plain").mkdir()
    (tmp_path / "plain" / "ar").write_text("no program")
    (tmp_path / "foreign").mkdir()
    (tmp_path / "foreign" / "ar").write_bytes(b"\x00\x01\x02 not for this machine")
    (tmp_path / "foreign" / "ar").chmod(0o755)
    (tmp_path / "last").mkdir()
    last = tmp_path / "last" / "ar"
    last.write_text(f'#!/bin/sh\necho "$@"; echo "${TRIED}" | tr ":" "\\n" | wc -l\n')
    last.chmod(0o755)
    places = [*(str(tmp_path / d) for d in ("dir", "plain", "foreign", "last")), "/usr/bin", "/bin"]

    done = subprocess.run(
        [ours, "t", "a b.a"], env=environment(PATH=os.pathsep.join(places)), capture_output=True, timeout=60
    )

    assert (done.returncode, done.stdout.split()[:2]) == (0, [b"t", b"a"])
    assert done.stdout.splitlines()[0] == b"t a b.a"


@needs_archiver
def test_the_archiver_dies_of_a_closed_pipe_as_it_would_without_us(tmp_path: Path) -> None:
    """Python ignores SIGPIPE, and a program that it becomes must not inherit that."""
    ours = install(tmp_path / "ours")
    spy = tmp_path / "spy" / "ar"
    spy.parent.mkdir()
    spy.write_text("#!/bin/sh\ngrep SigIgn /proc/self/status\n")
    spy.chmod(0o755)
    if not Path("/proc/self/status").exists():
        pytest.skip("no /proc here")
    path = os.pathsep.join([str(spy.parent), os.environ["PATH"]])

    done = subprocess.run([ours, "t", "x.a"], env=environment(PATH=path), capture_output=True, timeout=60)

    assert int(done.stdout.split()[1], 16) & (1 << 12) == 0

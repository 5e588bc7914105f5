from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest

from commands.effects import own_reducers
from commands.effects.own_reducers import OwnReducerError, load, names
from eventstore.errors import LedgerError
from eventstore.events import Run
from reducers.core import fold, to_plain
from reducers.probing import NotAReducerError
from reducers.registry import UnknownViewError

GOOD = """
    from __future__ import annotations
    import msgspec
    from eventstore.events import Run
    from reducers import History, Projection, handlers

    class Slow(msgspec.Struct, frozen=True):
        seconds: History[float] = History()

    def on_run(state: Slow, event: Run) -> Slow:
        return Slow(state.seconds.push(event.duration_seconds or 0))

    def longest(state: Slow, now: int | None) -> float | None:
        return max(state.seconds, default=None)

    slowest = Projection("slowest", 1, Slow(), handlers(on_run), longest)
    other = Projection("other-one", 1, Slow(), {}, lambda state, now: 1)
"""


@pytest.fixture(autouse=True)
def clean_imports(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a test puts on the path and among the modules is gone after it."""
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.setattr(sys, "modules", dict(sys.modules))


def write(path: Path, source: str) -> Path:
    path.write_text(dedent(source), "utf-8")
    return path


def refused(name: str, kind: type[LedgerError] = OwnReducerError) -> tuple[str, str]:
    """The message and the remedy: one line each, with the exit code of bad input."""
    with pytest.raises(kind) as caught:
        load(name)
    assert caught.value.exit_code == 2
    assert "\n" not in caught.value.message + caught.value.remedy
    return caught.value.message, caught.value.remedy


def test_a_reducer_is_loaded_from_a_file(tmp_path: Path) -> None:
    """And folds like any other; nothing is written beside the file."""
    path = write(tmp_path / "my views.py", GOOD)
    reducer = load(f"{path}:slowest")

    state = fold(reducer, [Run(run=n, status="keep", duration_seconds=n) for n in (1, 3, 2)])
    assert (reducer.name, to_plain(reducer.view(state, None))) == ("slowest", 3)
    assert [entry.name for entry in tmp_path.iterdir()] == ["my views.py"]


def test_a_file_may_import_its_neighbours_but_not_ours_away(tmp_path: Path) -> None:
    """Its folder is looked in last: a `reducers.py` in it is not taken for our package."""
    write(tmp_path / "reducers.py", "raise SystemExit('not this one')")
    write(tmp_path / "neighbour_of_mine.py", "NAME = 'by-neighbour'")
    path = write(tmp_path / "own.py", GOOD + "    import neighbour_of_mine\n    other = Projection("
        "neighbour_of_mine.NAME, 1, Slow(), {}, lambda state, now: 1)\n")  # fmt: skip

    assert load(f"{path}:other").name == "by-neighbour"


def test_two_files_of_one_name_are_two_modules(tmp_path: Path) -> None:
    """Each keeps its own types."""
    paths = []
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        paths.append(write(tmp_path / folder / "own.py", GOOD.replace("Slow", f"Slow{folder}")))

    assert [type(load(f"{path}:slowest").initial).__name__ for path in paths] == ["Slowa", "Slowb"]


def test_a_files_text_is_part_of_its_reducers_version(tmp_path: Path) -> None:
    """One that was edited is not shown what its last text made of the log, though its version is the same."""
    path = write(tmp_path / "own.py", GOOD)
    first, again = load(f"{path}:slowest").version, load(f"{path}:slowest").version
    write(path, GOOD.replace("max(", "min("))
    edited = load(f"{path}:slowest").version
    write(path, GOOD.replace('"slowest", 1', '"slowest", 2'))

    assert first == again
    assert len({first, edited, load(f"{path}:slowest").version}) == 3
    assert 1 <= first < 2**63


def test_what_a_file_prints_does_not_go_to_stdout(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """That is for the view."""
    path = write(tmp_path / "own.py", GOOD + "    print('loaded')\n")
    load(f"{path}:slowest")

    assert capsys.readouterr() == ("", "loaded\n")


def test_a_missing_file_is_said_to_be_missing(tmp_path: Path) -> None:
    """As is one that is none."""
    form = "give a Python file and a name in it: path/to/file.py:reducer"

    assert refused(f"{tmp_path}/own.py:slowest") == (f"{tmp_path}/own.py: no such file", form)
    (tmp_path / "dir.py").mkdir()
    assert refused(f"{tmp_path}/dir.py:slowest") == (f"{tmp_path}/dir.py: is not a file", form)


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("x = 1\ny = = 2", ":2: SyntaxError: invalid syntax"),
        (
            "x = 1\n\nimport no_such_module_here",
            ":3: ModuleNotFoundError: No module named 'no_such_module_here'",
        ),
        ("def f():\n    return 1 / 0\nx = 1\nf()", ":2: ZeroDivisionError: division by zero"),
        ("import json\njson.loads('{')", ":2: JSONDecodeError: Expecting property name enclosed in double"),
        ("raise SystemExit('bye')", ":1: SystemExit: bye"),
        ("raise ValueError('two\\nlines')", ":1: ValueError: two"),
        ("\0", "(:1)?: (SyntaxError|ValueError): .*null bytes"),
        ("# -*- coding: martian -*-", r"(:\d+)?: SyntaxError: .*martian"),
    ],
)
def test_a_file_that_fails_is_told_with_the_line_where(tmp_path: Path, source: str, message: str) -> None:
    """One line: the file, the line in it, what went wrong. It leaves no half-made module behind."""
    path = write(tmp_path / "own.py", source)
    before = set(sys.modules)

    said, remedy = refused(f"{path}:slowest")
    assert re.match(re.escape(str(path)) + message, said)
    assert remedy == f"mend it: python {path} shows where it fails"
    assert str(path) not in set(sys.modules) - before


def test_an_interrupt_while_loading_is_not_swallowed(tmp_path: Path) -> None:
    """Ctrl-C is no fault of the file."""
    path = write(tmp_path / "own.py", "raise KeyboardInterrupt")

    with pytest.raises(KeyboardInterrupt):
        load(f"{path}:slowest")


@pytest.mark.parametrize(
    ("attribute", "message", "remedy"),
    [
        (":slowst", "it has no 'slowst'", "use {path}:slowest"),
        (":zzz", "it has no 'zzz'", "use {path}:slowest or {path}:other"),
        ("", "which reducer of it is meant?", "use {path}:slowest or {path}:other"),
        (":", "which reducer of it is meant?", "use {path}:slowest or {path}:other"),
    ],
)
def test_a_missing_name_is_answered_with_those_there_are(
    tmp_path: Path, attribute: str, message: str, remedy: str
) -> None:
    """The nearest, or all reducers of the file."""
    path = write(tmp_path / "own.py", GOOD)

    assert refused(f"{path}{attribute}") == (f"{path}: {message}", remedy.format(path=path))


def test_a_file_without_reducers_says_so(tmp_path: Path) -> None:
    """There is nothing to name instead."""
    path = write(
        tmp_path / "own.py",
        """
        import logging
        log = logging.getLogger()

        class Prickly:
            def __getattr__(self, name):
                raise RuntimeError("do not touch")
        prickly = Prickly()
        """,
    )

    assert refused(f"{path}:mine") == (f"{path}: it has no 'mine'", "define a reducers.Projection in it")


def test_what_is_no_reducer_is_refused_by_the_probe(tmp_path: Path) -> None:
    """In three parts, with the file before them; a built-in view's name cannot be taken."""
    path = write(
        tmp_path / "own.py",
        GOOD
        + """
    number = 3
    session = Projection("session", 1, Slow(), {}, lambda state, now: 1)

    class Sulky:
        @property
        def name(self):
            raise RuntimeError("not now")
    sulky = Sulky()
    """,
    )

    message, remedy = refused(f"{path}:number", NotAReducerError)
    assert message.startswith(f"{path}:number: a int is no reducer: it has no name")
    assert remedy.startswith("make a reducers.Projection")
    message, remedy = refused(f"{path}:session", NotAReducerError)
    assert message == f"{path}:session: its name 'session' is that of a built-in view"
    assert remedy == "give it a name of its own"
    message, _ = refused(f"{path}:sulky", NotAReducerError)
    assert message == f"{path}:sulky: looking at it fails with RuntimeError: not now"


def test_an_unreadable_file_is_an_error_of_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the system's reason."""
    path = write(tmp_path / "own.py", GOOD)

    def denied(self: Path) -> bytes:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "read_bytes", denied)
    assert refused(f"{path}:slowest") == (f"{path}: Permission denied", "see to it that it can be read")


def install(site: Path, package: str, points: str) -> None:
    """A distribution with entry points, as an installer leaves it."""
    info = site / f"{package}-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n", "utf-8")
    (info / "entry_points.txt").write_text(f"[ar.reducers]\n{dedent(points)}", "utf-8")


def test_reducers_are_offered_by_entry_points(tmp_path: Path) -> None:
    """By the entry point's name; a built-in view's name offers nothing."""
    write(tmp_path / "acme_views.py", GOOD)
    install(tmp_path, "acme", "slow = acme_views:slowest\nsession = acme_views:other\n")
    sys.path.append(str(tmp_path))

    assert load("slow").name == "slowest"
    assert "slow" in names()
    assert "session" not in names()
    with pytest.raises(UnknownViewError) as caught:
        load("slwo")
    assert caught.value.remedy == "use slow"


def test_an_entry_point_that_fails_names_its_package(tmp_path: Path) -> None:
    """Missing module, missing name, no reducer, two of one name."""
    write(tmp_path / "acme_broken.py", "x = 3\n")
    install(
        tmp_path, "acme", "gone = acme_gone:x\nnameless = acme_broken:y\nnumber = acme_broken:x\nboth = a:b\n"
    )
    install(tmp_path, "emca", "both = c:d\n")
    sys.path.append(str(tmp_path))

    assert refused("gone") == (
        "entry point 'gone' (acme_gone:x) of acme: ModuleNotFoundError: No module named 'acme_gone'",
        "update or uninstall acme",
    )
    assert refused("nameless")[0].startswith(
        "entry point 'nameless' (acme_broken:y) of acme: AttributeError: "
    )
    assert refused("number", NotAReducerError)[0].startswith("entry point 'number': a int is no reducer")
    assert refused("both") == (
        "the view 'both' is offered by acme and by emca",
        "uninstall all but one of them",
    )


def test_paths_are_told_from_names() -> None:
    """By their ending."""

    assert [own_reducers.is_path(name) for name in ("a.py:b", "a.py", "./x/a.py:b", "slow", "a:b")] == [
        True,
        True,
        True,
        False,
        False,
    ]


def test_a_view_of_ones_own_is_shown_by_its_path(tmp_path: Path) -> None:
    """From the command line, and with one line on stderr when it fails."""
    write(tmp_path / "own.py", GOOD)
    log = write(tmp_path / "log.jsonl", '{"run":1,"status":"keep","metric":2,"duration_seconds":7}\n')

    def ar(view: str) -> subprocess.CompletedProcess[str]:
        command = [sys.executable, "-m", "autoresearch_ledger", "--log", str(log), "view", view, "--json"]
        return subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)

    done = ar("own.py:slowest")
    assert (done.returncode, '"value":7' in done.stdout.replace(" ", "")) == (0, True)
    wrong = ar("own.py:slower")
    assert wrong.returncode == 2
    assert wrong.stderr.splitlines() == ["ar: own.py: it has no 'slower'", "try: use own.py:slowest"]

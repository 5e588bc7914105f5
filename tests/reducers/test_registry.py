from __future__ import annotations

import subprocess
import sys

import pytest

import reducers
from reducers import registry
from reducers.probing import probe


def test_every_view_of_the_design_is_there() -> None:
    """Design, section 4, in its order."""

    assert registry.names() == (
        "session",
        "runs",
        "stall",
        "directions",
        "progress",
        "findings",
        "iterations",
        "liveness",
        "flags",
        "budget",
        "cycle",
        "debrief",
        "hooks",
        "errors",
    )


@pytest.mark.parametrize("name", registry.names())
def test_every_view_is_a_reducer(name: str) -> None:
    """Probed with its initial state and records nobody knows."""

    assert probe(registry.load(name)) is registry.load(name)


@pytest.mark.parametrize(
    ("name", "remedy"),
    [
        ("sesion", "use session"),
        ("hook", "use hooks"),
        ("core", "use one of session, runs, "),
        ("session.session", "use session"),
        ("", "use one of session, runs, "),
    ],
)
def test_an_unknown_view_is_refused_and_the_nearest_named(name: str, remedy: str) -> None:
    """With exit code 2; a module of the package that is no view is none either."""
    with pytest.raises(registry.UnknownViewError) as caught:
        registry.load(name)

    assert caught.value.message == f"there is no view {name!r}"
    assert caught.value.remedy.startswith(remedy)
    assert caught.value.exit_code == 2


def test_other_known_names_are_offered_too() -> None:
    """Views from elsewhere: entry points."""

    assert registry.unknown("slowst", ["slowest"]).remedy == "use slowest"


def imported_by(code: str) -> set[str]:
    """The modules that a fresh interpreter has after running this."""
    script = f"{code}\nimport sys\nprint(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


def test_a_view_does_not_import_the_others() -> None:
    """Nor anything heavy: `ar view` is short of time."""
    modules = imported_by("from reducers import registry\nregistry.load('session')")

    others = {f"reducers.{name}" for name in registry.names()} - {"reducers.session"}
    heavy = {"subprocess", "difflib", "rich", "hashlib", "json", "hypothesis", "unicodedata", "reducers.laws"}
    assert modules & others == set()
    assert modules & heavy == set()


def test_the_package_hands_its_names_on_when_they_are_asked_for() -> None:
    """Importing it imports nothing; each public name is found all the same."""
    lazily = imported_by("import reducers")
    assert {name for name in lazily if name.startswith("reducers.")} == set()

    assert all(getattr(reducers, name) is not None for name in reducers.__all__)
    assert set(reducers.__all__) <= set(dir(reducers))
    assert reducers.fold is sys.modules["reducers.core"].fold
    assert reducers.probe is probe


def test_an_unknown_name_of_the_package_is_an_attribute_error() -> None:
    """As with any module."""
    with pytest.raises(AttributeError, match="module 'reducers' has no attribute 'folds'"):
        reducers.folds  # noqa: B018

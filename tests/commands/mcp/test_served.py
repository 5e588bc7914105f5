"""Which session a call is about, and who writes."""

from __future__ import annotations

from pathlib import Path

import pytest

from commands.errors import BadInputError
from commands.mcp.served import Served
from tests.commands.conftest import Ar, ar

__all__ = ["ar"]


@pytest.fixture
def places(ar: Ar, tmp_path: Path) -> tuple[Path, Path]:
    """Two sessions, the first one in the working directory."""
    there = tmp_path / "there"
    there.mkdir()
    for place in (there, tmp_path):  # or the second one would be found from within the first
        done = ar("-C", str(place), "init", place.name, "--no-metric")
        assert done.code == 0
    return tmp_path, there


def test_without_a_directory_it_is_the_servers(
    places: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The log that was named, else AR_DIR's session unless a directory was named, else that of the place."""
    here, there = places
    monkeypatch.chdir(here)

    assert Served("worker").call().session.root == here
    monkeypatch.setenv("AR_DIR", str(there))
    assert Served("worker").call().session.root == there
    assert Served("worker", in_place=True).call().session.root == here
    log = str(there / ".auto" / "log.jsonl")
    assert Served("worker", log_file=log, in_place=True).call().session.root == there


def test_a_directory_comes_first(places: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch) -> None:
    """Before all that the server was started with; the session may lie above it."""
    here, there = places
    (there / "deep" / "er").mkdir(parents=True)
    monkeypatch.setenv("AR_DIR", str(here))
    served = Served("worker", log_file=str(here / ".auto" / "log.jsonl"), in_place=True)

    for cwd in (there, there / "deep" / "er"):
        assert served.call(str(cwd)).session.root == there
    with pytest.raises(BadInputError, match="is no directory"):
        served.call(str(there / "nowhere"))


@pytest.mark.parametrize(
    ("by", "agent", "author"),
    [
        ("worker", None, "worker"),
        ("worker", "gpu0", "worker:gpu0"),
        ("worker:a", None, "worker:a"),
        ("worker:a", "b", "worker:b"),
        ("user", "b", "user:b"),
    ],
)
def test_an_agent_gives_a_name_and_no_role(by: str, agent: str | None, author: str) -> None:
    """What it says cannot make a worker of an orchestrator, or the other way round."""
    assert Served(by).author(agent) == author


@pytest.mark.parametrize("agent", ["", "two words", "x" * 65, "\x1b[31m"])
def test_what_is_no_name_is_refused(agent: str) -> None:
    """With what a name is."""
    with pytest.raises(BadInputError, match="is no name"):
        Served("worker").author(agent)

"""The token: given in the environment or a file, else made; never one that could be guessed or read."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from commands.errors import BadInputError
from commands.mcp.token import VARIABLE, Token, token_of
from eventstore.errors import StorageError
from tests.commands.conftest import Ar, ar

__all__ = ["ar"]

GIVEN = "0123456789abcdef"


@pytest.fixture(autouse=True)
def no_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)


def test_none_given_one_is_made() -> None:
    """Another one each time, long, to be shown."""
    one, other = token_of(None), token_of(None)

    assert one.must_be_shown
    assert len(one.text) > 40
    assert one != other


def test_the_environment_gives_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Then it is not shown."""
    monkeypatch.setenv(VARIABLE, f" {GIVEN}\n")

    assert token_of(None) == Token(GIVEN)


def test_a_file_keeps_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Made for its owner alone, the same again, and before the environment's."""
    file = tmp_path / "token"
    monkeypatch.setenv(VARIABLE, GIVEN)

    made = token_of(str(file))

    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert file.read_text() == f"{made.text}\n"
    assert made.text != GIVEN
    assert token_of(str(file)) == made == Token(made.text)


@pytest.mark.parametrize(
    "text", ["", "short", "0123456789 abcdef", "0123456789abcdéf", "0123456789\x1babcdef"]
)
def test_what_is_none_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    """Too short to be a secret, or not fit for a header; neither is shown."""
    file = tmp_path / "token"
    file.write_text(text)
    file.chmod(0o600)
    monkeypatch.setenv(VARIABLE, text)

    for where in (str(file), None):
        with pytest.raises(BadInputError, match="no token: 16 or more") as raised:
            token_of(where)
        assert not text or text not in str(raised.value)


@pytest.mark.parametrize("mode", [0o644, 0o640, 0o602])
def test_a_file_that_others_may_read_is_refused(tmp_path: Path, mode: int) -> None:
    """With the command that mends it."""
    file = tmp_path / "token"
    file.write_text(GIVEN)
    file.chmod(mode)

    with pytest.raises(BadInputError, match="others may read") as raised:
        token_of(str(file))

    assert raised.value.remedy.startswith(f"chmod 600 '{file}'")


def test_a_file_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    """Where it should lie there is no directory."""
    with pytest.raises(StorageError, match="No such file"):
        token_of(str(tmp_path / "nowhere" / "token"))


def test_a_token_is_for_http(ar: Ar) -> None:
    """Over stdio nobody else could ask."""
    told = ar("mcp", "--token-file", "token")

    assert (told.code, told.err.splitlines()[0]) == (2, "ar: --token-file is for --http")

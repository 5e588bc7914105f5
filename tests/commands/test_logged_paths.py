"""Paths in the log: text, and the same path again."""

from __future__ import annotations

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commands.logged_paths import as_logged, from_log


@pytest.mark.parametrize(
    ("path", "logged"),
    [
        ("src/a b.c", "src/a b.c"),
        ("src/100%", "src/100%25"),
        ("ünï/\N{SNOWMAN}", "ünï/\N{SNOWMAN}"),
        (os.fsdecode(b"caf\xe9 %41"), "caf%E9 %2541"),
    ],
)
def test_only_what_has_to_be_is_escaped(path: str, logged: str) -> None:
    """Bytes that are no UTF-8, and the percent sign."""
    assert as_logged([path]) == (logged,)


@given(st.binary(min_size=1))
def test_every_path_comes_back(raw: bytes) -> None:
    """And what the log holds is UTF-8."""
    path = os.fsdecode(raw)

    (logged,) = as_logged([path])

    assert from_log([logged]) == (path,)
    logged.encode()

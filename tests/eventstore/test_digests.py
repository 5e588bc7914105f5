"""The chain's digest."""

from __future__ import annotations

import subprocess
import sys
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eventstore.digests import digest, hasher

ROOT = Path(__file__).parents[2]
RUN = b'{"type":"run","run":1,"status":"keep"}'


def test_the_digest_is_the_first_half_of_sha256() -> None:
    """A link can be checked by hand with sha256sum."""
    assert digest(RUN) == sha256(RUN).hexdigest()[:32]


@pytest.mark.parametrize("much", [False, True])
@given(line=st.binary(max_size=200))
def test_whichever_sha256_is_used_it_is_the_same(much: bool, line: bytes) -> None:
    """That of the interpreter for a few lines, that of the library for many."""
    hasher.cache_clear()
    with pytest.MonkeyPatch.context() as patch:
        patch.delitem(sys.modules, "_hashlib", raising=False)
        own = hasher(much)

    assert own(line).hexdigest() == sha256(line).hexdigest()
    hasher.cache_clear()


def test_a_single_append_loads_no_large_library() -> None:
    """OpenSSL takes longer to load than the append itself takes; where there is no other, it is loaded."""
    script = (
        "import sys\n"
        "from eventstore.memory import MemoryLog\n"
        "from eventstore.events import Note\n"
        "{}\n"
        "head = MemoryLog(clock=lambda: 1).append([Note(detail='x')]).head\n"
        "print(head, '_hashlib' in sys.modules)\n"
    )
    told = [
        subprocess.run(
            [sys.executable, "-c", script.format(before)], cwd=ROOT, capture_output=True, text=True
        )
        for before in ("", "sys.modules['_sha2'] = sys.modules['_sha256'] = None")
    ]

    own, library = (done.stdout.split() for done in told)
    assert own[0] == library[0]
    assert (own[1:], library[1:]) == (["False"], ["True"])

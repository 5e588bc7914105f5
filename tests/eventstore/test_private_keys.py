"""Private-key blocks: whole, cut off at either end, and merely mentioned."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eventstore.private_keys import redact_private_keys as redact


def armour(edge: str, kind: str = "RSA PRIVATE{} KEY") -> str:
    """A line of armour, put together here so that tools that look for leaked keys leave this file alone."""
    return f"-----{edge} {kind.format('')}-----"


BEGIN, END = armour("BEGIN"), armour("END")
PGP = "PGP PRIVATE{} KEY BLOCK"
SSH2 = " SSH2 ENCRYPTED PRIVATE{} KEY "
BODY = "\n".join(["MIIEpAIBAAKCAQEA" * 4] * 5 + ["q83vEj=="])
MARK = "[redacted:private-key]"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"a\n{BEGIN}\n{BODY}\n{END}\nb", f"a\n{MARK}\nb"),
        (f"a {BEGIN}\r\n{BODY}\r\n{END} b", f"a {MARK} b"),
        (
            f'{{"private_key": "{BEGIN}\\n{BODY}\\n{END}\\n"}}'.replace("\n", "\\n"),
            f'{{"private_key": "{MARK}\\n"}}',
        ),
        (f"{BEGIN}\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0A1B\n\n{BODY}\n{END}", MARK),
        (f"{BEGIN}\n{BODY}\n{END}\n{BEGIN}\n{BODY}\n{END}", f"{MARK}\n{MARK}"),
        (f"a\n{BEGIN}\n{BODY}", f"a\n{MARK}"),
        (f"a\n{BEGIN}\n{BODY[:70]}", f"a\n{MARK}"),
        (f"{BEGIN}\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0A1B\n\n{BODY}", MARK),
        (f"{BEGIN}\n{BODY[:64]}\n--- then other output", f"{MARK}\n--- then other output"),
        (f"{BEGIN}\n{BODY[:64]}\n{BEGIN}\n{BODY}\n{END}", f"{MARK}\n{MARK}"),
        (f"{BODY}\n{END}\nb", f"{MARK}\nb"),
        (f"{BODY}\\n{END}\\nb".replace("\n", "\\n"), f"{MARK}\\nb"),
        (f"$ cat key\n{BODY}\n{END}", f"$ cat key\n{MARK}"),
        (f"{BODY[30:]}\n{END}\n{BODY}\n{END}", f"{MARK}\n{MARK}"),
        (f"{armour('BEGIN', PGP)}\nVersion: 1\n\n{BODY}\n{armour('END', PGP)}", MARK),
        (f"---- BEGIN{SSH2.format('')}----\n{BODY}\n---- END{SSH2.format('')}----", MARK),
    ],
)
def test_a_key_is_replaced_with_its_armour(text: str, expected: str) -> None:
    """What comes before and after stays; a line that is no key's ends one that was cut off."""
    assert redact(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        f"grep {BEGIN} in the files",
        f"{BEGIN}...{END}",
        f"{END}",
        f"ordinary\nlines\n{END}",
        f"{BEGIN}{BEGIN}{END}{END}",
        "the PRIVATE" + " KEY of the house",
    ],
)
def test_a_mention_of_the_armour_stays(text: str) -> None:
    """Where there is no key in it there is nothing to hide."""
    assert redact(text) is text


PIECES = [
    BEGIN,
    END,
    BODY,
    BODY[:64],
    BODY[:9],
    "\n",
    "\\n",
    "\r\n",
    " ",
    "word",
    "two words",
    "Proc-Type: 4",
    MARK,
]


@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
def test_no_key_between_armour_survives(text: str) -> None:
    """Doing it again changes nothing, and nothing long is left between a BEGIN and its END."""
    left = redact(text)

    assert redact(left) == left
    for block in left.split(BEGIN)[1:]:
        body, end, _ = block.partition(END)
        assert not end or BODY[:64] not in body

"""Names of people and machines are taken out of what leaves the house."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eventstore.masks import mask as mask_for

HOSTS = ("gpu-box", "gpu-box.lab.example.org", "localhost")


def mask(text: str) -> str:
    return mask_for(text, home="/home/alice", user="alice", hosts=HOSTS)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("/home/alice/x.py", "~/x.py"),
        ("cd /home/alice.", "cd ~."),
        ("file:///home/alice/x", "file://~/x"),
        ("/home/alice2/x and /home/bob", "/home/[user]/x and /home/[user]"),
        ("/mnt/home/alice/x", "/mnt/home/[user]/x"),
        ("/Users/carl/x, /Users/Shared/x", "/Users/[user]/x, /Users/Shared/x"),
        (r"C:\Users\dora\x C:\\Users\\dora\\x", r"C:\Users\[user]\x C:\\Users\\[user]\\x"),
        ("alice@gpu-box:~$", "[user]@[host]:~$"),
        ("mail Alice <a.b+c@x.co.uk>.", "mail [user] <[email]>."),
        ("git@github.com:a/b.git moment@2.30.1 x@y", "git@github.com:a/b.git moment@2.30.1 x@y"),
        ("GPU-BOX.lab.example.org:22 gpu-box, gpu-boxes", "[host]:22 [host], gpu-boxes"),
        ("http://10.0.0.1:80/ at 192.168.1.7.", "http://[address]:80/ at [address]."),
        ("127.0.0.1 0.0.0.0 ::1 localhost", "127.0.0.1 0.0.0.0 ::1 localhost"),
        ("1.2.3 v1.2.3.4 999.1.1.1 1.2.3.4.5 12:34:56", "1.2.3 v1.2.3.4 999.1.1.1 1.2.3.4.5 12:34:56"),
        ("fe80::1%eth0 2001:db8::8a2e:370:7334", "[address] [address]"),
        ("std::vector a::b face::bead aa:bb:cc", "std::vector a::b face::bead aa:bb:cc"),
        ("malice, alice's, palice", "malice, [user]'s, palice"),
        ("https://me:hun" + "ter2@gpu-box/x", "https://me:[redacted:password]@[host]/x"),
    ],
)
def test_names_and_addresses_are_masked(text: str, expected: str) -> None:
    """Homes, users, mail, machines, addresses; versions, times and loopback stay."""
    assert mask(text) == expected


@pytest.mark.parametrize("user", ["root", "user", "worker", "Guardian", ""])
def test_a_user_name_that_is_a_word_of_ours_is_not_masked(user: str) -> None:
    """It tells nothing."""
    text = f"by {user}: the worker of user root"

    assert mask_for(text, home="/root", user=user, hosts=[]) == text


def test_no_names_known_is_no_error() -> None:
    """Then what has a shape of its own is masked."""
    assert mask_for("/ at a@b.org", home="/", user="", hosts=[""]) == "/ at [email]"


PIECES = [
    "/home/",
    "/",
    "alice",
    "bob",
    "gpu-box",
    "[user]",
    "a@b.org",
    "@",
    "10.0.0.1",
    "::",
    "fe80::1",
    ".",
    ":",
    " ",
    "~",
]


@given(st.lists(st.sampled_from(PIECES), max_size=10))
def test_masking_is_total_and_idempotent(pieces: list[str]) -> None:
    """Whatever stands beside whatever; what is glued together is masked without failing."""
    left = mask(" ".join(pieces))

    assert mask(left) == left
    assert isinstance(mask("".join(pieces)), str)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a@b.org..a@b.org", "[email]"),
        ("a@b.org+a@b.org", "[email]"),
        ("(a.b+c@b.org)", "([email])"),
        ("..a@b.org", "..[email]"),
        ("a@b.org.gpu-box", "[email].[host]"),
    ],
)
def test_addresses_that_are_glued_together(text: str, expected: str) -> None:
    """None of them is left."""
    assert mask(text) == expected


@pytest.mark.parametrize(
    "piece", [*PIECES, "a", "a@", "1.", ":", "a.", "://a:", "/home/alice", "alice.", "1:", "a-a."]
)
def test_masking_takes_linear_time(piece: str) -> None:
    """A mebibyte of anything takes no long time."""
    started = time.perf_counter()
    mask(piece * ((1 << 20) // len(piece)))

    assert time.perf_counter() - started < 60

"""Roles: who may append what (design, section 6.4)."""

from __future__ import annotations

import pytest

from eventstore.errors import RoleError
from eventstore.events import TYPES
from eventstore.roles import ROLES, check_role, is_author, may, role_of

GUARDIAN = {"heartbeat", "registered", "nudge", "restart", "flag", "pivot", "note"}
VERIFIER = {"verified", "note", "flag", "heartbeat"}
MENDING = {"recovered", "relinked"}
ALL = {*TYPES, "x.own"}


@pytest.mark.parametrize(
    ("role", "allowed"),
    [
        ("user", ALL),
        ("orchestrator", ALL),
        ("worker", ALL - {"verified", "nudge", "restart"}),
        ("guardian", GUARDIAN | MENDING),
        ("verifier", VERIFIER | MENDING),
    ],
)
def test_each_role_may_append_its_types_and_no_other(role: str, allowed: set[str]) -> None:
    """The table of the design; by the mending events the store speaks, whoever appends."""
    assert {kind for kind in ALL if may(role, kind)} == allowed


@pytest.mark.parametrize("by", [*ROLES, "worker:gpu0", "user:Zoë", "worker:a:b", "worker:" + "x" * 64])
def test_a_role_with_or_without_a_name_is_an_author(by: str) -> None:
    """The name is anything printable without white space, up to 64 characters."""
    assert is_author(by)
    check_role(by, "note")


@pytest.mark.parametrize(
    "by",
    [
        "",
        "boss",
        "User",
        "worker:",
        "worker: a",
        "worker:a b",
        "worker:a\n",
        "worker:\x1b[1m",
        ":a",
        "worker ",
        f"worker:{'x' * 65}",
        "worker:\u2028",
        "worker:\ud800",
    ],
)
def test_anything_else_is_none(by: str) -> None:
    """The message is one printable line and lists the roles."""
    assert not is_author(by)
    with pytest.raises(RoleError) as caught:
        check_role(by, "note")

    assert caught.value.message.isprintable()
    assert all(role in caught.value.message for role in ROLES)


def test_a_refusal_says_which_roles_may() -> None:
    """What, who, what it may do, who may do this; and how to go on."""
    with pytest.raises(RoleError) as caught:
        check_role("worker:gpu0", "verified")

    assert caught.value.message == (
        "verified: a worker may not append it (never verified, nudge, restart); "
        "user, orchestrator and verifier may"
    )
    assert caught.value.remedy == "append it as user or orchestrator or verifier"
    assert caught.value.exit_code == 2


def test_the_role_is_what_stands_before_the_colon() -> None:
    """Without a colon it is all of it."""
    assert (role_of("worker:gpu0"), role_of("user")) == ("worker", "user")

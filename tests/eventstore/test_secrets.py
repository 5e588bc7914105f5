"""Secrets are kept out of lines that can never be changed (design, section 2.3)."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eventstore.door import check
from eventstore.errors import InvalidEventError
from eventstore.events import (
    Committed,
    Config,
    Custom,
    Event,
    Finding,
    Heartbeat,
    Imported,
    Measured,
    Note,
    Registered,
    Run,
    Settings,
    Started,
)
from eventstore.lines import encode
from eventstore.secrets import each_text, redact, redact_event, suspicious
from eventstore.shapes import ARMOUR, SHAPES
from tests.eventstore.admissible import events, plain

TOKEN = "ghp" + "_0123456789abcdefghijklmnopqrstuvwxyz"
MARK = "[redacted:github]"
SECRETS = [hit.replace("~~", "") for shape in SHAPES for hit in shape.hits]
ANCHORS = [anchor for shape in SHAPES for anchor in shape.anchors]
WORDS = [
    "a",
    "1",
    "A",
    "_",
    "-",
    ".",
    ":",
    "/",
    "@",
    "=",
    " ",
    "\n",
    "é",
    "[redacted:jwt]",
    "x" * 20,
    "0aB" * 8,
]


@given(st.lists(st.sampled_from([*SECRETS, *ANCHORS, *WORDS]), max_size=8).map("".join))
def test_redacting_is_total_and_idempotent(text: str) -> None:
    """Whatever is glued to whatever."""
    left = redact(text)

    assert redact(left) is left


@given(
    st.sampled_from(SECRETS),
    st.sampled_from([" ", "\n", '"', "'", ", ", "(", "\t", "> "]),
    st.text(max_size=9),
)
def test_a_secret_is_found_anywhere_in_a_text(secret: str, gap: str, text: str) -> None:
    """Between quotes, brackets, at the ends of lines."""
    assert "[redacted:" in redact(f"{text}{gap}{secret}{gap}{text}")


@given(
    anchor=st.sampled_from([*ANCHORS, ARMOUR]),
    cut=st.integers(0, 20),
    before=st.text("-_./:~= aKzxJT", max_size=12),
    after=st.text("-_./:~= aKzxJT", max_size=12),
)
def test_the_quick_look_misses_no_anchor(anchor: str, cut: int, before: str, after: str) -> None:
    """It notices just the texts that hold one, whole, wherever it stands."""
    text = before + anchor[: len(anchor) - cut] + after

    assert suspicious(text) == any(anchor in text for anchor in [*ANCHORS, ARMOUR])


def test_several_secrets_of_a_text_are_all_replaced() -> None:
    """Each by its own kind; what is around them stays."""
    text = f"set {TOKEN}, then https://me:hunter2@example.org and {TOKEN}."

    assert redact(text) == f"set {MARK}, then https://me:[redacted:password]@example.org and {MARK}."


def test_the_rest_of_a_password_in_a_url_goes_too() -> None:
    """Where only a part of it was known by its shape."""
    assert redact(f"https://me:{TOKEN}@example.org") == f"https://me:{MARK}@example.org"
    assert redact(f"https://me:{TOKEN}!more@example.org") == "https://me:[redacted:password]@example.org"


@pytest.mark.parametrize(
    ("event", "expected"),
    [
        (
            Run(run=1, status="keep", description=TOKEN, asi={"a": [{"b": f"x {TOKEN}"}], TOKEN: 1}),
            Run(run=1, status="keep", description=MARK, asi={"a": [{"b": f"x {MARK}"}], MARK: 1}),
        ),
        (
            Measured(cycle=1, command=TOKEN, output_tail=TOKEN),
            Measured(cycle=1, command=MARK, output_tail=MARK),
        ),
        (Finding(text=TOKEN, source=TOKEN), Finding(text=MARK, source=MARK)),
        (Heartbeat(last_output=TOKEN, host=TOKEN), Heartbeat(last_output=MARK, host=MARK)),
        (Config(name=TOKEN, milestones=("a", TOKEN)), Config(name=MARK, milestones=("a", MARK))),
        (
            Imported(source=TOKEN, format="pi", skipped=({"line": 1, "reason": TOKEN},)),
            Imported(source=MARK, format="pi", skipped=({"line": 1, "reason": MARK},)),
        ),
        (Custom(type="x.a", fields={"b": TOKEN}), Custom(type="x.a", fields={"b": MARK})),
    ],
)
def test_a_secret_is_replaced_in_every_text(event: Event, expected: Event) -> None:
    """In texts of any field, in lists and objects, in keys."""
    assert redact_event(event) == expected


@pytest.mark.parametrize(
    ("event", "field"),
    [
        (Note(detail="a", id=TOKEN), "note.id"),
        (Note(detail="a", by=f"worker:{TOKEN}"), "note.by"),
        (Custom(type=f"x.{TOKEN}", fields={}), f"x.{MARK}.type"),
        (Config(name="a", measure=f"curl -H 'x: {TOKEN}'"), "config.measure"),
        (Config(name="a", constraint=TOKEN), "config.constraint"),
        (Config(name="a", assets=("src", TOKEN)), "config.assets"),
        (Settings(metric_pattern=f"{TOKEN}(a)"), "settings.metric_pattern"),
        (Registered(argv=("curl", f"https://me:hunter2@{TOKEN}")), "registered.argv"),
        (Registered(argv=("a",), cwd=f"/{TOKEN}"), "registered.cwd"),
        (Started(cycle=1, files=(TOKEN,)), "started.files"),
        (Committed(cycle=1, commit="a", files=(TOKEN,)), "committed.files"),
    ],
)
def test_a_secret_in_what_is_acted_upon_is_refused(event: Event, field: str) -> None:
    """A changed command would run something else, a changed id would be another's. The message is clean."""
    with pytest.raises(InvalidEventError) as caught:
        redact_event(event)

    assert caught.value.message.startswith(f"{field}: holds what looks like a secret (")
    assert TOKEN not in caught.value.message + caught.value.remedy
    assert caught.value.exit_code == 2


def test_digests_and_commits_are_left_alone() -> None:
    """They are no text of anybody's."""
    event = Run(run=1, status="keep", commit=TOKEN, prev=TOKEN)

    assert redact_event(event) is event


@given(events)
def test_an_event_without_secrets_is_the_same_object(event: Event) -> None:
    """Nothing is copied for nothing, and what comes out may still be appended."""
    left = redact_event(event)

    assert left is event
    check(left)


KEYS = st.sampled_from(["k", *SECRETS[:3]])
SECRETIVE = st.recursive(
    plain | st.sampled_from(SECRETS),
    lambda inner: st.lists(inner) | st.dictionaries(KEYS, inner),
    max_leaves=6,
)


@given(SECRETIVE)
def test_no_secret_is_left_in_a_line(value: Any) -> None:
    """However deep it lies."""
    line = encode(redact_event(Custom(type="x.a", fields={"v": value}))).decode()
    # a line is JSON text: quotes in it are escaped, which no shape minds
    assert redact(line) == line


def test_keys_that_become_equal_are_kept_apart() -> None:
    """No value is lost."""
    other = TOKEN[::-1].replace("_phg", "") + "x"
    value = {TOKEN: 1, "ghp" + "_" + other: 2, "a": 3}

    assert each_text(value, redact) == {MARK: 1, f"{MARK} 2": 2, "a": 3}


def test_each_text_returns_the_same_object_where_nothing_changes() -> None:
    """Also inside: what did not change is shared."""
    value = {"a": [1, "b"], "c": TOKEN}

    assert each_text(value["a"], redact) is value["a"]
    assert each_text(value, redact)["a"] is value["a"]


def test_nothing_is_compiled_where_there_is_nothing_to_find() -> None:
    """An ordinary append does not pay for patterns."""
    code = (
        "import re; compiled = re.compile\n"
        "def refuse(*_, **__): raise SystemExit('compiled')\n"
        "from eventstore.secrets import redact_event; from eventstore.events import Run\n"
        "re.compile = refuse\n"
        "redact_event(Run(run=1, status='keep', description='wider in src/a_b.py', asi={'a': 'sha 9f86'}))\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)

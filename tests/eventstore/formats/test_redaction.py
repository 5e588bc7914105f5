"""Events that leave the house."""

from __future__ import annotations

from functools import partial

from eventstore.events import Custom, Heartbeat, Imported, Run
from eventstore.formats.redaction import redact_line, redacted
from eventstore.masks import mask

MASK = partial(mask, home="/home/ada", user="ada", hosts=frozenset(["lovelace"]))


def test_every_text_of_an_event_is_masked() -> None:
    """Description, metrics' names, what is nested in asi, who appended; numbers and places stay."""
    run = Run(
        seq=3,
        prev="0" * 32,
        run=1,
        metric=3,
        status="keep",
        description="built in /home/ada/src on lovelace",
        asi={"log": ["/home/ada/x", {"mail": "ada@example.org"}]},
        by="worker:ada",
    )

    found = redacted(run, MASK)
    assert found.description == "built in ~/src on [host]"
    assert found.asi == {"log": ["~/x", {"mail": "[email]"}]}
    assert found.by == "worker:[user]"
    assert (found.seq, found.metric, found.prev) == (3, 3, "0" * 32)


def test_hosts_sources_and_own_events() -> None:
    """A heartbeat's host, an import's path, a user's own event."""
    assert redacted(Heartbeat(host="elsewhere"), MASK).host == "[host]"
    assert redacted(Imported(source="/home/ada/r.tsv", format="tsv"), MASK).source == "~/r.tsv"
    assert redacted(Custom(type="x.a", fields={"at": "10.1.2.3"}), MASK).fields == {"at": "[address]"}


def test_nothing_to_mask_is_the_same_event() -> None:
    """An event without names is handed back as it is."""
    run = Run(run=1, status="keep", description="faster")

    assert redacted(run, MASK) is run


def test_lines_that_are_no_events() -> None:
    """A damaged line is masked as text, its odd bytes kept."""
    assert redact_line(b'{"a": "/home/ada/x", \xff', MASK) == b'{"a": "~/x", \xff'

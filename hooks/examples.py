"""The shipped example hooks: a catalogue, and the bytes of each script.

The scripts are package data, `hooks/examples/STAGE/NAME.sh`; each is one self-contained bash file whose
header says what it needs and how it is configured (design, section 6.2; user guide: `docs/hooks.md`).
"""

from __future__ import annotations

from typing import Literal, NamedTuple

Stage = Literal["before", "after"]


class Example(NamedTuple):
    """One shipped script: its `name` (without `.sh`), the `stage` it is written for, and what it does."""

    name: str
    stage: Stage
    summary: str


EXAMPLES: tuple[Example, ...] = (
    Example(
        "anti-thrash", "before", "advises a structural change when the last 5 judged runs brought no keep"
    ),
    Example(
        "context-rotation",
        "before",
        "keeps .auto/prompt.md short: over 20 KiB, all after line 80 is archived",
    ),
    Example(
        "external-search",
        "before",
        "searches the web for the next idea and files the results in .auto/research.md",
    ),
    Example(
        "hypothesis-reflection",
        "before",
        "after a discard, asks a small model for two adjacent directions",
    ),
    Example(
        "idea-rotator", "before", "puts the first unchecked idea of .auto/ideas.md in front of the agent"
    ),
    Example(
        "qmd-search",
        "before",
        "searches your own indexed documents for the next idea, results to .auto/docs.md",
    ),
    Example(
        "run-parts",
        "before",
        "runs every script of before.d/ next to it, in name order, for several concerns at once",
    ),
    Example("auto-tag-winners", "after", "gives the commit of every new best a git tag of its own"),
    Example("journal", "after", "appends one readable line a kept or discarded run to .auto/learnings.md"),
    Example("learnings-journal", "after", "appends one key=value line a run to .auto/learnings.log"),
    Example("notify", "after", "tells you how a run went: a desktop notification, else the terminal bell"),
)
"""Every shipped example, before-hooks first, by name within a stage."""


class UnknownExampleError(LookupError):
    """No example has the name asked for; the message names the nearest one and lists them all."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name

    @property
    def nearest(self) -> str | None:
        """The shipped name most like the one asked for; None if none is like it."""
        from difflib import get_close_matches

        matches = get_close_matches(
            self.name.lower(), [example.name for example in EXAMPLES], n=1, cutoff=0.5
        )
        return matches[0] if matches else None

    def __str__(self) -> str:
        hint = f"; did you mean {self.nearest}?" if self.nearest else ""
        known = ", ".join(example.name for example in EXAMPLES)
        return f"no example hook is named {self.name!r}{hint} (there are: {known})"


def find(name: str) -> Example:
    """The example called `name`, with or without `.sh`.

    Raises UnknownExampleError, which names the nearest, when there is none.
    """
    wanted = name.removesuffix(".sh")
    for example in EXAMPLES:
        if example.name == wanted:
            return example
    raise UnknownExampleError(name)


def read(name: str) -> bytes:
    """The script of the example called `name` (with or without `.sh`), byte for byte as shipped.

    Raises UnknownExampleError when there is none.
    """
    from importlib.resources import files

    example = find(name)
    script = files("hooks") / "examples" / example.stage / f"{example.name}.sh"
    return script.read_bytes()

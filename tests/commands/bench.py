"""A session that is measured, in a repository where a user is at work elsewhere."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from commands.effects.cycling import Ground, ground_of
from commands.effects.exclusions import exclude_from_git
from commands.effects.ground import remember_outside
from eventstore import sessions
from eventstore.events import Config, Event, Measured, Run, Started
from eventstore.filelog import FileLog
from tests.commands.conftest import Ar, Ran
from tests.commands.sandbox import Sandbox

BASELINE = 10
MEASURE = "cat src/value"
"""The metric command: the agent simply writes the number, lower is better; `BASELINE` at first."""

CONSTRAINT = "test ! -e src/bad"


class Bench:
    """The session at the sandbox's top, its asset `src`, its baseline recorded."""

    def __init__(self, box: Sandbox, ar: Ar) -> None:
        self.box = box
        self._ar = ar

    @property
    def ground(self) -> Ground:
        place = sessions.new(self.box.top)
        return ground_of(place, FileLog(place.log, by="user"))

    def ar(self, *argv: str) -> Ran:
        return self._ar("-C", str(self.box.top), *argv)

    def configure(self, **changed: Any) -> None:
        """The session as `ar init` leaves it, without running it; fields of the config may be changed."""
        config: dict[str, Any] = {
            "name": "smaller",
            "metricName": "value",
            "metricUnit": "ms",
            "bestDirection": "lower",
            "measure": MEASURE,
            "constraint": CONSTRAINT,
            "assets": ("src",),
            "samples": 1,
            **changed,
        }
        box = self.box
        box.write("src/value", f"{BASELINE}\n")
        start = box.commit("src/value", message="value")
        (box.top / ".auto").mkdir()
        exclude_from_git(box.top, [".auto/"])
        ground = self.ground
        ground.log.append(
            [
                Config(**config),
                Started(cycle=0, parent=start),
                Measured(cycle=0, commit=start, samples=(BASELINE,), median=BASELINE),
                Run(run=1, commit=start[:7], metric=BASELINE, status="keep", reason="baseline"),
            ]
        )
        remember_outside(ground, ["src"])

    def add(self, *events: Event) -> None:
        self.ground.log.append(list(events))

    def lines(self, *kinds: str) -> list[dict[str, Any]]:
        """The log's lines, of these types if any are named."""
        text = (self.box.top / ".auto" / "log.jsonl").read_text()
        found = [json.loads(line) for line in text.splitlines()]
        return [line for line in found if not kinds or line["type"] in kinds]

    def kinds(self, after: int = 4) -> list[str]:
        """The types of the log's lines after the set-up."""
        return [line["type"] for line in self.lines()][after:]

    def run(self) -> dict[str, Any]:
        """The last run."""
        return self.lines("run")[-1]

    def value(self, number: object) -> None:
        """The agent's change."""
        self.box.write("src/value", f"{number}\n")

    def hook(self, stage: str, text: str) -> Path:
        return self.box.write(f".auto/hooks/{stage}.sh", text, 0o755)


@pytest.fixture
def bench(sandbox: Sandbox, ar: Ar) -> Bench:
    """A measured session; afterwards the user's work elsewhere is as it was."""
    bench = Bench(sandbox, ar)
    bench.configure()
    return bench

"""What a loop is at, on a terminal: a panel that stays at the bottom while lines go by above it.

It shows the best so far, the last runs, the time, and what is going on. Only what is drawn imports rich.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Self

from commands.output import width
from commands.render import clip, delta, duration, escape, number
from commands.viewtext import STATUS_STYLES
from reducers.policies.looping import Course
from reducers.situation import sight_of

if TYPE_CHECKING:
    from rich.console import Group
    from rich.live import Live
    from rich.text import Text

    from commands.effects.measuring import Step
    from reducers.runs import RunRow
    from reducers.session import SessionView

__all__ = ["LiveView", "step_text"]

ROWS = 5
"""How many of the last runs are shown."""


def step_text(step: Step) -> str:
    """A step of a measurement, in words."""
    return step.what if step.what != "sample" else f"sample {step.number} of {step.of}"


class LiveView:
    """The panel; enter it to draw it, leave it to take it away."""

    def __init__(self) -> None:
        self._doing, self._since, self._begun = "", time.monotonic(), time.monotonic()
        self._course = Course()
        self._live: Live | None = None

    def __enter__(self) -> Self:
        from rich.console import Console
        from rich.live import Live

        console = Console(legacy_windows=False, width=width())
        self._live = Live(get_renderable=self._drawn, console=console, refresh_per_second=4, transient=True)
        self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._live is not None:
            self._live.stop()
            self._live = None

    def doing(self, what: str) -> None:
        """Something begins that takes a while."""
        self._doing, self._since = what, time.monotonic()

    def stands(self, course: Course) -> None:
        """Where the session stands now."""
        self._course = course

    def say(self, text: str) -> None:
        """Writes lines above the panel. `text` is escaped already and may hold our own colours."""
        if self._live is not None and text:
            from rich.text import Text

            self._live.console.print(Text.from_ansi(text.removesuffix("\n")), soft_wrap=True)

    def _drawn(self) -> Group:
        from rich.console import Group
        from rich.rule import Rule
        from rich.text import Text

        sight = sight_of(self._course.situation)
        now = time.monotonic()
        room = max(width() - 1, 20)
        rows = [_run_text(row, sight.session.metric_unit, room) for row in sight.trail.recent[-ROWS:]]
        doing = f"{self._doing} ({duration(now - self._since)})" if self._doing else ""
        left = _left_text(sight.budget.cycles_left, sight.budget.minutes_left)
        return Group(
            Rule(style="dim"),
            Text(clip(f"{_best_text(sight.session)}  {left}  {duration(now - self._begun)}", room)),
            *rows,
            Text(clip(doing, room), style="cyan"),
        )


def _best_text(view: SessionView) -> str:
    name = escape(view.metric_name or "metric")
    best = view.baseline_metric if view.best_metric is None else view.best_metric
    change = delta(view.baseline_metric, best)
    return f"{name}: {number(best, view.metric_unit)} ({change}, baseline {number(view.baseline_metric)})"


def _left_text(cycles: int | None, minutes: float | None) -> str:
    parts = [] if cycles is None else [f"{cycles} cycles"]
    parts += [] if minutes is None else [duration(minutes * 60)]
    return f"left: {', '.join(parts)}" if parts else "no limit"


def _run_text(row: RunRow, unit: str | None, room: int) -> Text:
    from rich.text import Text

    line = f"{row.run:>4}  {row.status:<13}  {number(row.metric, unit):>12}  {escape(row.description)}"
    return Text(clip(line, room), style=STATUS_STYLES.get(row.status, ""))

"""What is being measured, on a terminal: the step and the time it has taken so far."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from commands.output import is_terminal

if TYPE_CHECKING:
    from rich.progress import Progress as Bar

    from commands.effects.measuring import Step

__all__ = ["Progress"]


class Progress:
    """Shows each step on stderr until the next one, if that is a terminal; else nothing."""

    def __init__(self) -> None:
        self._shown = is_terminal("stderr")
        self._bar: Bar | None = None

    def __enter__(self) -> Self:
        return self

    def tell(self, step: Step) -> None:
        """Shows a step that begins; one that has its value goes away with the next."""
        if not self._shown or step.value is not None:
            return
        from rich.console import Console
        from rich.progress import Progress as Bar
        from rich.progress import SpinnerColumn, TextColumn, TimeElapsedColumn

        self.clear()
        text = step.what if step.what != "sample" else f"sample {step.number} of {step.of}"
        self._bar = Bar(
            SpinnerColumn(),
            TextColumn("{task.description}"),
            TimeElapsedColumn(),
            console=Console(stderr=True),
            transient=True,
        )
        self._bar.start()
        self._bar.add_task(text, total=None)

    def clear(self) -> None:
        """Takes away what is shown, so that something else can be told."""
        if self._bar is not None:
            self._bar.stop()
            self._bar = None

    def __exit__(self, *_: object) -> None:
        self.clear()

"""Logs of pi-autoresearch and of the many programs that write something like it: JSON, one object a line.

Also reads our own logs, of which another session is to take over the history (`eventstore.formats.own`).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from eventstore.events import Config, Event, Hook, Run, type_of
from eventstore.formats.collecting import Collector, extra
from eventstore.formats.fates import PLAIN, Fate, Options, Placed, Question, Reading
from eventstore.formats.fields import Fields
from eventstore.formats.objects import Found, objects_in
from eventstore.formats.own import own_event
from eventstore.formats.runs import FoundRun, run_in
from eventstore.formats.text import lines_of
from eventstore.formats.values import clean, direction_of, moment_of, number_of, plain_word, whole_of
from eventstore.formats.words import CONFIG_FIELDS, STATUS_FIELDS

__all__ = ["parse"]

_CONFIG_ONLY = ("metricname", "metric_name", "bestdirection", "best_direction")
_HOOK_NUMBERS = ("exit_code", "duration_ms", "stdout_bytes")


def parse(data: bytes, options: Options = PLAIN) -> Reading | Question:
    """The runs, goals and hooks of a log. Never raises.

    Runs before the first goal get one made up: the source's name, the metric's name as far as the lines tell
    it, and lower for the direction unless `options` say otherwise. Asks when no line at all has a verdict.
    """
    reader = _Reader(options)
    for found in objects_in(lines_of(data)):
        if isinstance(found, Fate):
            reader.out.put(found)
        else:
            reader.read(found)
    if reader.runs and not reader.judged and options.status is None:
        return Question(
            "no line says whether its run was kept",
            "--status keep, or another status that holds for all of its runs",
        )
    reader.finish()
    return reader.out.reading("pi")


class _Reader:
    """What is known so far of a log that is read line by line."""

    def __init__(self, options: Options) -> None:
        self.options = options
        self.out = Collector()
        self.goal: Config | None = None
        self.metric: str | None = None
        self.early_metric: str | None = None
        self.segment = self.runs = self.judged = 0
        self.first_run: int | None = None

    def read(self, found: Found) -> None:
        source = found.value
        own = own_event(source)
        if isinstance(own, str):
            self.out.skip(found.first, own, last=found.last)
        elif own is not None:
            self._take_own(found, own)
        elif _is_config(source):
            self._config(found, source)
        elif source.get("type") == "hook":
            self._hook(found, source)
        else:
            self._run(found, source)

    def _take_own(self, found: Found, event: Event) -> None:
        if isinstance(event, Config):
            event = self._new_goal(event)
        elif isinstance(event, Run):
            self._take_run(found, event, event.run, "run")
            self.judged += 1
            return
        self.out.take(found.first, event, type_of(event), last=found.last)

    def _config(self, found: Found, source: Mapping[str, Any]) -> None:
        own, rest = config_in(source, self.goal, self.options.source)
        config = self._new_goal(own)
        at = moment_of(config.timestamp)
        if self.out.take(found.first, config, "config", last=found.last) and rest:
            self.out.take(
                found.first,
                extra("config", rest, at),
                "config",
                last=found.last,
                key="extra",
            )

    def _new_goal(self, config: Config) -> Config:
        """A goal of the source begins; the goal that is taken for it, as the options have it."""
        self.goal = config
        self.metric = config.metricName
        self.segment += self.runs > 0
        options = self.options
        name = options.metric or config.metricName
        unit = config.metricUnit if name == config.metricName else ""
        return msgspec.structs.replace(
            config,
            name=options.goal or config.name,
            metricName=name,
            metricUnit=(options.unit or unit) if name else None,
            bestDirection=(options.direction or config.bestDirection or "lower") if name else None,
        )

    def _hook(self, found: Found, source: Mapping[str, Any]) -> None:
        stage = source.get("stage")
        if stage not in ("before", "after"):
            self.out.skip(found.first, "a hook of no stage", last=found.last)
            return
        numbers = {name: number_of(source.get(name)) for name in _HOOK_NUMBERS}
        hook = Hook(
            stage=stage,
            exit_code=None if numbers["exit_code"] is None else int(numbers["exit_code"]),
            duration_ms=numbers["duration_ms"],
            stdout_bytes=numbers["stdout_bytes"],
            timed_out=source.get("timed_out") is True,
            truncated=source.get("truncated") is True,
            timestamp=moment_of(source.get("timestamp")),
        )
        self.out.take(found.first, hook, "hook", last=found.last)

    def _run(self, found: Found, source: Mapping[str, Any]) -> None:
        options = self.options
        run = run_in(
            source, metric=self.metric, words=options.words, status=options.status, wanted=options.metric
        )
        if not isinstance(run, FoundRun):
            self.out.skip(found.first, run.reason, last=found.last)
            return
        self.judged += run.judged
        self.metric = self.metric or run.metric
        self.early_metric = self.metric if self.goal is None else self.early_metric
        reason = "run"
        if not run.judged:
            word = f" ({run.verdict})" if run.verdict else ""
            reason = f"run, taken for a discard: no verdict that is known{word}"
            self.out.note(
                f"a run without a verdict that is known{word} is never a keep; --map WORD=STATUS tells"
            )
        self._take_run(found, run.run, run.number, reason)

    def _take_run(self, found: Found, run: Run, number: float | None, reason: str) -> None:
        """A segment that the line claims is kept only where the order of lines says otherwise."""
        if self.goal is None and self.first_run is None:
            self.first_run = len(self.out.events)
        asi = dict(run.asi)
        if asi.get("segment") == self.segment:
            del asi["segment"]
        placed = msgspec.structs.replace(run, run=self.runs + 1, asi=asi, segment=self.segment)
        whole = None if number is None else int(number)
        self.runs += self.out.take(found.first, placed, reason, last=found.last, number=whole)

    def finish(self) -> None:
        """Puts a goal before the first run where the log has none."""
        if self.first_run is None:
            return
        options = self.options
        direction = options.direction or "lower"
        if options.direction is None:
            self.out.note(
                "the log says no direction: lower is taken for better, as pi does; --direction tells"
            )
        name = options.metric or self.early_metric or "metric"
        config = Config(
            name=options.name, metricName=name, metricUnit=options.unit or "", bestDirection=direction
        )
        self.out.events.insert(self.first_run, Placed(0, config, key="goal"))


def config_in(source: Mapping[str, Any], before: Config | None, file: str) -> tuple[Config, dict[str, Any]]:
    """The goal that an object configures, and what else it says; `file` is what the source is called.

    What it leaves out stays as it was, as pi reads it, but no direction means lower. An empty name of the
    metric is a task without one.
    """
    fields = Fields(source)
    fields.use("type")
    name = source["name"] if _is_filled(source.get("name")) else fields.text(CONFIG_FIELDS["name"])
    fields.use("name")
    named = fields.first(CONFIG_FIELDS["metricName"], lambda v: v if isinstance(v, str) else None)
    unit = fields.first(CONFIG_FIELDS["metricUnit"], lambda v: v if isinstance(v, str) else None)
    direction = fields.first(CONFIG_FIELDS["bestDirection"], direction_of)
    timed = fields.first(("timestamp", "ts", "time", "created_at", "date"), moment_of)
    metric = (named[1] if named[1].strip() else "") if named else (before and before.metricName) or "metric"
    earlier = before.metricUnit if before else None
    config = Config(
        name=clean(name or (before.name if before else "") or Options(source=file).name),
        metricName=clean(metric) or None,
        metricUnit=None if not metric else clean(unit[1] if unit else earlier or ""),
        bestDirection=None if not metric else (direction[1] if direction else "lower"),
        timestamp=timed[1] if timed else None,
    )
    return config, {str(key): clean(value) for key, value in fields.rest().items()}


def _is_filled(value: object) -> bool:
    return isinstance(value, str) and value.strip() != ""


def _is_config(source: Mapping[str, Any]) -> bool:
    """Whether an object says what is optimised: it says so, or names a metric and is no run."""
    kind = source.get("type")
    if kind in ("config", "hook"):
        return bool(kind == "config")
    if type(source.get("run")) in (int, float):
        return False
    words = {plain_word(str(key)) for key in source}
    if words.isdisjoint(_CONFIG_ONLY) or not words.isdisjoint(STATUS_FIELDS):
        return False
    return not any(whole_of(source.get(name)) is not None for name in ("iteration", "iter", "cycle"))

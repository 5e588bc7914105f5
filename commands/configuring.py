"""How a session is configured, and what `ar init` appends to change that. Pure (design, sections 3 and 5)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec
from msgspec.structs import replace

from commands.errors import BadInputError
from eventstore.errors import ConflictError
from eventstore.events import Config, Event, Record, Resumed, Run, Settings, Stopped
from reducers.halt import SWITCHED_OFF, Halt, after_halting

__all__ = [
    "COPIED",
    "KINDS",
    "Configured",
    "Wanted",
    "config_for",
    "copied_limits",
    "events_of",
    "follow_up",
    "require_on",
    "settings_for",
]

COPIED = "config.json:"
"""Beginning of the id of a `settings` event that was copied from `config.json`; the copy's number follows."""

KINDS = (Config, Run, Settings, Stopped, Resumed)
"""The event types that `follow_up` looks at."""


class Configured(msgspec.Struct, frozen=True):
    """What a log says of how its session is configured.

    config: the last one, None before the first.
    runs, segment_runs: how many runs the log has, and how many since that config.
    limits, thresholds, timeouts, metric_pattern: as set last, one by one.
    copies: how often `config.json` was copied. copied: what the last copy set.
    halt: what holds the session up.
    """

    config: Config | None = None
    runs: int = 0
    segment_runs: int = 0
    limits: dict[str, Any] = {}
    thresholds: dict[str, Any] = {}
    timeouts: dict[str, Any] = {}
    metric_pattern: str | None = None
    copies: int = 0
    copied: dict[str, Any] = {}
    halt: Halt = Halt()


class Wanted(msgspec.Struct, frozen=True):
    """What `ar init` was asked for; None or empty where it was not.

    Fields as in `config`; `no_metric` is a task without one; `new_segment` starts one though nothing changes.
    """

    name: str | None = None
    metric: str | None = None
    unit: str | None = None
    direction: str | None = None
    no_metric: bool = False
    measure: str | None = None
    constraint: str | None = None
    assets: tuple[str, ...] = ()
    samples: int | None = None
    milestones: tuple[str, ...] = ()
    success: tuple[str, ...] = ()
    new_segment: bool = False


def follow_up(state: Configured, records: Iterable[Record]) -> Configured:
    """How the session is configured after these lines too."""
    for record in records:
        if isinstance(record, Run):
            state = replace(state, runs=state.runs + 1, segment_runs=state.segment_runs + 1)
        elif isinstance(record, Config):
            halt = after_halting(state.halt, record, state.runs)
            state = replace(state, config=record, segment_runs=0, halt=halt)
        elif isinstance(record, Settings):
            state = _with_settings(state, record)
        elif isinstance(record, (Stopped, Resumed)):
            state = replace(state, halt=after_halting(state.halt, record, state.runs))
    return state


def _with_settings(state: Configured, event: Settings) -> Configured:
    is_copy = event.id is not None and event.id.startswith(COPIED)
    return replace(
        state,
        limits={**state.limits, **event.limits},
        thresholds={**state.thresholds, **event.thresholds},
        timeouts={**state.timeouts, **event.timeouts},
        metric_pattern=state.metric_pattern if event.metric_pattern is None else event.metric_pattern,
        copies=state.copies + is_copy,
        copied=event.limits if is_copy else state.copied,
    )


def config_for(state: Configured, wanted: Wanted) -> Config | None:
    """The config to append, which begins a new segment once the session has runs; None where nothing is new.

    What is not asked for stays as the last config has it. The metric's name, unit and direction belong
    together: another name demands the other two. A config that says what the last one says is new only if
    there are runs since, or if a new segment was asked for. Raises BadInputError that names what is missing,
    and ConflictError while the session is switched off.
    """
    if wanted == Wanted() and state.config is not None:
        return None
    if wanted.no_metric and (wanted.metric, wanted.unit, wanted.direction) != (None, None, None):
        raise BadInputError(
            "--no-metric is for a task without --metric, --unit and --direction", "one or the other"
        )
    before = state.config or Config()
    name = before.name if wanted.name is None else wanted.name
    metric = {} if _goes_without_metric(state.config, wanted) else _metric(state.config, wanted)
    missing = [] if name.strip() else ["a goal"]
    missing += [option for option, value in metric.items() if value is None]
    if missing:
        raise BadInputError(f"ar init needs {_listed(missing)}", _remedy(missing))
    config = Config(
        name=name,
        metricName=metric.get("--metric"),
        metricUnit=metric.get("--unit"),
        bestDirection=metric.get("--direction"),
        measure=_text(wanted.measure, before.measure),
        constraint=_text(wanted.constraint, before.constraint),
        assets=wanted.assets or before.assets,
        samples=before.samples if wanted.samples is None else wanted.samples,
        milestones=wanted.milestones or before.milestones,
        success=wanted.success or before.success,
    )
    is_same = state.config is not None and config == _bare(state.config)
    if is_same and state.segment_runs == 0 and not wanted.new_segment:
        return None
    require_on(state.halt)
    return config


def require_on(halt: Halt) -> None:
    """Raises ConflictError while the session is switched off."""
    if halt.off:
        raise ConflictError(*SWITCHED_OFF)


_OPTIONS = {
    "--metric": "--metric NAME, or --no-metric for a task without one",
    "--unit": "--unit ms, or --unit '' for a number without one",
    "--direction": "--direction lower or --direction higher: which way is better",
}
"""What a metric is made of, and what to try where it is missing."""


def _remedy(missing: list[str]) -> str:
    if len(missing) == 1 and missing[0] in _OPTIONS:
        return _OPTIONS[missing[0]]
    return "ar init 'make the build faster' --metric total --unit s --direction lower"


def _goes_without_metric(config: Config | None, wanted: Wanted) -> bool:
    """Whether the task is to have no metric: asked for, or it has none and none is asked for.

    A foreign config without a name for its metric has one all the same (`reducers.standing.goal_of`).
    """
    if wanted.no_metric:
        return True
    is_asked = (wanted.metric, wanted.unit, wanted.direction) != (None, None, None)
    return config is not None and config.seq is not None and config.metricName is None and not is_asked


def _metric(config: Config | None, wanted: Wanted) -> dict[str, str | None]:
    """The metric's name, unit and direction by their options; None for what is not known."""
    known: tuple[str | None, ...] = (None, None, None)
    if config is not None and (config.metricName is not None or config.seq is None):
        name = config.metricName or "metric"
        if wanted.metric in (None, name):
            known = (name, config.metricUnit or "", config.bestDirection or "lower")
    asked = (wanted.metric, wanted.unit, wanted.direction)
    return {
        option: old if new is None else new for option, old, new in zip(_OPTIONS, known, asked, strict=True)
    }


def _text(asked: str | None, before: str | None) -> str | None:
    """A text as asked for, empty for none; else as it was."""
    return before if asked is None else asked or None


def _bare(config: Config) -> Config:
    """A config as it would be asked for: without its envelope and what measuring adds to it."""
    return replace(config, seq=None, timestamp=None, by="user", id=None, prev=None, harness={})


def _listed(words: list[str]) -> str:
    return " and ".join([", ".join(words[:-1]), words[-1]]) if len(words) > 1 else words[0]


def settings_for(state: Configured, asked: Settings) -> Settings | None:
    """The settings to append: those asked for that are not so already; None where there is none."""
    fresh = Settings(
        limits=_fresh(asked.limits, state.limits),
        thresholds=_fresh(asked.thresholds, state.thresholds),
        timeouts=_fresh(asked.timeouts, state.timeouts),
        metric_pattern=None if asked.metric_pattern == state.metric_pattern else asked.metric_pattern,
    )
    return None if fresh == Settings() else fresh


def _fresh(asked: dict[str, Any], known: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in asked.items() if name not in known or known[name] != value}


def copied_limits(state: Configured, limits: dict[str, Any] | None) -> Settings | None:
    """The settings that copy what `config.json` sets, if it changed since it was copied last; else None.

    limits: what the file sets now, None if that is not known. A limit that it no longer sets is copied as
    `none`.
    """
    if limits is None:
        return None
    gone = {name: "none" for name in state.copied if name not in limits}
    now = {**gone, **limits}
    return None if now == state.copied else Settings(id=f"{COPIED}{state.copies + 1}", limits=now)


def events_of(*events: Event | None) -> list[Event]:
    """The events among these."""
    return [event for event in events if event is not None]

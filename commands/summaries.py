"""One event in one line, for `tail`, `replay`, `why` and `show`. Pure."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from commands.render import escape, number, when
from eventstore.events import (
    ENVELOPE,
    Config,
    Custom,
    Damaged,
    Direction,
    Event,
    Hook,
    Imported,
    Measured,
    Record,
    Run,
    Settings,
    Unknown,
    type_of,
)
from eventstore.timestamps import epoch_ms

__all__ = ["full_fields", "kind_of", "stamp_of", "summary"]


def kind_of(record: Record) -> str:
    """What a record is called in a list: its type, `unknown` or `damaged`."""
    if isinstance(record, Event):
        return escape(type_of(record))
    return "damaged" if isinstance(record, Damaged) else "unknown"


def stamp_of(record: Record) -> str:
    """When it happened, as far as it says so."""
    return when(epoch_ms(record.timestamp)) if isinstance(record, Event) else when(None)


def summary(record: Record) -> str:
    """What it says, in one line, escaped; as long as it is."""
    if isinstance(record, Damaged):
        return f"{record.size} bytes that are no JSON object: {escape(record.reason)}"
    if isinstance(record, Unknown):
        return escape(record.reason)
    special = _SPECIAL.get(type(record))
    return escape(special(record) if special is not None else _fields(full_fields(record)))


def full_fields(event: Event) -> dict[str, Any]:
    """An event's own fields by their names in the line, those at their defaults left out."""
    if isinstance(event, Custom):
        return event.fields
    plain: dict[str, Any] = msgspec.to_builtins(event)
    return {name: value for name, value in plain.items() if name != "type" and name not in ENVELOPE}


def _fields(fields: dict[str, Any]) -> str:
    """`name=value` for each field; the one that says most, if it is text, comes first and alone."""
    lead = next((name for name in _LEADS if isinstance(fields.get(name), str) and fields[name]), None)
    rest = [
        f"{name}={_value(value)}"
        for name, value in fields.items()
        if name != lead and value not in (None, "", [], {})
    ]
    return "  ".join(([fields[lead]] if lead else []) + rest)


_LEADS = ("text", "description", "summary", "detail", "reason", "status", "about", "context")


def _value(value: object) -> str:
    if isinstance(value, str):
        return value
    if type(value) in (int, float):
        return number(value)
    return msgspec.json.encode(value).decode()


def _run(run: Run) -> str:
    metric = number(run.metric) if type(run.metric) in (int, float) else "-"
    parts = [number(run.run), run.status, metric, run.description]
    if run.reason:
        parts.append(f"({run.reason})")
    return "  ".join(part for part in parts if part)


def _config(config: Config) -> str:
    if config.metricName is None:
        return config.name
    unit = f" ({config.metricUnit})" if config.metricUnit else ""
    return f"{config.name}  {config.metricName}{unit}, {config.bestDirection or 'lower'} is better"


def _settings(settings: Settings) -> str:
    named = {**settings.limits, **settings.thresholds, **settings.timeouts}
    pattern = {"metric_pattern": settings.metric_pattern} if settings.metric_pattern is not None else {}
    return "  ".join(f"{name}={_value(value)}" for name, value in {**named, **pattern}.items())


def _hook(hook: Hook) -> str:
    outcome = "timed out" if hook.timed_out else f"exited {hook.exit_code}"
    return f"{hook.stage} {outcome}" + (f": {hook.steer}" if hook.steer else "")


def _measured(measured: Measured) -> str:
    if measured.error is not None:
        return f"cycle {measured.cycle}  {measured.error}"
    samples = f" of {len(measured.samples)}" if measured.samples else ""
    return f"cycle {measured.cycle}  median {number(measured.median)}{samples}"


def _direction(direction: Direction) -> str:
    return f"{direction.state}  {direction.text}" + (f" ({direction.reason})" if direction.reason else "")


def _imported(imported: Imported) -> str:
    skipped = f", {_counted(len(imported.skipped), 'line')} skipped" if imported.skipped else ""
    return f"{_counted(imported.events, 'event')} from {imported.source} ({imported.format}){skipped}"


def _counted(count: int, word: str) -> str:
    return f"{count} {word}" if count == 1 else f"{count} {word}s"


_SPECIAL: dict[type, Callable[[Any], str]] = {
    Run: _run,
    Config: _config,
    Settings: _settings,
    Hook: _hook,
    Measured: _measured,
    Direction: _direction,
    Imported: _imported,
}

"""What a log says against itself: runs, cycles and measurements recomputed from their parts. Pure.

The log is gone through once, from its first line, with no snapshot. What is found are values, never
exceptions, so that one bad record does not end the report; what has to be looked up in git is handed on.
"""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from eventstore.events import Committed, Config, Event, Flag, Measured, Record, Reverted, Run, Started
from eventstore.timestamps import epoch_ms
from reducers.core import fold
from reducers.cycle import CycleState, OpenCycle, cycle, judges
from reducers.flags import FlagsState, flags
from reducers.policies.audited import (
    ERROR,
    WARNING,
    AuditedCycle,
    AuditedRun,
    AuditedSegment,
    Finding,
    LogAudit,
    RunCounts,
)
from reducers.policies.metric import median
from reducers.policies.verdict import verdict_on
from reducers.session import SessionState, session
from reducers.wording import number

__all__ = ["KINDS", "audit_log"]

KINDS: frozenset[type[Event]] = frozenset((Committed, Config, Flag, Measured, Reverted, Run, Started))
"""The event types that an audit looks at."""

DEFAULT_SAMPLES = 3
"""How many samples a config asks for that names no number."""


def audit_log(records: Iterable[tuple[int, Record]]) -> LogAudit:
    """Audits a log, given as its records with the numbers of their lines, in order."""
    audit = _Audit()
    for line, record in records:
        if isinstance(record, Event):
            audit.take(line, record)
    return audit.result()


class _Audit:
    """An audit that goes through a log line by line."""

    def __init__(self) -> None:
        self.findings: list[Finding] = []
        self.counts: dict[str, int] = dict.fromkeys(RunCounts.__struct_fields__, 0)
        self.cycles: list[AuditedCycle] = []
        self.kept: list[AuditedRun] = []
        self.segments: list[AuditedSegment] = [AuditedSegment(0, 0)]
        self.session: SessionState = session.initial
        self.cycle: CycleState = cycle.initial
        self.flags: FlagsState = flags.initial
        self.flag_lines: dict[str, int] = {}
        self.config: Config | None = None
        self.measured: Measured | None = None
        self.samples: dict[int, tuple[int | float, ...]] = {}
        self.opened_at = 0
        self.began: int | None = None
        self.measurements = 0

    def take(self, line: int, event: Event) -> None:
        """Looks at the next event, then takes it into account."""
        if self.began is None:
            self.began = epoch_ms(event.timestamp)
        if isinstance(event, Run):
            self._run(line, event)
        elif isinstance(event, Measured):
            self._measured(line, event)
        elif isinstance(event, Committed):
            self._committed(line, event)
        elif isinstance(event, Started):
            self._started(line, event)
        elif isinstance(event, Reverted):
            self._reverted(line, event)
        elif isinstance(event, Config):
            self._config(line, event)
        elif isinstance(event, Flag):
            self.flags = fold(flags, (event,), self.flags)
            self.flag_lines[event.kind] = line
        self.cycle = fold(cycle, (event,), self.cycle)

    def result(self) -> LogAudit:
        """What was found."""
        opened = self.cycle.open
        if opened is not None:
            failed = opened.phase == "revert_failed"
            what = f"cycle {opened.cycle} is not finished: " + (
                f"its rollback failed ({opened.detail})" if failed else f"it is {opened.phase}"
            )
            self._add(ERROR if failed else WARNING, "cycles", "open", self.opened_at, what)
        for row in flags.view(self.flags).flags:
            if row.up:
                detail = f"the flag {row.kind} is up: {row.detail}"
                self._add(WARNING, "flags", "flag", self.flag_lines[row.kind], detail)
        standing = self.session.standing
        marks = {mark.run for mark in (standing.baseline, standing.best) if mark is not None}
        return LogAudit(
            findings=tuple(sorted(self.findings, key=lambda finding: finding.line)),
            counts=RunCounts(**self.counts),
            cycles=tuple(self.cycles),
            kept=tuple(self.kept),
            segments=tuple(self.segments),
            session=self.session,
            samples={run: found for run, found in self.samples.items() if run in marks},
            open=opened,
            began=self.began,
            measurements=self.measurements,
        )

    def _config(self, line: int, event: Config) -> None:
        self.session = fold(session, (event,), self.session)
        self.config = event
        number_ = self.session.standing.segment
        found = AuditedSegment(number_, line, event.assets, event.harness, event.measure is not None)
        if number_ == self.segments[-1].segment:
            self.segments[-1] = found
        else:
            self.segments.append(found)

    def _started(self, line: int, event: Started) -> None:
        self.opened_at, self.measured = line, None
        opened = self.cycle.open
        if opened is not None:
            what = f"cycle {event.cycle} began while cycle {opened.cycle} was not finished"
            self._add(ERROR, "cycles", "order", line, what)
        last = self.cycle.last_cycle
        expected = 0 if last is None else last + 1
        if event.cycle != expected and not (last is None and event.cycle == 1):
            self._add(ERROR, "cycles", "order", line, f"cycle {event.cycle} follows cycle {last}")

    def _committed(self, line: int, event: Committed) -> None:
        opened = self._opened(line, event, "committed", ("started",))
        if opened is not None and opened.parent and event.parent and opened.parent != event.parent:
            ends = f"began at {opened.parent[:12]} and was committed on {event.parent[:12]}"
            what = f"cycle {event.cycle} {ends}"
            self._add(ERROR, "cycles", "parent", line, what)
        if event.cycle:
            segment = self.session.standing.segment
            made = AuditedCycle(event.cycle, segment, line, event.commit, event.parent, event.files)
            self.cycles.append(made)

    def _measured(self, line: int, event: Measured) -> None:
        phases = ("started", "committed") if event.cycle == 0 else ("committed",)
        opened = self._opened(line, event, "measured", phases)
        self.measured = event
        if opened is not None and opened.commit and event.commit and opened.commit != event.commit:
            what = f"cycle {event.cycle} committed {opened.commit[:12]} and measured {event.commit[:12]}"
            self._add(ERROR, "cycles", "commit", line, what)
        if event.median is None:
            if event.error is None:
                what = "a measurement that has neither a median nor a failure"
                self._add(ERROR, "measurements", "median", line, what)
            return
        self.measurements += 1
        wanted = (self.config and self.config.samples) or DEFAULT_SAMPLES
        if len(event.samples) != wanted:
            what = f"a median of {len(event.samples)} samples, where the config asks for {wanted}"
            self._add(ERROR, "measurements", "samples", line, what)
        elif (found := _median(event)) != event.median:
            what = f"the median is said to be {number(event.median)}, and is {number(found)}"
            self._add(ERROR, "measurements", "median", line, what)

    def _opened(
        self, line: int, event: Committed | Measured | Reverted, what: str, phases: tuple[str, ...]
    ) -> OpenCycle | None:
        """The open cycle that an event belongs to; None, and an error, where it has no place there."""
        opened = self.cycle.open
        if opened is None or opened.cycle != event.cycle:
            self._add(ERROR, "cycles", "order", line, f"cycle {event.cycle} was {what} while it was not open")
            return None
        if opened.phase not in phases:
            said = f"cycle {event.cycle} was {what} when it was {opened.phase}"
            if what == "rolled back":
                said += ": a run is recorded before its rollback"
            self._add(ERROR, "cycles", "order", line, said)
        return opened

    def _reverted(self, line: int, event: Reverted) -> None:
        self._opened(line, event, "rolled back", ("judged", "revert_failed"))
        if event.verified and self.cycles and self.cycles[-1].cycle == event.cycle:
            self.cycles[-1] = replace(self.cycles[-1], revert_line=line, revert_commit=event.revert_commit)

    def _run(self, line: int, event: Run) -> None:
        ordinal = self.session.run_count + 1
        self.counts["total"] += 1
        ours = event.seq is not None
        # A line that was overtaken by another program's could not know better.
        level = ERROR if event.seq == line else WARNING
        if ours and event.run != ordinal:
            what = f"it says that it is run {number(event.run)}, and it is the {ordinal}th of the log"
            self._add(level, "runs", "number", line, what)
        opened = self.cycle.open
        if opened is not None and judges(event, opened):
            self._cycle_run(line, event, ordinal, opened)
        else:
            self.counts["judged" if ours else "foreign"] += 1
            if event.status == "keep":
                segment = self.session.standing.segment
                self.kept.append(AuditedRun(ordinal, segment, line, event.commit, ours))
        before = self.session.standing
        self.session = fold(session, (event,), self.session)
        if before.baseline is None and self.session.standing.baseline is not None:
            self.segments[-1] = replace(self.segments[-1], commit=event.commit)

    def _cycle_run(self, line: int, event: Run, ordinal: int, opened: OpenCycle) -> None:
        """A run of a cycle: against its measurement and the rule."""
        segment = self.session.standing.segment
        if event.segment != segment and event.seq == line:
            what = f"run {ordinal} says that it is of segment {event.segment}, and it is of {segment}"
            self._add(ERROR, "runs", "segment", line, what)
        if self.cycles and opened.commit == self.cycles[-1].commit:
            self.cycles[-1] = replace(self.cycles[-1], line=line, run=ordinal, status=event.status)
        measured = self.measured if opened.phase == "measured" else None
        if measured is None:
            self.counts["unmeasured"] += 1
            if event.status == "keep":
                what = f"run {ordinal} was kept, and no measurement is recorded"
                self._add(ERROR, "measurements", "missing", line, what)
            return
        self.counts["measured"] += 1
        self.samples[ordinal] = measured.samples
        if event.metric != measured.median:
            what = f"run {ordinal} has {number(event.metric)}, and {number(measured.median)} was measured"
            self._add(ERROR, "measurements", "metric", line, what)
        elif event.metrics != measured.metrics:
            what = f"the secondary metrics of run {ordinal} are not those that were measured"
            self._add(ERROR, "measurements", "metric", line, what)
        standing = self.session.standing
        best = standing.best.metric if standing.best else None
        baseline = standing.baseline.metric if standing.baseline else None
        verdict = verdict_on(measured, standing.goal.direction or "lower", best, baseline)
        if event.status != verdict.status:
            values = f"{number(measured.median)} against {number(verdict.best_before)}"
            what = (
                f"run {ordinal} is recorded as {event.status}, and is {verdict.status} by the rule ({values})"
            )
            self._add(ERROR, "measurements", "verdict", line, what)
        elif event.reason != verdict.reason:
            what = f"run {ordinal} was judged for {event.reason}, and by the rule it is {verdict.reason}"
            self._add(WARNING, "measurements", "verdict", line, what)

    def _add(self, level: str, source: str, kind: str, line: int, message: str) -> None:
        self.findings.append(Finding(level, source, kind, line, message))


def _median(event: Measured) -> float | None:
    """The median of a measurement's samples; None for numbers that are beyond reckoning."""
    try:
        return median(event.samples)
    except OverflowError:
        return None

"""The words that other programs use for what our events say, as data. `docs/formats.md` lists them all.

All in the shape that `eventstore.formats.values.plain_word` gives them: lower case, `_` between words.
"""

from __future__ import annotations

__all__ = [
    "AUXILIARY",
    "CONFIG_FIELDS",
    "DIRECTIONS",
    "NOT_METRICS",
    "PLACEHOLDERS",
    "RUN_FIELDS",
    "STATUSES",
    "STATUS_FIELDS",
    "STRONG",
    "UNFINISHED",
    "UNITS",
    "WEAK",
]


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


def _table(**rows: str) -> dict[str, str]:
    return {word: meaning for meaning, words in rows.items() for word in words.split()}


STRONG: dict[str, str] = _table(
    keep="""
        keep kept keeper baseline base base_line accept accepted adopt adopted retain retained best
        new_best improved improvement win winner positive champion promoted merged shipped committed 保留
        采纳 基线 最佳 ✅ ✓ ✔ ✔️
    """,
    discard="""
        discard discarded discards revert reverted rollback rolled_back roll_back reject rejected drop
        dropped abandon abandoned skip skipped no_op noop no_change no_changes no_improvement
        not_improved not_kept unchanged neutral worse regressed regression negative ref reference kill
        killed iterate undo undone refuted inconclusive superseded hook_blocked 回滚 放弃 丢弃 ❌ ✗ ✘
    """,
    crash="""
        crash crashed error errored exception oom out_of_memory timeout timed_out time_out hang hung
        segfault nan diverged aborted broken dnf build_fail build_failed compile_error compile_failed
        metric_error 崩溃
    """,
    checks_failed="""
        checks_failed check_failed checks_fail check_fail checksfailed constraint_fail constraint_failed
        constraint_violated constraint_violation guard_fail guard_failed test_fail test_failed
        tests_fail tests_failed lint_failed verify_failed verification_failed validation_failed
        gate_fail gate_failed invalid
    """,
)
"""Words that are a verdict on a run."""

WEAK: dict[str, str] = _table(
    keep="""
        ok okay done success successful succeeded pass passed complete completed finished yes y true
        valid good
    """,
    discard="no n false same equal tie tied bad",
    crash="fail failed failure 失败",
)
"""Words that are a verdict only where no other field of the run holds a strong one: often they say that
it ended."""

STATUSES: dict[str, str] = STRONG | WEAK
"""Every known word and the status it stands for."""

UNFINISHED = _set(
    "pending running in_progress queued todo to_do planned started wip tbd measuring waiting proposed"
)
"""Words of a run that has no verdict yet: its line is left for a later import."""

PLACEHOLDERS = frozenset(
    ("", "-", "--", "---", "—", "\u2013", "n/a", "na", "none", "null", "nil", "?", "tbd", "pending")
)
"""Cells and texts that stand for nothing."""

DIRECTIONS: dict[str, str] = _table(
    lower="""
        lower lower_is_better lower_better lowest less smaller smaller_is_better min minimum minimize
        minimise minimizing minimising decrease decreasing down desc descending ↓
    """,
    higher="""
        higher higher_is_better higher_better highest more larger larger_is_better bigger
        bigger_is_better max maximum maximize maximise maximizing maximising increase increasing up asc
        ascending ↑
    """,
)
"""Which way is better."""

UNITS = _set("""
    % pct pp x ns us µs μs ms s sec secs second seconds min mins h b kb mb gb tb kib mib gib byte
    bytes lines loc fps hz khz mhz ghz tok/s tokens/s tps it/s ops/s op/s req/s rps qps ns/op us/op
    ms/op b/op allocs/op w j db points pts
""")
"""Units that may follow a number without making it text."""

RUN_FIELDS: dict[str, tuple[str, ...]] = {
    "number": (
        *(
            "run",
            "run_number",
            "runnumber",
            "run_id",
            "iteration",
            "iter",
            "iteration_number",
            "cycle",
            "experiment",
        ),
        *(
            "experiment_id",
            "exp",
            "exp_id",
            "round",
            "trial",
            "attempt",
            "step",
            "idx",
            "index",
            "no",
            "id",
            "#",
        ),
    ),
    "commit": (
        "commit",
        "commit_hash",
        "commit_sha",
        "git_commit",
        "git_sha",
        "sha",
        "hash",
        "revision",
        "rev",
    ),
    "description": (
        *(
            "description",
            "desc",
            "change",
            "change_description",
            "changes_summary",
            "change_summary",
            "summary",
        ),
        *(
            "title",
            "name",
            "idea",
            "experiment",
            "mutation",
            "strategy",
            "what",
            "hypothesis",
            "message",
            "detail",
        ),
        *("details", "notes", "note", "comment", "comments", "changes", "action", "tag", "label"),
    ),
    "timestamp": (
        *(
            "timestamp",
            "ts",
            "time",
            "local_time",
            "datetime",
            "date",
            "created_at",
            "logged_at",
            "recorded_at",
        ),
        *("finished_at", "completed_at", "ended_at", "at", "started_at"),
    ),
    "metric": (
        *(
            "metric",
            "metric_value",
            "metricvalue",
            "primary_metric",
            "primary",
            "value",
            "score",
            "metric_after",
        ),
        *(
            "new_metric",
            "new_score",
            "score_after",
            "after",
            "current_metric",
            "current",
            "measured",
            "measurement",
        ),
        *("result", "median", "objective", "fitness", "loss"),
    ),
    "seconds": (
        "duration_seconds",
        "duration_s",
        "duration_sec",
        "durationseconds",
        "elapsed_seconds",
        "elapsed_s",
    ),
    "milliseconds": ("duration_ms", "durationms", "elapsed_ms"),
}
"""By what it means, the names of a run's fields or columns, the most telling first."""

STATUS_FIELDS = (
    *(
        "status",
        "verdict",
        "decision",
        "outcome",
        "kept",
        "keep",
        "accepted",
        "result",
        "action",
        "disposition",
    ),
    *("state", "kind", "phase"),
)
"""Names of what may hold the verdict on a run, the most telling first."""

CONFIG_FIELDS: dict[str, tuple[str, ...]] = {
    "name": ("name", "goal", "objective", "title", "session", "session_name", "task"),
    "metricName": ("metricname", "metric_name", "primary_metric", "primarymetric", "metric"),
    "metricUnit": ("metricunit", "metric_unit", "unit", "units"),
    "bestDirection": (
        *("bestdirection", "best_direction", "direction", "metric_direction", "metricdirection", "optimize"),
        *("optimization", "goal_direction", "better"),
    ),
}
"""By field of a `config` event, the names that other programs give it."""

AUXILIARY = _set("""
    iteration iter cycle run round step trial attempt experiment exp id idx index no # n seed delta
    change_pct delta_pct pct_change improvement improvement_pct percent_change before after prev
    previous baseline best best_so_far best_before old_score old_metric metric_before score_before
    budget budget_sec budget_seconds timestamp ts time date confidence segment samples runs
""")
"""Names of numbers that are no measurement of their own."""

NOT_METRICS = ("delta_", "prev_", "previous_", "best_", "baseline_", "old_")
"""Beginnings of names of numbers that are no measurement of their own, as `_delta`, `_before` are ends."""

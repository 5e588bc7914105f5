"""Tables of runs: the given is a table, the expected value what it says."""

from __future__ import annotations

import pytest

from eventstore.events import Custom
from eventstore.formats.fates import Options
from tests.eventstore.formats.reading import asked, fields, first, goals, read, runs, skipped, view

LOWER = Options(direction="lower")
HIGHER = Options(direction="higher")
KARPATHY = """\
commit\tval_bpb\tmemory_gb\tstatus\tdescription
383abb4\t2.667000\t26.9\tkeep\tbaseline
c67ad2a\t2.695369\t26.9\tdiscard\tlower weight decay
909dd59\t0.000000\t0.0\tcrash\tdouble width (OOM)
4161af3\t2.533728\t26.9\tkeep\tincrease matrix LR
"""
ITERATION = """\
# metric_direction: higher_is_better
# goal: pass more tests
# scope: src/
iteration\tcommit\tmetric\tdelta\tguard\tstatus\tdescription
0\t3b4a139\t14\t+0\tpass\tbaseline\tinitial state — 14
1\tbb1e2aa\t16\t+2\tpass\tkeep\tmore tasks
2\t-\t15\t-1\tfail\tdiscard\tbroke the build
3\t-\t18\t+0\t-\tno-op\tno changes made
"""
V1 = """\
timestamp\tcycle\tchange\tmetric_before\tmetric_after\tverdict
2026-01-31T12:00:00Z\t0\tbaseline\t\t42.0\tBASELINE
2026-01-31T12:05:00Z\t1\tcache the parse\t42.0\t38.9\tKEPT
2026-01-31T12:10:00Z\t2\tunroll\t38.9\t39.5\tDISCARDED
2026-01-31T12:15:00Z\t3\tskip checks\t38.9\t\tCONSTRAINT_FAIL
"""


def told(config: object) -> list[object]:
    return [getattr(config, name) for name in ("name", "metricName", "metricUnit", "bestDirection")]


def test_karpathy() -> None:
    """The first measured column is the metric, the others are secondary; a crash's zero is no measurement."""
    reading = read("tsv", KARPATHY, LOWER)

    shown = view(reading)
    assert (shown.metric_name, shown.baseline_metric, shown.best_metric, shown.best_run) == (
        "val_bpb",
        2.667,
        2.533728,
        4,
    )
    assert shown.statuses == {"keep": 2, "discard": 1, "crash": 1}
    assert fields(first(reading), "commit", "metrics", "description") == [
        "383abb4",
        {"memory_gb": 26.9},
        "baseline",
    ]
    assert "memory_gb" in reading.notes[0]


def test_direction_is_asked_for() -> None:
    """A table that does not say which way is better is not guessed at."""
    question = asked("tsv", "commit\tval_bpb\tstatus\tdescription\na\t1.5\tkeep\tx\nb\t1.4\tdiscard\ty\n")

    assert "val_bpb" in question.message
    assert "--direction" in question.remedy


@pytest.mark.parametrize(
    ("values", "direction"),
    [
        ("3 2", "lower"),
        ("1 2 2 5", "higher"),
        ("9 8 7 9 6 5", "lower"),
        ("3 2 3", None),
        ("9 8 9 7", None),
        ("4 4 4", None),
        ("4", None),
    ],
)
def test_kept_runs_that_go_one_way_say_the_direction(values: str, direction: str | None) -> None:
    """A loop keeps what is better; what was discarded between them proves nothing."""
    rows = "".join(
        f"a\t{value}\tkeep\tx\nb\t{99 if n % 2 else 0}\tdiscard\ty\n"
        for n, value in enumerate(values.split())
    )
    data = "commit\tscore\tstatus\tdescription\n" + rows

    if direction is None:
        assert "--direction" in asked("tsv", data).remedy
    else:
        assert goals(read("tsv", data))[0].bestDirection == direction


def test_iterations_with_remarks() -> None:
    """Remarks carry goal and direction; a failing guard makes a discard `checks_failed`; words are kept."""
    reading = read("tsv", ITERATION)

    assert told(goals(reading)[0]) == ["pass more tests", "metric", "", "higher"]
    assert [r.status for r in runs(reading)] == ["keep", "keep", "checks_failed", "discard"]
    assert [p.number for p in reading.events[2:]] == [0, 1, 2, 3]
    assert runs(reading)[1].asi == {"delta": 2, "guard": "pass"}
    assert runs(reading)[3].asi == {"delta": 0, "status": "no-op"}
    assert runs(reading)[2].commit is None
    kept = reading.events[1].event
    assert isinstance(kept, Custom)
    assert kept.fields["fields"] == {"scope": "src/"}
    assert all(fate.taken for fate in reading.fates)


def test_remarks_run_no_commands() -> None:
    """What a table names as its commands is never taken for ours to run."""
    reading = read("tsv", ITERATION.replace("# scope: src/", "# verify: rm -rf /\n# guard: make"))

    config = goals(reading)[0]
    assert (config.measure, config.constraint, config.assets) == (None, None, ())


def test_first_generation() -> None:
    """The metric is the one after; direction is proved by verdicts that agree with before and after."""
    reading = read("tsv", V1)

    assert told(goals(reading)[0])[1:] == ["metric", "", "lower"]
    assert [r.status for r in runs(reading)] == ["keep", "keep", "discard", "checks_failed"]
    assert [r.metric for r in runs(reading)] == [42.0, 38.9, 39.5, None]
    assert first(reading).timestamp == 1769860800000
    assert runs(reading)[1].asi == {"metric_before": 42.0}


def test_a_table_that_contradicts_itself_proves_nothing() -> None:
    """One row that says otherwise, and the direction is asked for."""
    text = V1 + "2026-01-31T12:20:00Z\t4\tworse but kept\t38.9\t41\tKEPT\n"

    assert "--direction" in asked("tsv", text).remedy


def test_pairs_of_other_names() -> None:
    """Three agreeing rows prove the direction of `x_before`, `x_after`; the metric is `x`."""
    text = "iteration\tcombined_before\tcombined_after\tflow\tmutation\tstatus\n"
    text += "1\t7.1\t7.0\t8\ta\tdiscard\n2\t7.1\t7.2\t8\tb\tkeep\n"

    assert "--direction" in asked("tsv", text).remedy
    reading = read("tsv", text + "3\t7.2\t7.3\t8\tc\tkeep\n4\t7.3\t7.3\t8\td\tskipped\n")
    assert told(goals(reading)[0])[1:] == ["combined", "", "higher"]
    assert runs(reading)[3].asi == {"combined_before": 7.3, "status": "skipped"}


def test_old_and_new_scores() -> None:
    """`old_score`, `new_score` are such a pair too."""
    text = "timestamp\tcommit\told_score\tnew_score\tstatus\tnote\n"
    text += "2026-06-17T14:30\tabc\t-\t66.1\tbaseline\tstart\n"

    reading = read("tsv", text, HIGHER)
    assert (goals(reading)[0].metricName, first(reading).metric, first(reading).description) == (
        "score",
        66.1,
        "start",
    )


def test_kept_as_a_column() -> None:
    """`kept` true and false; of several texts the most telling is the description, the rest is kept."""
    text = "iteration\ttimestamp\tcommit\tmetric_value\thypothesis\tchanges_summary\tkept\n"
    text += "0\t2026-03-15T12:00:00Z\tbaseline\t1373\tmeasure\tno changes\ttrue\n"
    text += "2\t2026-03-15T12:10:00Z\t-\t1194\tcompress\ttighter\tfalse\n"

    reading = read("tsv", text, LOWER)
    assert [r.status for r in runs(reading)] == ["keep", "discard"]
    assert fields(runs(reading)[1], "description", "asi") == ["tighter", {"hypothesis": "compress"}]


def test_the_column_of_verdicts() -> None:
    """Of `result` and `decision` the one that holds verdicts counts."""
    text = "iteration\tchange\tresult\tdecision\n"
    text += "1\ta\timproved: now covered\tkeep\n2\tb\tno gain at all\trevert\n"

    reading = read("tsv", text)
    assert [r.status for r in runs(reading)] == ["keep", "discard"]
    assert first(reading).asi == {"result": "improved: now covered"}
    assert told(goals(reading)[0])[1:] == [None, None, None]


def test_a_missing_column_of_verdicts_is_asked_about() -> None:
    """No verdict is guessed from the metric; one status for all may be given."""
    text = "val_bpb\tmemory_mb\tnotes\n1.363\t10255\tbaseline\n1.359\t11552\tSwiGLU\n"

    assert "--status" in asked("tsv", text, LOWER).remedy
    reading = read("tsv", text, Options(direction="lower", status="keep"))
    assert view(reading).best_metric == 1.359


def test_no_header_is_asked_about() -> None:
    """Columns are not guessed; named, the first line is a row like any other."""
    text = "1\tbigger batch\t0.9957\tkeep\n2\tsmaller batch\t0.9966\tdiscard — worse by 0.001\n"

    question = asked("tsv", text)
    assert "line 1" in question.message
    assert "--columns" in question.remedy
    reading = read("tsv", text, Options(direction="lower", columns=("n", "change", "val_bpb", "status")))
    assert [(r.metric, r.status) for r in runs(reading)] == [(0.9957, "keep"), (0.9966, "discard")]
    assert runs(reading)[1].asi["status"] == "discard — worse by 0.001"


def test_other_names_for_a_header() -> None:
    """Names that are given replace a header's."""
    reading = read(
        "tsv",
        "exp\ttag\tspeed\tcorrectness\tdescription\n1\ta\t15\tPASS\tx\n2\tb\t17\tREVERT\ty\n",
        Options(direction="higher", columns=("run", "tag", "speed", "status", "description")),
    )

    assert [r.status for r in runs(reading)] == ["keep", "discard"]
    assert reading.fates[0].taken


@pytest.mark.parametrize(
    ("cell", "metric"),
    [("+0.3", 0.3), ("-85.29%", -85.29), ("1,234", 1234), ("137ms", 137), ("—", None), ("NaN", None)],
)
def test_cells(cell: str, metric: float | None) -> None:
    """Signs, per cent, separators and units; a dash is no metric."""
    text = f"iteration\tmetric\tstatus\tdescription\n1\t5\tkeep\ta\n2\t{cell}\tkeep\tb\n"

    assert runs(read("tsv", text, LOWER))[1].metric == metric


def test_what_stands_for_a_metric_is_kept() -> None:
    """A cell that is no number is no metric, and is told in `asi`."""
    text = (
        "iteration\tms\tresult\tdescription\n1\t137\tbaseline\ta\n2\thang\tdiscard\tb\n3\t2141/110\tkeep\tc\n"
    )

    assert [r.asi.get("ms") for r in runs(read("tsv", text, LOWER))] == [None, "hang", "2141/110"]


def test_pending_rows_wait() -> None:
    """A row without its verdict yet is left for later; one whose commit is pending is taken."""
    text = "commit\tscore\tstatus\tdescription\npending\t5\tkeep\ta\nabc\t-\tpending\tb\n"

    reading = read("tsv", text, HIGHER)
    assert skipped(reading) == {3: "no verdict yet (pending)"}
    assert first(reading).commit is None


def test_prose_between_the_rows() -> None:
    """Remarks without a `#` are no runs; each says why it was left out."""
    text = KARPATHY + "\nCONCLUSION: no more gains.\n- try distillation, later\n---\t---\n"
    text += "9999999\t2.1\t20\tkeep\tone more\n"

    reading = read("tsv", text, LOWER)
    assert len(runs(reading)) == 5
    assert skipped(reading) == {
        6: "blank line",
        7: "no verdict and no metric in its 1 of 5 cells",
        8: "no verdict and no metric in its 1 of 5 cells",
        9: "a rule",
    }


def test_ragged_rows() -> None:
    """Missing cells at the end are empty; surplus ones belong to the description, tabs and all."""
    text = "commit\tscore\tstatus\tdescription\nabc\t5\tkeep\nabd\t6\tkeep\tfirst\tsecond\n"

    reading = read("tsv", text, HIGHER)
    assert [r.description for r in runs(reading)] == ["", "first\tsecond"]


def test_line_ends_and_marks() -> None:
    """CRLF, a byte order mark, a missing last newline, UTF-16: the same runs."""
    plain = read("tsv", KARPATHY, LOWER)
    for data in (
        KARPATHY.replace("\n", "\r\n").encode(),
        b"\xef\xbb\xbf" + KARPATHY.encode(),
        KARPATHY.rstrip("\n").encode(),
        KARPATHY.encode("utf-16"),
    ):
        assert runs(read("tsv", data, LOWER)) == runs(plain)


def test_spelled_tabs() -> None:
    r"""A file whose tabs came out as `\t` is a table all the same."""
    assert runs(read("tsv", KARPATHY.replace("\t", "\\t"), LOWER)) == runs(read("tsv", KARPATHY, LOWER))


def test_commas() -> None:
    """A table with commas, quotes and all, one cell over two lines."""
    text = 'run,metric,status,note\n1,5,keep,"a, b"\n2,4,discard,"two\nlines"\n3,3,keep,"say ""hi"""\n'

    reading = read("csv", text, LOWER)
    assert [r.description for r in runs(reading)] == ["a, b", "two\nlines", 'say "hi"']
    assert [fate.line for fate in reading.fates] == [1, 2, 3, 4, 5]
    assert reading.format == "csv"


def test_quotes_of_a_spreadsheet() -> None:
    """A cell in quotes is meant without them; quotes inside a text are its own."""
    text = 'commit\tscore\tstatus\tdescription\na\t1\tkeep\t"say ""hi"""\nb\t2\tkeep\tsay "hi" twice\n'

    assert [r.description for r in runs(read("tsv", text, HIGHER))] == ['say "hi"', 'say "hi" twice']


def test_several_tables_in_one() -> None:
    """A header that comes again is no row; one of other columns begins another segment."""
    text = KARPATHY + KARPATHY.split("\n", maxsplit=1)[0] + "\n5555555\t2.0\t20\tkeep\tx\n"
    text += "iteration\tlatency_ms\tstatus\tdescription\n1\t40\tbaseline\ty\n"

    reading = read("tsv", text, LOWER)
    assert [goal.metricName for goal in goals(reading)] == ["val_bpb", "latency_ms"]
    assert [r.run for r in runs(reading)] == [1, 2, 3, 4, 5, 6]
    assert view(reading).segment == 1


def test_the_metric_by_name() -> None:
    """`--metric` takes another column; one that is not there is answered with those that are."""
    reading = read("tsv", KARPATHY, Options(direction="lower", metric="memory_gb", unit="GB"))

    assert told(goals(reading)[0])[1:] == ["memory_gb", "GB", "lower"]
    assert first(reading).metrics == {"val_bpb": 2.667}
    assert "val_bpb, memory_gb" in asked("tsv", KARPATHY, Options(direction="lower", metric="loss")).message


def test_columns_are_concluded_from_what_was_known() -> None:
    """A table that grew is read by the columns of its beginning, whatever the new rows hold."""
    text = "iteration\tcheck\tmetric\tstatus\tdescription\n1\tn/a\t5\tkeep\ta\n"
    more = text + "".join(f"{n}\t{n}\tn/a\tdiscard\tb\n" for n in range(2, 9))

    reading = read("tsv", more, Options(direction="lower", decided=len(text)))
    assert [r.metric for r in runs(reading)] == [5, *[None] * 7]


def test_a_table_without_rows() -> None:
    """A header alone is a table that nothing was written into yet."""
    reading = read("tsv", "# metric_direction: lower\niteration\tcommit\tmetric\tstatus\tdescription\n")

    assert reading.events == ()
    assert reading.fates[1].reason == "header, no rows yet"


def test_a_header_behind_a_mark() -> None:
    """A header that is written as a remark, and a column that is called `#`."""
    one = read("tsv", "# commit\tscore\tstatus\tdescription\nabc\t5\tkeep\ta\n", HIGHER)
    two = read("tsv", "#\tscore\tstatus\tdescription\n7\t5\tkeep\ta\n", HIGHER)

    assert first(one).commit == "abc"
    assert first(two).metric == 5


def test_a_column_that_says_the_direction() -> None:
    """Where every row says which way is better, nothing is asked; where they disagree, it is."""
    head = "commit\tscore\tmetric_direction\tstatus\tdescription\n"

    assert goals(read("tsv", head + "a\t1\thigher\tkeep\tx\n"))[0].bestDirection == "higher"
    assert "--direction" in asked("tsv", head + "a\t1\thigher\tkeep\tx\nb\t2\tlower\tkeep\ty\n").remedy

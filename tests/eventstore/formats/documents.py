"""Hypothesis strategies for what foreign files may hold: almost right, half right, and anything at all."""

from __future__ import annotations

import json

from hypothesis import strategies as st

WORDS = st.sampled_from(
    [
        *(
            "run",
            "status",
            "metric",
            "keep",
            "discard",
            "type",
            "config",
            "hook",
            "stage",
            "before",
            "details",
        ),
        *(
            "metrics",
            "asi",
            "after",
            "value",
            "name",
            "iteration",
            "timestamp",
            "commit",
            "description",
            "delta",
        ),
        *("guard", "direction", "confidence", "segment", "seq", "prev", "x.a", "note", "finding", "detail"),
        *("text", "directions", "metricName", "bestDirection", "higher", "lower", "verdict", "kept", "ts"),
    ]
)

SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=8),
    WORDS,
    st.integers(min_value=2**60, max_value=2**70),
)

VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4),
        st.dictionaries(st.one_of(WORDS, st.text(max_size=4)), inner, max_size=5),
    ),
    max_leaves=12,
)

JSON_LINES = st.one_of(
    st.dictionaries(WORDS, VALUES, max_size=8).map(json.dumps),
    VALUES.map(lambda value: json.dumps(value, indent=2)),
    st.text(max_size=30),
)

CELLS = st.one_of(
    WORDS,
    st.text(max_size=6),
    st.floats().map(str),
    st.integers().map(str),
    st.sampled_from(
        ["-", "—", "NaN", "pending", "+0.3", "-85.29%", "1,234", "keep - x", '"a"', "a,b", "#", ""]
    ),
)

ROWS = st.builds(
    lambda cells, delimiter: delimiter.join(cells),
    st.lists(CELLS, min_size=1, max_size=8),
    st.sampled_from(["\t", ",", "\\t"]),
)

HEADERS = st.sampled_from(
    [
        "",
        "iteration\tcommit\tmetric\tdelta\tguard\tstatus\tdescription\n",
        "commit\tval_bpb\tmemory_gb\tstatus\tdescription\n",
        "timestamp\tcycle\tchange\tmetric_before\tmetric_after\tverdict\n",
        "# metric_direction: lower\nrun,metric,status,note\n",
    ]
)


def _joined(lines: list[str], head: str = "") -> bytes:
    return (head + "\n".join(lines)).encode("utf-8", "surrogatepass")


DOCUMENTS = st.one_of(
    st.binary(max_size=300),
    st.lists(JSON_LINES, max_size=6).map(_joined),
    st.builds(_joined, st.lists(ROWS, max_size=6), HEADERS),
)
"""Contents of files."""

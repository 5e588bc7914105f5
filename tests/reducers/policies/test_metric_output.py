"""Reading a metric from what real commands print."""

from __future__ import annotations

import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reducers.policies.metric_output import Reading, compile_pattern, number, read_metric


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("42", 42.0),
        (".5", 0.5),
        ("5.", 5.0),
        ("-4", -4.0),
        ("-.5", -0.5),
        ("+0.3", 0.3),
        ("\N{MINUS SIGN}4", -4.0),
        ("1e-05", 1e-05),
        ("1.5E+3", 1500.0),
        ("1e100", 1e100),
        ("1,234", 1234.0),
        ("12,345,678.9", 12345678.9),
        ("1234567", 1234567.0),
        ("45%", 45.0),
        ("0.52s", 0.52),
        ("12ms", 12.0),
        ("3µs", 3.0),
        ("512MiB", 512.0),
        ("12.3it/s", 12.3),
        ("120/s", 120.0),
        ("1.5x", 1.5),
        ("$12.50", 12.5),
        ("~3", 3.0),
        ("**7**", 7.0),
        ("'7'", 7.0),
        ("time:3.5", 3.5),
        ("p99_ms:3.5,", 3.5),
        ("fast,cold,0.53", 0.53),
        ("0.5,0.7", 0.7),
        ("1,2,3", 3.0),
    ],
)
def test_these_are_numbers(word: str, expected: float) -> None:
    """Signs, fractions, exponents, groups of thousands, units, labels, punctuation."""
    assert number(word) == expected


@pytest.mark.parametrize(
    "word",
    [
        "2024-01-15",
        "2024/01/15",
        "2024-01-15T10:00:00Z",
        "12:30",
        "0:01:02",
        "at:12:30:45",
        "1.2.3",
        "v1.2",
        "python3.11",
        "1.2rc1",
        "192.168.0.1",
        "8.8.8.8:53",
        "::1",
        "fe80::1",
        "a1b2c3d",
        "7abcdef",
        "1234e567",
        "123e4567-e89b-12d3-a456-426614174000",
        "0x1F",
        "gpt-4",
        "utf8",
        "3/10",
        "1-5",
        "3rd",
        "0m1.234s",
        "1.2M",
        "900k",
        "12,5",
        "1'234",
        "1_000",
        "--4",
        "INF",
        "nano",
        "e5",
        "-",
        ".",
        ",",
        "",
        "٣",
    ],
)
def test_these_are_none(word: str) -> None:
    """Dates, times, versions, addresses, hashes, names, fractions, and what can be read in two ways."""
    assert number(word) is None


@pytest.mark.parametrize("word", ["nan", "NaN", "-inf", "inf", "Infinity", "1e999", "loss:nan,"])
def test_these_are_not_finite(word: str) -> None:
    """They are values, so that a diverged training is not judged by the number before."""
    value = number(word)

    assert value is not None
    assert not math.isfinite(value)


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        ("3 passed in 0.52s\n", 0.52),
        ("===== 250 passed, 3 skipped in 62.51s (0:01:02) =====\n", 62.51),
        ("123456\tdist/\n", 123456.0),
        ("step 100/1000 | loss 3.2871 | 2024-01-15 10:00:00\n", 3.2871),
        ('{"mean": 0.531, "times": [0.5, 0.562]}', 0.562),
        ('{"score":0.93}', 0.93),
        ("accuracy: 93.2%\n\ndone.\n", 93.2),
        ("\x1b[1m\x1b[32m12.5\x1b[0m ms\n", 12.5),
        ("\x1b]0;title 99\x07result 5\x1b[2K\r\n", 5.0),
        ("10%\r50%\r100%|████| 12.3it/s\n", 12.3),
        ("1e-05", 1e-05),
        ("+0.3\n", 0.3),
        ("built a1b2c3d at 10:30 with v2.1.0\n", None),
        ("no number\n", None),
        ("", None),
        ("\n\n", None),
        ("7\n" * 3 + "x\n" * 1000, 7.0),
    ],
)
def test_the_last_number_on_the_output(output: str, expected: float | None) -> None:
    """What test runners, size counters, trainers and JSON printers end with."""
    reading = read_metric(output)

    assert reading == (Reading(None, {}, "no_metric") if expected is None else Reading(expected))


def test_metric_lines_count_alone() -> None:
    """If there is one, no other number is looked at; the last value of a name wins."""
    output = "METRIC loss=3.5\nMETRIC mem_mb=1,234\n  METRIC loss = 3.25 \r\nMETRIC µ.t=.5\n"
    output += "METRIC bad name=1\ntook 99\n"

    assert read_metric(output, "loss") == Reading(3.25, {"loss": 3.25, "mem_mb": 1234.0, "µ.t": 0.5})
    assert read_metric(output).value == 0.5


def test_a_missing_primary_is_no_metric() -> None:
    """Metrics of other names do not stand in for it, nor does the last number; they are kept."""
    assert read_metric("METRIC other=1\n42\n", "loss") == Reading(None, {"other": 1.0}, "no_metric")


@pytest.mark.parametrize("value", ["", "None", "n/a", "1.2.3"])
def test_a_metric_that_is_no_number_is_no_metric(value: str) -> None:
    """It takes back an earlier value of the name, instead of leaving that to be judged."""
    assert read_metric(f"METRIC loss=3\nMETRIC loss={value}\n7\n", "loss") == Reading(None, {}, "no_metric")


def test_what_is_not_finite_is_told() -> None:
    """As primary it is `not_finite`; a secondary one is left out, for no event may hold it."""
    assert read_metric("METRIC loss=nan\nMETRIC t=1\n", "loss") == Reading(None, {"t": 1.0}, "not_finite")
    assert read_metric("METRIC loss=1\nMETRIC t=inf\n", "loss") == Reading(1.0, {"loss": 1.0})
    assert read_metric("step 3\nval_bpb: nan\n", "val_bpb") == Reading(None, {}, "not_finite")
    assert read_metric("1e999") == Reading(None, {}, "not_finite")


def test_a_pattern_finds_the_last_match() -> None:
    """The group of the last match is the metric, under its name if it has one; no other number counts."""
    pattern = compile_pattern(r"^val_bpb: (\S+)$")

    assert read_metric("val_bpb: 1.1\nval_bpb: 0.9\n42\n", "val_bpb", pattern) == Reading(
        0.9, {"val_bpb": 0.9}
    )
    assert read_metric("val_bpb: 1,234", None, pattern) == Reading(1234.0)
    assert read_metric("42\n", "val_bpb", pattern) == Reading(None, {}, "no_metric")
    assert read_metric("val_bpb: none\n", "val_bpb", pattern) == Reading(None, {}, "no_metric")
    assert read_metric("val_bpb: nan\n", "val_bpb", pattern) == Reading(None, {}, "not_finite")
    assert read_metric("METRIC val_bpb=2\nval_bpb: 1\n", "val_bpb", pattern).value == 2.0
    assert read_metric("x", None, compile_pattern("x(y)?")) == Reading(None, {}, "no_metric")


@pytest.mark.parametrize(
    ("text", "said"), [("(", "no regular expression"), ("x", "has 0 groups"), ("(a)(b)", "has 2 groups")]
)
def test_a_pattern_that_does_not_fit_is_refused(text: str, said: str) -> None:
    """It has to be an expression with exactly one group; the error quotes it."""
    with pytest.raises(ValueError, match=said) as caught:
        compile_pattern(text)

    assert repr(text) in str(caught.value)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_whatever_python_prints_is_read_back(value: float) -> None:
    """Law: any finite float, printed alone or at the end of a line, is the metric."""
    assert read_metric(f"{value}\n").value == value
    assert read_metric(f"METRIC m={value!r}", "m").value == value
    assert read_metric(f"result: {value} ms\n").value == value


@given(st.integers(-(10**12), 10**12))
def test_thousands_are_read_back(value: int) -> None:
    """Law: an integer, with or without separators, is itself."""
    assert number(f"{value:,}") == number(str(value)) == value


@given(st.text(max_size=200), st.sampled_from([None, "m"]))
def test_any_output_is_read_without_failing(output: str, primary: str | None) -> None:
    """Total: a value that is finite, or a reason, never both."""
    reading = read_metric(output, primary)

    assert (reading.value is None) == (reading.reason in ("no_metric", "not_finite"))
    assert reading.value is None or math.isfinite(reading.value)
    assert all(math.isfinite(value) for value in reading.metrics.values())


@given(
    st.from_regex(re.compile(r"[0-9a-f]{7,40}", re.ASCII), fullmatch=True).filter(lambda h: not h.isdigit())
)
def test_no_hash_is_a_number(word: str) -> None:
    """Law: hexadecimal of seven digits or more with a letter in it is a name, `1234e567` too."""
    assert number(word) is None


def test_a_large_output_is_read_from_its_end() -> None:
    """The last number of many megabytes is found without looking at each line before."""
    output = "line 1 of text\n" * 1_000_000 + "final 3.5\n"

    assert read_metric(output).value == 3.5

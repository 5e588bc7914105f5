"""Real logs and tables of other people's tools, which are no part of this repository.

The numbers were counted by hand in the files. Skipped where the files are not there.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import pytest

from eventstore.formats.fates import Options, Question
from eventstore.formats.recognise import parse, recognise
from tests.eventstore.formats.reading import read, view

CORPUS = Path(__file__).parents[4] / "shared" / "corpus"

pytestmark = [
    pytest.mark.corpus,
    pytest.mark.skipif(not CORPUS.is_dir(), reason=f"the real logs are not at {CORPUS}"),
]


class Expected(NamedTuple):
    """What a file says: runs by status, metric, direction, baseline, best, its run, segment, lines left."""

    statuses: dict[str, int]
    metric: str
    direction: str
    baseline: float
    best: float | None
    best_run: int | None
    segment: int = 0
    skipped: int = 0


LOGS = {
    "0x7067__agent-bridge-mcp": Expected({"keep": 28}, "polling_friction", "lower", 1, 0, 28, 1),
    "ConductorOne__baton-sdk": Expected(
        {"keep": 12, "discard": 11}, "pebble_readpaginated_1m_ms", "lower", 1229.57, 396.19, 23
    ),
    "CursorTouch__MacOS-MCP": Expected(
        {"keep": 8, "discard": 1, "checks_failed": 1}, "ms", "lower", 60.1, 265.8, 10, 1
    ),
    "D3MZ__MonsieurPapin.jl": Expected(
        {"discard": 1, "keep": 4}, "total_benchmark_time", "lower", 7.489, 4.892, 5
    ),
    "Dhruv2mars__parameter-golf": Expected(
        {"keep": 18, "discard": 30, "crash": 1}, "val_bpb", "lower", 2.379, 1.8724, 49
    ),
    "Emansecio__PiTest": Expected(
        {"keep": 10, "discard": 2}, "total_run_ms", "lower", 104.056, 104.056, 10, 2
    ),
    "JPFrancoia__Feedoscope": Expected(
        {"keep": 19, "crash": 10, "discard": 66}, "average_precision", "higher", 0, 0.984098480367228, 86
    ),
    "MichaelVessia__subq": Expected({"keep": 5, "discard": 2}, "failing_checks", "lower", 4, 0, 6),
    "MohammadErfan-Jabbari__universal-source-modeling-itml": Expected(
        {"keep": 55, "discard": 65, "crash": 1}, "bits_per_symbol", "lower", 2.9986251144, 2.9692281375, 117
    ),
    "PixelML__agenticflow-cli": Expected({"keep": 25}, "passing_tests", "higher", 407, 720, 25),
    "ReScienceLab__DAP": Expected({"keep": 4, "discard": 1}, "total_ms", "lower", 2141, 1336, 5),
    "Shopify__bluejay": Expected({"keep": 16, "discard": 9}, "total_ns", "lower", 38365, 27542, 25),
    "TheGreenCedar__codex-autoresearch": Expected(
        {"keep": 29, "discard": 68, "checks_failed": 3}, "seconds", "lower", 10, 5.62, 100
    ),
    "baleen37__bstack": Expected({"keep": 25, "discard": 1}, "skill_bytes", "lower", 2914, 1084, 25),
    "devrandom-labs__cesr": Expected(
        {"keep": 2, "discard": 1}, "b64_encode_ns", "lower", 23.09013604406976, 10.467190891472868, 3
    ),
    "fiale-plus__fred-cli": Expected({"keep": 3}, "quality", "lower", 28, 0, 3),
    "jellydn__prompt-bench": Expected({"keep": 26}, "acceptance_passed", "higher", 20, 20, 8, 1),
    "kmjayadeep__baskit": Expected({"keep": 5, "discard": 1}, "readability_cost", "lower", 870.94, 769.82, 6),
    "mcpe500__self-improve-cli": Expected({"keep": 18}, "completeness_score", "higher", 0, 90, 17),
    "samgrowls__glassworks": Expected({"keep": 3}, "combined_score", "higher", 0.96, 1, 2),
    "soulduse__memory-bank": Expected({"discard": 4, "keep": 4}, "bench_score", "higher", 86.82, 143.57, 7),
    "tuist__once": Expected(
        {"keep": 21, "discard": 5}, "local_hit_ms", "lower", 19.05348426, 19.05348426, 26, 12
    ),
}

TABLES = {
    "0xNyk__lacp": Expected({"keep": 12, "discard": 1}, "composite_score", "higher", 73.8056, 98.0664, 11),
    "25b3nk__parameter-golf": Expected({"keep": 10}, "val_bpb", "lower", 1.36330099, 1.32814313, 8),
    "Armosphera__autoresearch-sboss": Expected({"keep": 2}, "score", "higher", 97.2222, 100.0, 2),
    "C-Pro__geche": Expected({"keep": 6, "discard": 2}, "metric", "lower", 1061, 558.3, 8),
    "DDay-FG__autoresearch-mlx": Expected({"keep": 9, "discard": 2}, "val_bpb", "lower", 2.667, 1.416715, 11),
    "GodMode-Team__godmode": Expected({"discard": 30, "keep": 16}, "combined", "higher", 7.116, 7.958, 45),
    "RandyGaul__nudge": Expected({"keep": 12, "discard": 7}, "quickhull_ms", "lower", 137.0, 51.0, 15),
    "ThomasRohde__cwmem": Expected({"keep": 4, "discard": 4}, "metric", "lower", 1373, 597, 8),
    "christopherkarani__Espresso": Expected(
        {"keep": 1, "discard": 6}, "tok_s", "higher", 73.0, 73.0, 1, 0, 10
    ),
    "jackwener__opencli": Expected({"keep": 3, "discard": 2}, "metric", "higher", 14, 18, 3),
    "poco-ai__poco-agent": Expected({"keep": 4}, "lint", "lower", 0, 0, 1),
}

SAY_THE_DIRECTION = {
    "0xNyk__lacp",
    "Armosphera__autoresearch-sboss",
    "C-Pro__geche",
    "DDay-FG__autoresearch-mlx",
    "GodMode-Team__godmode",
    "RandyGaul__nudge",
    "ThomasRohde__cwmem",
    "jackwener__opencli",
}
"""Tables that say or prove which way is better."""

ASKED = {"25b3nk__parameter-golf": Options(status="keep", direction="lower")}
"""What else must be answered."""


def found(form: str, data: bytes, options: Options) -> Expected:
    reading = read(form, data, options)
    shown = view(reading)
    assert shown.metric_name is not None
    assert shown.direction is not None
    assert shown.baseline_metric is not None
    return Expected(
        shown.statuses,
        shown.metric_name,
        shown.direction,
        shown.baseline_metric,
        shown.best_metric,
        shown.best_run,
        shown.segment,
        sum(not fate.taken for fate in reading.fates),
    )


@pytest.mark.parametrize("name", LOGS)
def test_logs(name: str) -> None:
    """Every line of every log is accounted for, and says what it says."""
    data = (CORPUS / "pi-jsonl" / f"{name}.jsonl").read_bytes()
    expected = LOGS[name]

    assert recognise(data) == "pi"
    assert found("pi", data, Options(direction=expected.direction)) == expected


@pytest.mark.parametrize("name", TABLES)
def test_tables(name: str) -> None:
    """So with every table; what it does not say is asked for."""
    data = (CORPUS / "tsv" / f"{name}.tsv").read_bytes()
    expected = TABLES[name]

    assert recognise(data) == "tsv"
    assert isinstance(parse("tsv", data), Question) == (name not in SAY_THE_DIRECTION)
    options = ASKED.get(name, Options(direction=None if name in SAY_THE_DIRECTION else expected.direction))
    assert found("tsv", data, options) == expected


def test_nothing_is_missing() -> None:
    """Each file of the corpus is tried."""
    here = {path.stem for path in CORPUS.glob("*/*.*sv")} | {p.stem for p in CORPUS.glob("pi-jsonl/*.jsonl")}
    assert here - {"SOURCES"} == {*LOGS, *TABLES}


def test_pi_itself_agrees() -> None:
    """Where pi reads a log as we do, its numbers are these; a port's log it does not read at all."""
    import json

    told: dict[str, Any] = json.loads((CORPUS / "pi-jsonl" / "expected.json").read_text())
    for name, expected in LOGS.items():
        pi = told[f"{name}.jsonl"]["pi"]
        if pi["run_count"]:
            assert (pi["statuses"], pi["best_metric"]) == (expected.statuses, expected.best)
            assert (pi["baseline_metric"], pi["segment"]) == (expected.baseline, expected.segment)

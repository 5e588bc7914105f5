"""Whatever is asked of whatever log: an answer or one clear error, never a traceback."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from commands.app import run
from reducers import registry

VERBS = [
    "init",
    "append",
    "log",
    "view",
    "show",
    "tail",
    "replay",
    "diff",
    "why",
    "schema",
    "verify",
    "completion",
    "beat",
    "iteration",
    "finding",
    "direction",
    "pivot",
    "decide",
    "verified",
    "flag",
    "status",
    "check",
    "tasks",
    "dispatch",
    "escalate",
    "finalize",
    "audit",
]
OPTIONS = [
    "--json",
    "--at",
    "--no-cache",
    "--all",
    "--from",
    "--to",
    "-n",
    "--view",
    "--head",
    "--by",
    "--id",
    "--batch",
    "--expect",
    "--status",
    "-m",
    "--metric",
    "--metrics",
    "--asi",
    "--unit",
    "--direction",
    "--no-metric",
    "--max-cycles",
    "--threshold",
    "--new-segment",
    "--samples",
    "--goal",
    "--views",
    "--duration",
    "--reason",
    "--ok",
    "--clear",
    "--until",
    "--register",
    "--for",
    "--help",
]
VALUES = [
    "plan",
    "apply",
    "claim",
    "inject",
    "test",
    "iteration",
    "15m",
    "head",
    "0",
    "1",
    "3",
    "-1",
    "run:1",
    "run:9",
    "2026-01-31",
    "99999999999999999999",
    "note",
    "detail=x",
    "run",
    "run=1",
    "status=keep",
    "metric:=1e3",
    "x.y",
    "a:=[1]",
    "keep",
    "crash",
    "lower",
    "worker:a",
    "guardian",
    "k",
    "best_metric",
    "statuses.keep",
    "secondary",
    "runs.0",
    "",
    "\x1b[31m",
    "�",
    "é",
    "nan",
    "a=b",
    "bash",
    "{",
    "1:abcd",
    "0:",
    "x:y",
    "none",
    "structure=2",
    *registry.names(),
]
LINES = [
    b'{"type":"config","name":"g","metricName":"m","metricUnit":"s","bestDirection":"higher"}',
    b'{"run":1,"status":"keep","metric":3,"description":"\\u001b[2J","metrics":{"a":1,"b":"x"}}',
    b'{"run":7,"status":"odd","metric":"fast","asi":"text"}',
    b'{"type":"run","run":2,"status":"keep","metric":null,"timestamp":"yesterday"}',
    b'{"type":"run","run":2,"status":"keep","metric":1e308,"timestamp":1e300}',
    b'{"type":"settings","limits":{"max_iterations":"none","target":null}}',
    b'{"type":"settings","limits":{"max_iterations":1},"id":"config.json:x"}',
    b'{"type":"heartbeat","by":"worker:\\ud800","timestamp":-1}',
    b'{"type":"note","detail":"' + "é模".encode() + b'","id":"k"}',
    b'{"type":"x.own","a":[{"b":1}]}',
    b'{"type":"imported","source":"s","format":"pi","skipped":[{"line":1}]}',
    b'{"type":"measured","cycle":0,"samples":[1,2],"error":"e"}',
    b'{"type":"hook","stage":"after","steer":"s"}',
    b'{"type":"direction","text":"t","state":"odd","until":5}',
    b'{"type":"later"}',
    b"{}",
    b"[1]",
    b"not json",
    b"\xff\xfe",
    b"",
    b"  ",
    b'{"a":' * 3000,
    b"\x00" * 40,
]

WORDS = st.sampled_from(OPTIONS) | st.sampled_from(VALUES) | st.text(max_size=5)
CALLS = st.tuples(st.sampled_from(VERBS), st.lists(WORDS, max_size=6)).map(lambda call: [call[0], *call[1]])
LOGS = st.builds(
    lambda lines, end: b"\n".join(lines) + end,
    st.lists(st.sampled_from(LINES), max_size=8),
    st.sampled_from([b"\n", b""]),
)


@contextmanager
def streams() -> Iterator[tuple[list[bytes], io.StringIO]]:
    """stdout (what was written to it, afterwards) and stderr as a process has them; an event on stdin."""
    written: list[bytes] = []
    raw, err = io.BytesIO(), io.StringIO()
    out = io.TextIOWrapper(raw, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdout", out)
        patch.setattr(sys, "stderr", err)
        patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b'{"type":"note","detail":"x"}\n')))
        yield written, err
    out.flush()
    written.append(raw.getvalue())


@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(calls=st.lists(CALLS, min_size=1, max_size=3), content=LOGS)
def test_it_ends_with_an_answer_or_an_error(
    calls: list[list[str]], content: bytes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`run` raises nothing; an error is at most three lines on stderr, and nothing goes out raw."""
    for name in ("AR_DIR", "AR_BY", "COLUMNS", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    log = tmp_path / ".auto" / "log.jsonl"
    log.parent.mkdir(exist_ok=True)
    log.write_bytes(content)
    for call in calls:
        before = log.read_bytes()
        with streams() as (out, err):
            code = run(call)
        told = err.getvalue()
        assert code in (0, 1, 2, 3, 4), call
        assert b"\x1b" not in out[0]
        assert not any(ord(c) < 32 or 127 <= ord(c) < 160 for c in told.replace("\n", "")), call
        if code >= 2:
            assert told.startswith("ar: "), call
            assert len(told.splitlines()) <= 3
            assert log.read_bytes() == before, call
        assert log.read_bytes().startswith(before.rstrip(b"\n")), call
    assert os.getcwd() == str(tmp_path)


LOOKING_AFTER = {
    "guard": ("guard", ".", "--once", "--emergency", "true"),
    "orchestrate": ("orchestrate", ".", "--once", "--agent", "true"),
    "patrol": ("patrol", ".", "--once", "--nudge", "true"),
    "tasks": ("tasks", "."),
}
"""Those who look after others, in the forms that end by themselves; what they run does nothing."""
THEIR_FLAGS = ("--json", "--register", "--dry-run", "--strict", "--help")
THEIR_OPTIONS = {
    "guard": ("--every", "--emergency-after", "--print"),
    "orchestrate": ("--every", "--timeout", "--parallel", "--by"),
    "patrol": ("--every", "--nudge-after", "--stuck-after", "--nudges"),
    "tasks": ("--every",),
}
THEIR_VALUES = ("2h", "5h", "1s", "1", "3", "systemd", "cron", "launchd", "orchestrator:x", "0", "99999h", "")
THEIR_LINES = [
    b'{"type":"registered","by":"user:gpu0","argv":["true"],"interval_seconds":1}',
    b'{"type":"registered","by":"user:gpu0","argv":["no-such-program"],"cwd":"/nowhere","interval_seconds":1}',
    b'{"type":"registered","by":"user:\\u001b","argv":["\\u0000"],"interval_seconds":1e-9,"level":"L9"}',
    b'{"type":"registered","by":"guardian:patrol","argv":[],"interval_seconds":1e300,"level":"L1"}',
    b'{"type":"heartbeat","by":"worker:gpu0","timestamp":1764517600000,"last_output":"ok?"}',
    b'{"type":"heartbeat","by":"worker:gpu0","timestamp":1764517600,"pid":1,"pid_started":"x"}',
    b'{"type":"heartbeat","by":"worker:\\u001b","timestamp":1764517600000,"pid":99999999999999999999}',
    b'{"type":"heartbeat","by":"guardian:patrol","timestamp":1764517600000,"state":"odd","until":"soon"}',
    b'{"type":"nudge","by":"guardian:patrol","target":"gpu0"}',
    b'{"type":"iteration","iteration":99999999999999999999,"findings":-1,"metric":"x"}',
    b'{"type":"iteration","iteration":1,"summary":"\\u001b[2J"}',
    b'{"type":"verified","kind":"check","ok":true}',
    b'{"type":"verified","kind":"odd","ok":false,"target":"the limits of an iteration"}',
    b'{"type":"flag","kind":"unverified","detail":"\\u001b"}',
    b'{"type":"stopped","reason":"discards","detail":"as asked for"}',
    b'{"type":"pivot","level":"odd","perturbation":"start over"}',
    b'{"type":"settings","limits":{"discards":0,"failures":"never","max_cycles":1e99}}',
    *LINES,
]
THEIR_LOGS = st.lists(st.sampled_from(THEIR_LINES), max_size=8).map(lambda lines: b"\n".join(lines) + b"\n")


@st.composite
def their_calls(draw: st.DrawFn) -> list[str]:
    """A call that mostly makes sense."""
    verb = draw(st.sampled_from(sorted(LOOKING_AFTER)))
    words = st.one_of(
        st.sampled_from(THEIR_FLAGS).map(lambda flag: (flag,)),
        st.tuples(st.sampled_from(THEIR_OPTIONS[verb]), st.sampled_from(THEIR_VALUES)),
    )
    return [*LOOKING_AFTER[verb], *(word for some in draw(st.lists(words, max_size=2)) for word in some)]


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    calls=st.lists(their_calls(), min_size=1, max_size=3),
    root=THEIR_LOGS,
    task=THEIR_LOGS,
)
def test_those_who_look_after_others_answer_too(
    calls: list[list[str]],
    root: bytes,
    task: bytes,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Whatever stands in the logs of ROOT and of its tasks; they only ever append to them."""
    for name in ("AR_DIR", "AR_BY", "COLUMNS", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    logs = [tmp_path / ".auto" / "log.jsonl", tmp_path / "a" / ".auto" / "log.jsonl"]
    for log, content in zip(logs, (root, task), strict=True):
        log.parent.mkdir(parents=True, exist_ok=True)
        log.write_bytes(content)
    for call in calls:
        before = [log.read_bytes() for log in logs]
        with streams() as (out, err):
            code = run(call)
        told = err.getvalue()
        assert code in (0, 1, 2, 3, 4), call
        assert b"\x1b" not in out[0]
        assert not any(ord(c) < 32 or 127 <= ord(c) < 160 for c in told.replace("\n", "")), call
        assert all(line.startswith(("ar: ", "try: ", "Usage: ")) for line in told.splitlines()), told
        if code == 2:
            assert told.startswith("ar: "), call
            assert [log.read_bytes() for log in logs] == before, call
        for log, content in zip(logs, before, strict=True):
            assert log.read_bytes().startswith(content.rstrip(b"\n")), call

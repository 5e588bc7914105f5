"""The MCP inspector's command line, a client in another language and of an earlier protocol, speaks to us.

`.ci/run` installs it; by hand: `npm install --prefix .inspector @modelcontextprotocol/inspector@0.17`.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.commands.conftest import ROOT, Ar, ar, environment, install
from tests.commands.mcp.test_http import TOKEN, serving
from tests.commands.mcp.test_stdio import NAMES

__all__ = ["ar"]

INSPECTOR = ROOT / ".inspector" / "node_modules" / ".bin" / "mcp-inspector"

pytestmark = [
    pytest.mark.skipif(shutil.which("node") is None, reason="needs node"),
    pytest.mark.skipif(not INSPECTOR.exists(), reason="needs inspector: .ci/run installs it"),
]


@pytest.fixture
def session(ar: Ar, tmp_path: Path) -> Path:
    """A session with a run."""
    assert ar("init", "smaller", "--metric", "value", "--unit", "ms", "--direction", "lower").code == 0
    assert ar("log", "--status", "keep", "--metric", "10", "-m", "baseline").code == 0
    return tmp_path


def inspected(cwd: Path, *argv: str, **env: str) -> Any:
    """What the inspector prints."""
    done = subprocess.run(
        [str(INSPECTOR), "--cli", *argv],
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=120,
        env={**environment(**env), "PATH": os.environ["PATH"]},
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_over_stdio(session: Path, tmp_path: Path) -> None:
    """The tools are listed, one that reads and one that fails are called."""
    server = [str(install(tmp_path / "bin")), "mcp"]
    called = [*server, "--method", "tools/call", "--tool-name"]

    tools = inspected(session, *server, "--method", "tools/list")["tools"]
    looked = inspected(session, *called, "view", "--tool-arg", "view=runs")
    failed = inspected(session, *called, "why", "--tool-arg", "field=best_metrik")

    assert [tool["name"] for tool in tools] == NAMES
    assert [row["description"] for row in looked["structuredContent"]["runs"]] == ["baseline"]
    assert failed["isError"]
    assert failed["content"][0]["text"].endswith("\ntry: ar why best_metric")


def test_over_http(session: Path) -> None:
    """With the token in a header: a resource, a prompt, and a tool that records."""
    with serving(session, AR_MCP_TOKEN=TOKEN) as served:
        server = [served.url, "--transport", "http", "--header", f"Authorization: Bearer {TOKEN}", "--method"]

        read = inspected(session, *server, "resources/read", "--uri", "ar://view/session")
        prompt = inspected(session, *server, "prompts/get", "--prompt-name", "resume")
        told = inspected(
            session,
            *server,
            *("tools/call", "--tool-name", "log_experiment", "--tool-arg", "status=discard", "metric=11.5"),
            *("description=larger", 'asi={"learned":"no"}'),
        )

    assert json.loads(read["contents"][0]["text"])["best_metric"] == 10
    assert "# Brief for run 2" in prompt["messages"][0]["content"]["text"]
    assert told["structuredContent"]["event"]["asi"] == {"learned": "no"}
    assert told["structuredContent"]["rules"]["stale_count"] == 1
    assert told["content"][0]["text"].startswith("Run 2: DISCARDED -- larger (10 -> 11.5 ms, +15.0%)")

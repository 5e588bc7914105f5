"""The plugins for OpenCode and pi, run by Node as the agents run them, against the real program."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from commands.registering.plugins import plugin_part
from tests.commands.conftest import environment, install, process

NODE = shutil.which("node")

pytestmark = pytest.mark.skipif(NODE is None, reason="Node is not there")

ERROR = "a.c:3:1: error: unknown type name 'foo'"

OPENCODE = """
const plugin = (await import(process.argv[2])).default
const given = JSON.parse(process.argv[3])
const hooks = await plugin.server({ directory: process.cwd() })
const failed = { title: "", output: given.error, metadata: {} }
await hooks["tool.execute.after"]({ tool: "bash", args: { command: "make" } }, failed)
const fine = { title: "", output: "ok", metadata: {} }
await hooks["tool.execute.after"]({ tool: "bash", args: { command: "make" } }, fine)
const other = { title: "", output: given.error, metadata: {} }
await hooks["tool.execute.after"]({ tool: "read", args: {} }, other)
const compaction = { context: [] }
await hooks["experimental.session.compacting"]({ sessionID: "s" }, compaction)
const second = {}
await plugin.setup({
  location: { directory: process.cwd() },
  tool: { hook: (name, hook) => (second[name] = hook) },
  session: { hook: (name, hook) => (second[name] = hook) },
})
const listed = { tool: "shell", status: "completed", input: { command: "make" } }
const parts = { ...listed, result: { content: [{ type: "text", text: given.error }], metadata: { exit: 2 } } }
const text = { ...listed, result: { content: given.error } }
const refused = { ...listed, status: "error", error: {} }
const context = { system: [] }
for (const event of [parts, text, refused]) await second["execute.after"](event)
await second.compaction(context)
const outputs = [failed, fine, other].map((each) => each.output)
console.log(JSON.stringify({ outputs, compaction, parts: parts.result, text: text.result, refused, context }))
"""

PI = """
const handlers = {}
const sent = []
const pi = { on: (name, handler) => (handlers[name] = handler), sendMessage: (...given) => sent.push(given) }
;(await import(process.argv[2])).default(pi)
const given = JSON.parse(process.argv[3])
const call = (toolName, text) => ({ toolName, input: { command: "make" }, content: [{ type: "text", text }] })
const context = { cwd: process.cwd() }
const failed = await handlers.tool_result(call("bash", given.error), context)
const fine = await handlers.tool_result(call("bash", "ok"), context)
const other = await handlers.tool_result(call("read", given.error), context)
await handlers.session_compact({}, context)
console.log(JSON.stringify({ failed, fine: fine ?? null, other: other ?? null, sent }))
"""


def run(tmp_path: Path, project: Path, plugin: str, program: list[str], driver: str) -> dict[str, Any]:
    """What a plugin does, as its driver tells it."""
    # As `.mjs`, which Node takes for a module wherever it lies.
    path = tmp_path / f"{plugin}.mjs"
    path.write_text(plugin_part(plugin, path, program, "1").text)
    (tmp_path / "driver.mjs").write_text(driver)
    assert NODE is not None
    argv = [NODE, str(tmp_path / "driver.mjs"), path.as_uri(), json.dumps({"error": ERROR})]
    done = subprocess.run(argv, cwd=project, env=environment(), capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with a session under way."""
    directory = tmp_path / "project"
    directory.mkdir()
    assert process("init", "g", "--no-metric", cwd=directory).code == 0
    return directory


@pytest.fixture
def program(tmp_path: Path) -> list[str]:
    """`ar`, in a folder with blanks and more."""
    return [str(install(tmp_path / 'my "tools" ü'))]


def test_opencode(tmp_path: Path, project: Path, program: list[str]) -> None:
    """Either version: a reminder behind error text of the shell, and no other; the brief to compactions."""
    found = run(tmp_path, project, "opencode.js", program, OPENCODE)

    failed, fine, other = found["outputs"]
    assert failed.startswith(f"{ERROR}\n\nError text")
    assert (fine, other) == ("ok", ERROR)
    (told,) = found["compaction"]["context"]
    assert told.startswith("Your context was renewed")
    first, second = found["parts"]["content"]
    assert first == {"type": "text", "text": ERROR}
    assert second["text"].startswith("Error text")
    assert found["parts"]["metadata"] == {"exit": 2}
    assert [part["type"] for part in found["text"]["content"]] == ["text", "text"]
    assert "result" not in found["refused"]
    assert found["context"]["system"] == [{"type": "text", "text": told}]


def test_pi(tmp_path: Path, project: Path, program: list[str]) -> None:
    """The same: a part behind what was printed, and a message after a compaction."""
    found = run(tmp_path, project, "pi.js", program, PI)

    first, second = found["failed"]["content"]
    assert first == {"type": "text", "text": ERROR}
    assert second["text"].startswith("Error text")
    assert (found["fine"], found["other"]) == (None, None)
    ((message, options),) = found["sent"]
    assert message["content"].startswith("Your context was renewed")
    assert options == {"deliverAs": "steer"}


@pytest.mark.parametrize("program", [["/nowhere/ar"], ["/bin/false"], ["/bin/echo", "{"], ["/bin/echo"]])
def test_without_our_program_nothing_happens(tmp_path: Path, program: list[str]) -> None:
    """It was removed, fails, or says something else: the agent works on as if we were not there."""
    found = run(tmp_path, tmp_path, "opencode.js", program, OPENCODE)
    assert found["outputs"] == [ERROR, "ok", ERROR]
    assert (found["compaction"], found["context"]) == ({"context": []}, {"system": []})
    assert found["text"] == {"content": ERROR}

    found = run(tmp_path, tmp_path, "pi.js", program, PI)
    assert found == {"fine": None, "other": None, "sent": []}


def test_no_session_no_brief(tmp_path: Path, program: list[str]) -> None:
    """A compaction where nothing is under way is left alone."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    assert os.listdir(elsewhere) == []
    assert run(tmp_path, elsewhere, "pi.js", program, PI)["sent"] == []

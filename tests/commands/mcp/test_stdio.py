"""The server over stdin and stdout: what a client finds, and every tool, from a real process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import MCPError

from autoresearch_ledger import __version__
from commands.mcp.served import Served
from reducers import registry
from tests.commands.conftest import Ar, environment
from tests.commands.mcp.project import SESSION, change, project
from tests.commands.mcp.serving import connected, raw, run
from tests.commands.sandbox import plain_git

__all__ = ["plain_git", "project"]

NAMES = [
    "init_experiment",
    "run_experiment",
    "log_experiment",
    "cycle",
    "view",
    "brief",
    "propose",
    "record_finding",
    "check_direction",
    "pivot",
    "heartbeat",
    "why",
]
READ_ONLY = {"view", "brief", "check_direction", "why"}


@pytest.mark.parametrize("mode", ["legacy", "auto"])
def test_a_client_finds_all_it_needs(tmp_path: Path, mode: str) -> None:
    """Name, instructions, tools, resources and prompts, in both eras of the protocol, without a session."""

    async def scenario() -> None:
        async with connected(tmp_path, mode=mode) as session:
            client = session.client
            assert client.server_info is not None
            assert (client.server_info.name, client.server_info.version) == ("ar", __version__)
            assert "Begin with `brief`" in (client.instructions or "")
            tools = (await client.list_tools()).tools
            resources = (await client.list_resources()).resources
            templates = (await client.list_resource_templates()).resource_templates
            prompts = (await client.list_prompts()).prompts

        assert [tool.name for tool in tools] == NAMES
        for tool in tools:
            hints = tool.annotations
            assert hints is not None
            assert tool.description
            assert tool.title
            assert hints.read_only_hint == (tool.name in READ_ONLY)
            assert hints.destructive_hint == (tool.name in ("log_experiment", "cycle"))
            assert tool.input_schema["type"] == "object"
            assert tool.input_schema["additionalProperties"] is False
            assert tool.output_schema is not None
            for properties in (tool.input_schema["properties"], tool.output_schema["properties"]):
                assert all(each.get("description") for each in properties.values()), tool.name
        uris = [str(resource.uri) for resource in resources]
        assert uris == [*(f"ar://view/{name}" for name in registry.names()), "ar://brief", "ar://log/tail"]
        assert len(templates) == 3
        assert [prompt.name for prompt in prompts] == ["start", "resume", "finalise"]

    run(scenario)


def test_every_tool_over_stdio(project: Path) -> None:
    """A short session by all twelve; text and structured content say the same."""

    async def scenario() -> None:
        async with connected(project) as session:
            begun = await session("init_experiment", **SESSION)
            assert begun.document["config"]["assets"] == ["src"]
            assert [check["state"] for check in begun.document["checks"]] == ["ok"] * 9
            assert "baseline    10 ms" in begun.text

            assert (await session.done("check_direction", direction="SIMD"))["free"]
            proposed = await session("propose", description="scan wider", direction="SIMD", agent="a")
            assert proposed.document["claimed"] == "SIMD"
            asked = await session("check_direction", direction="simd!", agent="b")
            assert (asked.document["free"], asked.failed) == (False, False)
            assert 'claimed by "worker:a"' in asked.text

            change(project, 9)
            measured = await session("run_experiment")
            assert measured.document["samples"] == [9, 9]
            assert measured.document["verdict"]["status"] == "keep"
            assert measured.document["log_next"] == {
                "status": "keep",
                "metric": 9,
                "metrics": {},
                "duration_seconds": measured.document["duration_seconds"],
                "reason": None,
            }
            assert "improved against 10 ms, -10.00%" in measured.text

            kept = await session("cycle", description="scan wider")
            assert kept.text.startswith("Cycle 1: KEPT -- scan wider (10 -> 9 ms, -10.0%)")
            assert (kept.document["run"], kept.document["status"]) == (2, "keep")
            change(project, 11)
            undone = await session("log_experiment", status="discard", metric=11, description="wider still")
            assert undone.document["event"]["run"] == 3
            assert (project / undone.document["git"]["saved"]).is_dir()
            assert (project / "src" / "value").read_text() == "9\n"

            found = await session.done("record_finding", text="width is not it", evidence="runs 2, 3")
            assert found["event"]["by"] == "worker"
            turned = await session("pivot", level="structure", to="arrays", from_direction="SIMD")
            assert turned.document["event"]["from"] == "SIMD"
            beat = await session.done("heartbeat", state="paused", until="2h", agent="gpu0")
            assert (beat["event"]["by"], beat["event"]["state"]) == ("worker:gpu0", "paused")
            assert beat["event"]["pid_started"]

            shown = await session("view", view="runs", last=2)
            assert [row["run"] for row in shown.document["runs"]] == [2, 3]
            assert shown.document["left_out"] == {"runs": 1}
            assert "1 older row is left out of runs" in shown.text
            why = await session("why", field="best_metric", last=1)
            assert [cause["value"] for cause in why.document["causes"]] == [9]
            assert "run 2  keep  9  scan wider" in why.text
            brief = await session("brief")
            assert brief.document["next_run"] == 4
            assert "width is not it" in brief.text

    run(scenario)


def test_what_is_wrong_is_told_with_what_to_try(project: Path, ar: Ar) -> None:
    """The two lines of the command line, marked as an error, the parts in `_meta`; nothing is written."""

    async def scenario() -> None:
        async with connected(project) as session:
            lacking = await session("view")
            assert lacking.failed
            assert lacking.text.splitlines()[1:] == [
                "try: ar init, ar -C DIR ..., or ar --log FILE ...",
                "here: ar init is init_experiment",
            ]
            error = lacking.meta["autoresearch-ledger/error"]
            assert (error["exit_code"], error["try"]) == (2, "ar init, ar -C DIR ..., or ar --log FILE ...")

            refused = await session("init_experiment", **{**SESSION, "assets": ["lib"]})
            assert refused.failed
            assert "failed  assets" in refused.text
            assert refused.text.splitlines()[-2].endswith("nothing was started")

            await session.done("init_experiment", **SESSION)
            for tool, arguments, what, remedy in [
                ("log_experiment", {"status": "kept", "description": "x"}, "'kept', not one of", "status: "),
                ("log_experiment", {"status": "keep"}, "description is missing", "description: "),
                ("why", {"field": "best_metrik"}, "has no field 'best_metrik'", "ar why best_metric"),
                ("view", {"view": "rusn"}, "there is no view 'rusn'", "use runs"),
                ("view", {"view": "mine.py:x"}, "is a file", "use one of session"),
                ("view", {"cwd": "/nowhere"}, "cwd: '/nowhere' is no directory", "name one that exists"),
                ("heartbeat", {"agent": "two words"}, "'two words' is no name", "1 to 64"),
                ("cycle", {"description": "nothing"}, "nothing has changed inside", "change something"),
                ("run_experiment", {"command": "echo 1"}, "is measured with 'cat", "leave the command out"),
            ]:
                told = await session(tool, **arguments)
                first, second = told.text.splitlines()[:2]
                assert told.failed
                assert first.startswith("ar: ")
                assert what in first
                assert second.startswith(f"try: {remedy}")
            assert len((project / ".auto" / "log.jsonl").read_text().splitlines()) == 4

            assert ar("-C", str(project), "off").code == 0
            for tool, arguments in [
                ("cycle", {"description": "x"}),
                ("run_experiment", {}),
                ("log_experiment", {"status": "crash", "description": "x"}),
                ("init_experiment", {"new_segment": True}),
            ]:
                told = await session(tool, **arguments)
                assert told.failed
                assert "switched off" in told.text
                assert told.text.splitlines()[-1].startswith("try: ar on")

            with pytest.raises(MCPError, match="there is no tool 'cycl'; use cycle"):
                await session("cycl")
            with pytest.raises(MCPError, match=r"nothing at 'ar://view'\ntry: ar://view/"):
                await session.client.read_resource("ar://view")
            with pytest.raises(MCPError, match="there is no prompt 'begin'"):
                await session.client.get_prompt("begin")
            with pytest.raises(MCPError, match="goal is missing"):
                await session.client.get_prompt("start")

    run(scenario)


def test_resources_and_prompts(project: Path, ar: Ar) -> None:
    """Views as `ar view --json` prints them, the brief, the log's tail; the prompts with what stands."""

    async def scenario() -> None:
        async with connected(project) as session:
            client = session.client
            await session.done("init_experiment", **SESSION)

            async def text(uri: str) -> str:
                (content,) = (await client.read_resource(uri)).contents
                return content.text  # type: ignore[union-attr, no-any-return]

            for name in registry.names():
                there = json.loads(ar("-C", str(project), "view", name, "--json").out)
                got = json.loads(await text(f"ar://view/{name}"))
                for document in (there, got):
                    document.pop("minutes_used", None)
                    document.pop("minutes_left", None)
                assert got == there
            at_first = json.loads(await text(f"ar://view/session?at=0&dir={project / 'src'}"))
            assert at_first["run_count"] == 0
            assert await text("ar://brief") == ar("-C", str(project), "brief").out
            lines = (await text("ar://log/tail?n=2")).splitlines()
            assert [json.loads(line)["event"]["type"] for line in lines] == ["measured", "run"]

            async def prompt(name: str, **given: str) -> str:
                (message,) = (await client.get_prompt(name, given)).messages
                assert message.role == "user"
                return message.content.text  # type: ignore[union-attr, no-any-return]

            started = await prompt("start", goal="faster tests", measure="pytest -q")
            assert "Goal: faster tests\nMetric command: pytest -q\n" in started
            assert "`init_experiment`" in started
            assert "# Brief for run 2" in await prompt("resume")
            assert "KEPT CHANGES" in await prompt("finalise", cwd=str(project))

    run(scenario)


def test_progress_is_told_while_it_runs(project: Path) -> None:
    """Steps done of how many, always growing, with the last line of output; secrets in it are masked."""
    token = "ghp_" + "a1B2" * 9
    script = f"echo warming up {token}; while [ ! -e go ]; do sleep 0.05; done; rm go; cat src/value"

    async def scenario() -> None:
        async with connected(project) as session:
            asked = {**SESSION, "measure": None, "assets": None, "constraint": "true"}
            await session.done("init_experiment", **asked)
            (project / ".auto" / "measure.sh").write_text(script)

            async def let_go() -> None:
                for sample in (1, 2):
                    while not any(f"sample {sample} of 2" in str(told[2]) for told in session.progress):
                        await anyio.sleep(0.02)
                    if sample == 1:
                        while not any("warming up" in str(told[2]) for told in session.progress):
                            await anyio.sleep(0.02)
                    (project / "go").touch()

            async with anyio.create_task_group() as group:
                group.start_soon(let_go)
                found = await session("run_experiment", samples=2)

        assert found.document["samples"] == [10, 10]
        done = [told[0] for told in session.progress]
        assert done == sorted(set(done))
        assert {told[1] for told in session.progress} == {None, 5}
        said = "\n".join(str(told[2]) for told in session.progress)
        assert "constraint" in said
        assert "warming up [redacted:" in said
        assert token not in said + found.text + json.dumps(found.document)
        assert "[redacted:" in found.document["output_tail"]

    run(scenario)


def text_of(answer: Any) -> str:
    """The text of a tool's answer, which is no error."""
    result = answer["result"]
    assert not result.get("isError"), result
    (content,) = result["content"]
    return str(content["text"])


def test_stdout_is_the_protocols_alone(project: Path) -> None:
    """Whatever hooks, measurements and our own warnings print, each line on stdout is a message."""
    with raw(project) as server:
        assert server.initialize()["result"]["serverInfo"]["name"] == "ar"
        server.answer(server.call("init_experiment", **SESSION))
        hooks = project / ".auto" / "hooks"
        hooks.mkdir()
        hook = hooks / "after.sh"
        hook.write_text("#!/bin/sh\nprintf 'steer\\033[31m red'\necho noise >&2\n")
        hook.chmod(0o755)
        change(project, 9)

        steered = text_of(server.answer(server.call("cycle", description="nine")))
        log = project / ".auto" / "log.jsonl"
        log.write_bytes(log.read_bytes() + b"torn")
        mended = text_of(server.answer(server.call("record_finding", text="x")))

        assert "[hook after.sh]\nsteer\\x1b[31m red" in steered
        assert "\x1b" not in steered
        assert "ar: line 11 was torn" in mended
        out, err = server.process.communicate(timeout=60)
        assert (server.process.returncode, out, err) == (0, b"", b"")


def test_a_call_names_its_session(tmp_path: Path) -> None:
    """By `cwd`, else the server's directory; each call finds it anew."""
    other = tmp_path / "other"
    other.mkdir()

    async def scenario() -> None:
        async with connected(tmp_path) as session:
            begun = {key: SESSION[key] for key in ("name", "metric_name", "metric_unit", "direction")}
            await session.done("init_experiment", **begun, cwd=str(other))
            await session.done("init_experiment", **{**begun, "name": "here"})
            assert (await session.done("view", cwd=str(other)))["goal"] == "smaller"
            assert (await session.done("view"))["goal"] == "here"
            (other / ".auto").rename(other / "gone")
            assert (await session.done("view", cwd=str(other)))["goal"] == "here"

    run(scenario)


@pytest.mark.parametrize(
    ("argv", "env", "by"),
    [
        ((), None, "worker"),
        ((), "orchestrator", "orchestrator"),
        (("--by", "worker:gpu0"), "user", "worker:gpu0"),
    ],
)
def test_who_writes(
    ar: Ar, monkeypatch: pytest.MonkeyPatch, argv: tuple[str, ...], env: str | None, by: str
) -> None:
    """A worker, unless AR_BY or `--by` say otherwise."""
    from commands.mcp import stdio

    started: list[Served] = []
    monkeypatch.setattr(stdio, "serve_stdio", lambda served: started.append(served) or 0)
    if env is not None:
        monkeypatch.setenv("AR_BY", env)

    assert ar("mcp", *argv).code == 0

    (served,) = started
    assert (served.by, served.client) == (by, os.getppid())
    assert served.author("a") == f"{by.partition(':')[0]}:a"


def test_a_wrong_author_is_told_at_once(ar: Ar) -> None:
    """Before anything is served."""
    done = ar("mcp", "--by", "boss")

    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("ar: --by: 'boss' is no author")


@pytest.mark.parametrize("closed", ["<&-", ">&-"])
def test_closed_streams_are_told(tmp_path: Path, closed: str) -> None:
    """There is nothing to speak the protocol over."""
    done = subprocess.run(
        ["bash", "-c", f'"$0" -m autoresearch_ledger mcp {closed}', sys.executable],
        cwd=tmp_path,
        env=environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
    )

    assert done.returncode == 2
    assert done.stderr.splitlines() == [
        "ar: stdin or stdout is closed, and they carry the protocol",
        "try: ar mcp --http",
    ]


@pytest.mark.parametrize(
    ("stub", "what"),
    [
        ("", "the MCP SDK is not installed"),
        ("sys.modules['mcp'] = type(sys)('mcp')", "the MCP SDK that is installed is not one that ar knows"),
    ],
)
def test_a_missing_sdk_is_told_in_one_line(tmp_path: Path, stub: str, what: str) -> None:
    """With what installs it."""
    script = (
        "import sys, click, msgspec; sys.argv = ['ar', 'mcp']; from autoresearch_ledger import main\n"
        "class Hidden:\n    @staticmethod\n    def find_spec(name, path=None, target=None):\n"
        "        if name == 'mcp': raise ModuleNotFoundError(\"No module named 'mcp'\", name='mcp')\n"
        f"sys.meta_path.insert(0, Hidden)\n{stub}\nsys.exit(main())"
    )

    done = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, env=environment(), capture_output=True, text=True
    )

    assert (done.returncode, done.stdout) == (4, "")
    first, second = done.stderr.splitlines()
    assert first.startswith(f"ar: {what}")
    assert second == "try: pip install 'autoresearch-ledger[mcp]'"


def test_no_other_command_imports_the_sdk(tmp_path: Path) -> None:
    """Not even the help, which knows every verb."""
    script = (
        "import sys; sys.argv = ['ar', '--help']; from autoresearch_ledger import main; main();"
        "print([name for name in ('mcp', 'anyio', 'pydantic', 'starlette') if name in sys.modules])"
    )

    done = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, env=environment(), capture_output=True, text=True
    )

    assert done.stdout.splitlines()[-1] == "[]"

"""`ar doctor`: what it looks at is really there, and nothing of it is changed."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from tests.commands.bench import Bench, bench
from tests.commands.conftest import Ar, environment, install, process
from tests.commands.sandbox import plain_git, prepared, sandbox
from tests.commands.setup_trees import VARIABLES, files_in

__all__ = ["bench", "plain_git", "prepared", "sandbox"]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home directory that nobody has set anything up in, and no agent on PATH."""
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    directory = tmp_path / "home"
    directory.mkdir()
    monkeypatch.setenv("HOME", str(directory))
    return directory


@pytest.fixture
def place(ar: Ar, plain_git: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty project outside of any repository."""
    directory = tmp_path / "project"
    directory.mkdir()
    monkeypatch.chdir(directory)
    return directory


def look(ar: Ar, *options: str) -> dict[str, Any]:
    """The document; its exit code is what it says."""
    ran = ar(*options, "doctor", "--json")
    document: dict[str, Any] = json.loads(ran.out)
    assert ran.code == (0 if document["ok"] else 1)
    assert ran.err == ""
    return document


def said(document: dict[str, Any], area: str, level: str) -> str:
    """What it says of an area at a level, as one text."""
    found = [each for each in document["findings"] if (each["area"], each["level"]) == (area, level)]
    return "\n".join(f"{each['detail']} // {each['remedy']}" for each in found)


def test_an_empty_directory(ar: Ar, place: Path) -> None:
    """Is fine: no repository, no session, no agent."""
    document = look(ar)
    assert document["ok"]
    assert "there is none here // ar init begins one" in said(document, "session", "ok")
    assert "not in a working tree" in said(document, "git", "ok")
    assert f"ar {__import__('autoresearch_ledger').__version__}, Python 3." in said(
        document, "versions", "ok"
    )


def test_people_get_a_line_each_and_the_verdict(ar: Ar, place: Path) -> None:
    """And below it what to do."""
    ran = ar("doctor")
    lines = ran.out.splitlines()
    assert (ran.code, ran.err) == (0, "")
    assert "ok     session   there is none here" in lines
    assert "                 try: ar init begins one" in lines
    assert lines[-1].startswith("ok  nothing is wrong")


def test_a_session_under_way(bench: Bench, ar: Ar) -> None:
    """Its layout, its log, its repository; somebody's unfinished work elsewhere does not matter."""
    document = look(bench.ar)
    assert f"{bench.box.top}, files in .auto/; under way" in said(document, "session", "ok")
    assert "4 lines, 4 chained" in said(document, "log", "ok")
    assert "branch main at" in said(document, "git", "ok")
    assert "nobody is at work" in said(document, "locks", "ok")
    assert said(document, "log", "error") == ""


def test_nothing_is_changed(bench: Bench, ar: Ar) -> None:
    """Not a byte, in the working tree, in the session, in the home directory."""
    before = {name: data for name, data in files_in(bench.box.top).items() if "/cache/" not in name}
    look(bench.ar)
    bench.ar("doctor")
    after = {name: data for name, data in files_in(bench.box.top).items() if "/cache/" not in name}
    assert after == before


def test_a_damaged_log(bench: Bench, ar: Ar) -> None:
    """A line that is no JSON is an error; an end that is torn is worth a look."""
    log = bench.box.top / ".auto" / "log.jsonl"
    whole = log.read_bytes()
    log.write_bytes(whole + b'{"type": "run", "ru')
    document = look(bench.ar)
    assert document["ok"]
    assert "midst of a line" in said(document, "log", "warn")

    log.write_bytes(whole + b"rubbish\n" + whole.splitlines(keepends=True)[-1])
    document = look(bench.ar)
    assert not document["ok"]
    assert "line 5: damaged" in said(document, "log", "error")


def test_a_log_that_git_tracks(bench: Bench, ar: Ar) -> None:
    """Is warned about."""
    bench.box.git("add", "-f", ".auto/log.jsonl")
    assert "git tracks it" in said(look(bench.ar), "log", "warn")
    bench.box.git("rm", "-q", "--cached", ".auto/log.jsonl")


def test_what_a_cycle_would_refuse(bench: Bench, ar: Ar, monkeypatch: pytest.MonkeyPatch) -> None:
    """A merge that was begun, a lock of the index, nobody who commits, a harness that changed."""
    git = bench.box.top / ".git"
    (git / "MERGE_HEAD").write_text(bench.box.head + "\n")
    (git / "index.lock").touch()
    document = look(bench.ar)
    (git / "MERGE_HEAD").unlink()
    (git / "index.lock").unlink()
    assert "a merge is in progress" in said(document, "git", "error")
    assert "index.lock" in said(document, "git", "warn")

    bench.box.git("config", "--unset", "user.email")
    for name in ("GIT_AUTHOR_EMAIL", "GIT_COMMITTER_EMAIL", "EMAIL"):
        monkeypatch.delenv(name, raising=False)
    bench.box.git("config", "user.useConfigOnly", "true")
    document = look(bench.ar)
    bench.box.git("config", "user.email", "user@example.com")
    bench.box.git("config", "--unset", "user.useConfigOnly")
    assert "git does not know who commits" in said(document, "git", "error")


def test_hooks(bench: Bench, ar: Ar, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the execute bit, with an interpreter that is not there, with Windows line ends, well."""
    hook = bench.hook("before", "#!/bin/sh\n")
    assert "before.sh fires" in said(look(bench.ar), "hooks", "ok")
    hook.chmod(0o644)
    assert "chmod +x" in said(look(bench.ar), "hooks", "warn")
    for shebang, what in (
        ("#!/no/such/shell\n", "an interpreter that does not exist: /no/such/shell"),
        ("#!/usr/bin/env -S nosuchprogram -x\n", "nosuchprogram, which is not found on PATH"),
        ("#!/bin/sh\r\n", "Windows line endings"),
        ("#!\n", "an empty shebang line"),
    ):
        bench.hook("before", shebang)
        assert what in said(look(bench.ar), "hooks", "error")
    bench.hook("before", "echo without a shebang\n")
    assert "before.sh fires" in said(look(bench.ar), "hooks", "ok")
    hook.unlink()
    hook.symlink_to("nowhere")
    assert "a link to nothing" in said(look(bench.ar), "hooks", "warn")


def test_the_config(bench: Bench, ar: Ar) -> None:
    """What is no JSON, no limit, no directory; a key that nobody reads."""
    config = bench.box.top / ".auto" / "config.json"
    for text, what in (
        ("{", "not a JSON object"),
        ('{"maxIterations": 0}', "maxIterations is 0"),
        ("[]", "not a JSON object"),
    ):
        config.write_text(text)
        assert what in said(look(bench.ar), "config", "error")
    config.write_text('{"maxIteration": 5}')
    assert "nobody reads maxIteration" in said(look(bench.ar), "config", "warn")
    config.write_text('{"workingDir": "nowhere"}')
    assert "workingDir leads to" in said(look(bench.ar), "session", "error")


def test_who_is_at_work(bench: Bench, ar: Ar) -> None:
    """The holder of the working tree is named, where the system tells."""
    from commands.effects.tree_lock import tree_locked

    with tree_locked(bench.ground.session.tree_lock):
        told = said(look(bench.ar), "locks", "ok")
    if os.path.exists("/proc/locks"):
        assert f"process {os.getpid()}" in told
        assert "holds the working tree" in told


def test_two_logs(ar: Ar, place: Path) -> None:
    """Of which one is not read."""
    (place / "autoresearch.jsonl").write_text("")
    (place / ".auto").mkdir()
    (place / ".auto" / "log.jsonl").write_text("")
    assert "autoresearch.jsonl lies there too" in said(look(ar), "session", "warn")


def test_a_log_by_itself(ar: Ar, place: Path) -> None:
    """Has neither config nor hooks."""
    missing = look(ar, "--log", "x.jsonl")
    assert "there is no log" in said(missing, "log", "error")
    ar("--log", "x.jsonl", "append", "note", "level=decision", "detail=x")
    document = look(ar, "--log", "x.jsonl")
    assert "a log by itself" in said(document, "session", "ok")
    assert "1 line, 1 chained" in said(document, "log", "ok")


def test_agents(ar: Ar, place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that is there, what is registered with it, and that this still exists."""
    (place / ".git").mkdir()
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "claude").write_text("#!/bin/sh\n")
    (tools / "claude").chmod(0o755)
    monkeypatch.setenv("PATH", str(tools), prepend=os.pathsep)
    assert "nothing is registered with it // ar setup claude" in said(look(ar), "agents", "ok")

    ar("setup", "claude")
    assert "claude, this project: all is registered" in said(look(ar), "agents", "ok")
    ar("setup", "codex", "--user")
    assert "codex, all projects: all is registered; codex is not on PATH" in said(look(ar), "agents", "ok")


def test_a_registered_program_that_is_gone(ar: Ar, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Is an error, and setup mends it."""
    with monkeypatch.context() as patched:
        patched.setattr("commands.effects.registering.own_argv", lambda: ["/gone/ar"])
        ar("setup", "claude")
    document = look(ar)
    assert not document["ok"]
    assert "/gone/ar is registered and not there // ar setup claude" in said(document, "agents", "error")
    ar("setup", "claude")
    assert look(ar)["ok"]


def test_other_settings_that_are_malformed(ar: Ar, place: Path) -> None:
    """Where ours is among them is told with the place in the file."""
    ar("setup", "claude")
    (place / ".mcp.json").write_text('{"mcpServers": \n')
    (place / ".claude" / "skills" / "autoresearch" / "SKILL.md").write_text("mine\n")
    document = look(ar)
    assert ".mcp.json: not JSON: a value is missing in line 2, column 1" in said(document, "agents", "error")
    assert "left alone: .claude/skills/autoresearch/SKILL.md" in said(document, "agents", "ok")


def test_who_is_called_ar(ar: Ar, place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The archiver before one of ours, another of ours before it, this one, nobody."""
    this, others, archiver = tmp_path / "this", tmp_path / "others", tmp_path / "archiver"
    own = install(this)
    install(others)
    archiver.mkdir()
    (archiver / "ar").write_text("#!/bin/sh\n")
    (archiver / "ar").chmod(0o755)
    git = Path(shutil.which("git") or "").parent
    only_git = tmp_path / "git"
    only_git.mkdir()
    (only_git / "git").symlink_to(git / "git")
    monkeypatch.setattr("commands.effects.examining.own_argv", lambda: [str(own)])

    def path_says(*places: Path) -> str:
        monkeypatch.setenv("PATH", os.pathsep.join(map(str, (*places, only_git))))
        return said(look(ar), "path", "ok") or said(look(ar), "path", "warn")

    assert f"is the archiver {archiver}/ar, which comes before {this}/ar" in path_says(archiver, this)
    assert f"another installation, {others}/ar" in path_says(others, this, archiver)
    shadowing = path_says(this, archiver)
    assert f"`ar` is {own}; it shadows the archiver {archiver}/ar and passes that one's calls on" in shadowing
    assert f"there is no `ar` on PATH // put {this} first" in path_says()


def test_without_the_sdk(tmp_path: Path) -> None:
    """The server cannot start, which is told with what installs it; it is wrong once it is registered."""
    script = """
        import sys, click, msgspec
        from autoresearch_ledger import main
        class Hidden:
            @staticmethod
            def find_spec(name, path=None, target=None):
                if name == "mcp":
                    raise ModuleNotFoundError("No module named 'mcp'", name="mcp")
        sys.meta_path.insert(0, Hidden)
        sys.argv[0] = "ar"
        sys.exit(main())
    """
    command = [sys.executable, "-c", dedent(script)]

    def run(*words: str) -> subprocess.CompletedProcess[bytes]:
        return subprocess.run([*command, *words], cwd=tmp_path, env=environment(), capture_output=True)

    done = run("doctor", "--json")
    assert done.returncode == 0
    hint = "pip install 'autoresearch-ledger[mcp]'"
    told = said(json.loads(done.stdout), "versions", "ok")
    assert f"no `ar mcp`: the MCP SDK is not installed // {hint}" in told
    assert process("setup", "claude", cwd=tmp_path).code == 0
    done = run("doctor", "--json")
    assert done.returncode == 1
    assert f"cannot start // {hint}" in said(json.loads(done.stdout), "agents", "error")

"""`ar setup`: an agent's own files before it, after it, after it again, and after its removal."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from hashlib import sha256
from pathlib import Path

import pytest

from commands.registering.recipes import AGENTS
from eventstore.events import Config
from tests.commands.bench import Bench, bench
from tests.commands.conftest import Ar, environment, install, process
from tests.commands.sandbox import plain_git, prepared, sandbox
from tests.commands.setup_trees import CASES, PROGRAM, VARIABLES, case_path, files_in, settings_parts

__all__ = ["bench", "plain_git", "prepared", "sandbox"]


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home directory beside the project, and no variable that leads elsewhere."""
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
    directory = tmp_path / "home"
    directory.mkdir()
    monkeypatch.setenv("HOME", str(directory))
    monkeypatch.setattr("commands.effects.registering.own_argv", lambda: list(PROGRAM))
    return directory


@pytest.fixture
def place(home: Path, ar: Ar, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The project, where `ar` is called."""
    directory = tmp_path / "project"
    (directory / ".git").mkdir(parents=True)
    monkeypatch.chdir(directory)
    return directory


def laid_out(agent: str, scope: str, case: str, place: Path, home: Path) -> Path:
    """Puts a case's files where they belong; that directory."""
    there = home if scope == "user" else place
    shutil.copytree(case_path(agent, scope, case) / "before", there, dirs_exist_ok=True)
    for path in there.rglob("*.*"):
        if path.is_file():
            path.chmod(0o600)
    return there


def own(there: Path) -> dict[str, bytes]:
    """All files, but for backups and what a repository has."""
    found = files_in(there)
    return {
        name: data
        for name, data in found.items()
        if not name.endswith(".bak") and not name.startswith(".git/") and name != ".keep"
    }


def backups(there: Path) -> list[bytes]:
    """What the backups hold."""
    return sorted(data for name, data in files_in(there).items() if name.endswith(".bak"))


@pytest.mark.parametrize(("agent", "scope", "case"), CASES)
def test_setup_twice_and_removal(ar: Ar, place: Path, home: Path, agent: str, scope: str, case: str) -> None:
    """The golden trees; a second time changes nothing; a removal leaves what was there, byte for byte."""
    there = laid_out(agent, scope, case, place, home)
    options = ["--user"] if scope == "user" else []
    before = own(there)

    first = ar("setup", agent, *options)
    assert (first.code, first.err) == (0, "")
    done = own(there)
    golden = {k: v for k, v in files_in(case_path(agent, scope, case) / "after").items() if k != ".keep"}
    assert {name: data for name, data in done.items() if name in golden} == golden
    wholly_ours = set(done) - set(golden)
    assert all(b"autoresearch-ledger" in done[name] for name in wholly_ours)
    assert any(name.endswith("autoresearch/SKILL.md") for name in wholly_ours)
    changed = [data for name, data in before.items() if done[name] != data]
    assert backups(there) == sorted(changed)
    assert {(there / name).stat().st_mode & 0o777 for name in before} <= {0o600}

    second = ar("setup", agent, *options)
    assert (second.code, own(there), backups(there)) == (0, done, sorted(changed))
    assert not json.loads(ar("setup", agent, *options, "--json").out)["changed"]

    removed = ar("setup", agent, *options, "--remove")
    assert (removed.code, removed.err) == (0, "")
    assert own(there) == before
    assert backups(there) == sorted(changed)
    if not before:
        assert {each.name for each in there.iterdir()} <= {".git", ".keep"}
    again = ar("setup", agent, *options, "--remove")
    assert (again.code, own(there)) == (0, before)


MALFORMED = [
    (agent, scope, index, data)
    for agent in AGENTS
    for scope in ("project", "user")
    for index, part in enumerate(settings_parts(agent, scope, Path("/x"), {}))
    for data in (b"\xff", b'{"a": \n]' if part.path.suffix == ".json" else b"a = \n]")
]


@pytest.mark.parametrize(("agent", "scope", "index", "data"), MALFORMED)
@pytest.mark.parametrize("options", [(), ("--remove",), ("--dry-run",)])
def test_malformed_settings_are_refused(
    ar: Ar, place: Path, home: Path, agent: str, scope: str, index: int, data: bytes, options: tuple[str, ...]
) -> None:
    """One of the files is: exit code 2, its path and the place in it, and nothing is written, nowhere."""
    there = home if scope == "user" else place
    broken = [*settings_parts(agent, scope, there, {})][index].path
    broken.parent.mkdir(parents=True, exist_ok=True)
    broken.write_bytes(data)
    before = files_in(there)

    ran = ar("setup", agent, *(["--user"] if scope == "user" else []), *options)
    message, remedy = ran.err.splitlines()
    assert (ran.code, ran.out, remedy) == (2, "", "try: mend it, then repeat")
    assert message.startswith(f"ar: {broken} is left as it is: not ")
    assert "byte 1" in message or "line 1, column" in message or "line 2, column" in message
    assert files_in(there) == before


@pytest.mark.parametrize("agent", AGENTS)
def test_a_dry_run_writes_nothing(ar: Ar, place: Path, agent: str) -> None:
    """It shows what would be written, and what would go."""
    ran = ar("setup", agent, "--dry-run")
    assert (ran.code, own(place)) == (0, {})
    assert "+++" in ran.out
    assert "/opt/ar tools/bin/ar" in ran.out

    ar("setup", agent)
    done = own(place)
    assert ar("setup", agent, "--dry-run").out == "nothing to change\n"
    ran = ar("setup", agent, "--dry-run", "--remove")
    assert "(would be gone)" in ran.out
    assert own(place) == done


@pytest.mark.parametrize("agent", AGENTS)
def test_an_edited_skill_is_kept_and_told(ar: Ar, place: Path, agent: str) -> None:
    """By setup and by removal; so is one of the same name that is not ours."""
    ar("setup", agent)
    edited = next(place.rglob("autoresearch/SKILL.md"))
    foreign = next(place.rglob("autoresearch-hooks/SKILL.md"))
    edited.write_text(edited.read_text() + "and mind the tests\n")
    foreign.write_text("mine\n")
    before = own(place)

    for options in ([], ["--remove"]):
        ran = ar("setup", agent, *options)
        assert ran.code == 0
        assert ran.out.count("kept: edited since\n") == 1
        assert ran.out.count("kept: not ours\n") == 1
        assert own(place)[str(edited.relative_to(place))] == before[str(edited.relative_to(place))]
    assert set(own(place)) == {str(edited.relative_to(place)), str(foreign.relative_to(place))}


@pytest.mark.parametrize("agent", AGENTS)
def test_an_older_skill_of_ours_is_brought_up_to_date(
    ar: Ar, place: Path, agent: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And our commands move to where `ar` is now; what was added to them stays."""
    monkeypatch.setattr("autoresearch_ledger.__version__", "0.0.1")
    monkeypatch.setattr("commands.effects.registering.own_argv", lambda: ["/old/ar"])
    ar("setup", agent)
    old = own(place)
    monkeypatch.undo()
    monkeypatch.chdir(place)
    monkeypatch.setattr("commands.effects.registering.own_argv", lambda: list(PROGRAM))

    ran = ar("setup", agent)
    done = own(place)
    assert ran.code == 0
    assert set(done) == set(old)
    assert not any(b"/old/ar" in data or b"0.0.1" in data for data in done.values())


@pytest.mark.parametrize("agent", AGENTS)
def test_another_program_that_has_our_name_is_not_replaced(ar: Ar, place: Path, agent: str) -> None:
    """An MCP server `ar` that is not ours."""
    ar("setup", agent)
    servers = next(part.path for part in settings_parts(agent, "project", place, {}) if part.kind != "hooks")
    servers.write_text(servers.read_text().replace("ar tools/bin/ar", "other"))
    before = files_in(place)

    ran = ar("setup", agent)
    assert (ran.code, ran.out) == (2, "")
    assert "ar is the server of another program in line" in ran.err
    assert files_in(place) == before


def test_what_is_missing_is_named_first(ar: Ar, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The SDK, where it is not installed."""
    assert not any("pip install" in step for step in json.loads(ar("setup", "pi", "--json").out)["next"])
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    first, *_ = json.loads(ar("setup", "pi", "--json").out)["next"]
    assert first.endswith("pip install 'autoresearch-ledger[mcp]'")


def test_a_session_under_way_is_thought_of(bench: Bench, ar: Ar, home: Path) -> None:
    """Whose harness the skills are part of: what changes or goes is told with what to do."""
    top = bench.box.top
    told = "next: ar init --new-segment: skills belong to the harness of the session under way"
    assert told not in bench.ar("setup", "claude").out
    skill = top / ".claude" / "skills" / "autoresearch" / "SKILL.md"
    digest = sha256(skill.read_bytes()).hexdigest()
    bench.add(Config(name="again", assets=("src",), harness={str(skill.relative_to(top)): digest}))

    assert told not in bench.ar("setup", "claude").out
    assert told in bench.ar("setup", "claude", "--remove").out
    assert told not in bench.ar("setup", "claude").out


def test_a_link_stays_a_link(ar: Ar, place: Path, tmp_path: Path) -> None:
    """Settings kept among dotfiles are changed there."""
    (tmp_path / "mcp.json").write_text('{"mcpServers": {}}\n')
    (place / ".mcp.json").symlink_to(tmp_path / "mcp.json")

    assert ar("setup", "claude").code == 0
    assert (place / ".mcp.json").is_symlink()
    assert "/opt/ar tools/bin/ar" in (tmp_path / "mcp.json").read_text()
    assert ar("setup", "claude", "--remove").code == 0
    assert (tmp_path / "mcp.json").read_text() == '{"mcpServers": {}}\n'


def test_the_document_says_what_became_of_each_file(ar: Ar, place: Path) -> None:
    """Kind, path, outcome, backup; and what is to be done next."""
    (place / ".mcp.json").write_text("{}")
    document = json.loads(ar("setup", "claude", "--json").out)

    assert (document["agent"], document["scope"], document["root"]) == ("claude", "project", str(place))
    assert document["command"] == list(PROGRAM)
    first, second, *skills = document["files"]
    assert first["kind"] == "mcp"
    assert first["outcome"] == "added"
    assert Path(first["backup"]).read_text() == "{}"
    assert second == {
        "kind": "hooks",
        "path": str(place / ".claude" / "settings.json"),
        "outcome": "added",
        "note": "",
        "backup": None,
    }
    assert {each["kind"] for each in skills} == {"skill"}
    assert document["next"]


def test_what_was_registered_works_from_anywhere(tmp_path: Path) -> None:
    """Installed by a script in a folder with blanks: each command that was written runs, and answers."""
    script = install(tmp_path / "my tools")
    project = tmp_path / "project"
    (project / ".git").mkdir(parents=True)
    subprocess.run(
        [str(script), "setup", "claude"], cwd=project, env=environment(), check=True, capture_output=True
    )
    assert process("init", "g", "--no-metric", cwd=project).code == 0
    settings = json.loads((project / ".claude" / "settings.json").read_text())
    server = json.loads((project / ".mcp.json").read_text())["mcpServers"]["ar"]

    assert os.path.isabs(server["command"])
    assert os.access(server["command"], os.X_OK)
    assert server["args"][-1] == "mcp"
    hello = {
        "protocolVersion": "2025-06-18",
        "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    }
    greeting = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello}) + "\n"
    served = subprocess.run(
        [server["command"], *server["args"]],
        cwd=project,
        env=environment(),
        input=greeting.encode(),
        capture_output=True,
    )
    assert json.loads(served.stdout)["result"]["capabilities"]["tools"] is not None
    payload = b'{"tool_response": {"stderr": "a.c:3:1: error: unknown type name"}}'
    for event, groups in settings["hooks"].items():
        for group in groups:
            command = group["hooks"][0]["command"]
            done = subprocess.run(
                command, shell=True, cwd=project, env=environment(), input=payload, capture_output=True
            )
            answer = json.loads(done.stdout)["hookSpecificOutput"]
            expected = "Your context was renewed" if event == "SessionStart" else "Error text"
            assert (done.returncode, done.stderr) == (0, b"")
            assert answer["additionalContext"].startswith(expected)


@pytest.mark.parametrize("option", [(), ("--remove",)], ids=["add", "remove"])
def test_what_was_made_read_only_is_refused_and_nothing_written(
    ar: Ar, place: Path, option: tuple[str, ...]
) -> None:
    """A file, also where the directory would allow its replacement; a directory; a dry run may look."""
    (place / ".claude").mkdir()
    settings = place / ".claude" / "settings.json"
    settings.write_text("{}")
    if option:
        assert ar("setup", "claude").code == 0
    settings.chmod(0o444)
    before = files_in(place)

    ran = ar("setup", "claude", *option)
    assert (ran.code, ran.out, ran.err) == (
        4,
        "",
        f"ar: {settings} is read-only; nothing was changed\ntry: chmod u+w {settings}, then repeat\n",
    )
    assert ar("setup", "claude", *option, "--dry-run").code == 0
    assert files_in(place) == before

    settings.chmod(0o644)
    settings.parent.chmod(0o555)
    ran = ar("setup", "claude", *option)
    settings.parent.chmod(0o755)
    assert (ran.code, "is read-only; nothing was changed" in ran.err) == (4, True)
    assert files_in(place) == before
    assert ar("setup", "claude", *option).code == 0

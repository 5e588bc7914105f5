"""The diagnosis: every observation has its level and, where something is to be done, its remedy."""

from __future__ import annotations

from typing import Any, Literal

import pytest
from msgspec.structs import replace

from commands.doctoring.diagnosis import diagnose, is_well
from commands.doctoring.finding import AREAS, Area, Finding, Level
from commands.doctoring.observed import (
    AgentSeen,
    Git,
    HookSeen,
    LogSeen,
    Observed,
    OnPath,
    PartSeen,
    Problem,
    Programs,
    Registered,
    SessionSeen,
)
from eventstore.chain import Fault, Report
from eventstore.store import Head

OURS, OTHERS, ARCHIVER = (
    OnPath("/v/bin/ar", "this"),
    OnPath("/w/bin/ar", "ours"),
    OnPath("/usr/bin/ar", "other"),
)
WELL = Programs("1.0", "3.12.1", ("/v/bin/ar",), "2.45.0", "2.3.0", ar=(OURS, ARCHIVER))
LOG = LogSeen(".auto/log.jsonl", Report(Head(3, "0" * 32, 99), 3, 3, 0, ()), configured=True, measured=True)
SESSION = SessionSeen("/p", "auto", log=LOG)
GIT = Git("/p", "branch main at 1234567")
PLAIN = Observed(WELL, GIT, None, SESSION)


def found(observed: Observed, area: Area, level: Level | None = None) -> list[Finding]:
    """What is said of an area, at a level if one is named."""
    return [each for each in diagnose(observed) if each.area == area and level in (None, each.level)]


def only(observed: Observed, area: Area, level: Level) -> Finding:
    """The one thing that is said of an area at a level."""
    (finding,) = found(observed, area, level)
    return finding


def programs(**changed: Any) -> Observed:
    """All is well, but for these of the programs."""
    return replace(PLAIN, programs=replace(WELL, **changed))


def session(**changed: Any) -> Observed:
    """All is well, but for these of the session."""
    return replace(PLAIN, session=replace(SESSION, **changed))


def log(**changed: Any) -> Observed:
    """All is well, but for these of the log."""
    return session(log=replace(LOG, **changed))


def test_where_all_is_well_nothing_is_to_be_done() -> None:
    """Each area says so, in the order of the areas."""
    findings = diagnose(PLAIN)

    assert {each.level for each in findings} == {"ok"}
    assert is_well(findings)
    assert [each.remedy for each in findings if each.remedy is not None] == []
    areas = list(dict.fromkeys(each.area for each in findings))
    assert areas == [area for area in AREAS if area in areas]
    assert set(AREAS) - set(areas) == {"config", "hooks"}


def test_what_is_only_worth_a_look_is_not_wrong() -> None:
    """The exit code is for what does not work."""
    assert is_well(diagnose(log(torn=True)))
    assert not is_well(diagnose(log(writable=False)))


def test_versions() -> None:
    """No git is an error, no SDK is not until a server is registered, no flock is worth a look."""
    assert only(programs(git=None), "versions", "error").remedy == "install git, on PATH"
    without = programs(sdk=None, sdk_problem="the MCP SDK is not installed")
    assert is_well(diagnose(without))
    assert "pip install" in str([each.remedy for each in found(without, "versions")])
    assert "flock" in only(programs(has_locks=False), "versions", "warn").detail


@pytest.mark.parametrize(
    ("ar", "level", "said", "remedy"),
    [
        ((OURS, ARCHIVER), "ok", "shadows the archiver /usr/bin/ar and passes that one's calls on", None),
        ((OURS,), "ok", "no archiver for it to shadow", None),
        ((OURS, OTHERS, ARCHIVER), "ok", "shadows the archiver /usr/bin/ar", None),
        (
            (OTHERS, OURS),
            "warn",
            "another installation, /w/bin/ar",
            "put /v/bin first on PATH, or uninstall the other",
        ),
        (
            (ARCHIVER, OURS),
            "warn",
            "the archiver /usr/bin/ar, which comes before /v/bin/ar",
            "put /v/bin first",
        ),
        ((ARCHIVER,), "warn", "the archiver /usr/bin/ar; ours is not on PATH", "put /v/bin first on PATH"),
        ((), "warn", "there is no `ar` on PATH", "put /v/bin first on PATH"),
    ],
)
def test_who_answers_to_our_name(ar: tuple[OnPath, ...], level: Level, said: str, remedy: str | None) -> None:
    """Ours, another of ours, the archiver, nobody."""
    (finding,) = found(programs(ar=ar), "path")

    assert finding.level == level
    assert said in finding.detail
    assert (finding.remedy is None) == (remedy is None)
    assert (remedy or "") in (finding.remedy or "")


def test_the_other_name_is_a_way_out() -> None:
    """Where the archiver comes first and `autoresearch` is ours."""
    observed = programs(ar=(ARCHIVER, OURS), autoresearch=(OnPath("/v/bin/autoresearch", "this"),))
    assert only(observed, "path", "warn").remedy == "say `autoresearch`, or put /v/bin first on PATH"


def test_git() -> None:
    """What a cycle would refuse is an error where cycles are made, else worth a look."""
    problem = Problem("a merge is in progress (/p)", "finish it, or `git merge --abort`")
    merging = replace(GIT, problems=(problem,))
    finding = only(replace(PLAIN, git=merging), "git", "error")
    assert (finding.detail, finding.remedy) == (problem.detail, problem.remedy)
    assert only(replace(log(measured=False), git=merging), "git", "warn").remedy == problem.remedy
    assert only(replace(PLAIN, git=merging, session=None), "git", "warn").remedy == problem.remedy

    nowhere = Problem("not in a working tree", "git init")
    assert found(replace(PLAIN, git=None, git_problem=nowhere, session=None), "git", "ok")
    assert found(replace(PLAIN, git=None, git_problem=nowhere), "git", "error")

    locked = replace(PLAIN, git=replace(GIT, index_lock=".git/index.lock"))
    assert ".git/index.lock" in only(locked, "git", "warn").detail


def test_the_session() -> None:
    """None, one that cannot be found out, how it stands, logs beside it, a cycle that was left open."""
    none = replace(PLAIN, session=None)
    assert only(none, "session", "ok").remedy == "ar init begins one"
    lost = replace(none, session_problem=Problem("workingDir leads nowhere", "correct it"))
    assert only(lost, "session", "error").remedy == "correct it"

    assert only(PLAIN, "session", "ok").detail == "/p, files in .auto/; under way"
    assert "switched off" in only(log(stopped="off"), "session", "ok").detail
    assert "stopped: target" in only(log(stopped="target"), "session", "ok").detail
    assert "not configured" in only(log(configured=False), "session", "ok").detail
    assert "flat names" in only(session(layout="legacy"), "session", "ok").detail

    beside = only(session(unused=("autoresearch.jsonl",)), "session", "warn")
    assert beside.remedy == "ar import autoresearch.jsonl takes it over, or move it away"
    assert only(log(open_cycle=7), "session", "warn").remedy == "ar cycle --resume"
    at_work = session(log=replace(LOG, open_cycle=7), tree_holder="process 12 (ar)")
    assert found(at_work, "session", "warn") == []
    assert "bench.py" in only(log(harness=("bench.py",)), "session", "error").detail


def test_the_config() -> None:
    """What stands in it is an error, what nobody reads is worth a look."""
    finding = only(session(config=Problem("maxIterations is 0", "correct it")), "config", "error")
    assert finding.remedy == "correct it"
    assert "maxIteration," in only(session(unknown=("maxIteration", "x")), "config", "warn").detail


def test_the_log() -> None:
    """Faults, the first few of them; an end that is torn; what could take lines away; no right to write."""
    faults = tuple(Fault(line, "damaged", True, "not JSON") for line in range(1, 6))
    remark = Fault(9, "unknown", False, "a type of its own")
    bad = log(report=replace(LOG.report, faults=(*faults, remark)))
    told = found(bad, "log")
    assert [each.level for each in told] == ["error"] * 4
    assert told[0].detail == "line 1: damaged: not JSON"
    assert told[3].detail == "and 2 more faults"
    assert {each.remedy for each in told} == {"ar verify"}

    fine = log(report=replace(LOG.report, foreign=2, faults=(remark,)))
    assert only(fine, "log", "ok").detail == ".auto/log.jsonl: 3 lines, 3 chained, 2 of other writers"
    assert "midst of a line" in only(log(torn=True), "log", "warn").detail
    assert only(log(tracked=True), "log", "warn").remedy == "git rm --cached .auto/log.jsonl"
    assert only(log(writable=False), "log", "error").remedy == "chmod u+w .auto/log.jsonl"
    unreadable = session(log=None, log_problem=Problem("cannot be read", "chmod u+r"))
    assert only(unreadable, "log", "error").remedy == "chmod u+r"


def test_locks() -> None:
    """Who holds them."""
    assert only(PLAIN, "locks", "ok").detail == "nobody is at work"
    held = session(holder="process 1 (ar)", tree_holder="process 2 (ar)")
    assert only(held, "locks", "ok").detail == (
        "process 1 (ar) holds the log; process 2 (ar) holds the working tree"
    )


def test_hooks() -> None:
    """Without their bit they would not fire; with an interpreter that is not there they fail."""
    silent = HookSeen("h/before.sh", False, "not executable (chmod +x), so it would not fire")
    assert only(session(hooks=(silent,)), "hooks", "warn").remedy == "chmod +x h/before.sh"
    link = HookSeen("h/before.sh", False, "a link to nothing")
    assert "remove" in (only(session(hooks=(link,)), "hooks", "warn").remedy or "")
    broken = HookSeen("h/after.sh", True, "fires", "it names an interpreter that does not exist")
    assert only(session(hooks=(broken,)), "hooks", "error").remedy == "ar hook test h/after.sh"
    assert found(session(hooks=(HookSeen("h/after.sh", True, "fires"),)), "hooks", "ok")


MCP = PartSeen("mcp", ".mcp.json", "current", (Registered(("/v/bin/ar",), True),))
SKILL = PartSeen("skill", "skills/a/SKILL.md", "current")
Scope = Literal["project", "user"]


def agent(*parts: PartSeen, program: str | None = "/bin/claude", scope: Scope = "project") -> Observed:
    """An agent that has these of us."""
    absent = (replace(MCP, state="absent", programs=()), replace(SKILL, state="absent"))
    project, user = (parts, absent) if scope == "project" else (absent, parts)
    return replace(PLAIN, agents=(AgentSeen("claude", program, project, user),))


def test_an_agent_that_has_nothing_of_us() -> None:
    """Is told of if it is there; malformed settings of it are worth a look, for setup would refuse them."""
    absent = replace(MCP, state="absent", programs=())
    finding = only(agent(absent), "agents", "ok")
    assert (finding.detail, finding.remedy) == (
        "claude: /bin/claude; nothing is registered with it",
        "ar setup claude",
    )
    assert "none of them is on PATH: claude" in only(agent(absent, program=None), "agents", "ok").detail
    odd = replace(absent, problem="line 1, column 2: no value")
    assert only(agent(odd), "agents", "warn").remedy == "mend it, then ar setup claude"
    assert only(agent(odd, scope="user"), "agents", "warn").remedy == "mend it, then ar setup claude --user"


def test_an_agent_that_has_all_of_us() -> None:
    """Is well, also if it is not on PATH, as an editor's is."""
    assert only(agent(MCP, SKILL), "agents", "ok").detail == "claude, this project: all is registered"
    gone = agent(MCP, SKILL, program=None, scope="user")
    assert (
        only(gone, "agents", "ok").detail == "claude, all projects: all is registered; claude is not on PATH"
    )


def test_what_is_registered_and_does_not_work() -> None:
    """A program that is gone, settings that are malformed, a server without its SDK."""
    gone = replace(MCP, state="outdated", programs=(Registered(("/gone/ar",), False),))
    finding = only(agent(gone, SKILL), "agents", "error")
    assert finding.detail == "claude, this project: /gone/ar is registered and not there"
    assert finding.remedy == "ar setup claude"
    assert found(agent(gone, SKILL), "agents", "warn") == []

    malformed = replace(MCP, state="absent", programs=(), problem="line 3, column 1: no value")
    finding = only(agent(malformed, SKILL, scope="user"), "agents", "error")
    assert finding.detail == "claude, all projects: .mcp.json: line 3, column 1: no value"
    assert finding.remedy == "mend it, then ar setup claude --user"

    bare = agent(MCP, SKILL)
    without = replace(bare, programs=replace(WELL, sdk=None))
    assert "cannot start" in only(without, "agents", "error").detail


def test_what_is_registered_and_is_not_as_it_would_be() -> None:
    """Parts that are missing or older; what somebody edited is left alone."""
    finding = only(agent(MCP, replace(SKILL, state="absent")), "agents", "warn")
    assert finding.detail == "claude, this project: not there: skills/a/SKILL.md"
    finding = only(agent(replace(MCP, state="outdated"), SKILL), "agents", "warn")
    assert finding.detail == "claude, this project: of another version or place of ar: .mcp.json"
    edited, whole = found(agent(MCP, replace(SKILL, state="edited")), "agents")
    assert (edited.level, whole.level) == ("ok", "ok")
    assert "left alone: skills/a/SKILL.md" in edited.detail

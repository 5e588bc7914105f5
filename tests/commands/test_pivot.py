"""`ar pivot`: what is due, where to, and with which impulse."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from reducers.policies.perturbations import PERTURBATIONS, named
from tests.commands.conftest import Ar
from tests.commands.protocol import begin, lines, refused


@pytest.fixture(autouse=True)
def log(ar: Ar, tmp_path: Path) -> Path:
    """A session's log."""
    return begin(ar, tmp_path)


def stale(ar: Ar, times: int) -> None:
    """So many iterations that found nothing."""
    for _ in range(times):
        assert ar("iteration", "-m", "nothing", "--direction", "SIMD").code == 0


@pytest.mark.parametrize(("times", "level"), [(2, "structure"), (3, "inject")])
def test_the_pivot_that_is_due_is_made(ar: Ar, log: Path, times: int, level: str) -> None:
    """With an impulse, the reason, and the direction that is left; after it none is due."""
    stale(ar, times)
    ran = ar("pivot")
    line = lines(log)[-1]

    assert ran.code == 0
    assert ran.out == f"pivot {level} is line {times + 2}\n{line['perturbation']}\n"
    assert named(line.pop("perturbation")) is not None
    assert line == {"type": "pivot", "level": level, "reason": f"stale count {times}", "from": "SIMD"}
    assert json.loads(ar("view", "stall", "--json").out)["pivot_due"] is None


def test_at_human_a_flag_goes_up_and_work_goes_on(ar: Ar, log: Path) -> None:
    """No impulse is chosen for a person."""
    stale(ar, 4)
    document = json.loads(ar("pivot", "--json", "--by", "guardian:p").out)

    assert document["event"]["level"] == "human"
    assert [line["type"] for line in lines(log)[-2:]] == ["pivot", "flag"]
    assert "perturbation" not in lines(log)[-2]
    assert lines(log)[-1]["kind"] == "stalled"


def test_no_impulse_comes_twice_before_all_came(ar: Ar, log: Path) -> None:
    """One chosen by hand counts as well; the next brief demands the last."""
    first = PERTURBATIONS[0].text
    assert ar("pivot", "inject", "--perturbation", first).code == 0
    for _ in PERTURBATIONS[1:]:
        assert ar("pivot", "inject").code == 0
    used = [line["perturbation"] for line in lines(log)]

    assert sorted(used) == sorted(each.text for each in PERTURBATIONS)
    assert used[-1][:60] in ar("brief").out


def test_what_is_due_is_nothing(ar: Ar, log: Path) -> None:
    """Then a level has to be named."""
    told = refused(ar, log, "pivot")

    assert told == "ar: no pivot is due (stale count 0)\ntry: ar pivot structure, inject or human\n"


def test_it_goes_where_nobody_was(ar: Ar, log: Path) -> None:
    """A direction that was tried is refused, one that another holds even with a reason; one's own is not."""
    stale(ar, 2)
    assert ar("direction", "claim", "arena", "--by", "worker:a").code == 0

    assert '"SIMD" was tried' in refused(ar, log, "pivot", "--to", "simd", code=3)
    assert 'claimed by "worker:a"' in refused(ar, log, "pivot", "--to", "arena", "--reason", "x", code=3)
    assert ar("pivot", "--to", "arena", "--by", "worker:a").code == 0
    assert ar("pivot", "structure", "--to", "simd", "--reason", "a new machine").code == 0
    assert lines(log)[-1]["to"] == "simd"


@pytest.mark.parametrize("option", ["--to", "--from", "--reason", "--perturbation"])
def test_blank_words_are_refused(ar: Ar, log: Path, option: str) -> None:
    """Exit 2, nothing written."""
    assert f"{option} is empty" in refused(ar, log, "pivot", "inject", option, " ")
    assert "invalid value for '[LEVEL]'" in refused(ar, log, "pivot", "sideways")

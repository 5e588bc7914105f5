"""The diagnosis: from what was observed to what is to be said of it. Pure.

findings = diagnose(observed)
is_well(findings)
"""

from __future__ import annotations

from collections.abc import Sequence

from commands.doctoring.finding import AREAS, Finding
from commands.doctoring.observed import Observed
from commands.doctoring.programs import of_path, of_versions
from commands.doctoring.registered import of_agents
from commands.doctoring.session import of_config, of_git, of_hooks, of_locks, of_log, of_session

__all__ = ["diagnose", "is_well"]


def diagnose(observed: Observed) -> tuple[Finding, ...]:
    """What is to be said, by areas, in their order."""
    found = [*of_versions(observed.programs), *of_path(observed.programs)]
    found += [*of_git(observed), *of_session(observed)]
    if observed.session is not None:
        for part in (of_config, of_log, of_locks, of_hooks):
            found += part(observed.session)
    found += of_agents(observed)
    return tuple(sorted(found, key=lambda each: AREAS.index(each.area)))


def is_well(findings: Sequence[Finding]) -> bool:
    """Whether nothing is wrong; what is only worth a look does not count."""
    return all(each.level != "error" for each in findings)

from __future__ import annotations

import shutil
from pathlib import Path, PurePosixPath

import pytest

from tests.layering import OURS, breaches, breaches_under

ROOT = Path(__file__).parent.parent


def test_the_layers_are_kept() -> None:
    """Design, section 1: imports point downwards only, and what is pure touches no world."""

    assert breaches_under(ROOT) == []


def test_every_package_is_looked_at() -> None:
    """The check would be silent of a package that is not there."""

    assert all(list((ROOT / package).rglob("*.py")) for package in OURS)


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ("eventstore/store.py", "import reducers.core"),
        ("eventstore/store.py", "from commands import view"),
        ("eventstore/store.py", "def f():\n    from hooks.runner import fire"),
        ("reducers/session.py", "import hooks"),
        ("reducers/session.py", "from commands.view import show"),
        ("reducers/session.py", "import eventstore"),
        ("reducers/session.py", "from eventstore import FileLog"),
        ("reducers/session.py", "from eventstore.filelog import FileLog"),
        ("reducers/session.py", "from eventstore import store"),
        ("reducers/session.py", "from importlib import import_module\nimport_module('eventstore.store')"),
        ("reducers/session.py", "if TYPE_CHECKING:\n    from commands.view import show"),
        ("reducers/session.py", "import os"),
        ("reducers/session.py", "import os.path as p"),
        ("reducers/session.py", "from pathlib import Path"),
        ("reducers/session.py", "from pathlib import PurePosixPath"),
        ("reducers/session.py", "import time"),
        ("reducers/policies/stop.py", "def f():\n    import subprocess"),
        ("reducers/policies/stop.py", "class A:\n    def f(self):\n        from time import time"),
        ("reducers/policies/stop.py", "try:\n    import click\nexcept ImportError:\n    pass"),
        ("reducers/policies/stop.py", "import random"),
        ("reducers/policies/stop.py", "from random import choice"),
        ("reducers/policies/stop.py", "from random import Random\nRandom().random()"),
        ("reducers/policies/stop.py", "from datetime import datetime\ndatetime.now()"),
        ("reducers/policies/stop.py", "import datetime\ndatetime.datetime.now()"),
        ("reducers/policies/stop.py", "import datetime as d\nd.date.today()"),
        ("reducers/policies/stop.py", "text = open('x').read()"),
        ("reducers/policies/stop.py", "print('x')"),
        ("reducers/policies/stop.py", "__import__('os').remove('x')"),
        ("reducers/policies/stop.py", "exec('import os')"),
        ("reducers/session.py", "from hypothesis import given"),
        ("eventstore/formats/pi.py", "import os"),
        ("eventstore/formats/pi.py", "import io\nio.open('x')"),
        ("eventstore/formats/pi.py", "def f(path):\n    return open(path)"),
        ("eventstore/formats/pi.py", "from reducers.core import fold"),
        ("hooks/runner.py", "import commands.view"),
        ("hooks/runner.py", "from commands.effects import git"),
        ("commands/view.py", "import hypothesis"),
        ("reducers/policies/stop.py", "from ... import commands"),
        ("reducers/core.py", "from ..hooks import runner"),
    ],
)
def test_a_planted_breach_is_found(path: str, line: str) -> None:
    """Wherever in the module it stands, and it is said where."""
    found = breaches(PurePosixPath(path), f"from __future__ import annotations\n\n{line}\n")

    assert len(found) >= 1
    assert all(breach.startswith(f"{path}:") for breach in found)
    assert int(found[0].split(":")[1]) >= 3


@pytest.mark.parametrize(
    ("path", "line"),
    [
        (
            "eventstore/store.py",
            "import os, time, subprocess\nfrom eventstore.lines import encode\nopen('x')",
        ),
        (
            "eventstore/formats/pi.py",
            "import json, re, io\nfrom pathlib import PurePosixPath\nio.StringIO()",
        ),
        (
            "reducers/session.py",
            "from eventstore.events import Run\nfrom eventstore.events.base import Event",
        ),
        ("reducers/session.py", "from eventstore.timestamps import epoch_ms\nfrom eventstore import events"),
        ("reducers/session.py", "from reducers.core import fold\nfrom .policies import metric"),
        ("reducers/session.py", "if TYPE_CHECKING:\n    from pathlib import Path"),
        ("reducers/policies/perturbation.py", "from random import Random\nRandom(7).random()"),
        ("reducers/policies/stop.py", "from datetime import datetime\ndatetime.fromtimestamp(3)"),
        ("reducers/policies/stop.py", "def f(now):\n    return self.open(now) + re.compile('x')"),
        ("reducers/strategies.py", "from hypothesis import strategies"),
        ("hooks/runner.py", "import os\nfrom reducers.core import fold\nfrom eventstore import store"),
        ("commands/view.py", "import click\nfrom hooks import runner\nfrom reducers import registry"),
    ],
)
def test_what_keeps_to_the_layers_is_left_alone(path: str, line: str) -> None:
    """No false alarm."""

    assert breaches(PurePosixPath(path), line) == []


def test_a_breach_in_any_file_of_a_package_is_found(tmp_path: Path) -> None:
    """Planted in a copy of the repository."""
    for package in OURS:
        shutil.copytree(ROOT / package, tmp_path / package, ignore=shutil.ignore_patterns("__pycache__"))
    planted = tmp_path / "reducers" / "policies" / "deep" / "new.py"
    planted.parent.mkdir()
    planted.write_text("def f():\n    import socket\n", "utf-8")

    assert breaches_under(tmp_path) == [
        *breaches_under(ROOT),
        "reducers/policies/deep/new.py:2: a pure module may not import socket",
    ]

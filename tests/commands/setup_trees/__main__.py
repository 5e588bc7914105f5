"""Writes the golden trees anew."""

from __future__ import annotations

import shutil

from tests.commands.setup_trees import CASES, after, case_path

for agent, scope, case in CASES:
    place = case_path(agent, scope, case)
    shutil.rmtree(place / "after", ignore_errors=True)
    for name, data in after(agent, scope, place / "before").items():
        path = place / "after" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)

"""How property tests run: they may take their time on a busy machine, and a gate says the same twice."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

settings.register_profile("patient", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("steady", settings.get_profile("patient"), derandomize=True, database=None)
settings.load_profile("steady" if os.environ.get("CI") else "patient")

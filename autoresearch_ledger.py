"""The launcher of `ar`: finds our own packages, or hands over to the archiver of the same name."""

from __future__ import annotations

__version__ = "0.1.0"

"""The fixtures of `tests.commands.sandbox`, for everything that works on a repository."""

from tests.commands.sandbox import plain_git, prepared, sandbox

__all__ = ["plain_git", "prepared", "sandbox"]

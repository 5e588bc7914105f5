"""The unit files by which a system keeps guard and patrol running: systemd, cron, launchd. Pure."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from xml.sax.saxutils import escape

from commands.errors import BadInputError

__all__ = ["KINDS", "units"]

KINDS = ("systemd", "cron", "launchd")
"""What units can be printed for."""


def units(kind: str, root: str, *, guard: Sequence[str], patrol: Sequence[str], path: str) -> str:
    """What to install: the guard stays, the patrol comes by every hour.

    root: the absolute path of ROOT. guard, patrol: their commands, the patrol's without `--once`.
    path: the search path for programs that they start. Raises BadInputError for a line break among them.
    """
    if any("\n" in word or "\r" in word for word in (root, path, *guard, *patrol)):
        raise BadInputError(f"a unit for {kind} has no place for a line break", "put the command in a script")
    written: dict[str, Callable[[str, Sequence[str], Sequence[str], str], str]] = {
        "systemd": _systemd,
        "cron": _cron,
        "launchd": _launchd,
    }
    return written[kind](root, guard, [*patrol, "--once"], path)


def _systemd(root: str, guard: Sequence[str], patrol: Sequence[str], path: str) -> str:
    def quoted(words: Sequence[str]) -> str:
        return " ".join(_systemd_word(word).replace("$", "$$") for word in words)

    environment = f"Environment={_systemd_word('PATH=' + path)}"
    # Without KillMode=process, what guard and patrol have started would be ended together with them.
    return f"""\
# ~/.config/systemd/user/ar-guard.service
[Unit]
Description=guard of {root.replace("%", "%%")}

[Service]
ExecStart={quoted(guard)}
{environment}
Restart=always
RestartSec=60
KillMode=process

[Install]
WantedBy=default.target

# ~/.config/systemd/user/ar-patrol.service
[Unit]
Description=patrol of {root.replace("%", "%%")}

[Service]
Type=oneshot
ExecStart={quoted(patrol)}
{environment}
KillMode=process

# ~/.config/systemd/user/ar-patrol.timer
[Timer]
OnBootSec=2min
OnCalendar=hourly
Persistent=true

[Install]
WantedBy=timers.target

# then: loginctl enable-linger && systemctl --user daemon-reload
#       systemctl --user enable --now ar-guard.service ar-patrol.timer
"""


def _systemd_word(word: str) -> str:
    """In double quotes, as systemd.syntax(7) has it; a percent sign would be a specifier."""
    inner = word.replace("\\", "\\\\").replace('"', '\\"').replace("%", "%%")
    return f'"{inner}"'


def _cron(root: str, guard: Sequence[str], patrol: Sequence[str], path: str) -> str:
    def line(words: Sequence[str]) -> str:
        # cron ends the command at a percent sign, unless a backslash is before it
        return shlex.join(words).replace("%", "\\%")

    quiet = ">/dev/null 2>&1"
    return f"""\
# crontab -e: guard and patrol of {root}
PATH={path}
@reboot {line(guard)} {quiet}
0 * * * * {line(patrol)} {quiet}
"""


def _launchd(root: str, guard: Sequence[str], patrol: Sequence[str], path: str) -> str:
    stays = "  <key>KeepAlive</key><true/>"
    comes_by = "  <key>StartInterval</key><integer>3600</integer>"
    return (
        f"<!-- ~/Library/LaunchAgents/ar-guard.plist: guard of {escape(root).replace('--', '- -')} -->\n"
        + _plist("ar-guard", guard, path, stays)
        + "\n<!-- ~/Library/LaunchAgents/ar-patrol.plist -->\n"
        + _plist("ar-patrol", patrol, path, comes_by)
        + "\n<!-- then, for each file: launchctl load -w FILE -->\n"
    )


def _plist(label: str, words: Sequence[str], path: str, when: str) -> str:
    """A property list; AbandonProcessGroup leaves alone what the program has started."""
    arguments = "\n".join(f"    <string>{escape(word)}</string>" for word in words)
    return f"""\
<plist version="1.0"><dict>
  <key>Label</key><string>{label}</string>
  <key>ProgramArguments</key><array>
{arguments}
  </array>
  <key>EnvironmentVariables</key><dict><key>PATH</key><string>{escape(path)}</string></dict>
  <key>RunAtLoad</key><true/>
{when}
  <key>AbandonProcessGroup</key><true/>
</dict></plist>
"""

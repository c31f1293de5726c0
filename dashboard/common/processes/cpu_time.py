"""How much of the processors another process has used: from /proc on Linux, elsewhere from ps, which every Unix has."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

_PROC = Path("/proc")
# Positions after the name in /proc/PID/stat: time of its own and of children that it waited for, user and system.
_TIMES = slice(11, 15)


def cpu_seconds(pid: int) -> float:
    """Return the seconds of processor time that a process and its ended children have used; 0 where nobody says."""
    try:
        return _by_proc(pid) if sys.platform == "linux" else _by_ps(pid)
    except (OSError, ValueError, subprocess.SubprocessError):
        return 0.0


def _by_proc(pid: int) -> float:
    # The name may hold blanks and parentheses, so the text is cut at the last one.
    fields = (_PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[_TIMES])) / os.sysconf("SC_CLK_TCK")


def _by_ps(pid: int) -> float:
    said = subprocess.run(["ps", "-o", "time=", "-p", str(pid)], capture_output=True, text=True, check=True)
    return seconds_in(said.stdout)


def seconds_in(text: str) -> float:
    """Return the seconds of a time as ps writes it: [[days-]hours:]minutes:seconds, with a fraction on macOS."""
    days, _, clock = text.strip().rpartition("-")
    seconds = 0.0
    for part in clock.split(":"):
        seconds = 60 * seconds + float(part)
    return 86_400 * int(days or 0) + seconds

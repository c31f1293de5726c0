"""The processes of this machine, asked without any program that a bare machine lacks."""

from __future__ import annotations

import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


def children_of(pid: int) -> dict[str, int]:
    """Return {command line: pid} of the live children of a process; those that ended and wait for it are left out."""
    return {
        command: child for child, parent, state, command in _processes() if parent == pid and not state.startswith("Z")
    }


def _processes() -> Iterator[tuple[int, int, str, str]]:
    """Yield (pid, parent, state, command line): from /proc on Linux, elsewhere from ps, which macOS has."""
    if sys.platform == "linux":
        yield from _by_proc()
        return
    listed = subprocess.run(["ps", "-axo", "pid=,ppid=,stat=,args="], capture_output=True, text=True, check=True).stdout
    for line in listed.splitlines():
        pid, parent, state, *command = line.split(None, 3)
        yield int(pid), int(parent), state, " ".join(command)


def _by_proc() -> Iterator[tuple[int, int, str, str]]:
    for folder in Path("/proc").glob("[0-9]*"):
        # A process may end between the listing and the reading.
        with suppress(FileNotFoundError, ProcessLookupError):
            # "pid (name) state parent ...": the name may hold blanks and parentheses, so it is cut at the last one.
            state, parent = (folder / "stat").read_text().rpartition(")")[2].split()[:2]
            command = (folder / "cmdline").read_bytes().rstrip(b"\0").replace(b"\0", b" ").decode(errors="replace")
            yield int(folder.name), int(parent), state, command

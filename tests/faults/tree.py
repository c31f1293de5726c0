"""Which processes an installation has, by what they are (Linux)."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

# {kind: what the command line of its processes has}; the first that fits.
KINDS = {
    "web": "dashboard.webserver",
    "answers": "dashboard.answers.worker",
    "answer worker": "--queues\0answers",
    "worker": "celery",
    "supervisor": "manage.py\0serve",
    "redis": "redis-server",
}


def descendants(pid: int) -> list[int]:
    """Return the process and all that come from it; those that end meanwhile may be missing."""
    try:
        lists = [(task / "children").read_text().split() for task in Path(f"/proc/{pid}/task").iterdir()]
    except OSError:
        return [pid]
    return [pid, *(one for children in lists for child in children for one in descendants(int(child)))]


def kind_of(pid: int) -> str:
    """Return what a process is; "" where it is none of `KINDS` or has ended."""
    try:
        line = Path(f"/proc/{pid}/cmdline").read_text()
    except OSError:
        return ""
    return next((kind for kind, part in KINDS.items() if part in line), "")


def kinds_below(pids: Iterable[int]) -> dict[str, int]:
    """Return {kind: how many} of the processes that are alive and of all that come from them."""
    kinds = Counter(kind_of(one) for pid in pids for one in descendants(pid))
    return {kind: count for kind, count in sorted(kinds.items()) if kind}

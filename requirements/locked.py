"""``python requirements/locked.py LOCK STAMP COMMAND...``: becomes the command, which holds the lock until it ends.

Two of `make setup` or `make run` at once would make one environment at the same time, each in the way of the other. The
second waits here; where STAMP was renewed meanwhile, the first has done its work, and the command does not run.

The kernel's lock and nothing more: it is gone with the process, however that ends, so no lock is ever left over.
"""

from __future__ import annotations

import fcntl
import os
import signal
import sys
from pathlib import Path

HAS_LOCK = "SETUP_HAS_LOCK"


def main(lock: Path, stamp: Path, command: list[str]) -> None:
    """Run the command under the lock, in place of this program."""
    signal.signal(signal.SIGINT, _stop)
    before = _written_at(stamp)
    try:
        descriptor = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    except OSError:
        pass  # The command says what cannot be written.
    else:
        if _has_waited(descriptor) and _written_at(stamp) not in (before, None):
            return
        os.set_inheritable(descriptor, True)
    os.environ[HAS_LOCK] = "1"
    os.execv(command[0], command)


def _has_waited(descriptor: int) -> bool:
    """Take the lock; return whether another process had it."""
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        sys.stderr.write("setup: another set-up is under way in this folder; waiting for its end\n")
        sys.stderr.flush()
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        return True
    except OSError:
        pass  # A file system without locks.
    return False


def _written_at(path: Path) -> int | None:
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return None


def _stop(_number: int, _frame: object) -> None:
    sys.stderr.write("setup: stopped; the next make goes on\n")
    sys.stderr.flush()
    os._exit(130)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3:])

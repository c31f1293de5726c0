"""How much memory this process has, and giving back to the system what was freed."""

from __future__ import annotations

import ctypes
import gc
import os
import resource
import sys
import threading
from contextlib import suppress
from pathlib import Path

_STATM = Path("/proc/self/statm")
_PAGE = os.sysconf("SC_PAGE_SIZE")
# This much more than after the last pass is worth a pass over all objects, which takes about 50 ms: 2 % of a worker.
GROWN_BYTES = 4 << 20
# Seconds between two passes over what a web process made lately, which take about 10 ms each.
TIDY_SECONDS = 30.0
# glibc gives each of 40 threads an area of its own, and none of them shrinks below its last live block.
ARENAS = 2
_M_ARENA_MAX = -8
_resident_after = 0


def resident_bytes() -> int:
    """Return the bytes of this process that are in memory; where the system does not say, the most there ever were."""
    try:
        return int(_STATM.read_text().split()[1]) * _PAGE
    except OSError:
        unit = 1 if sys.platform == "darwin" else 1024
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def give_back_if_grown() -> None:
    """Give memory back if the process has grown by `GROWN_BYTES` since it last did."""
    if resident_bytes() - _resident_after > GROWN_BYTES:
        give_back()


def give_back() -> None:
    """Collect what forms cycles, and hand free memory back to the system where its C library can do that (glibc).

    A session of the engine forms cycles, and reading inputs leaves all that there is out of the collector's passes
    (`freeze_gc`): without this a session that nobody needs stays for ever. What is left stays out of the passes.
    """
    global _resident_after
    gc.unfreeze()
    gc.collect()
    gc.freeze()
    _trim()
    _resident_after = resident_bytes()


def tidy() -> None:
    """Free what forms cycles among younger objects, and hand free memory back; all objects where that is not enough.

    Requests leave cycles, and by its thresholds the collector came to none of the older ones in an hour, in which a web
    process grew by 110 MB.
    """
    gc.collect()
    _trim()
    give_back_if_grown()


def keep_tidy() -> threading.Event:
    """Have a thread of this process tidy up every TIDY_SECONDS until the event is set; for one that serves requests."""
    _use_few_arenas()
    ends = threading.Event()

    def work() -> None:
        while not ends.wait(TIDY_SECONDS):
            tidy()

    threading.Thread(target=work, name="memory", daemon=True).start()
    return ends


def _use_few_arenas() -> None:
    if sys.platform == "linux":
        with suppress(AttributeError, OSError):
            ctypes.CDLL(None).mallopt(_M_ARENA_MAX, ARENAS)


def _trim() -> None:
    if sys.platform == "linux":
        with suppress(AttributeError, OSError):
            ctypes.CDLL(None).malloc_trim(0)

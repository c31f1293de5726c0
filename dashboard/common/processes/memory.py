"""How much memory this process has, and giving back to the system what was freed."""

from __future__ import annotations

import ctypes
import gc
import os
import resource
import sys
from contextlib import suppress
from pathlib import Path

_STATM = Path("/proc/self/statm")
_PAGE = os.sysconf("SC_PAGE_SIZE")
# So much more than after the last time is worth a pass over all objects, which takes about 50 ms.
GROWN_BYTES = 32 << 20
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
    if sys.platform == "linux":
        with suppress(AttributeError, OSError):
            ctypes.CDLL(None).malloc_trim(0)
    _resident_after = resident_bytes()

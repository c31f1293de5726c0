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


def resident_bytes() -> int:
    """Return the bytes of this process that are in memory; where the system does not say, the most there ever were."""
    try:
        return int(_STATM.read_text().split()[1]) * _PAGE
    except OSError:
        unit = 1 if sys.platform == "darwin" else 1024
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def give_back() -> None:
    """Collect what forms cycles, and hand free memory back to the system where its C library can do that (glibc)."""
    # Reading inputs leaves all that there is out of the collector's passes.
    gc.unfreeze()
    gc.collect()
    if sys.platform == "linux":
        with suppress(AttributeError, OSError):
            ctypes.CDLL(None).malloc_trim(0)

"""How long tests wait for what must come: long, as a machine may do other things besides.

What is there earlier is not waited for, so that only a test that fails takes this long.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

# In seconds.
PATIENCE = 300.0
_PAUSE_SECONDS = 0.02


def until(is_so: Callable[[], bool]) -> None:
    """Return once `is_so` returns true; raises AssertionError where it never does."""
    deadline = time.monotonic() + PATIENCE
    while not is_so():
        assert time.monotonic() < deadline, f"not within {PATIENCE:g} s"
        time.sleep(_PAUSE_SECONDS)

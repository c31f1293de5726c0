"""How long tests with real faults take: short in `make test`, as long as the promise says in `make faults`."""

from __future__ import annotations

import os

# Set by `make faults`.
LONG = os.environ.get("TEST_FAULTS") == "long"


def length(short, long):
    """Return the one that fits."""
    return long if LONG else short

"""How long the collector waits for what, in seconds."""

from __future__ import annotations

import random
from typing import NamedTuple


class Pace(NamedTuple):
    """``watch``: how long the server is asked to keep a watch open, less up to a tenth, so that they do not all end at
    once. ``answer``: the longest silence inside of an answer; ``slack``: how much longer than ``watch`` a watch may be
    silent. ``first_wait`` doubles with each failure in a row up to ``longest_wait``, which is also the longest that a
    server can ask for by Retry-After. ``start``: how long to try for a first answer. ``away``: failures in a row for
    so long are a gap. ``sync``: between two writes that survive a power cut; ``version``: between two looks at the
    server's version. ``piece``: between two pieces that are sent."""

    watch: float = 290.0
    answer: float = 60.0
    slack: float = 30.0
    first_wait: float = 1.0
    longest_wait: float = 30.0
    start: float = 30.0
    away: float = 30.0
    sync: float = 2.0
    version: float = 300.0
    piece: float = 2.0

    def after_failure(self, n_failures: int) -> float:
        """The wait after this many failures in a row, with a share by chance: many collectors do not come at once."""
        wait: float = min(self.longest_wait, self.first_wait * 2 ** min(n_failures - 1, 16))
        return wait * random.uniform(0.7, 1.0)

    def asked_for(self, retry_after: str) -> float:
        """The wait that a Retry-After in seconds asks for, 0 without one."""
        return min(self.longest_wait, float(retry_after)) if retry_after.isascii() and retry_after.isdigit() else 0.0


DEFAULT_PACE = Pace()

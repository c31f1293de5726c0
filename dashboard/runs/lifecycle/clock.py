"""Whether this host's clock may be believed: no run is deleted for its age by a clock that was set.

A worker notices a jump while it runs. What it has seen of the clock it also leaves in the database, for the next one: a
worker that is started after the jump compares with that. On the same boot the clocks must differ as before; after
another boot, or on another host, the last look of any worker must lie within the last week.

Example: runs are deleted after 30 days, and a clock goes ahead by a year while no worker runs. The next worker finds
that the last look was a year ago, and deletes nothing by age for a day.
"""

from __future__ import annotations

import logging
import math
import socket
import time
from pathlib import Path
from typing import TYPE_CHECKING

from dashboard.runs.models import ClockLook

if TYPE_CHECKING:
    from collections.abc import Callable

log = logging.getLogger(__name__)

JUMP_SECONDS = 600.0
TRUST_SECONDS = 24 * 3600.0
AWAY_SECONDS = 7 * TRUST_SECONDS
"""So long an installation may have been switched off without anybody wondering about the clock."""
_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")
_MOST_LOOKS = 100


def _since_boot() -> float:
    """Return the seconds of a clock that cannot be set and that runs while the machine is suspended (Linux)."""
    return time.clock_gettime(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))


def _boot() -> str:
    """Return what tells this boot of this machine from all others; where nothing does, the machine's name."""
    return _BOOT_ID.read_text().strip() if _BOOT_ID.exists() else socket.gethostname()[:64]


class ClockWatch:
    """Notices that the host's clock was set: no run may be deleted for its age by a wrong clock.

    `wall` and `steady` are clocks in seconds. After a jump the wall clock is trusted again once it ran evenly for
    `TRUST_SECONDS`. `is_new`: it has not looked at what was noted before its process.
    """

    def __init__(self, wall: Callable[[], float] = time.time, steady: Callable[[], float] = _since_boot) -> None:
        self.wall, self.steady = wall, steady
        self.offset = wall() - steady()
        self.set_at = -math.inf
        self.is_new = True

    def go_on_from(self, offset: float, set_at: float) -> None:
        """Take up what a process noted on the same boot."""
        self.offset, self.set_at = offset, set_at

    def begin_after(self, seen_at: float | None) -> None:
        """Begin on a boot that nobody has looked at; `seen_at` is the wall clock's time of the last look of others."""
        ago = math.inf if seen_at is None else self.wall() - seen_at
        if not -JUMP_SECONDS <= ago <= AWAY_SECONDS:
            self.set_at = self.steady()

    def is_steady(self) -> bool:
        """Return whether the clock runs evenly; logs once when it does not."""
        offset = self.wall() - self.steady()
        if abs(offset - self.offset) > JUMP_SECONDS:
            log.warning(
                "the clock was set by %+.0f s; no runs are deleted for their age before it has run on for a day",
                offset - self.offset,
            )
            self.set_at = self.steady()
        self.offset = offset
        return self.steady() - self.set_at > TRUST_SECONDS


def look(watch: ClockWatch) -> bool:
    """Return whether runs may be deleted for their age, and note what was seen for workers that are started later."""
    boot = _boot()
    if watch.is_new:
        before = ClockLook.objects.filter(boot=boot).order_by("-pk").first()
        if before is not None:
            watch.go_on_from(before.offset, -math.inf if before.set_at is None else before.set_at)
        else:
            watch.begin_after(ClockLook.objects.order_by("-pk").values_list("seen_at", flat=True).first())
        watch.is_new = False
    is_steady = watch.is_steady()
    set_at = None if watch.set_at == -math.inf else watch.set_at
    ClockLook.objects.filter(boot=boot).delete()
    # A new row each time: their keys say which is the latest, whatever clocks say.
    ClockLook.objects.create(boot=boot, seen_at=watch.wall(), offset=watch.offset, set_at=set_at)
    surplus = ClockLook.objects.order_by("-pk")[_MOST_LOOKS:]
    ClockLook.objects.filter(pk__in=list(surplus.values_list("pk", flat=True))).delete()
    return is_steady

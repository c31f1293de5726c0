"""Whether a process that starts gets on: what it does counts, never how long it takes."""

from __future__ import annotations

from dataclasses import dataclass

SILENT_SECONDS = 120.0
"""Seconds without any progress after which a start has stalled."""
ONLY_CPU_SECONDS = 600.0
"""Seconds for which processor time alone counts as progress: an endless computation uses it too, and marks nothing."""
LONGEST_LOOK = 5.0
"""What lies between two looks counts no longer: a supervisor that stood still has not looked."""


@dataclass
class StartWatch:
    """Looks at one start. Progress is a mark of the process, and for a while that its processor time grows."""

    looked_at: float
    cpu_seconds: float = 0.0
    silent: float = 0.0
    unmarked: float = 0.0

    def look(self, now: float, has_marks: bool, cpu_seconds: float) -> bool:
        """Return whether the start has stalled, by what there is since the last look."""
        passed = min(now - self.looked_at, LONGEST_LOOK)
        self.looked_at = now
        self.silent += passed
        self.unmarked += passed
        if has_marks:
            self.silent = self.unmarked = 0.0
        elif cpu_seconds > self.cpu_seconds and self.unmarked <= ONLY_CPU_SECONDS:
            self.silent = 0.0
        self.cpu_seconds = cpu_seconds
        return self.silent >= SILENT_SECONDS

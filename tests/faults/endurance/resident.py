"""Resident sizes of processes over time: sampled, written down as CSV, and whether they grow."""

from __future__ import annotations

import os
import time
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any, NamedTuple

from tests.faults.tree import descendants, kind_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

MOST_GROWTH = 0.02
"""The share by which a process may grow in the last half."""
WINDOW_SECONDS = 300.0
PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")


class Sample(NamedTuple):
    """The resident size of a process at a moment, in seconds since the beginning."""

    seconds: float
    process: str
    resident_bytes: int


@dataclass
class Sampler:
    """Samples of the descendants of `roots`, each line of them in `csv` as soon as it is taken."""

    roots: Sequence[int]
    csv: Path
    began: float = field(default_factory=time.monotonic)
    samples: list[Sample] = field(default_factory=list)

    def take(self) -> None:
        """Note the resident size of each process."""
        seconds = time.monotonic() - self.began
        taken = [
            Sample(seconds, f"{kind} {pid}", resident)
            for root in self.roots
            for pid in descendants(root)
            if (kind := kind_of(pid)) and (resident := _resident_bytes(pid))
        ]
        with self.csv.open("a") as file:
            if not self.samples:
                file.write("seconds,process,resident_bytes\n")
            file.writelines(f"{one.seconds:.1f},{one.process},{one.resident_bytes}\n" for one in taken)
        self.samples += taken


def _resident_bytes(pid: int) -> int:
    """Return the resident size, 0 of a process that has ended."""
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * PAGE_BYTES
    except OSError:
        return 0


def growth(samples: Iterable[Sample], seconds: float) -> dict[str, dict[str, Any]]:
    """Return {process: {"half_mib", "end_mib", "growth"}}: medians of windows at both ends of the last half.

    A window is five minutes, or a third of the half where that is less. `growth` is a share, None for a process that
    was not there in both windows.
    """
    by_process: dict[str, list[Sample]] = {}
    for sample in samples:
        by_process.setdefault(sample.process, []).append(sample)
    window, half = min(WINDOW_SECONDS, seconds / 6), seconds / 2
    figures = {}
    for process, of_process in by_process.items():
        first, last = _median(of_process, half, half + window), _median(of_process, seconds - window, seconds)
        figures[process] = {
            "half_mib": round(first / 2**20, 1),
            "end_mib": round(last / 2**20, 1),
            "growth": round(last / first - 1, 4) if first and last else None,
        }
    return figures


def _median(samples: Sequence[Sample], since: float, until: float) -> float:
    sizes = [sample.resident_bytes for sample in samples if since <= sample.seconds <= until]
    return median(sizes) if sizes else 0.0


def too_much(figures: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Return the processes that grew by more than they may, or were not there all the time."""
    return [name for name, of in figures.items() if of["growth"] is None or of["growth"] >= MOST_GROWTH]

"""One line on a terminal that says how far a run is; nothing where nobody looks."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from time import monotonic
from typing import TextIO

from scheduler_core.manifests import LoadResult, ManifestSource, load_cluster
from scheduler_core.simulate import RunSession
from scheduler_core.versions.fields import FieldVersion

ERASE_LINE = "\r\x1b[K"
MINUTE, HOUR = 60, 3600


class ProgressLine:
    """Writes over itself; silent unless the stream is a terminal."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream if stream.isatty() else None
        self._is_shown = False

    def say(self, text: str) -> None:
        """Show this text instead of the last one, cut to the terminal's width."""
        if self._stream is not None:
            self._is_shown = True
            print(ERASE_LINE + text[: shutil.get_terminal_size().columns - 1], end="", file=self._stream, flush=True)

    def clear(self) -> None:
        """Leave the line to what is printed next."""
        if self._stream is not None and self._is_shown:
            self._is_shown = False
            print(ERASE_LINE, end="", file=self._stream, flush=True)


def read_files(sources: Sequence[ManifestSource], line: ProgressLine, fields: FieldVersion | None = None) -> LoadResult:
    """What the sources hold, and fields that a version does not know; the line says how far it is meanwhile."""
    label = f"reading {', '.join(source.name for source in sources)}"
    line.say(label)
    result = load_cluster(
        sources, report_progress=lambda share: line.say(f"{int(100 * share):3d} %  {label}"), fields=fields
    )
    line.clear()
    return result


class SessionProgress:
    """How far a session is, in words: percentage, cycles per second, time left.

    Pods that cannot have a node keep it below 100 % until the end.
    """

    def __init__(self, session: RunSession) -> None:
        self._session = session
        self._started = monotonic()

    def text(self) -> str:
        """The line's text."""
        simulation, seconds = self._session.simulation, monotonic() - self._started
        whole = self._session.n_steps
        done = min(self._session.steps_done, whole)
        share = done / whole if whole else 0.0
        rate = self._session.cycle / seconds if seconds else 0.0
        waiting = len(simulation.queue)
        left = f", about {duration(seconds * (1 - share) / share)} left" if 0 < share < 1 else ""
        cycles = f"{self._session.cycle:,} cycles, {rate:,.0f}/s"
        return f"{int(100 * share):3d} %  {cycles}{left}, {waiting:,} pods wait"


def duration(seconds: float) -> str:
    """A time that is only estimated: 12 s, 3 min, 2 h."""
    if seconds < MINUTE:
        return f"{max(1, round(seconds))} s"
    return f"{round(seconds / MINUTE)} min" if seconds < HOUR else f"{seconds / HOUR:.1f} h"

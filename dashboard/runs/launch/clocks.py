"""Virtual time in the launch form: 24:00:00, or 50:00."""

from __future__ import annotations

import re

_CLOCK = re.compile(r"(?:(\d{1,3}):)?(\d{1,4}):(\d{2})", re.ASCII)


def micros_of(text: str) -> int | None:
    """Return the microseconds of H:MM:SS or MM:SS; None for any other text."""
    match = _CLOCK.fullmatch(text.strip())
    if match is None or int(match[3]) > 59 or (match[1] and int(match[2]) > 59):
        return None
    return (int(match[1] or 0) * 3600 + int(match[2]) * 60 + int(match[3])) * 1_000_000


def clock_of(micros: int) -> str:
    """Return microseconds as H:MM:SS, at least one second."""
    minutes, seconds = divmod(max(1, round(micros / 1e6)), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}"

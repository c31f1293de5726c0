"""Virtual time in words, for every page and report: a moment is a clock, a span has units.

All arguments are microseconds. A moment has the precision of its place: milliseconds where it stands alone, on an axis
as many digits as tell its labels apart. static/debugger/scrubber/times.js writes moments so for scripts; its spans, of
idle gaps on the strip, have whole seconds.
"""

from __future__ import annotations

_MS, _SECOND = 1_000, 1_000_000


def clock(us: int) -> str:
    """A moment in full: "00:05:30.971"."""
    ms = (abs(us) + _MS // 2) // _MS
    seconds = ms // 1_000
    sign = "-" if us < 0 and ms else ""
    return f"{sign}{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}.{ms % 1_000:03}"


def label(us: int, step: int = _SECOND) -> str:
    """A moment on an axis whose labels are ``step`` apart: "05:30", "2:05:00", "00:00.250"."""
    digits = 3 if step >= _MS else 6
    unit = 10 ** (6 - digits)
    seconds, part = divmod((us + unit // 2) // unit, 10**digits)
    hours = f"{seconds // 3600}:" if seconds >= 3600 else ""
    fraction = f".{part:0{digits}}" if step < _SECOND else ""
    return f"{hours}{seconds // 60 % 60:02}:{seconds % 60:02}{fraction}"


def span(us: float) -> str:
    """A span with three digits or two units: "84 µs", "0.84 ms", "131 ms", "1.3 s", "4 min 10 s", "2 h 5 min"."""
    us = max(us, 0)
    if us < 0.5:
        return "0 s"
    if us < 99.5:
        return f"{us:.0f} µs"
    if us < 999_500:
        return f"{_trimmed(us / _MS, 2 if us < 9_995 else 0)} ms"
    if us < 59_950_000:
        return f"{_trimmed(us / _SECOND, 1)} s"
    minutes, seconds = divmod(round(us / _SECOND), 60)
    hours, minutes = divmod(minutes, 60)
    larger, smaller = (f"{hours:,} h", f"{minutes} min") if hours else (f"{minutes} min", f"{seconds} s")
    return larger if smaller.startswith("0 ") else f"{larger} {smaller}"


def _trimmed(value: float, digits: int) -> str:
    text = f"{value:.{digits}f}"
    return text.rstrip("0").rstrip(".") if digits else text

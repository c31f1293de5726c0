"""Durations and timestamps: read, written, added, taken apart.

Instants are whole nanoseconds, so nothing depends on the machine. Its database of time zones would: zones are UTC or an
offset ("+02:00"), and a zone by name is an error.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

from scheduler_core.cel.errors import CelError
from scheduler_core.cel.library.registry import TEXT, function, method
from scheduler_core.cel.values import INT64_MAX, INT64_MIN, Duration, Timestamp, in_int64

_UNITS = {"ns": 1, "us": 10**3, "µs": 10**3, "μs": 10**3, "ms": 10**6, "s": 10**9, "m": 60 * 10**9, "h": 3600 * 10**9}
_PARTS = re.compile(r"(\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h)", re.ASCII)
_STAMP = re.compile(r"(\d{4})-(\d\d)-(\d\d)[Tt](\d\d):(\d\d):(\d\d)(?:\.(\d+))?(?:[Zz]|([+-])(\d\d):(\d\d))", re.ASCII)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_SECOND = 10**9
_FIRST, _LAST = -62_135_596_800 * _SECOND, 253_402_300_800 * _SECOND - 1
_LONGEST_TEXT = 100
Wide = tuple[type, ...]


@function("duration", (str, int, Duration))
def duration_of(value: Any) -> Duration:
    """The conversion ``duration``: of texts as Go reads them ("1h2.5s"), and of whole nanoseconds."""
    if isinstance(value, Duration):
        return value
    if isinstance(value, int):
        return Duration(value)
    parts, sign = value.lstrip("+-") if value[:1] in "+-" else value, -1 if value.startswith("-") else 1
    matches = list(_PARTS.finditer(parts)) if len(value) <= _LONGEST_TEXT else []
    if parts != "0" and (not matches or "".join(match[0] for match in matches) != parts or len(value) - len(parts) > 1):
        raise CelError("type conversion error from 'string' to 'google.protobuf.Duration'")
    nanos = sign * sum(math.floor(Decimal(match[1]) * _UNITS[match[2]]) for match in matches)
    if not INT64_MIN <= nanos <= INT64_MAX:
        raise CelError("type conversion error from 'string' to 'google.protobuf.Duration'")
    return Duration(nanos)


@function("timestamp", (str, int, Timestamp))
def timestamp_of(value: Any) -> Timestamp:
    """The conversion ``timestamp``: of RFC 3339 texts, and of whole seconds since 1970."""
    if isinstance(value, Timestamp):
        return value
    if isinstance(value, int):
        return _within(value * _SECOND)
    match = _STAMP.fullmatch(value) if len(value) <= _LONGEST_TEXT else None
    try:
        if match is None:
            raise ValueError(value)
        year, month, day, hour, minute, second = (int(match[i]) for i in range(1, 7))
        whole = (datetime(year, month, day, hour, minute, second, tzinfo=UTC) - _EPOCH) // timedelta(seconds=1)
        hours, minutes = int(match[9] or 0), int(match[10] or 0)
        if hours > 24 or minutes > 59:
            raise ValueError(value)
    except ValueError:
        raise CelError("type conversion error from 'string' to 'google.protobuf.Timestamp'") from None
    offset = (hours * 60 + minutes) * (-1 if match[8] == "-" else 1)
    nanos = (whole - offset * 60) * _SECOND + int((match[7] or "0")[:9].ljust(9, "0"))
    if not _FIRST <= nanos <= _LAST:
        raise CelError("type conversion error from 'string' to 'google.protobuf.Timestamp'")
    return Timestamp(nanos, offset)


def _within(nanos: int, offset: int = 0) -> Timestamp:
    if not _FIRST <= nanos <= _LAST:
        raise CelError("timestamp overflow")
    return Timestamp(nanos, offset)


def duration_text(value: Duration) -> str:
    """ "3723.5s"."""
    whole, rest = divmod(abs(value.nanos), _SECOND)
    fraction = f".{rest:09d}".rstrip("0") if rest else ""
    return f"{'-' if value.nanos < 0 else ''}{whole}{fraction}s"


def timestamp_text(value: Timestamp) -> str:
    """ "2024-01-01T00:00:00.5Z", or with the offset that it was read with."""
    moment, rest = _moment(value.nanos, value.offset), value.nanos % _SECOND
    fraction = f".{rest:09d}".rstrip("0") if rest else ""
    hours, minutes = divmod(abs(value.offset), 60)
    zone = f"{'-' if value.offset < 0 else '+'}{hours:02d}:{minutes:02d}" if value.offset else "Z"
    return f"{moment.year:04d}-{moment:%m-%dT%H:%M:%S}{fraction}{zone}"


def _moment(nanos: int, offset: int) -> datetime:
    try:
        return _EPOCH + timedelta(seconds=nanos // _SECOND, minutes=offset)
    except OverflowError:
        raise CelError("timestamp overflow") from None


# ---------------------------------------------------------------- arithmetic


def added(one: Duration | Timestamp, other: Duration | Timestamp) -> Duration | Timestamp:
    """The sum of two durations, or of a timestamp and a duration. Raises CelError, TypeError for two timestamps."""
    if isinstance(one, Timestamp) and isinstance(other, Timestamp):
        raise TypeError("two timestamps")
    if isinstance(one, Timestamp):
        return _within(one.nanos + other.nanos, one.offset)
    if isinstance(other, Timestamp):
        return _within(one.nanos + other.nanos, other.offset)
    return Duration(in_int64(one.nanos + other.nanos))


def taken(one: Duration | Timestamp, other: Duration | Timestamp) -> Duration | Timestamp:
    """The first less the second. Raises CelError, TypeError for a duration less a timestamp."""
    if isinstance(one, Timestamp):
        if isinstance(other, Timestamp):
            return Duration(in_int64(one.nanos - other.nanos))
        return _within(one.nanos - other.nanos, one.offset)
    if isinstance(other, Timestamp):
        raise TypeError("a duration less a timestamp")
    return Duration(in_int64(one.nanos - other.nanos))


# ---------------------------------------------------------------- parts

_TIMES: dict[str, int] = {
    "getHours": 3600 * _SECOND, "getMinutes": 60 * _SECOND, "getSeconds": _SECOND, "getMilliseconds": 10**6,
}  # fmt: skip
_FIELDS: dict[str, Callable[[datetime], int]] = {
    "getFullYear": lambda at: at.year,
    "getMonth": lambda at: at.month - 1,
    "getDayOfYear": lambda at: at.timetuple().tm_yday - 1,
    "getDate": lambda at: at.day,
    "getDayOfMonth": lambda at: at.day - 1,
    "getDayOfWeek": lambda at: at.isoweekday() % 7,
    "getHours": lambda at: at.hour,
    "getMinutes": lambda at: at.minute,
    "getSeconds": lambda at: at.second,
}


def _of_duration(unit: int) -> Callable[[Duration], int]:
    return lambda value: abs(value.nanos) // unit * (-1 if value.nanos < 0 else 1)


def _of_timestamp(field: Callable[[datetime], int]) -> Callable[..., int]:
    return lambda value, zone="UTC": field(_moment(value.nanos, _offset(zone)))


for _name, _unit in _TIMES.items():
    method(_name, Duration)(_of_duration(_unit))
for _name, _field in _FIELDS.items():
    method(_name, Timestamp, TEXT, least=0)(_of_timestamp(_field))


@method("getMilliseconds", Timestamp, TEXT, least=0)
def _milliseconds(value: Timestamp, zone: str = "UTC") -> int:
    _offset(zone)
    return value.nanos % _SECOND // 10**6


def _offset(zone: str) -> int:
    """Minutes east of UTC. As upstream, hours and minutes may be any whole numbers."""
    if ":" not in zone:
        if zone in ("", "UTC"):
            return 0
        raise CelError(f"time zone {zone}: zones by name are not evaluated, offsets such as +02:00 are")
    hours, minutes = (_whole(part) for part in zone.split(":", 1))
    return hours * 60 - minutes if zone.startswith("-") else hours * 60 + minutes


def _whole(text: str) -> int:
    if not re.fullmatch(r"[+-]?\d{1,9}", text, re.ASCII):
        raise CelError(f'strconv.Atoi: parsing "{text}": invalid syntax')
    return int(text)

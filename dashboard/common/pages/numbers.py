"""Figures as the pages write them: 1,500; 38 %; 500m; 2Gi; 00:27:39.250."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal

from scheduler_core.recording.times import span

BINARY = ("", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei")
DECIMAL = ("B", "kB", "MB", "GB", "TB", "PB")
UNKNOWN = "unknown"
MINUS = "\N{MINUS SIGN}"
# {ending of several: that of one}, as the lists' words need them.
ENDS = (("ies", "y"), ("ches", "ch"), ("s", ""))
MINUS = "\N{MINUS SIGN}"


def grouped(value: int | float | None, digits: int = 0) -> str:
    """Return a number with thousands separated: 1,500."""
    if value is None:
        return UNKNOWN
    # As a float a whole number above 2**53 would lose its last digits.
    return f"{value:,}" if isinstance(value, int) and not digits else f"{value:,.{digits}f}"


def plural(count: int, one: str, many: str = "") -> str:
    """Return "1 node", "1,500 nodes"."""
    return f"{grouped(count)} {one if count == 1 else many or one + 's'}"


def counted(count: int, many: str) -> str:
    """Return "1 entry", "1,500 entries" of the plural that a list is named by."""
    end, of_one = next((pair for pair in ENDS if many.endswith(pair[0])), ("", ""))
    return plural(count, f"{many.removesuffix(end)}{of_one}", many)


def percent(part: float | None, whole: float | None = 1.0) -> str:
    """Return part of whole as "38 %"; what is not quite nothing is "<1 %", what is not quite all is ">99 %"."""
    if part is None or whole is None:
        return UNKNOWN
    if whole == 0:
        return "0 %" if part == 0 else UNKNOWN
    share = 100 * part / whole
    if 0 < share < 1:
        return "<1 %"
    if 99 < share < 100:
        return ">99 %"
    return f"{share:,.0f} %"


def cpu(milli: int | None) -> str:
    """Return thousandths of a core as Kubernetes writes them: 500m, 4, 1500m as "1.5"; whole cores from 1,000 on."""
    if milli is None:
        return UNKNOWN
    if abs(milli) < 1000:
        return f"{milli}m" if milli else "0"
    return trimmed(Decimal(milli) / 1000, 3 if abs(milli) < 1_000_000 else 0)


def memory(count: int | None) -> str:
    """Return bytes with the largest binary unit and at most one figure after the point: 2Gi, 15.5Gi, 0."""
    if count is None:
        return UNKNOWN
    value, unit = Decimal(count), 0
    while abs(value) >= 1024 and unit < len(BINARY) - 1:
        value, unit = value / 1024, unit + 1
    return trimmed(value, 1) + BINARY[unit]


def amount(value: int | None, resource: str) -> str:
    """Return a resource's integer (cpu in thousandths, others in units or bytes) as Kubernetes would write it."""
    if resource == "cpu":
        return cpu(value)
    if resource in {"memory", "ephemeral-storage"} or resource.startswith("hugepages-"):
        return memory(value)
    return grouped(value)


def data_size(count: int | None) -> str:
    """Return a size on disk in decimal units: 1.2 GB."""
    if count is None:
        return UNKNOWN
    value, unit = Decimal(count), 0
    while abs(value) >= 1000 and unit < len(DECIMAL) - 1:
        value, unit = value / 1000, unit + 1
    return f"{trimmed(value, 1)} {DECIMAL[unit]}"


def duration(seconds: float | None) -> str:
    """Return a measured duration as a span: 84 µs, 0.84 ms, 1.2 s, 4 min 10 s, 2 h 5 min."""
    return UNKNOWN if seconds is None else span(seconds * 1e6)


def roughly(seconds: float) -> str:
    """Return an estimated duration in one unit: 1 s, 12 s, 4 min, 2 h."""
    if seconds < 60:
        return f"{max(1, round(seconds))} s"
    return f"{round(seconds / 60)} min" if seconds < 3600 else f"{round(seconds / 3600)} h"


def signed(value: int | float | None) -> str:
    """Return a change with its sign: +6, -3 with a true minus, 0."""
    if value is None:
        return UNKNOWN
    return grouped(abs(value)) if value == 0 else f"{'+' if value > 0 else MINUS}{grouped(abs(value))}"


def trimmed(value: Decimal, digits: int) -> str:
    """Return the value rounded to `digits` digits, without trailing zeros, thousands separated."""
    text = f"{value.quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP):,f}"
    return text.rstrip("0").rstrip(".") if "." in text else text

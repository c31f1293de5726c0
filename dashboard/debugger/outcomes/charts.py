"""Charts over virtual time: lines as SVG points, and the same as tables.

y goes from 0 (top) to 100; values hold from one sample to the next.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dashboard.common.pages.numbers import amount, grouped, percent
from dashboard.debugger.outcomes.labels import bare
from scheduler_core.explain.outcomes.device_usage import class_of
from scheduler_core.recording.times import clock, label

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dashboard.debugger.outcomes.axis import Axis, Form, Idle, Tick
    from scheduler_core.explain.outcomes.model import Line, Series

LABEL_STEP = 13.0
HEIGHT = 100.0
TOP = 4
"""Pixels above the curves."""
STYLES = 4
TABLE_ROWS = 24
LANES = (
    ("active", "activeQ"),
    ("unschedulable", "unschedulable"),
    ("backoff", "backoffQ"),
    ("error_backoff", "backoffQ after an error"),
    ("gated", "gated"),
)
# Beside a chart there is little room.
SHORT = {"unschedulable": "unsched.", "error_backoff": "after errors"}


@dataclass(frozen=True)
class Curve:
    """A line or an area with its label at the right; `cls` is its look."""

    name: str
    full_name: str
    cls: str
    points: str
    label: str
    y: str


@dataclass(frozen=True)
class Chart:
    """A chart with its table: `head` names the columns, `rows` have a time and one text per column."""

    axis: Axis
    curves: list[Curve]
    top: str
    summary: str
    head: list[str]
    rows: list[tuple[str, list[str]]]

    @property
    def ticks(self) -> list[Tick]:
        """Return the times below the axis."""
        return self.axis.ticks

    @property
    def share(self) -> str:
        """Return the part of the width that curves take."""
        return f"{100 * self.axis.form.part:.0f}%"

    @property
    def y(self) -> dict[str, int]:
        """Return heights in pixels from the top of the chart: of lines, of the axis, of texts below it, and all."""
        height = self.axis.form.height
        return {
            "curves": height,
            "middle": TOP + height // 2,
            "axis": TOP + height,
            "ticks": TOP + height + 15,
            "silences": TOP + height + 27,
            "all": TOP + height + 32,
        }

    @property
    def idle(self) -> list[Idle]:
        """Return the folded silences."""
        return self.axis.idle


def requested(series: Series, axis: Axis) -> Chart:
    """Return the requested share of every requested resource that some node has, and of the devices of each class; the
    first is the heavy line."""
    lines = [line for line in (*series.resources, *series.devices) if line.share is not None]
    shares = [_shares(line) for line in lines]
    ends = [HEIGHT * (1 - min(share[-1], 1.0)) for share in shares]
    curves = [
        Curve(
            name=_brief(line),
            full_name=line.resource,
            cls=f"ln ln-{min(i + 1, STYLES)}",
            points=_points(axis.places, [HEIGHT * (1 - min(share, 1.0)) for share in shares[i]]),
            label=f"{_brief(line)} {percent(shares[i][-1])}",
            y=f"{y:.0f}",
        )
        for i, (line, y) in enumerate(zip(lines, _apart(ends, axis.form), strict=True))
    ]
    rows = [
        (label(series.at[i]), [f"{percent(share[i])} ({amount(line.requested[i], line.resource)})"
         for line, share in zip(lines, shares, strict=True)])
        for i in _table_rows(len(series.at))
    ]  # fmt: skip
    said = ", ".join(f"{curve.name} {percent(share[-1])}" for curve, share in zip(curves, shares, strict=True))
    return Chart(axis, curves, "100 %", f"Requested at the end: {said}", [line.resource for line in lines], rows)


def _brief(line: Line) -> str:
    """A resource without its domain; "gpu devices" of the class gpu.example.com."""
    class_name = class_of(line.resource)
    return f"{class_name.partition('.')[0]} devices" if class_name else bare(line.resource)


def queues(series: Series, axis: Axis) -> Chart:
    """Return the lengths of the queue's lanes: areas of activeQ and unschedulable pods, lines of others with any."""
    lanes = [(name, label) for name, label in LANES if series.peaks.get(name) or name in ("active", "unschedulable")]
    top = max([series.peaks.get(name, 0) for name, _ in lanes] + [1])
    columns = [series.lanes[name] for name, _ in lanes]
    ends = [HEIGHT * (1 - column[-1] / top) for column in columns]
    looks = {"active": "ar ar-q", "unschedulable": "ar ar-u"}
    curves = [
        Curve(
            name=label,
            full_name=label,
            cls=looks.get(name, f"ln ln-{min(i, STYLES)}"),
            points=_points(axis.places, [HEIGHT * (1 - value / top) for value in column], is_area=name in looks),
            label=f"{SHORT.get(name, label)} {grouped(column[-1])}",
            y=f"{y:.0f}",
        )
        for i, ((name, label), column, y) in enumerate(zip(lanes, columns, _apart(ends, axis.form), strict=True))
    ]
    rows = [(label(series.at[i]), [grouped(column[i]) for column in columns]) for i in _table_rows(len(series.at))]
    said = ", ".join(f"{label} {grouped(column[-1])}" for (_, label), column in zip(lanes, columns, strict=True))
    return Chart(axis, curves, grouped(top), f"Pods at the end: {said}", [label for _, label in lanes], rows)


def crosshair(series: Series, axis: Axis) -> dict[str, object]:
    """Return what the shared crosshair says at each sample: places as shares of the chart's width, times, events, and a
    text per chart."""
    lines = [line for line in series.resources if line.share is not None][:2]
    shares = [(bare(line.resource), _shares(line)) for line in lines]
    lanes = [(label, series.lanes[name]) for name, label in LANES[:2]]
    return {
        "x": [round(axis.form.part * place / 100, 4) for place in axis.places],
        "at": series.at,
        "labels": [clock(at) for at in series.at],
        "seq": series.seq,
        "requested": [
            f"{label(at)}: {', '.join(f'{name} {percent(share[i])}' for name, share in shares)}"
            for i, at in enumerate(series.at)
        ],
        "queues": [
            f"{label(at)}: {', '.join(f'{name} {grouped(column[i])}' for name, column in lanes)}"
            for i, at in enumerate(series.at)
        ],
    }


def _shares(line: Line) -> list[float]:
    return [part / whole if whole else 0.0 for part, whole in zip(line.requested, line.allocatable, strict=True)]


def _points(places: Sequence[float], values: Sequence[float], is_area: bool = False) -> str:
    """Steps through the values; an area is closed along the bottom."""
    points: list[tuple[float, float]] = []
    for i, (place, value) in enumerate(zip(places, values, strict=True)):
        if i:
            points.append((place, values[i - 1]))
        points.append((place, value))
    if is_area:
        points = [(places[0], HEIGHT), *points, (places[-1], HEIGHT)]
    return " ".join(f"{x:.2f},{y:.2f}" for x, y in points)


def _apart(places: Sequence[float], form: Form) -> list[float]:
    """Pixels from the top of labels beside curves that end at these places, far enough apart to be read, in the order
    of the curves."""
    ends = [place * form.height / HEIGHT for place in places]
    order = sorted(range(len(ends)), key=lambda i: (ends[i], i))
    heights = [0.0] * len(ends)
    lowest = form.height + 8
    at = -LABEL_STEP
    for place, i in enumerate(order):
        room = lowest - LABEL_STEP * (len(order) - 1 - place)
        at = heights[i] = min(max(ends[i] + 8, at + LABEL_STEP), room)
    return heights


def _table_rows(n: int) -> list[int]:
    step = max(1, -(-n // TABLE_ROWS))
    return sorted({*range(0, n, step), n - 1}) if n else []

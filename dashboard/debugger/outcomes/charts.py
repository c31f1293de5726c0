"""Charts over virtual time: places of samples with silences folded, lines as SVG points, and the same as tables.

x goes from 0 to 100, y from 0 (top) to 100; labels of the curves take what is left of the chart's width. A silence,
longer than SILENCE, takes a slot of one width, however long it was; values hold from one sample to the next.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dashboard.common.pages.numbers import amount, grouped, percent
from dashboard.debugger.outcomes.labels import bare
from scheduler_core.explain.outcomes.samples import is_silence
from scheduler_core.recording.times import clock, label, span

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scheduler_core.explain.outcomes.model import Line, Series

SLOT = 5.0
MOST_SLOTS = 40.0
LABEL_STEP = 13.0
HEIGHT = 100.0
TOP = 4
"""Pixels above the curves."""
STYLES = 4
LONG_LABEL = 1.6
"""How much more room a time with milliseconds takes."""
NARROWEST = 0.4
"""Of a band that can be seen, however short its time is."""
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
class Form:
    """How large charts are: the `part` of the width that curves take, their `height` in pixels, how far `apart` times
    below the axis are, and at which places between its ends there are some."""

    part: float
    height: int
    apart: float
    between: Sequence[int]


BESIDE = Form(0.75, 100, 17.0, (50,))
"""Charts beside the table."""
WIDE = Form(0.9, 120, 8.0, range(10, 100, 10))
"""Charts across the page."""


@dataclass(frozen=True)
class Idle:
    """A folded silence."""

    x: str
    width: str
    middle: str
    label: str


@dataclass(frozen=True)
class Tick:
    """A time below the axis; `anchor` is start, middle or end."""

    x: str
    label: str
    anchor: str


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
class Axis:
    """Places of the samples from 0 to 100, the silences between them, and times below."""

    places: list[float]
    idle: list[Idle]
    ticks: list[Tick]
    form: Form = BESIDE

    def at(self, values: Sequence[int], value: int) -> str:
        """Return where `value` is among the ascending `values` of the samples: times, or numbers of events."""
        return _share(float(np.interp(value, values, self.places)), self.form)


@dataclass(frozen=True)
class Band:
    """A part of the axis, from `x` on."""

    x: str
    width: str


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


def axis_of(at: Sequence[int], form: Form = BESIDE) -> Axis:
    """Return the axis of samples at these virtual microseconds, which ascend."""
    gaps = [i for i in range(1, len(at)) if is_silence(at[i - 1], at[i])]
    active = sum(at[i] - at[i - 1] for i in range(1, len(at)) if i not in set(gaps))
    slot = min(SLOT, MOST_SLOTS / len(gaps)) if gaps else 0.0
    if gaps and not active:
        slot = 100 / len(gaps)
    scale = (100 - slot * len(gaps)) / active if active else 0.0
    places, is_gap = [0.0], set(gaps)
    for i in range(1, len(at)):
        places.append(places[-1] + (slot if i in is_gap else (at[i] - at[i - 1]) * scale))
    idle = [_idle(places, at, i, len(gaps), form) for i in gaps]
    return Axis(places, idle, _ticks(at, places, gaps, form), form)


def _idle(places: list[float], at: Sequence[int], i: int, n: int, form: Form) -> Idle:
    start, end = places[i - 1], places[i]
    label = f"{span(at[i] - at[i - 1])} idle" if n <= 2 else ""
    return Idle(_share(start, form), _share(end - start, form), _share((start + end) / 2, form), label)


def _share(place: float, form: Form) -> str:
    """A place of the curves as a share of the chart's width, of which they take a part."""
    return f"{form.part * place:.2f}%"


def _ticks(at: Sequence[int], places: list[float], gaps: list[int], form: Form) -> list[Tick]:
    """The start, the end, the side of the longest silence, and steps between, where they are not too near."""
    if not at:
        return []
    longest = max(gaps, key=lambda i: at[i] - at[i - 1], default=0)
    between = [min(range(len(at)), key=lambda i: abs(places[i] - step)) for step in form.between]
    candidates, last = [0, len(at) - 1, *((longest - 1,) if longest else ()), *between], len(at) - 1
    chosen = _far_apart(candidates, places, form.apart)
    texts = {i: label(at[i]) for i in chosen}
    if len(set(texts.values())) < len(texts):
        chosen = _far_apart(candidates, places, LONG_LABEL * form.apart)
        texts = {i: label(at[i], 1_000) for i in chosen}
    return [
        Tick(_share(places[i], form), texts[i], "start" if i == 0 else "end" if i == last else "middle")
        for i in sorted(chosen)
    ]


def _far_apart(candidates: Sequence[int], places: Sequence[float], apart: float) -> list[int]:
    """Those whose places are at least so far from the ones before them in the list."""
    chosen: list[int] = []
    for i in candidates:
        if all(abs(places[i] - places[j]) >= apart for j in chosen):
            chosen.append(i)
    return chosen


def band(axis: Axis, at: Sequence[int], start: int, end: int) -> Band:
    """Return where the time from `start` to `end` is on the axis of samples at these times."""
    first, last = (float(np.interp(moment, at, axis.places)) for moment in (start, end))
    return Band(_share(first, axis.form), _share(max(last - first, NARROWEST), axis.form))


def requested(series: Series, axis: Axis) -> Chart:
    """Return the requested share of every requested resource that some node has; the first is the heavy line."""
    lines = [line for line in series.resources if line.share is not None]
    shares = [_shares(line) for line in lines]
    ends = [HEIGHT * (1 - min(share[-1], 1.0)) for share in shares]
    curves = [
        Curve(
            name=bare(line.resource),
            full_name=line.resource,
            cls=f"ln ln-{min(i + 1, STYLES)}",
            points=_points(axis.places, [HEIGHT * (1 - min(share, 1.0)) for share in shares[i]]),
            label=f"{bare(line.resource)} {percent(shares[i][-1])}",
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

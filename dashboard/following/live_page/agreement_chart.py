"""Agreement by the hour: bindings and messages as lines, all decisions of an hour as a bar, so that 100 % of two is not
read as 100 % of two hundred."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dashboard.following.live_page.collector import moment

if TYPE_CHECKING:
    from collections.abc import Iterable
    from datetime import datetime

    from scheduler_core.explain.reality import Reality

HOUR, HOURS = 3_600.0, 24
WIDTH, TOP, BASE, BARS = 360.0, 6.0, 62.0, 20.0
"""Of the picture: 100 % is at TOP, 0 % at BASE, and bars stand below it."""


@dataclass(frozen=True)
class HourBar:
    """The decisions of an hour: place and height, and in words."""

    x: float
    y: float
    width: float
    height: float
    label: str


@dataclass(frozen=True)
class AgreementChart:
    """`bindings` and `messages` are the points of lines, one for hours beside each other that have some; `versions` the
    places of changes of version; `labels` the hours at the left, in the middle and at the right."""

    bindings: list[str]
    messages: list[str]
    bars: list[HourBar]
    versions: list[tuple[float, str]]
    labels: list[datetime]
    width: float = WIDTH
    top: float = TOP
    base: float = BASE
    height: float = BASE + BARS


def agreement_chart(figures: Reality) -> AgreementChart | None:
    """Return the chart of the 24 hours that end with the one of the comparison's end; None without decisions."""
    first = (figures.ended // HOUR - HOURS + 1) * HOUR
    hours = [one for one in figures.hours if one.began >= first]
    if not hours:
        return None
    scale = WIDTH / (HOURS * HOUR)
    most = max(one.bindings + one.messages for one in hours)
    bars = []
    for one in hours:
        count = one.bindings + one.messages
        tall = round(max(1.0, count / most * BARS), 1)
        bindings = f"{one.equal_bindings:,} of {one.bindings:,} bindings"
        messages = f"{one.equal_messages:,} of {one.messages:,} messages"
        label = f"{moment(one.began):%H:%M} UTC: {bindings} and {messages} equal"
        x = round((one.began - first) * scale + 3, 1)
        bars.append(HourBar(x, round(BASE + BARS - tall, 1), round(HOUR * scale - 6, 1), tall, label))
    return AgreementChart(
        bindings=_lines(((one.began - first, one.equal_bindings, one.bindings) for one in hours), scale),
        messages=_lines(((one.began - first, one.equal_messages, one.messages) for one in hours), scale),
        bars=bars,
        versions=[(round((at - first) * scale, 1), version) for at, version in figures.versions if at >= first],
        labels=[moment(first + n * HOUR) for n in (0, HOURS // 2, HOURS - 1)],
    )


def _lines(shares: Iterable[tuple[float, int, int]], scale: float) -> list[str]:
    """(seconds, equal, of) as points of lines; an hour alone is a short one."""
    lines: list[list[tuple[float, float]]] = []
    last = None
    for at, equal, of in shares:
        if not of:
            continue
        point = (round((at + HOUR / 2) * scale, 1), round(BASE - equal / of * (BASE - TOP), 1))
        if last is None or at - last > HOUR:
            lines.append([])
        lines[-1].append(point)
        last = at
    return [" ".join(f"{x},{y}" for x, y in _wide(line)) for line in lines]


def _wide(line: list[tuple[float, float]]) -> list[tuple[float, float]]:
    return line if len(line) > 1 else [(line[0][0] - 3, line[0][1]), (line[0][0] + 3, line[0][1])]

"""The axis of virtual time that charts share: places of samples with silences folded, times below, parts of it.

x goes from 0 to 100; labels of the curves take the rest of the chart's width. A silence (longer than SILENCE) takes one
slot, however long it was.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from scheduler_core.explain.outcomes.samples import is_silence
from scheduler_core.recording.times import label, span

if TYPE_CHECKING:
    from collections.abc import Sequence

SLOT = 5.0
MOST_SLOTS = 40.0
LONG_LABEL = 1.6
"""How much more room a time with milliseconds takes."""
NARROWEST = 0.4
"""Of a band that can be seen, however short its time is."""


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
class Axis:
    """Places of the samples from 0 to 100, the silences between them, and times below."""

    places: list[float]
    idle: list[Idle]
    ticks: list[Tick]
    form: Form = BESIDE

    def at(self, values: Sequence[int], value: int) -> str:
        """Return where `value` is among the ascending `values` of the samples: times, or numbers of events."""
        return _share(self._place(values, value), self.form)

    def band(self, values: Sequence[int], start: int, end: int) -> Band:
        """Return the part from `start` to `end` of the ascending `values` of the samples."""
        first, last = self._place(values, start), self._place(values, end)
        return Band(_share(first, self.form), _share(max(last - first, NARROWEST), self.form))

    def _place(self, values: Sequence[int], value: int) -> float:
        return float(np.interp(value, values, self.places))


@dataclass(frozen=True)
class Band:
    """A part of the axis, from `x` on."""

    x: str
    width: str


def axis_of(at: Sequence[int], form: Form = BESIDE) -> Axis:
    """Return the axis of samples at these virtual microseconds, which ascend."""
    gaps = [i for i in range(1, len(at)) if is_silence(at[i - 1], at[i])]
    is_gap = set(gaps)
    active = sum(at[i] - at[i - 1] for i in range(1, len(at)) if i not in is_gap)
    slot = min(SLOT, MOST_SLOTS / len(gaps)) if gaps else 0.0
    if gaps and not active:
        slot = 100 / len(gaps)
    scale = (100 - slot * len(gaps)) / active if active else 0.0
    places = [0.0]
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

"""What wakes a pod, as the page shows it: timers with what is left of them, and events by who hears them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dashboard.debugger.labels import listed
from scheduler_core.recording.times import span

if TYPE_CHECKING:
    from scheduler_core.explain.pending.model import Timer, Waker, Wakes

TITLES = {
    "unschedulable flush": "Timer for unschedulable pods",
    "backoff": "End of its backoff",
    "permit": "End of its wait at Permit",
}


@dataclass(frozen=True)
class TimerRow:
    """A timer: `left` of it in words, and the share of its time that has passed, in percent."""

    timer: Timer

    @property
    def title(self) -> str:
        """Return what kind of timer it is."""
        return TITLES.get(self.timer.kind, self.timer.kind)

    @property
    def left(self) -> str:
        """Return the remaining virtual time."""
        return span(self.timer.left_us)

    @property
    def share(self) -> float:
        """Return how much of it has passed, 0 to 100 percent."""
        whole = self.timer.at - self.timer.since
        return 100 * (1 - self.timer.left_us / whole) if whole > 0 else 100.0


# Of more events than this, as extenders hear, only the next number is named.
MOST_EVENTS = 12
NAMED_EVENTS = 4


@dataclass(frozen=True)
class WakingEvents:
    """Events that the same plugins hear; `is_judged` where these look at the object and may pass the event over.
    `all_events` names those of which `events` only says how many they are, "" where it names them all.
    """

    plugins: str
    events: str
    is_judged: bool
    all_events: str = ""


@dataclass(frozen=True)
class HintRow:
    """What the hints say of a kind of change: a sentence, and the first objects whose change would wake the pod,
    pods by namespace/name or nodes."""

    text: str
    names: list[str]
    more: int
    is_of_pods: bool


@dataclass(frozen=True)
class WakeList:
    """Where the pod is, what brings it back from there, and whether changes of objects that are there would."""

    text: str
    timers: list[TimerRow]
    events: list[WakingEvents]
    hints: list[HintRow]
    not_by: tuple[str, ...] = ()


def wake_list(wakes: Wakes) -> WakeList:
    """Return the answer in rows."""
    groups: dict[tuple[tuple[str, ...], bool], list[str]] = {}
    for one in wakes.events:
        groups.setdefault((one.plugins, _is_judged(one)), []).append(one.event)
    events = [_waking(plugins, names, is_judged=judged) for (plugins, judged), names in groups.items()]
    # Where all of them would wake it, or none, the sentence says it without names.
    hints = [
        HintRow(one.text, list(names), one.count - len(names) if names else 0, one.event != "NodeAdd")
        for one in wakes.asked
        for names in [one.waking if one.count < one.of else ()]
    ]
    return WakeList(wakes.text, [TimerRow(one) for one in wakes.timers], events, hints, wakes.not_by)


def _waking(plugins: tuple[str, ...], names: list[str], *, is_judged: bool) -> WakingEvents:
    every = ", ".join(names)
    if len(names) <= MOST_EVENTS:
        return WakingEvents(listed(list(plugins)), every, is_judged)
    text = f"{', '.join(names[:NAMED_EVENTS])} and {len(names) - NAMED_EVENTS} more kinds of events"
    return WakingEvents(listed(list(plugins)), text, is_judged, every)


def _is_judged(one: Waker) -> bool:
    return set(one.hinting) == set(one.plugins)

"""The events at the end of a described object: those that say what a scheduler, a kubelet or an autoscaler decided.

Messages of other events are not taken over: they are no facts of scheduling, and may hold anything.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from scheduler_core.manifests.kinds.registry import KEPT_EVENTS

_EVENT = re.compile(
    r"\s*(?:Normal|Warning)\s+(?P<reason>\S+)\s+(?P<age>\S+(?: \(x\d+ over [^)]*\))?)\s+(?P<source>\S+)"
    r"\s+(?P<message>\S.*)"
)
_AGE = re.compile(r"(\d+)([dhms])")
_SECONDS = {"d": 86_400, "h": 3_600, "m": 60, "s": 1}


class DescribedEvent(NamedTuple):
    """An event: its reason, how many seconds ago it was seen last (None where the text does not say), who reported it
    and what."""

    reason: str
    age: int | None
    source: str
    message: str


def events_of(lines: list[str]) -> list[DescribedEvent]:
    """The events that are read of a table of events, the newest last; a message may go on in further lines."""
    out: list[DescribedEvent] = []
    goes_on = False
    for line in lines:
        match = _EVENT.fullmatch(line)
        if match is not None:
            goes_on = match["reason"] in KEPT_EVENTS
            if goes_on:
                out.append(
                    DescribedEvent(match["reason"], _age(match["age"]), match["source"].rstrip(","), match["message"])
                )
        elif goes_on and line.strip() and line.split()[0] not in ("Type", "----"):
            out[-1] = out[-1]._replace(message=f"{out[-1].message} {line.strip()}")
    # Of equal age the later line is newer. One without an age is older than all.
    return sorted(out, key=lambda one: -(one.age if one.age is not None else 1 << 40))


def _age(text: str) -> int | None:
    times = _AGE.findall(text.split(" ", 1)[0])
    return sum(int(number[:9]) * _SECONDS[unit] for number, unit in times) if times else None

"""What a controller sees of a pod: the object, when it was made, and since when it is Ready."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from scheduler_core.api.objects import Pod

SECOND_US = 1_000_000
SAID = 100


class SeenPod(NamedTuple):
    """``made`` and ``ready`` are whole seconds of the wall clock in microseconds of virtual time, as time stamps have
    them; ``ready`` None: it is not Ready. ``number`` orders pods that were made in the same second."""

    pod: Pod
    made: int = 0
    ready: int | None = None
    number: int = 0

    @property
    def is_terminating(self) -> bool:
        """Whether its deletion was asked for."""
        return self.pod.deletion_timestamp is not None

    @property
    def is_ready(self) -> bool:
        """Whether it is Ready."""
        return self.ready is not None

    def is_available(self, min_ready: int, now: int) -> bool:
        """Whether it has been Ready for ``min_ready`` seconds (podutil.IsPodAvailable)."""
        return self.ready is not None and (not min_ready or self.ready + min_ready * SECOND_US <= now)


def next_available(pods: Iterable[SeenPod], min_ready: int, now: int) -> int | None:
    """When the next pod becomes available that is Ready and not terminating, None where none will."""
    if not min_ready:
        return None
    times = (one.ready + min_ready * SECOND_US for one in pods if one.ready is not None and not one.is_terminating)
    return min((at for at in times if at > now), default=None)


def amount(text: str, of: int, *, rounds_up: bool) -> int:
    """A whole number, or a percentage of ``of`` pods (GetScaledValueFromIntOrPercent)."""
    if not text.endswith("%"):
        return int(text)
    part = int(text[:-1]) * of
    return -(-part // SAID) if rounds_up else part // SAID

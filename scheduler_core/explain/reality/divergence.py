"""A free run from the beginning of a bundle: its placements in their order beside the real ones, to the first that
differs."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import msgspec

from scheduler_core.engine.inputs import RunInputs
from scheduler_core.engine.simulation import Simulation
from scheduler_core.explain.reality.model import FreeRunDivergence
from scheduler_core.explain.reality.record import RealDecision
from scheduler_core.extenders.calls import ExtenderSource
from scheduler_core.profiles.build import build_frameworks
from scheduler_core.recording import events as ev

_LATE_US = 1_000_000
"""So much later than the real scheduler the run may bind a pod before that it has not counts as a difference."""
_CUT_EVERY = 512


class _Placement(msgspec.Struct):
    """A real binding: ``at`` in microseconds since the beginning; ``is_met``: the run bound the pod."""

    number: int
    at: int
    pod: str
    node: str
    is_met: bool = False


class FreeRun:
    """Follows a run's events and compares each binding with the real one of the same pod."""

    def __init__(self, began: float, real: Iterable[RealDecision], numbers: dict[int, int]) -> None:
        self._real = [
            _Placement(numbers[id(one)], round((one.at - began) * 1_000_000), one.pod, one.node)
            for one in real
            if one.node and not one.came_bound
        ]
        self._of_pod: dict[str, list[_Placement]] = {}
        for one in self._real:
            self._of_pod.setdefault(one.pod, []).append(one)
        self._tied: dict[int, int] = {}
        self._due = 0
        self.n_same = 0
        self.divergence: FreeRunDivergence | None = None

    def note(self, seq: int, event: ev.AnyEvent) -> None:
        """Take in the next event."""
        if self.divergence is not None:
            return
        if isinstance(event, ev.HostSelected):
            self._tied[event.cycle] = event.tie_count
        elif isinstance(event, ev.Bound):
            self._bound(seq, event)

    def _bound(self, seq: int, event: ev.Bound) -> None:
        tied = self._tied.pop(event.cycle, 1)
        self._missed(event.at)
        if self.divergence is not None:
            return
        ahead = self._of_pod.get(event.pod, [])
        real = next((one for one in ahead if not one.is_met), None)
        if real is not None:
            real.is_met = True
            if real.node == event.node:
                self.n_same += 1
                return
        self.divergence = FreeRunDivergence(
            pod=event.pod,
            real=real.node if real is not None else "",
            ours=event.node,
            number=self.n_same,
            at=event.at / 1_000_000,
            cycle=event.cycle,
            seq=seq,
            tied=tied,
            decision=real.number if real is not None else None,
        )

    def _missed(self, at: int) -> None:
        """Find a real binding that the run has not made, though it is well past its time."""
        while self._due < len(self._real) and self._real[self._due].at < at - _LATE_US:
            one = self._real[self._due]
            if not one.is_met:
                self.divergence = FreeRunDivergence(
                    pod=one.pod, real=one.node, ours="", number=self.n_same, at=one.at / 1_000_000, decision=one.number
                )
                return
            self._due += 1

    def end(self) -> FreeRunDivergence | None:
        """The first divergence once the run is over."""
        if self.divergence is None:
            self._missed(1 << 62)
        return self.divergence


def first_divergence(
    inputs: RunInputs, run: FreeRun, extenders: ExtenderSource | None = None, tell: Callable[[], None] = lambda: None
) -> FreeRunDivergence | None:
    """Execute the run of these inputs up to where it differs. Raises ProfileError; ``tell`` is called now and then, and
    may end everything by an exception."""
    simulation = Simulation(inputs, lambda config, context: build_frameworks(config, context, None, extenders))
    recorder, steps = simulation.recorder, 0
    simulation.observers.append(lambda event: run.note(recorder.head_seq - 1, event))
    while run.divergence is None and simulation.step():
        steps += 1
        if steps % _CUT_EVERY == 0:
            recorder.cut_chunk(None)  # what is recorded is not looked at again
            tell()
    return run.end()

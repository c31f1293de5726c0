"""Decisions tried under other configurations that the real scheduler may have.

The one that the bundle says is evidence by each decision. Where the configuration is not known, ready ones are tried:
that one of them explains a single decision proves nothing, since another node comes out by many of them. So it counts
where it explains nearly all decisions that it was tried with, those that agree among them, and more than ours does.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from scheduler_core.explain.reality.judging import Judge, Judged
from scheduler_core.explain.reality.live_state import LiveState
from scheduler_core.explain.reality.model import CauseTest
from scheduler_core.explain.reality.record import RealDecision
from scheduler_core.explain.reality.situation import OtherConfiguration
from scheduler_core.framework.runtime.framework import Framework
from scheduler_core.profiles.plugin_sets import ProfileError
from scheduler_core.profiles.presets import PRESETS

READY = ("most-allocated", "pack-gpus", "zone-spread", "most-requested-2017")
"""Ready configurations that clusters with their own scores often have."""
_EVERY, _MOST_AGREEING = 5, 40
"""Of the decisions that agree, each fifth is tried too, and no more than this."""
_MOST_TRIED = 200
_ENOUGH = 0.9


def ready_configurations() -> list[OtherConfiguration]:
    """Those that are tried where the real configuration is not known."""
    return [OtherConfiguration(f"preset {name}", PRESETS[name].configuration()) for name in READY]


class _Tally(msgspec.Struct):
    """How many decisions were tried under a configuration, how many it explains, and how many agree by ours."""

    other: OtherConfiguration
    frameworks: dict[str, Framework]
    tried: int = 0
    agreed: int = 0
    ours: int = 0
    explained: set[int] = set()

    @property
    def counts(self) -> bool:
        """Whether the real scheduler may well have this configuration."""
        return self.tried > 0 and self.agreed >= _ENOUGH * self.tried and self.agreed > self.ours


class ConfigurationTrials:
    """Tries decisions under other configurations; those that cannot work here are left out, and said to be."""

    def __init__(self, state: LiveState, judge: Judge, others: Iterable[OtherConfiguration], label: str) -> None:
        self._state, self._judge, self._label = state, judge, label
        self._n_agreeing = 0
        self._tallies: list[_Tally] = []
        self._broken = ""
        for other in others:
            try:
                self._tallies.append(_Tally(other, state.frameworks_of(other.configuration)))
            except ProfileError as problem:
                self._broken = f"{other.name} cannot be tried: {problem}"

    def note_agreeing(self, real: RealDecision) -> None:
        """Try a decision that agrees now and then, so that a configuration that explains all differs from one that
        explains some."""
        self._n_agreeing += 1
        if self._n_agreeing % _EVERY == 1 and self._n_agreeing < _EVERY * _MOST_AGREEING:
            for tally in self._tallies:
                if not tally.other.is_known:
                    self._try(tally, real, ours=True)

    def tests(self, real: RealDecision, judged: Judged) -> list[CauseTest]:
        """What the decision is under the others. A ready one is named at the end only (``settled``)."""
        certain = [tally for tally in self._tallies if tally.other.is_known]
        for tally in self._tallies:
            if not tally.other.is_known and tally.tried < _MOST_TRIED and not judged.agrees:
                self._try(tally, real, ours=False)
        if not certain:
            result = self._broken or (
                "" if not self._tallies else "none of the ready ones explains nearly all decisions"
            )
            return [CauseTest(cause="configuration", subject=self._label, result=result, tested=bool(self._tallies))]
        tally = certain[0]
        if self._try(tally, real, ours=False):
            result = f"equal under {tally.other.name}"
            return [CauseTest(cause="configuration", subject=self._label, result=result, tested=True, explains=True)]
        result = f"not under {tally.other.name} either"
        return [CauseTest(cause="configuration", subject=self._label, result=result, tested=True)]

    def settled(self, number: int, tests: tuple[CauseTest, ...]) -> tuple[CauseTest, ...]:
        """The tests of a decision, by its change, with the ready configuration that explains nearly all of them."""
        best = max((one for one in self._tallies if one.counts), key=lambda one: one.agreed, default=None)
        if best is None or best.other.is_known or number not in best.explained:
            return tests
        result = f"{best.other.name} explains {best.agreed:,} of {best.tried:,} decisions tried, this one among them"
        return tuple(
            msgspec.structs.replace(test, result=result, explains=True) if test.cause == "configuration" else test
            for test in tests
        )

    def _try(self, tally: _Tally, real: RealDecision, *, ours: bool) -> bool:
        pod = self._state.pods[real.pod]
        if pod.scheduler_name not in tally.frameworks:
            return False
        with self._state.configured(tally.frameworks):
            agrees = self._judge.judge(real).agrees
        tally.tried += 1
        tally.ours += ours
        if agrees:
            tally.agreed += 1
            tally.explained.add(real.change)
        return agrees

"""Which behaviours make an attempt end otherwise, tried on the state that A's cycle found.

A's run is carried out once more. Before a cycle that is asked about, its pod is tried without caches by frameworks that
were made for other behaviours: A's own, which must decide as recorded; B's; and, where these two differ, A's with
single behaviours of B, then with pairs, and so on, until a set decides as B does. The first such set is a smallest one.

Cost: A's run, and for each cycle at most 2 + 2^n plain attempts, n the number of behaviours that differ; nearly always
2 + n. Example: of {balance, images, text}, balance alone gives B's node: 3 attempts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from itertools import combinations

import msgspec

from scheduler_core.api.config import SchedulerConfiguration
from scheduler_core.compare.attempts import Attempt
from scheduler_core.engine.attempt import SchedulingAttempt
from scheduler_core.engine.inputs import RunInputs
from scheduler_core.engine.simulation import Simulation
from scheduler_core.engine.trials.trial import Trial, Trials
from scheduler_core.extenders.calls import ExtenderSource
from scheduler_core.framework.contracts.run_context import RunContext
from scheduler_core.framework.runtime.framework import Framework
from scheduler_core.profiles.build import build_frameworks
from scheduler_core.queue.types import QueuedPod
from scheduler_core.versions.behaviours import Behaviours


class VersionChoice(msgspec.Struct, frozen=True):
    """What an attempt decides, as far as versions are compared by it."""

    node: str
    nominated: str
    victims: frozenset[str]

    @classmethod
    def of_attempt(cls, attempt: Attempt) -> VersionChoice:
        """That of a recorded attempt."""
        return cls(attempt.node, attempt.nominated, attempt.victims)

    @classmethod
    def of_trial(cls, trial: Trial) -> VersionChoice:
        """That of a trial."""
        chosen = None if trial.preemption is None else trial.preemption.chosen
        if chosen is None:
            return cls(trial.node, "", frozenset())
        return cls(trial.node, chosen.node, frozenset(chosen.victims))


class Attribution(msgspec.Struct, frozen=True):
    """``same``: B's rules decide on this state as A's do. ``by``: the smallest set that decides as B's, () where none
    was found. ``is_reproduced``: A's own rules decided as recorded; without that nothing else is known."""

    is_reproduced: bool
    same: bool = False
    by: tuple[str, ...] = ()


class StateTrials:
    """Trials during one repetition of A's run; ``differing`` are the behaviours that the two versions differ in."""

    def __init__(self, inputs: RunInputs, other: Behaviours, extenders: ExtenderSource | None = None) -> None:
        self._extenders = extenders
        self._mine, self._other = inputs.policies.behaviours, other
        self.differing = self._mine.difference(other)
        self._simulation = Simulation(inputs, self._frameworks, cached=True)
        self._by_behaviours: dict[Behaviours, dict[str, Framework]] = {}

    def run(self, attempts: Mapping[int, Attempt], is_over: Callable[[], bool]) -> Iterator[tuple[int, Attribution]]:
        """(cycle, attribution) for recorded attempts by their cycles, as the run comes to them; ends after the last
        one, or when ``is_over`` says so."""
        asked, answers = dict(attempts), []
        attempt = self._simulation.scheduler.attempt

        def try_first(queued: QueuedPod) -> SchedulingAttempt | None:
            recorded = asked.get(self._simulation.context.cycle + 1)
            if recorded is not None and recorded.pod == queued.key:
                answers.append((recorded.cycle, self._attribute(recorded)))
                del asked[recorded.cycle]
            return attempt(queued)

        self._simulation.scheduler.attempt = try_first  # type: ignore[method-assign]
        while asked and not is_over() and self._simulation.step():
            yield from answers
            answers.clear()
        yield from answers

    def _attribute(self, recorded: Attempt) -> Attribution:
        if self._choice(recorded.pod, self._mine) != VersionChoice.of_attempt(recorded):
            return Attribution(is_reproduced=False)
        expected = self._choice(recorded.pod, self._other)
        if expected == VersionChoice.of_attempt(recorded):
            return Attribution(is_reproduced=True, same=True)
        for size in range(1, len(self.differing) + 1):
            for names in combinations(self.differing, size):
                switched = self._mine.having({name: getattr(self._other, name) for name in names})
                if self._choice(recorded.pod, switched) == expected:
                    return Attribution(is_reproduced=True, by=names)
        return Attribution(is_reproduced=True)

    def _choice(self, pod: str, behaviours: Behaviours) -> VersionChoice:
        with self._behaving(behaviours):
            trials = Trials(self._simulation)
            with trials.plainly():
                return VersionChoice.of_trial(trials.attempt(pod))

    @contextmanager
    def _behaving(self, behaviours: Behaviours) -> Iterator[None]:
        """The state as it is, with frameworks of these behaviours in place of the run's."""
        simulation = self._simulation
        context, classes = simulation.context, simulation.context.cluster.classes
        before = simulation.frameworks, context.behaviours, classes.reads_later
        context.behaviours, classes.reads_later = behaviours, True
        try:
            simulation.frameworks = self._frameworks_of(behaviours)
            yield
        finally:
            simulation.frameworks, context.behaviours, classes.reads_later = before

    def _frameworks_of(self, behaviours: Behaviours) -> dict[str, Framework]:
        frameworks = self._by_behaviours.get(behaviours)
        if frameworks is None:
            simulation = self._simulation
            frameworks = self._frameworks(simulation.configuration, simulation.context)
            self._by_behaviours[behaviours] = frameworks
        for name, framework in frameworks.items():
            own = self._simulation.frameworks[name].plugins
            for plugin_name, plugin in framework.plugins.items():
                state = own[plugin_name].dump() if plugin_name in own else None
                if state is not None:
                    plugin.load(state)
        return frameworks

    def _frameworks(self, configuration: SchedulerConfiguration, context: RunContext) -> dict[str, Framework]:
        return build_frameworks(configuration, context, None, self._extenders)

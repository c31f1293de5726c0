"""What would let pods be made that admission refuses: a quota raised, a range changed, the requests that a quota asks
for, a class that exists. Made up from the refusal, not tried here."""

from __future__ import annotations

from collections.abc import Iterator

from scheduler_core.engine.simulation import Simulation
from scheduler_core.explain.not_created.of_classes import of_class
from scheduler_core.explain.not_created.of_quotas import of_quotas
from scheduler_core.explain.not_created.of_ranges import widened
from scheduler_core.explain.not_created.refused_pods import RefusedPods
from scheduler_core.explain.remedies.whole_runs import RunRemedy


def proposals(simulation: Simulation, refused: RefusedPods) -> Iterator[RunRemedy]:
    """The remedies, the usual one first; ``simulation`` is the run where they lack."""
    event = refused.event
    kind, _, key = event.by.partition("/")
    if kind == "ResourceQuota":
        yield from of_quotas(simulation, refused)
    elif kind == "LimitRange":
        one = simulation.context.cluster.listers.limit_ranges.get(key)
        if one is not None:
            yield widened(simulation, one, refused.pod)
    elif kind in ("RuntimeClass", "PriorityClass") and "found" in event.message:
        yield from of_class(simulation, refused, kind, key)

"""Kept answers are those of a new search, for every node in every cycle of generated runs."""

from __future__ import annotations

import pytest

from scheduler_core.plugins.dynamic_resources import DynamicResources
from scheduler_core.plugins.dynamic_resources.allocated import AllocatedDevices
from scheduler_core.plugins.dynamic_resources.pools import PoolIndex
from scheduler_core.plugins.dynamic_resources.shapes import ShapeAnswers, Shapes
from scheduler_core.plugins.dynamic_resources.work import ClaimWork, Surroundings
from scheduler_core.simulate import RunSession
from tests.scheduler_core.device_histories import history
from tests.seeds import each_seed


def plainly(plugin: DynamicResources, work: ClaimWork) -> ClaimWork:
    """The same work with nothing work."""
    listers, behaviours = plugin.handle.cluster.listers, plugin.handle.run.behaviours
    in_flight = plugin._reservations.in_flight
    around = Surroundings(
        behaviours,
        listers.device_classes,
        PoolIndex(listers.resource_slices.values(), behaviours).pools,
        AllocatedDevices.of(listers.resource_claims.values(), in_flight, behaviours).now,
        plugin._selectors,
    )
    return ClaimWork(work.claims, around, work.extended)


def compare(plugin: DynamicResources, work: ClaimWork) -> int:
    """How many nodes were compared."""
    cluster, reasons, plain = plugin.handle.cluster, plugin.handle.run.reasons, plainly(plugin, work)
    order = cluster.table.order
    verdicts = plugin.filter(work, None, order)  # type: ignore[arg-type]
    for i, row in enumerate(order.tolist()):
        node = cluster.table.nodes[row]
        assert node is not None
        answer, expected = work.on(node), plain.on(node)
        assert (answer.status, answer.allocations) == (expected.status, expected.allocations)
        assert work.rank(node) == plain.rank(node)
        code, reason = (0, ()) if verdicts is None else (verdicts.codes[i], reasons.entries[verdicts.reasons[i]])
        assert (code, reason) == (expected.status.code, expected.status.reasons)
    return len(order)


@pytest.mark.slow
@pytest.mark.usefixtures("kernel_is_there")
@each_seed(range(40), together=4, short=1)
def test_answers_are_those_of_a_new_search(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    n_compared, n_shaped = 0, 0
    asked = DynamicResources.filter_delta

    def filter_delta(plugin, state, pod, cache):  # type: ignore[no-untyped-def]
        nonlocal n_compared, n_shaped
        answer = asked(plugin, state, pod, cache)
        n_compared += compare(plugin, state)
        n_shaped += state.shape is not None
        return answer

    monkeypatch.setattr(DynamicResources, "filter_delta", filter_delta)
    RunSession.start(history(seed, n_entries=100)).advance()
    assert n_compared > 50
    assert n_shaped > 10


def test_the_shape_used_longest_ago_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scheduler_core.plugins.dynamic_resources.shapes.MOST_ANSWERS", 30)
    shapes, made = Shapes(), []

    def make() -> ShapeAnswers:
        made.append(len(made))
        return object.__new__(ShapeAnswers)

    for key in "abcad":
        shapes.of("now", key, 10, make)
    assert len(made) == 4
    shapes.of("now", "b", 10, make)
    assert len(made) == 5
    shapes.of("later", "b", 10, make)
    assert len(made) == 6

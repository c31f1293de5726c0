"""Profiles whose scores the kernel's table takes, and such as are scored anew in every cycle."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import scheduler_core.framework.contracts.plugin as fw
from scheduler_core.api.config import PluginRef, PluginSet, Profile, SchedulerConfiguration
from scheduler_core.compiled import without_kernel
from scheduler_core.framework.contracts.normalizers import CUSTOM, default, default_reversed, min_max, spread
from scheduler_core.framework.contracts.verdicts import Normalization
from scheduler_core.framework.incremental.score_cache import can_be_cached
from scheduler_core.profiles.registry import in_tree
from scheduler_core.recording import MemoryStore, RecordingReader
from scheduler_core.simulate import ClusterObjects, RunInputs, RunSession
from scheduler_core.testing.builders import make_node, make_pod
from tests.scheduler_core.recording.sample import frame_facts


class Wavy(fw.ScorePlugin[fw.NoArgs]):
    """Prefers nodes with an odd number of pods, by values that follow from no recorded parameter."""

    name = "Wavy"
    Args = fw.NoArgs
    traits = fw.Traits(node_local=True)

    def score_node(self, state: Any, pod: Any, node: Any) -> int:
        return node.pod_count

    def normalize(self, state: Any, pod: Any, rows: Any, raw: Any) -> Normalization:
        return Normalization(CUSTOM, (), np.where(raw % 2 == 1, 100, 100 - raw % 7))


def with_wavy(weight: int = 1) -> SchedulerConfiguration:
    """A profile that scores by the plugin too."""
    return SchedulerConfiguration(profiles=(Profile(plugins={"score": PluginSet((PluginRef("Wavy", weight),))}),))


def with_weight(weight: int) -> SchedulerConfiguration:
    """A profile in which balance weighs so much."""
    balance = PluginRef("NodeResourcesBalancedAllocation", weight)
    return SchedulerConfiguration(profiles=(Profile(plugins={"score": PluginSet((balance,))}),))


def history(
    configuration: SchedulerConfiguration, *, cached: bool, n_pods: int = 70, plugin: type[Any] = Wavy
) -> tuple[str, list[Any], int]:
    """The recording's hash, every frame as it is read back, and how many cycles told what changed."""
    inputs = RunInputs(
        objects=ClusterObjects(
            nodes=[make_node(f"n{i}", cpu=str(4 + i % 3), memory="8Gi", pods=20) for i in range(12)],
            pods=[make_pod(f"p{i}", cpu=("300m", "700m")[i % 2], memory="400Mi") for i in range(n_pods)],
        ),
        configuration=configuration,
        seed=5,
    )
    session = RunSession.start(inputs, in_tree().with_plugin("Wavy", plugin), cached=cached)
    store, cycles_with_changes = MemoryStore(session.initial_keyframe()), []
    session.simulation.scheduler.on_attempt = lambda attempt: cycles_with_changes.append(
        attempt.outcome is not None and attempt.outcome.changes is not None
    )
    while not session.advance(max_cycles=9):
        if (chunk := session.cut_chunk()) is not None:
            store.add(chunk)
    if (chunk := session.cut_chunk()) is not None:
        store.add(chunk)
    reader = RecordingReader(store)
    frames = [reader.frame(cycle) for cycle in range(1, session.cycle + 1)]
    return session.recording_hash(), [frame and frame_facts(frame) for frame in frames], sum(cycles_with_changes)


class PodCount(fw.ScorePlugin[fw.NoArgs]):
    """Scores a node by its pods; the normaliser is that of the test."""

    name = "Wavy"
    Args = fw.NoArgs
    traits = fw.Traits(node_local=True)

    def score_node(self, state: Any, pod: Any, node: Any) -> int:
        return 3 + node.pod_count


def parameters_of(plugin: str, facts: tuple[Any, ...]) -> int:
    """How many parameters of the plugin's normaliser the frame with these facts has."""
    plugins, normalizations = facts[8], facts[10]
    return len(normalizations[plugins.index(plugin)][1])


@pytest.mark.usefixtures("kernel_is_there")
@pytest.mark.parametrize(
    ("normalizer", "n_parameters"),
    [(None, 0), (default, 1), (default_reversed, 1), (spread, 2), (min_max, 2)],
)
def test_a_normaliser_is_recorded_with_its_own_parameters(normalizer: Any, n_parameters: int) -> None:
    plugin = type("Counted", (PodCount,), {"normalizer": staticmethod(normalizer) if normalizer else None})
    _, frames, cycles_with_changes = history(with_wavy(), cached=True, n_pods=14, plugin=plugin)
    with without_kernel():
        _, plain, _ = history(with_wavy(), cached=False, n_pods=14, plugin=plugin)
    assert cycles_with_changes
    assert frames == plain
    assert {parameters_of("Wavy", frame) for frame in frames} == {n_parameters}


class AcrossNodes(PodCount):
    """Scores all nodes anew in each cycle, most of them as before."""

    traits = fw.Traits()


@pytest.mark.usefixtures("kernel_is_there")
def test_scores_that_moved_on_few_of_the_nodes_asked_about_are_recorded() -> None:
    assert AcrossNodes.traits.across_nodes
    _, frames, cycles_with_changes = history(with_wavy(), cached=True, n_pods=14, plugin=AcrossNodes)
    with without_kernel():
        _, plain, _ = history(with_wavy(), cached=False, n_pods=14, plugin=AcrossNodes)
    assert cycles_with_changes
    assert frames == plain


@pytest.mark.parametrize(
    ("configuration", "expected"),
    [(with_weight(308), True), (with_weight(309), False), (with_wavy(), False), (with_wavy(1000), False)],
    ids=["greatest total 32,000", "above it", "own normaliser", "own normaliser above it"],
)
def test_what_the_kernel_cannot_total_is_not_cached(configuration: SchedulerConfiguration, *, expected: bool) -> None:
    session = RunSession.start(
        RunInputs(objects=ClusterObjects(), configuration=configuration), in_tree().with_plugin("Wavy", Wavy)
    )
    (framework,) = session.simulation.frameworks.values()
    pod = session.simulation.context.cluster.info(make_pod("p"))
    assert can_be_cached(framework, framework.points.score, pod) is expected


@pytest.mark.slow
@pytest.mark.usefixtures("kernel_is_there")
@pytest.mark.parametrize(
    ("configuration", "cached"),
    [
        (with_weight(70), True), (with_weight(300), True), (with_weight(301), True), (with_weight(400), False),
        (with_wavy(), False), (with_wavy(1000), False),
    ],
    ids=["weight 70", "300", "301", "400", "own normaliser", "own normaliser, great weight"],
)  # fmt: skip
def test_scores_are_those_of_the_plain_engine(configuration: SchedulerConfiguration, *, cached: bool) -> None:
    recording_hash, frames, cycles_with_changes = history(configuration, cached=True)
    with without_kernel():
        plain_hash, plain_frames, _ = history(configuration, cached=False)
    assert bool(cycles_with_changes) is cached
    assert recording_hash == plain_hash
    assert frames == plain_frames

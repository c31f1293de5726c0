"""Diagnoses of small hand-made clusters, before the first cycle of a run."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from scheduler_core.api.objects import ClusterObjects, Node, Pod
from scheduler_core.engine.simulation import Simulation
from scheduler_core.engine.trials.changes import UNCHANGED
from scheduler_core.engine.trials.trial import Trials
from scheduler_core.explain.diagnosis import Diagnosis, diagnose
from scheduler_core.explain.diagnosis.obstacle_facts import ObstacleFacts
from scheduler_core.explain.diagnosis.table import ObstacleTable
from scheduler_core.profiles.build import build_frameworks
from scheduler_core.simulate import RunInputs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from scheduler_core.api.config import SchedulerConfiguration

ASKED = "default/p"
ZONE = "topology.kubernetes.io/zone"
HOSTNAME = "kubernetes.io/hostname"


def trials_of(
    nodes: Sequence[Node], pods: Sequence[Pod], configuration: SchedulerConfiguration | None = None, **objects: Any
) -> Trials:
    """Trials on these objects, of which no pod was tried yet."""
    there = ClusterObjects(nodes=list(nodes), pods=list(pods), **objects)
    chosen = {} if configuration is None else {"configuration": configuration}
    simulation = Simulation(RunInputs(objects=there, **chosen), build_frameworks, cached=False)
    simulation.step()
    return Trials(simulation)


def diagnosed(nodes: Sequence[Node], pods: Sequence[Pod], **objects: Any) -> Diagnosis:
    """What keeps the pod p off these nodes."""
    diagnosis = diagnose(trials_of(nodes, pods, **objects), ASKED)
    assert diagnosis is not None, "it fits"
    return diagnosis


@contextmanager
def table_of(nodes: Sequence[Node], pods: Sequence[Pod], **objects: Any) -> Iterator[ObstacleTable]:
    """The obstacles of the pod p on every node."""
    trials = trials_of(nodes, pods, **objects)
    with trials.under(trials.pod(ASKED), UNCHANGED) as base:
        yield ObstacleTable(trials, base)


def said(
    texts: Callable[[ObstacleFacts], str], code: str, nodes: Sequence[Node], pods: Sequence[Pod], **objects: Any
) -> str:
    """What the function says of the first obstacle of this code, on all nodes that have it."""
    with table_of(nodes, pods, **objects) as table:
        keys = [key for on_row in table.by_row.values() for key in on_row if key.code == code]
        assert keys, f"no node has {code}: {[list(on_row) for on_row in table.by_row.values()]}"
        return texts(ObstacleFacts(table, keys[0], table.by_row))


def codes_by_node(table: ObstacleTable) -> dict[str, list[str]]:
    """The codes of each node's obstacles, in order."""
    return {table.names[row]: sorted(key.code for key in on_row) for row, on_row in table.by_row.items()}

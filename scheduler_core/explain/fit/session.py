"""A warm session on a cluster that answers where a pod would fit, for one version of the pod after another."""

from __future__ import annotations

from time import perf_counter

import msgspec

from scheduler_core.api.config import SchedulerConfiguration
from scheduler_core.api.objects import ClusterObjects, Node, Pod
from scheduler_core.engine.inputs import RunInputs, with_uid
from scheduler_core.engine.policies import Policies
from scheduler_core.engine.simulation import Simulation
from scheduler_core.engine.trials.changes import Changes
from scheduler_core.engine.trials.trial import Trials
from scheduler_core.explain.fit.changes import ObjectChanges, changes_between
from scheduler_core.explain.fit.model import Fit
from scheduler_core.explain.fit.verdicts import read_fit
from scheduler_core.framework.runtime.filter_phase import nodes_to_find
from scheduler_core.profiles.build import build_frameworks
from scheduler_core.profiles.registry import Registry

MOST_FOLLOWED = 200
"""With more changed objects than this all objects are read again, instead of taking changes over one by one."""
MOST_CLASSES = 5_000
"""The engine remembers each distinct spec that was tried; after this many a session is worn out."""


class FitSession:
    """The state that a run of these inputs begins with: pods on their nodes, waiting pods queued and nominated.

    ``would_fit`` changes nothing: an answer is the same whatever was asked before. ``follow`` moves the state to other
    objects. One thread at a time. Raises ProfileError for a configuration that cannot work.
    """

    def __init__(self, inputs: RunInputs, registry: Registry | None = None) -> None:
        policies = msgspec.structs.replace(inputs.policies, owners="ignore", node_search="all")
        inputs = msgspec.structs.replace(inputs, schedule="pending", policies=policies, changes=())
        simulation = Simulation(inputs, lambda config, run: build_frameworks(config, run, registry))
        for framework in simulation.frameworks.values():
            framework.points = msgspec.structs.replace(framework.points, post_filter=[])
        simulation.step()
        self.objects = inputs.objects
        self._simulation = simulation
        self._trials = Trials(simulation)
        self._classes_at_start = len(simulation.context.cluster.classes.all)

    def pod(self, key: str) -> Pod:
        """The pod (namespace/name) as the objects have it. Raises KeyError where there is none."""
        return self._simulation.world.pods[key]

    def would_fit(self, pod: Pod) -> Fit:
        """Every node's verdict and scores for this version of the pod, which the objects may have or not.

        A pod that is on a node is taken off it for the attempt; its own nomination does not count against it.
        """
        started = perf_counter()
        tried = self._as_tried(pod)
        framework = self._simulation.frameworks.get(pod.scheduler_name)
        if framework is None:
            error = f"no profile of the configuration is named {pod.scheduler_name}, so no pod of it is tried"
            return Fit(pod=pod.key, scheduler=pod.scheduler_name, error=error)
        n_nodes = self._simulation.context.cluster.n_nodes
        trial = self._trials.attempt_pod(tried, Changes(pod=tried))
        enough_nodes = nodes_to_find(n_nodes, framework.percentage_of_nodes_to_score)
        return msgspec.structs.replace(
            read_fit(trial, self._simulation.context.cluster.table),
            scheduler=pod.scheduler_name,
            bound_to=pod.node_name,
            nominated=pod.nominated_node_name,
            samples=enough_nodes if enough_nodes < n_nodes else None,
            seconds=perf_counter() - started,
        )

    def _as_tried(self, pod: Pod) -> Pod:
        present = self._simulation.world.pods.get(pod.key)
        unbound = msgspec.structs.replace(pod, node_name="", nominated_node_name="", phase="Pending")
        return with_uid(unbound, present.uid if present is not None else pod.key)

    def follow(self, objects: ClusterObjects) -> bool:
        """Update the state to these objects, one changed object at a time.

        Returns False, without changing anything, if that is impossible or a new session would be quicker."""
        if objects is self.objects:
            return not self.is_worn
        changes = changes_between(self.objects, objects)
        if len(changes) > MOST_FOLLOWED or not changes.can_be_followed or self.is_worn:
            return False
        self._apply(changes)
        self.objects = objects
        return True

    @property
    def is_worn(self) -> bool:
        """Whether enough different pods were tried that a new session would take less memory."""
        return len(self._simulation.context.cluster.classes.all) - self._classes_at_start > MOST_CLASSES

    def _apply(self, changes: ObjectChanges) -> None:
        world, cluster = self._simulation.world, self._simulation.context.cluster
        for obj in (*changes.gone, *(obj for obj in changes.put if isinstance(obj, Pod))):
            world.delete(obj)
        # Nodes first, as at the start of a run.
        for obj in sorted(changes.put, key=lambda obj: not isinstance(obj, Node)):
            world.put(with_uid(obj, obj.key) if isinstance(obj, Pod) else obj)
        # A pod that the draft lacks never held a port: another pod that holds it holds it alone.
        cluster.freed_ports.clear()
        self._trials = Trials(self._simulation)


def would_fit(
    objects: ClusterObjects,
    pod: Pod,
    configuration: SchedulerConfiguration | None = None,
    policies: Policies | None = None,
) -> Fit:
    """``FitSession.would_fit`` for a single question. Raises ProfileError for a configuration that cannot work."""
    inputs = RunInputs(
        objects=objects, configuration=configuration or SchedulerConfiguration(), policies=policies or Policies()
    )
    return FitSession(inputs).would_fit(pod)

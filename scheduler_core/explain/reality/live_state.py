"""The cluster as it was collected, carried forward change by change; attempts are made on it without a run.

Nothing is queued and no event is recorded: columns, listers and nominations are what an attempt reads. A pod that waits
for volumes at PreBind keeps its room, as its claims say (engine/assumed_pods.py).
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import msgspec

from scheduler_core.api.config import SchedulerConfiguration
from scheduler_core.api.objects import Namespace, Node, PersistentVolumeClaim, Pod
from scheduler_core.columns.cluster import object_key
from scheduler_core.engine.assumed_pods import node_decided
from scheduler_core.engine.inputs import RunInputs, with_uid
from scheduler_core.engine.simulation import Simulation
from scheduler_core.engine.trials.trial import Trials
from scheduler_core.extenders.calls import ExtenderSource
from scheduler_core.framework.plugin_helpers.volume_claims import claim_uses
from scheduler_core.framework.runtime.framework import Framework
from scheduler_core.profiles.build import build_frameworks
from scheduler_core.versions.behaviours import Behaviours


class StateChange(NamedTuple):
    """An object that took another's place: ``before`` and ``after`` are None where there was, or is, none."""

    before: Any
    after: Any

    @property
    def undone(self) -> StateChange:
        """The change back."""
        return StateChange(self.after, self.before)


class LiveState:
    """The state; ``trials`` makes attempts on it as it is now. Raises ProfileError for a configuration that cannot
    work."""

    def __init__(self, inputs: RunInputs, extenders: ExtenderSource | None = None) -> None:
        policies = msgspec.structs.replace(
            inputs.policies,
            owners="ignore",
            node_search="all",
            preemption_candidates="all",
            decided="ignore",
            claims="ignore",
        )
        inputs = msgspec.structs.replace(inputs, schedule="pending", policies=policies, changes=())
        self._simulation = Simulation(inputs, lambda config, run: build_frameworks(config, run, None, extenders))
        self.trials = Trials(self._simulation)
        self.cluster, self.pods = self._simulation.context.cluster, self._simulation.world.pods
        self._nominator = self._simulation.queue.nominator
        self._users: dict[str, set[str]] = {}
        self._of_behaviours: dict[Behaviours, dict[str, Framework]] = {}
        for pod in self.pods.values():
            self._note_claims(pod)
            if not pod.node_name:
                self._nominator.add(pod)
                self._hold(pod)

    def find(self, obj: Any) -> Any:
        """The object of this kind and key as it is now, None where there is none."""
        if isinstance(obj, Pod):
            return self.pods.get(obj.key)
        if isinstance(obj, Node):
            row = self.cluster.table.row_of.get(obj.name)
            return None if row is None else self.cluster.table.nodes[row]
        return self.cluster.listers.get(obj)

    def put(self, obj: Any) -> StateChange:
        """Add the object, or replace the one of its kind and key."""
        if isinstance(obj, Pod) and obj.is_terminal:
            return self.drop(obj)
        before = self.find(obj)
        if before == obj:
            return StateChange(before, before)
        if isinstance(obj, Pod):
            self._put_pod(before, obj)
        elif isinstance(obj, Node):
            self.cluster.put_node(obj)
        else:
            self.cluster.listers.put(obj)
            self._after_other(obj)
        return StateChange(before, obj)

    def drop(self, obj: Any) -> StateChange:
        """Remove the object of this kind and key; unknown ones are ignored."""
        before = self.find(obj)
        if before is None:
            return StateChange(None, None)
        if isinstance(obj, Pod):
            del self.pods[obj.key]
            self._nominator.delete(before)
            self._forget_claims(before)
            if self.cluster.node_of(obj.key) is not None:
                self.cluster.drop_pod(obj.key)
        elif isinstance(obj, Node):
            self.cluster.drop_node(obj.name)
        else:
            self.cluster.listers.drop(obj)
            self._after_other(obj)
        return StateChange(before, None)

    def carry_out(self, change: StateChange) -> None:
        """Make the change again, or back (``StateChange.undone``)."""
        if change.after is not None:
            self.put(change.after)
        elif change.before is not None:
            self.drop(change.before)

    @contextmanager
    def without_and_with(self, earlier: list[StateChange], later: list[StateChange]) -> Iterator[None]:
        """The state with the last changes (``earlier``, in their order) undone and coming ones (``later``) made.

        Pods that come back stand last on their nodes; only preemption reads that order."""
        for change in reversed(earlier):
            self.carry_out(change.undone)
        made = [self._now(change) for change in later]
        try:
            yield
        finally:
            for change in reversed(made):
                self.carry_out(change.undone)
            for change in earlier:
                self.carry_out(change)

    def _now(self, change: StateChange) -> StateChange:
        if change.after is not None:
            return self.put(change.after)
        return self.drop(change.before) if change.before is not None else StateChange(None, None)

    @contextmanager
    def configured(self, frameworks: dict[str, Framework]) -> Iterator[None]:
        """Have attempts made by these frameworks, which ``frameworks_of`` made."""
        before = self._simulation.frameworks
        self._simulation.frameworks = frameworks
        try:
            with self.trials.plainly():
                yield
        finally:
            self._simulation.frameworks = before

    @contextmanager
    def behaving(self, behaviours: Behaviours) -> Iterator[None]:
        """Have attempts made as by a version with these behaviours, under the same configuration."""
        context, classes = self._simulation.context, self.cluster.classes
        before = context.behaviours, classes.reads_later
        context.behaviours, classes.reads_later = behaviours, True
        try:
            frameworks = self._of_behaviours.get(behaviours)
            if frameworks is None:
                frameworks = self._of_behaviours[behaviours] = self.frameworks_of(self._simulation.configuration)
            with self.configured(frameworks):
                yield
        finally:
            context.behaviours, classes.reads_later = before

    @property
    def behaviours(self) -> Behaviours:
        """Those that attempts are made by."""
        return self._simulation.context.behaviours

    def frameworks_of(self, configuration: SchedulerConfiguration) -> dict[str, Framework]:
        """The profiles of another configuration on this state. Raises ProfileError."""
        context = self._simulation.context
        extenders = context.extenders
        try:
            return build_frameworks(configuration, context)
        finally:
            context.extenders = extenders

    @property
    def frameworks(self) -> dict[str, Framework]:
        """The profiles that attempts are made by."""
        return self._simulation.frameworks

    def _put_pod(self, before: Pod | None, pod: Pod) -> None:
        key = pod.key
        if before is not None and before.uid != pod.uid and pod.uid:
            self.drop(before)
            before = None
        pod = with_uid(pod, before.uid if before is not None else key)
        self.pods[key] = pod
        self._forget_claims(before)
        self._note_claims(pod)
        self._nominator.delete(before or pod)
        if pod.node_name:
            self._place(pod, pod.node_name)
            return
        self._nominator.add(pod)
        if self.cluster.node_of(key) is not None:
            self.cluster.drop_pod(key)
        self._hold(pod)

    def _place(self, pod: Pod, node: str) -> None:
        """Have the pod on this node, wherever it was."""
        info, now = self.cluster.info(pod), self.cluster.node_of(pod.key)
        if now == node:
            self.cluster.update_pod(info)
            return
        if now is not None:
            self.cluster.drop_pod(pod.key)
        self.cluster.put_pod(info, node)

    def _hold(self, pod: Pod) -> None:
        """Keep the room of a pod that is decided by its claims."""
        node = node_decided(pod, self.cluster.listers.claims) if pod.volumes else ""
        if node:
            self._place(pod, node)

    def _after_other(self, obj: Any) -> None:
        if isinstance(obj, Namespace):
            self.cluster.log.forget_tallies()  # selectors of namespaces may match others now
        elif isinstance(obj, PersistentVolumeClaim):
            for key in self._users.get(object_key(obj), ()):
                pod = self.pods.get(key)
                if pod is not None and not pod.node_name:
                    if self.cluster.node_of(key) is not None:
                        self.cluster.drop_pod(key)
                    self._hold(pod)

    def _note_claims(self, pod: Pod) -> None:
        for use in claim_uses(pod) if pod.volumes else ():
            self._users.setdefault(use.key, set()).add(pod.key)

    def _forget_claims(self, pod: Pod | None) -> None:
        if pod is None or not pod.volumes:
            return
        for use in claim_uses(pod):
            users = self._users.get(use.key, set())
            users.discard(pod.key)
            if not users:
                self._users.pop(use.key, None)

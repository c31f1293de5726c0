"""Workloads and the pods that they own, as an index of the world's pods: made again from inputs, pods and ``dump``.

Pods are looked up once when they come, go, terminate or are bound. The counts of a workload (``WorkloadProgress``)
exist from the first time that something is counted.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from scheduler_core.api.objects import Node, Pod, Workload
from scheduler_core.controllers import daemons, jobs, sets
from scheduler_core.controllers.decision import WorkloadProgress
from scheduler_core.controllers.implied import implied_workload, implied_workloads
from scheduler_core.controllers.owned import workload_key
from scheduler_core.controllers.templates import pod_ordinal
from scheduler_core.recording import events as ev

_NOTHING = WorkloadProgress()


class Owned(msgspec.Struct):
    """A workload with the keys of its pods, in order of arrival; ``terminating`` of them are. ``by_node``: those of a
    DaemonSet by the node that they are on or meant for."""

    workload: Workload
    pods: dict[str, None] = {}
    terminating: int = 0
    by_node: dict[str, set[str]] = {}

    def add(self, pod: Pod) -> None:
        """Count a pod."""
        self.pods[pod.key] = None
        self.terminating += pod.deletion_timestamp is not None
        if self.workload.kind == "DaemonSet":
            self.by_node.setdefault(daemons.target_node(pod), set()).add(pod.key)

    def drop(self, pod: Pod) -> None:
        """Remove the pod from the workload's pods."""
        del self.pods[pod.key]
        self.terminating -= pod.deletion_timestamp is not None
        if self.workload.kind == "DaemonSet":
            self._off_node(pod)

    def change(self, old: Pod, new: Pod) -> None:
        """Replace the old version of the pod by the new one, and adjust the counts."""
        self.terminating += (new.deletion_timestamp is not None) - (old.deletion_timestamp is not None)
        if self.workload.kind == "DaemonSet":
            self._off_node(old)
            self.by_node.setdefault(daemons.target_node(new), set()).add(new.key)

    def _off_node(self, pod: Pod) -> None:
        node = daemons.target_node(pod)
        self.by_node[node].remove(pod.key)
        if not self.by_node[node]:
            del self.by_node[node]


def _of_owner(one: ev.Missing, replicas: int | None) -> ev.Missing:
    """Counted against what the owner of the sets wants, None where that is not known."""
    if replicas is None:
        return one
    return msgspec.structs.replace(one, desired=replicas, unmade=min(one.unmade, max(0, replicas - one.bound)))


class Ownership:
    """All workloads by key, with their pods and counts; ``daemon_sets`` are the keys of that kind."""

    def __init__(self) -> None:
        self.owned: dict[str, Owned] = {}
        self.daemon_sets: list[str] = []
        self._progress: dict[str, WorkloadProgress] = {}

    def begin(self, workloads: Iterable[Workload], start: Mapping[str, Pod]) -> None:
        """Index the workloads of the inputs, and those that are only implied by owners of the pods at the start."""
        by_key = {workload.key: workload for workload in workloads}
        for workload in implied_workloads(start.values(), by_key):
            by_key[workload.key] = workload
        for workload in by_key.values():
            self.know(workload)

    def index(self, pods: Iterable[Pod]) -> None:
        """Rebuild the index from these pods."""
        for pod in pods:
            if pod.owner_references and (owned := self.owned.get(workload_key(pod))) is not None:
                owned.add(pod)

    def of(self, key: str, pod: Pod) -> Owned:
        """The workload of the key. A missing one is created as implied by this pod; its desired count begins at 0."""
        owned = self.owned.get(key)
        if owned is None:
            owned = self.know(msgspec.structs.replace(implied_workload(key, [pod]), replicas=0, nodes=()))
        return owned

    def progress(self, key: str) -> WorkloadProgress:
        """The workload's counts, which the caller may change in place."""
        return self._progress.setdefault(key, WorkloadProgress())

    @property
    def made(self) -> int:
        """How many pods controllers created during the run."""
        return sum(progress.made for progress in self._progress.values())

    def add_input_pod(self, key: str, owned: Owned, pod: Pod) -> None:
        """Raise an implied workload's desired count for a pod from the inputs; other workloads state their own."""
        if not owned.workload.is_implied or pod.deletion_timestamp is not None:
            return
        progress = self.progress(key)
        if owned.workload.kind == "StatefulSet":
            ordinal = pod_ordinal(owned.workload.name, pod.name)
            if ordinal >= 0 and ordinal not in sets.ordinals(owned.workload, progress):
                progress.indexes.append(ordinal)
        elif owned.workload.kind == "DaemonSet":
            node = daemons.target_node(pod)
            if node not in owned.workload.nodes and node not in progress.nodes:
                progress.nodes.append(node)
        else:
            progress.extra_pods += 1

    def desired_pods(self, key: str, nodes: Iterable[Node]) -> int:
        """How many pods the workload wants: a Job its completions, a DaemonSet one for each matching node."""
        workload, progress = self.owned[key].workload, self._progress.get(key, _NOTHING)
        if workload.kind == "Job":
            return jobs.desired_pods(workload, progress)
        if workload.kind == "StatefulSet":
            return len(sets.ordinals(workload, progress)) + workload.n_refused
        if workload.kind == "DaemonSet":
            return sum(daemons.wants(workload, node, progress.nodes)[0] for node in nodes)
        return workload.replicas + workload.n_refused + progress.extra_pods

    def shortfalls(self, pods: Mapping[str, Pod], nodes: Iterable[Node]) -> list[ev.Missing]:
        """The workloads that lack pods, in order of the inputs; several sets of one Deployment count together, also
        those that lack none: during a rollout the older set has the pods. What they lack is counted against what the
        Deployment wants, where that is known: the sets together have more while one takes over."""
        by_title: dict[str, ev.Missing] = {}
        short: set[str] = set()
        there = list(nodes)
        for key, owned in self.owned.items():
            progress = self._progress.get(key, _NOTHING)
            n_desired = self.desired_pods(key, there)
            active = [pod for pod in map(pods.__getitem__, owned.pods) if pod.deletion_timestamp is None]
            done = progress.succeeded if owned.workload.kind == "Job" else 0
            bound = done + sum(bool(pod.node_name) for pod in active)
            title = owned.workload.title
            if bound < n_desired:
                short.add(title)
            before = by_title.get(title, ev.Missing(title, 0, 0, 0))
            by_title[title] = ev.Missing(
                title,
                before.desired + n_desired,
                before.bound + bound,
                before.unmade + max(0, n_desired - done - len(active)),
                before.why or progress.over or ("" if (refused := owned.workload.refusal) is None else refused.why),
            )
        of_owners = {
            owned.workload.title: owned.workload.owner_replicas
            for owned in self.owned.values()
            if owned.workload.owner_replicas is not None
        }
        totals = [_of_owner(one, of_owners.get(title)) for title, one in by_title.items() if title in short]
        return [one for one in totals if one.bound < one.desired]

    def key_of(self, pod: Pod) -> str:
        """The key of the pod's owner where it is known, else ""."""
        key = workload_key(pod) if pod.owner_references else ""
        return key if key in self.owned else ""

    def forget(self, key: str) -> None:
        """The workload is no more; while it has pods it is kept, and wants none."""
        owned = self.owned.get(key)
        if owned is None:
            return
        if owned.pods:
            owned.workload = msgspec.structs.replace(owned.workload, replicas=0, is_implied=True, job=None, nodes=())
            return
        del self.owned[key]
        if owned.workload.kind == "DaemonSet":
            self.daemon_sets.remove(key)

    def know(self, workload: Workload) -> Owned:
        """Take a workload."""
        owned = self.owned[workload.key] = Owned(workload)
        if workload.kind == "DaemonSet":
            self.daemon_sets.append(workload.key)
        return owned

    # --- saving ----------------------------------------------------------------------------------------------------
    def dump(self) -> dict[str, Any]:
        """The state that does not follow from inputs and pods."""
        return {key: msgspec.to_builtins(progress) for key, progress in self._progress.items()}

    def load(self, data: Mapping[str, Any], brought: Iterable[Pod], pods: Iterable[Pod]) -> None:
        """Take over what ``dump`` gave, and the pods as they are; ``brought`` are those that inputs brought since the
        start, in order."""
        self._progress = msgspec.convert(data, dict[str, WorkloadProgress])
        for pod in brought:
            if pod.owner_references and not pod.is_terminal and (key := workload_key(pod)):
                self.of(key, pod)
        self.index(pods)

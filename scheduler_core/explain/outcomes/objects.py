"""Pods and nodes as of each moment of a run: from the inputs, from the timeline, and created by the run itself."""

from __future__ import annotations

from typing import Any

from scheduler_core.api.objects import Node, Pod, Workload
from scheduler_core.api.resources import PODS, pod_requests
from scheduler_core.controllers.owned import workload_key
from scheduler_core.engine.inputs import RunInputs, settings_after, start_pods
from scheduler_core.explain.outcomes.device_usage import KINDS, DeviceUsage
from scheduler_core.explain.outcomes.model import Owner
from scheduler_core.recording import events as ev
from scheduler_core.recording.objects import decode_object
from scheduler_core.recording.reader import RecordingReader

Requests = tuple[tuple[str, int], ...]


class RunObjects:
    """The current versions of pods and nodes, by name; ``take`` applies the next event."""

    def __init__(self, inputs: RunInputs) -> None:
        self._inputs = inputs
        self._timeline = inputs.timeline.entries
        self._changes = inputs.changes
        self._titles = {w.key: w.title.partition(" ") for w in inputs.objects.workloads}
        self.quotas = {one.key: one for one in inputs.objects.resource_quotas}
        self._requests: dict[Requests, Requests] = {}
        self._of_pod: dict[str, tuple[Pod, Requests]] = {}
        self.pods: dict[str, Pod] = {pod.key: pod for pod in start_pods(inputs)}
        self.nodes: dict[str, Node] = {node.name: node for node in inputs.objects.nodes}
        self.device_usage = DeviceUsage(inputs.objects)
        self.priority_classes = {one.value: one.name for one in reversed(inputs.objects.priority_classes)}
        """The first PriorityClass of each value."""
        # As of the end of the run, which is what outcomes are of.
        configuration, _ = settings_after(inputs, len(inputs.changes))
        self.profiles = {profile.scheduler_name for profile in configuration.profiles}

    def restarted(self) -> RunObjects:
        """A copy set back to the start of the run, which reuses the computed requests of pods."""
        again = RunObjects(self._inputs)
        again._requests, again._of_pod = self._requests, self._of_pod
        return again

    def take(self, event: ev.ObjectChanged) -> None:
        """Replace or drop what a change of a pod or a node names; an update by the engine has no version of its own."""
        if event.kind == "Pod":
            self._put(self.pods, event)
        elif event.kind == "Node":
            self._put(self.nodes, event)
        elif event.kind == "ReplicaSet":
            self._know_owner(self._object(event))
        elif event.kind == "ResourceQuota":
            self._put_quota(event)
        elif event.kind in KINDS:
            now = None if event.action == "deleted" else self._object(event)
            if now is not None or event.action == "deleted":
                self.device_usage.take(event.kind, event.key, now, by_input=not event.object)

    def follow(self, reader: RecordingReader, first: int, end: int) -> None:
        """Take in the changes with first <= seq < end of a recording."""
        for _, event in reader.select_events(first, end, ev.ObjectChanged):
            self.take(event)

    def _put(self, there: dict[str, Any], event: ev.ObjectChanged) -> None:
        if event.action == "deleted":
            return  # Pages still name what it asked for; a namesake replaces it.
        version = self._object(event)
        if version is not None:
            there[event.key] = version

    def _know_owner(self, made: Any) -> None:
        """A ReplicaSet that a rollout made is its Deployment's."""
        if isinstance(made, Workload):
            self._titles[made.key] = made.title.partition(" ")

    def _put_quota(self, event: ev.ObjectChanged) -> None:
        quota = self._object(event)
        if event.action == "deleted":
            self.quotas.pop(event.key, None)
        elif quota is not None:
            self.quotas[event.key] = quota

    def workload(self, event: ev.ObjectChanged) -> Workload | None:
        """The owner as an input puts it; None where the event brings none."""
        put = self._object(event) if event.action != "deleted" else None
        return put if isinstance(put, Workload) else None

    def owner_title(self, pod: Pod) -> str:
        """The title of the pod's workload ("Deployment shop/web"), "" where it has none."""
        return "".join(self._titles.get(workload_key(pod), ()))

    def titles(self) -> dict[str, str]:
        """{"ReplicaSet shop/web-1": "Deployment shop/web"}: the owners' titles by kind and namespace/name."""
        return {key.replace("/", " ", 1): "".join(title) for key, title in self._titles.items()}

    def _object(self, event: ev.ObjectChanged) -> Any:
        """The object's new version, None where the event brings none."""
        if event.object:
            return decode_object(event.kind, event.object)
        if event.entry is not None:
            return self._timeline[event.entry].object
        return self._changes[event.change].object if event.change is not None else None

    def requests(self, pod: Pod | None) -> Requests:
        """What the pod asks for, sorted by resource, without zeros; equal ones are one object."""
        if pod is None:
            return ()
        cached = self._of_pod.get(pod.key)
        if cached is not None and cached[0] is pod:
            return cached[1]
        amounts = tuple(sorted((name, value) for name, value in pod_requests(pod).items() if value > 0))
        amounts = self._requests.setdefault(amounts, amounts)
        self._of_pod[pod.key] = pod, amounts
        return amounts

    def allocatable(self, name: str) -> dict[str, int]:
        """What the node has for pods, {} for an unknown one; slots of pods among them."""
        node = self.nodes.get(name)
        return dict(node.allocatable) if node is not None else {}

    def owner(self, pod: Pod) -> Owner:
        """The title of the pod's workload or other owner; without one, the stem of its name."""
        kind, _, rest = self._titles.get(workload_key(pod), ("", "", ""))
        if rest:
            return Owner(pod.namespace, f"{kind} {rest.partition('/')[2]}", True)
        owner = next((one for one in pod.owner_references if one.controller), None)
        if owner is not None:
            return Owner(pod.namespace, f"{owner.kind} {owner.name}", True)
        return Owner(pod.namespace, stem(pod.name), False)


def stem(name: str) -> str:
    """The name with a number at its end left open: "train-00056" is one of "train-*"."""
    bare = name.rstrip("0123456789")
    return f"{bare}*" if bare != name and bare.endswith(("-", ".", "_")) else name


def counted(requests: Requests) -> Requests:
    """The requests with the slot that a pod takes on its node."""
    return (*requests, (PODS, 1))

"""Pods as the columns see them: an equivalence class of scheduling-relevant specs, and a pod of such a class."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from hashlib import blake2b
from operator import attrgetter
from typing import Any

import msgspec

from scheduler_core.api.labels import LabelSelector
from scheduler_core.api.objects import ContainerPort, Pod, Volume
from scheduler_core.api.resources import non_zero_requests, pod_requests

HostPort = tuple[str, str, int]
"""(address, protocol, number) of a port held on a node; the address 0.0.0.0 stands for all."""
ALL_ADDRESSES = "0.0.0.0"


class PodClass:
    """Pods whose scheduling-relevant spec is equal share a class (a template).

    ``example`` is the first pod seen: read its spec, labels and namespace, never its name. Volumes that no plugin reads
    do not count. ``requests`` are totals by resource name (zeros kept); ``held_ports`` are ``host_ports`` as HostPort;
    ``terminating`` marks pods being deleted apart. ``id`` counts up within one process; ``template`` is a 48-bit hash
    of the spec, the same in every process, and is what recordings name.
    """

    __slots__ = (
        "example",
        "held_ports",
        "host_ports",
        "id",
        "labels",
        "namespace",
        "non_zero_cpu",
        "non_zero_memory",
        "requests",
        "template",
        "terminating",
    )

    def __init__(self, class_id: int, key: bytes, example: Pod) -> None:
        self.id = class_id
        self.template = int.from_bytes(blake2b(key, digest_size=6).digest(), "big")
        self.example = example
        self.namespace = example.namespace
        self.labels = example.labels
        self.requests = pod_requests(example)
        self.non_zero_cpu, self.non_zero_memory = non_zero_requests(example)
        self.host_ports = host_ports(example)
        self.held_ports: frozenset[HostPort] = frozenset(map(host_port, self.host_ports))
        self.terminating = example.deletion_timestamp is not None


class PodInfo:
    """A pod with its class and key; the unit that the columns, plugins and the engine pass around."""

    __slots__ = ("cls", "key", "pod")

    def __init__(self, pod: Pod, cls: PodClass, key: str) -> None:
        self.pod = pod
        self.cls = cls
        self.key = key

    def __repr__(self) -> str:
        return f"PodInfo({self.key})"


Label = tuple[str, str]
_id_of = attrgetter("id")


class PodClasses:
    """The classes of one run, interned; ids count up from 0 in order of first use.

    ``reads_later``: plugins read what those of the first versions did not. A class is recorded by its key, so runs of
    these have the keys that they always had. ``shares_claims``: pods whose claims were made from the same templates are
    of one class, though each has its own; what plugins keep for a class must not depend on them.
    """

    def __init__(self) -> None:
        self.reads_later = False
        self.shares_claims = False
        self.all: list[PodClass] = []
        self._by_key: dict[bytes, PodClass] = {}
        self._labelled: dict[Label, list[PodClass]] = {}

    def info(self, pod: Pod) -> PodInfo:
        """The pod with its class, new or known."""
        key = _class_key(pod, reads_later=self.reads_later, shares_claims=self.shares_claims)
        cls = self._by_key.get(key)
        if cls is None:
            cls = self._by_key[key] = PodClass(len(self.all), key, pod)
            self.all.append(cls)
            for label in cls.labels.items():
                self._labelled.setdefault(label, []).append(cls)
        return PodInfo(pod, cls, pod.key)

    def selected(self, selector: LabelSelector | None, first: int) -> Iterable[PodClass]:
        """Of the classes from id ``first`` on all that the selector matches, perhaps with others and perhaps twice."""
        if selector is None:
            return
        labels = labels_of_any(selector)
        if labels is None:
            yield from self.all[first:]
            return
        for label in labels:
            yield from from_id(self._labelled.get(label, ()), first)


def from_id(classes: Sequence[PodClass], first: int) -> Sequence[PodClass]:
    """Of classes in order of their ids those from id ``first`` on."""
    return classes[bisect_left(classes, first, key=_id_of) :]


def labels_of_any(selector: LabelSelector) -> tuple[Label, ...] | None:
    """Labels of which whatever the selector matches has one; None where it need not have any."""
    for requirement in selector.requirements:
        if requirement.operator == "In":
            return tuple((requirement.key, value) for value in requirement.values)
    return None


_encode = msgspec.msgpack.Encoder().encode
_IMAGE = "image"
_UNREAD_SOURCES = frozenset(("configMap", "downwardAPI", "emptyDir", "projected", "secret"))
"""Sources of volumes that no plugin reads. Each pod of a cluster has a projected one for its token, named at random."""


def _class_key(pod: Pod, *, reads_later: bool, shares_claims: bool) -> bytes:
    """Everything that a plugin may read of a pod, except its name, uid, times, node and nomination."""
    later: tuple[Any, ...] = ()
    owners, volumes, claims = pod.owner_references, pod.volumes, pod.resource_claims
    if claims and shares_claims:
        claims = tuple([msgspec.structs.replace(one, generated=None) for one in claims])
    if reads_later and (pod.features or any(volume.source == _IMAGE for volume in volumes)):
        later = (pod.features, [volume.attributes for volume in volumes if volume.source == _IMAGE])
    controllers = [(o.kind, o.name) for o in owners if o.controller] if owners else []
    if volumes:
        volumes = tuple([_first_read(volume) for volume in volumes if volume.source not in _UNREAD_SOURCES])
        if any(volume.ephemeral for volume in volumes):
            # An ephemeral claim is named after its pod, so such pods share nothing.
            controllers.append(("Pod", pod.name))
    return _encode((
        pod.namespace, pod.labels, pod.priority, pod.preemption_policy, pod.scheduler_name, pod.node_selector,
        pod.affinity, pod.tolerations, pod.topology_spread_constraints, pod.containers, pod.init_containers,
        pod.overhead, pod.pod_requests, pod.pod_limits, pod.host_network, volumes, claims,
        pod.deletion_timestamp is not None, controllers, pod.allocated_requests, *later,
    ))  # fmt: skip


def _first_read(volume: Volume) -> Volume:
    """The volume as plugins of the first versions read it."""
    return msgspec.structs.replace(volume, attributes={}) if volume.source == _IMAGE else volume


def host_ports(pod: Pod) -> tuple[ContainerPort, ...]:
    """Host ports held while the pod runs: of sidecars and containers, not of ordinary init containers."""
    keeping = [c for c in pod.init_containers if c.restart_policy == "Always"]
    return tuple(port for c in (*keeping, *pod.containers) for port in c.ports if port.host_port > 0)


def host_port(port: ContainerPort) -> HostPort:
    """A container's host port as what it holds on the node."""
    return port.host_ip or ALL_ADDRESSES, port.protocol, port.host_port

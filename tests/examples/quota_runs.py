"""Runs with the plugin CapacityScheduling, which is imported from its folder as an installed package would be."""

from __future__ import annotations

import sys
from pathlib import Path

from scheduler_core.api.objects import ClusterObjects, ElasticQuota
from scheduler_core.manifests import ManifestSource, load_config
from scheduler_core.profiles.registry import in_tree
from scheduler_core.simulate import RunInputs, RunSession, Timeline, TimelineEntry
from scheduler_core.testing.builders import make_node, make_pod, resources

PACKAGE = Path(__file__).parents[2] / "examples" / "capacity_scheduling"
SECOND = 1_000_000
GPU = "nvidia.com/gpu"
REJECTED = "Pod {} is rejected in PreFilter because "
OVER_MAX = REJECTED + "ElasticQuota {} is more than Max"
OVER_MIN = REJECTED + "total ElasticQuota used is more than min"
NO_VICTIMS = "No victims found on node n for preemptor pod {}."


def registry():
    """The plugins of the tree and CapacityScheduling."""
    if str(PACKAGE) not in sys.path:
        sys.path.insert(0, str(PACKAGE))
    from schedscope_capacity_scheduling import CapacityScheduling

    return in_tree().with_plugin("CapacityScheduling", CapacityScheduling)


def configuration():
    loaded, findings = load_config(ManifestSource("config.yaml", (PACKAGE / "config.yaml").read_bytes()))
    assert findings == []
    return loaded


def quota(namespace, least=None, most=None):
    """A quota of these amounts; those of memory are ample where a list does not name it."""
    lists = [
        None if given is None else {"memory": 1 << 40, "cpu": 1 << 40, **resources(given)} for given in (least, most)
    ]
    return ElasticQuota(name="quota", namespace=namespace, min=lists[0], max=lists[1])


def cpus(namespace, least, most):
    return quota(namespace, {"cpu": str(least)}, {"cpu": str(most)})


def gpus(namespace, least, most):
    return quota(namespace, {GPU: str(least)}, {GPU: str(most)})


def gpu_pod(name, namespace, count, **fields):
    return make_pod(name, namespace=namespace, uid="", extended={GPU: str(count)}, **fields)


def cpu_pod(name, namespace, count=2, **fields):
    return make_pod(name, cpu=str(count), namespace=namespace, uid="", **fields)


def at(second, obj, action="put"):
    return TimelineEntry(second * SECOND, action, obj)


def inputs(quotas, entries, nodes=(), pods=(), **fields):
    return RunInputs(
        objects=ClusterObjects(
            nodes=list(nodes) or [make_node("n", cpu="8", memory="64Gi")], pods=list(pods), elastic_quotas=list(quotas)
        ),
        configuration=configuration(),
        schedule="timeline",
        timeline=Timeline.of(list(entries)),
        max_virtual_us=fields.pop("max_virtual_us", 400 * SECOND),
        **fields,
    )


class QuotaRun:
    """A run that was carried on to its end, with its events."""

    def __init__(self, given):
        self.session, self.events = RunSession.start(given, registry()), []
        self.session.simulation.observers.append(self.events.append)
        self.session.advance()

    def of(self, kind):
        return [event for event in self.events if isinstance(event, kind)]

    @property
    def placed(self):
        """Keys of placed pods by namespace, in order of their names."""
        by_namespace = {}
        for key in sorted(self.session.simulation.context.cluster.pods):
            by_namespace.setdefault(key.partition("/")[0], []).append(key)
        return by_namespace


def used(session, resource="cpu"):
    """What placed pods request, by namespace, counted pod by pod."""
    totals = {}
    for info in session.simulation.context.cluster.pods.values():
        amount = sum(container.requests.get(resource, 0) for container in info.pod.containers)
        totals[info.pod.namespace] = totals.get(info.pod.namespace, 0) + amount
    return totals

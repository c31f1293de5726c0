"""Counts kept from cycle to cycle == counts made anew, while pods and nodes come, go and change."""

from __future__ import annotations

from random import Random

import msgspec
import numpy as np
import pytest

from scheduler_core.api.objects import Namespace
from scheduler_core.framework.contracts.cycle_state import CycleState
from scheduler_core.plugins.inter_pod_affinity import InterPodAffinity
from scheduler_core.plugins.inter_pod_affinity.common import InterPodAffinityArgs
from scheduler_core.plugins.pod_topology_spread import PodTopologySpread
from scheduler_core.plugins.pod_topology_spread.common import PodTopologySpreadArgs
from scheduler_core.testing.builders import make_cluster, make_node
from scheduler_core.testing.fake_handle import FakeHandle
from tests.scheduler_core.plugins.generated import NAMESPACES, RACK, ZONE, random_cluster, random_pod
from tests.seeds import each_seed

KINDS = [(PodTopologySpread, PodTopologySpreadArgs()), (InterPodAffinity, InterPodAffinityArgs())]


def answers(plugin, pod):
    """Everything that the plugin says of all nodes."""
    rows = plugin.handle.cluster.table.order
    lists = []
    hard = plugin.pre_filter(CycleState(), pod)
    if not hard.status.is_skip:
        verdicts = plugin.filter(hard.state, pod, rows)
        lists.append(np.zeros(len(rows)) if verdicts is None else np.asarray(verdicts.codes))
    soft = plugin.pre_score(CycleState(), pod, rows)
    if not soft.status.is_skip:
        lists.append(plugin.score(soft.state, pod, rows))
    return [hard.status, soft.status, *(row.tolist() for row in lists)]


def copy_of(cluster):
    """A cluster of the same objects that has seen nothing else, with the nodes in the same order."""
    order = [cluster.table.nodes[row] for row in cluster.table.order.tolist()]
    twin = make_cluster(
        [], objects=[*cluster.listers.namespaces.values(), *cluster.listers.workload_selectors.values()]
    )
    for node in sorted(order, key=lambda node: node.name):
        twin.put_node(node)
        for info in cluster.pods_on(cluster.table.row_of[node.name]).values():
            twin.put_pod(twin.info(info.pod), node.name)
    return twin


def by_name(cluster, lists):
    """Lists over nodes as sorted (name, value) pairs."""
    names = [cluster.name_of(row) for row in cluster.table.order.tolist()]
    return [sorted(zip(names, part, strict=True)) if isinstance(part, list) else part for part in lists]


def change(random, cluster, step):
    """One random change, mostly of pods."""
    rows = cluster.table.order.tolist()
    name = cluster.name_of(random.choice(rows))
    match random.choice(
        ("put", "put", "put", "many", "drop", "drop", "drop", "terminate", "node", "relabel", "namespace")
    ):
        case "put":
            cluster.put_pod(cluster.info(random_pod(random, f"placed-late-{step}")), name)
        case "many":
            for i in range(40):
                cluster.put_pod(cluster.info(random_pod(random, f"placed-late-{step}-{i}")), name)
        case "drop" if cluster.pods:
            cluster.drop_pod(random.choice(sorted(cluster.pods)))
        case "terminate" if cluster.pods:
            pod = cluster.pods[random.choice(sorted(cluster.pods))].pod
            cluster.update_pod(cluster.info(msgspec.structs.replace(pod, deletion_timestamp=2.0)))
        case "node":
            if len(rows) > 5 and random.random() < 0.5:
                cluster.drop_node(name)
            else:
                cluster.put_node(make_node(f"late-{step}", labels={ZONE: random.choice("abcd")}))
        case "relabel":
            node = cluster.table.nodes[cluster.table.row_of[name]]
            moved = {**node.labels, ZONE: random.choice("abcd"), RACK: random.choice(("r1", "r9"))}
            cluster.put_node(msgspec.structs.replace(node, labels=moved))
        case "namespace":
            cluster.listers.put(Namespace(random.choice(NAMESPACES), random.choice(({}, {"team": "a"}))))


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "args"), KINDS, ids=[kind.name for kind, _ in KINDS])
@each_seed(range(12), together=4, short=1)
def test_kept_counts_equal_counts_made_anew(seed, kind, args):
    random = Random(seed)
    cluster = random_cluster(random)
    plugin = kind(args, FakeHandle(cluster))
    pods = [random_pod(random, f"pod-{i}") for i in range(8)]
    for step in range(25):
        change(random, cluster, step)
        twin = copy_of(cluster)
        fresh = kind(args, FakeHandle(twin))
        for pod in random.sample(pods, 3):
            followed = by_name(cluster, answers(plugin, cluster.info(pod)))
            assert followed == by_name(twin, answers(fresh, twin.info(pod)))
